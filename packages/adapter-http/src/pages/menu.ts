import type { View } from "./parts.ts"

/** Returns each language's own name, by tag and in alphabetical order. The region is included if several tags share a language. */
export const languageNames = (tags: ReadonlyArray<string>): ReadonlyMap<string, string> => {
  const languageOf = (tag: string): string => new Intl.Locale(tag).language
  const named = tags.map((tag) => {
    const several = tags.some((other) => other !== tag && languageOf(other) === languageOf(tag))
    const { language, region } = new Intl.Locale(tag).maximize()
    const asked = several && region !== undefined ? `${language}-${region}` : tag
    const name = new Intl.DisplayNames(tag, { type: "language", languageDisplay: "standard" }).of(asked) ?? tag
    return [tag, name.charAt(0).toLocaleUpperCase(tag) + name.slice(1)] as const
  })
  return new Map(named.sort(([, left], [, right]) => left.localeCompare(right, "en")))
}

/** Returns the template variables of a page's language menu; `null` without a choice of languages. */
export const menuOf = (names: ReadonlyMap<string, string>, current: string, address: string | undefined): ReadonlyArray<View> | null =>
  address === undefined || names.size < 2
    ? null
    : [...names].map(([tag, name]) => ({ tag, name, href: address + tag, current: tag === current }))
