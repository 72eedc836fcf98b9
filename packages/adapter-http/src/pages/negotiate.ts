import { match } from "@formatjs/intl-localematcher"

/** Number of answers that are remembered: real requests ask for a few dozen combinations. */
const remembered = 512

/** A language that there is, and the region whose dates and numbers it is shown with. */
export interface Negotiated {
  /** Tag of a catalog. */
  readonly tag: string
  /** The same language in the reader's region: `en-GB` for a catalog `en`; the catalog's tag where no region is known. */
  readonly formats: string
}

/** Chooses the best of the available languages for a list of wanted ones, best first; invalid tags are passed over. */
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

/** The first wanted region of a language; only language, script and region count. */
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
