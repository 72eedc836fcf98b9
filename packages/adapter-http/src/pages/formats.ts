import { once } from "./once.ts"

/** The date, duration and list formats of a language, or of its use in one region. */
export interface Formats {
  /** The BCP 47 tag of the formats: a language, with the reader's region if known. */
  readonly formats: string
  /** Formats a day in a time zone; UTC if the zone is unknown. */
  readonly date: (at: number, zone: string | undefined) => string
  /** Formats a day and time in a time zone, with the zone's name; UTC if the zone is unknown. */
  readonly moment: (at: number, zone: string | undefined) => string
  /** Formats the time elapsed since a moment. */
  readonly ago: (at: number, now: number) => string
  /** Formats a number of seconds in the most natural unit, rounded up. */
  readonly span: (seconds: number) => string
  readonly list: (items: ReadonlyArray<string>) => string
}

/** The maximum number of time zones per region whose formatters are cached. */
const mostZones = 64

const day: Intl.DateTimeFormatOptions = { dateStyle: "long" }
const dayAndTime: Intl.DateTimeFormatOptions = {
  year: "numeric",
  month: "long",
  day: "numeric",
  hour: "numeric",
  minute: "2-digit",
  timeZoneName: "short",
}

/** Returns the formats of a tag. Formatters are created on first use. */
export const formatsOf = (tag: string): Formats => {
  const inZone = (options: Intl.DateTimeFormatOptions): ((at: number, zone: string | undefined) => string) => {
    const made = new Map<string, Intl.DateTimeFormat>()
    return (at, zone = "UTC") => {
      const before = made.get(zone)
      const formatter = before ?? zoned(tag, options, zone)
      if (before === undefined) {
        if (made.size >= mostZones) made.clear()
        made.set(zone, formatter)
      }
      return formatter.format(at * 1000)
    }
  }
  const relative = once(() => new Intl.RelativeTimeFormat(tag, { numeric: "auto" }))
  const conjunction = once(() => new Intl.ListFormat(tag, { type: "conjunction" }))
  return {
    formats: tag,
    date: inZone(day),
    moment: inZone(dayAndTime),
    ago: (at, now) => {
      const [count, unit] = inUnits(now - at, Math.floor)
      return unit === "second" ? relative().format(0, "second") : relative().format(-count, unit)
    },
    span: (seconds) => {
      const [count, unit] = inUnits(seconds, Math.ceil)
      return new Intl.NumberFormat(tag, { style: "unit", unit, unitDisplay: "long" }).format(count)
    },
    list: (items) => conjunction().format(items),
  }
}

/** Falls back for an unknown time zone, because a `zoneinfo` claim may hold any text. */
const zoned = (tag: string, options: Intl.DateTimeFormatOptions, timeZone: string): Intl.DateTimeFormat => {
  try {
    return new Intl.DateTimeFormat(tag, { ...options, timeZone })
  } catch {
    return new Intl.DateTimeFormat(tag, { ...options, timeZone: "UTC" })
  }
}

const inUnits = (seconds: number, round: (count: number) => number): readonly [number, "second" | "minute" | "hour" | "day"] => {
  if (seconds < 60) return [Math.max(1, round(seconds)), "second"]
  if (seconds < 3600) return [round(seconds / 60), "minute"]
  return seconds < 172_800 ? [round(seconds / 3600), "hour"] : [round(seconds / 86_400), "day"]
}
