import type { View } from "./view.ts"

/** The names of languages in themselves, by tag, in the order of their names: a region is named where a language has several. */
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

/** The language menu of a page, as its template sees it. */
export const menuOf = (names: ReadonlyMap<string, string>, current: string, address: string | undefined): ReadonlyArray<View> | null =>
  address === undefined || names.size < 2
    ? null
    : [...names].map(([tag, name]) => ({ tag, name, href: address + tag, current: tag === current }))
