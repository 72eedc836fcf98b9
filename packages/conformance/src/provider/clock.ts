/** The one clock of a provider under test. */
export interface TestClock {
  /** Milliseconds since 1970. */
  readonly millis: () => number
  /** Whole seconds since 1970. */
  readonly now: () => number
  /** Moves the clock on. */
  readonly advance: (by: number | string) => void
  /** Lets it stand still, at a time in seconds since 1970 or where it is. */
  readonly freeze: (at?: number) => void
  /** Lets it run on from where it is. */
  readonly thaw: () => void
  readonly isFrozen: () => boolean
}

/** A clock that runs with the system's, or stands still at a time in seconds since 1970; both until they are moved. */
export const testClock = (at?: number): TestClock => {
  let stands = at === undefined ? undefined : timeOf(at) * 1000
  let ahead = 0
  const millis = () => (stands ?? Date.now()) + ahead
  return {
    millis,
    now: () => Math.floor(millis() / 1000),
    advance: (by) => {
      const seconds = secondsOf(by)
      timeOf(millis() / 1000 + seconds)
      ahead += seconds * 1000
    },
    freeze: (time) => {
      stands = time === undefined ? millis() : timeOf(time) * 1000
      ahead = 0
    },
    thaw: () => {
      ahead = millis() - Date.now()
      stands = undefined
    },
    isFrozen: () => stands !== undefined,
  }
}

/** The end of the year 9999, the last that the date of an answer can be in (RFC 9110 §5.6.7). */
const latest = 253_402_300_799

/** A time in seconds since 1970. Throws a `TypeError` for one that no answer can be dated with. */
const timeOf = (seconds: number): number => {
  if (Number.isFinite(seconds) && seconds >= 0 && seconds <= latest) return seconds
  throw new TypeError(`${String(seconds)} is no time: give seconds since 1970, up to the end of the year 9999`)
}

const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 }

/** A clock is moved by a thousand years at most at once. */
const longest = 31_556_952_000

/** The seconds of a duration: a number of them, or a text as `90s`, `15m`, `10h`, `30d` or `2w`. Throws a `TypeError` for anything else. */
export const secondsOf = (duration: number | string): number => {
  const [, count = "", unit = ""] = /^(\d+)([smhdw])$/.exec(String(duration)) ?? []
  const seconds = typeof duration === "number" ? duration : Number(count) * (units[unit] ?? Number.NaN)
  if (Number.isFinite(seconds) && seconds >= 0 && seconds <= longest && (typeof duration === "number" || count !== "")) return seconds
  throw new TypeError(`${JSON.stringify(duration)} is no duration: give seconds, or a text as "90s", "15m", "10h", "30d" or "2w"`)
}
