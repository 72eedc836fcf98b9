/** Header fields that state how long a document is fresh (RFC 9111 §4.2.1). */
export interface CachingHeaders {
  /** `Cache-Control`. */
  readonly cacheControl?: string | undefined
  /** `Age`. */
  readonly age?: string | undefined
  /** `Expires`. */
  readonly expires?: string | undefined
  /** `Date`, if `Expires` is present. */
  readonly date?: string | undefined
}

/** The freshness of a document by its header fields; undefined if they do not state it. */
export interface Freshness {
  /** True if it must not be stored at all. */
  readonly isUnkept: boolean
  /** The remaining freshness lifetime, in seconds. */
  readonly seconds: number | undefined
}

const secondsOf = (text: string | undefined): number | undefined => {
  const [, digits] = /^"?(\d{1,10})"?$/.exec(text?.trim() ?? "") ?? []
  return digits === undefined ? undefined : Number(digits)
}

/** Parses the directives of a Cache-Control field, by lower-case name. If a name is repeated, the first counts (RFC 9111 §4.2.1). */
const directivesOf = (field: string): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  for (const each of field.slice(0, 1_000).split(",")) {
    const [, name = "", value = ""] = /^\s*([^\s=]+)\s*(?:=(.*))?$/s.exec(each) ?? []
    if (name !== "" && !found.has(name.toLowerCase())) found.set(name.toLowerCase(), value)
  }
  return found
}

const months = "JanFebMarAprMayJunJulAugSepOctNovDec"

/** Parses a date in the form that servers must send (RFC 9110 §5.6.7), in seconds since some year; undefined for anything else. */
const dateOf = (text = ""): number | undefined => {
  const read = /^[A-Z][a-z]{2}, (\d\d) ([A-Z][a-z]{2}) (\d{4}) (\d\d):(\d\d):(\d\d) GMT$/.exec(text.trim())
  const month = months.indexOf(read?.[2] ?? "-") / 3
  if (read === null || month < 0) return undefined
  const [, day = 0, , year = 0, hour = 0, minute = 0, second = 0] = read.map(Number)
  // If years begin in March, the leap day is the last day of the year.
  const years = month < 2 ? year - 1 : year
  const ofYear = Math.floor((153 * ((month + 10) % 12) + 2) / 5) + day
  const days = 365 * years + Math.floor(years / 4) - Math.floor(years / 100) + Math.floor(years / 400) + ofYear
  return days * 86_400 + hour * 3_600 + minute * 60 + second
}

/** Returns the seconds from a Date to an Expires; 0, which means expired, if one of them is invalid (RFC 9111 §5.3). */
const untilExpiry = (expires: string, date: string | undefined): number => {
  const [end, from] = [dateOf(expires), dateOf(date)]
  return end === undefined || from === undefined ? 0 : Math.max(0, end - from)
}

/** Computes how long a document is fresh, as a shared cache does (RFC 9111 §4.2.1, §5.2). */
export const freshnessOf = ({ cacheControl, age, expires, date }: CachingHeaders = {}): Freshness => {
  const directives = directivesOf(cacheControl ?? "")
  if (directives.has("no-store") || directives.has("private")) return { isUnkept: true, seconds: undefined }
  if (directives.has("no-cache")) return { isUnkept: false, seconds: 0 }
  const stated = directives.get("s-maxage") ?? directives.get("max-age")
  // An invalid lifetime counts as expired (RFC 9111 §4.2.1).
  const unstated = expires === undefined ? undefined : untilExpiry(expires, date)
  const life = stated === undefined ? unstated : (secondsOf(stated) ?? 0)
  return { isUnkept: false, seconds: life === undefined ? undefined : Math.max(0, life - (secondsOf(age) ?? 0)) }
}
