import { match } from "@formatjs/intl-localematcher"

/** The maximum number of cached results. Real requests use a few dozen combinations. */
const remembered = 512

/** The chosen language, and the region for its date and number formats. */
export interface Negotiated {
  /** The tag of a catalog. */
  readonly tag: string
  /** The same language in the reader's region, such as `en-GB` for a catalog `en`; the catalog's tag if no region is known. */
  readonly formats: string
}

/** Creates a function that chooses the best available language for a list of requested ones, best first. Invalid tags are skipped. */
export const negotiator = (available: ReadonlyArray<string>, otherwise: string): ((wanted: ReadonlyArray<string>) => Negotiated) => {
  const known = new Map<string, Negotiated>()
  return (wanted) => {
    const key = wanted.join(" ")
    const before = known.get(key)
    if (before !== undefined) return before
    const locales = wanted.slice(0, 10).flatMap(readLocale)
    const tag = match(
      locales.map((locale) => locale.baseName),
      [...available],
      otherwise,
    )
    const chosen = { tag, formats: regional(tag, locales) }
    if (known.size >= remembered) known.clear()
    if (key.length <= 200) known.set(key, chosen)
    return chosen
  }
}

/** Returns the tag with the first requested region of its language. Only language, script and region are considered. */
const regional = (tag: string, wanted: ReadonlyArray<Intl.Locale>): string => {
  const own = new Intl.Locale(tag)
  const found = wanted.find(({ language, region }) => language === own.language && region !== undefined)
  if (found?.region === undefined) return tag
  return new Intl.Locale(own.language, { ...(own.script === undefined ? {} : { script: own.script }), region: found.region }).toString()
}

const readLocale = (tag: string): ReadonlyArray<Intl.Locale> => {
  try {
    return [new Intl.Locale(tag)]
  } catch {
    return []
  }
}
