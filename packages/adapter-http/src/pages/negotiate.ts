import { match } from "@formatjs/intl-localematcher"

/** How many answers are remembered: real requests ask for a few dozen combinations. */
const remembered = 512

/** Chooses the best of the available languages for a list of wanted ones, best first; tags that are none are passed over. */
export const negotiator = (available: ReadonlyArray<string>, otherwise: string): ((wanted: ReadonlyArray<string>) => string) => {
  const known = new Map<string, string>()
  return (wanted) => {
    const key = wanted.join(" ")
    const before = known.get(key)
    if (before !== undefined) return before
    const chosen = match(wanted.slice(0, 10).flatMap(canonical), [...available], otherwise)
    if (known.size >= remembered) known.clear()
    if (key.length <= 200) known.set(key, chosen)
    return chosen
  }
}

const canonical = (tag: string): ReadonlyArray<string> => {
  try {
    return Intl.getCanonicalLocales(tag)
  } catch {
    return []
  }
}
