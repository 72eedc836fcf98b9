/** The single clock of a provider under test. */
export interface TestClock {
  /** Milliseconds since 1970. */
  readonly millis: () => number
  /** Whole seconds since 1970. */
  readonly now: () => number
  /** Advances the clock. */
  readonly advance: (by: number | string) => void
  /** Stops the clock, at a time in seconds since 1970 or at its current time. */
  readonly freeze: (at?: number) => void
  /** Lets the clock run again from its current time. */
  readonly thaw: () => void
  readonly isFrozen: () => boolean
}

/** Creates a clock that runs with the system's or, given a time in seconds since 1970, stands still there, until it is changed. */
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

/** The end of the year 9999, the last time that the Date header can represent (RFC 9110 §5.6.7). */
const latest = 253_402_300_799

/** Validates a time in seconds since 1970. Throws a `TypeError` if the Date header cannot represent it. */
const timeOf = (seconds: number): number => {
  if (Number.isFinite(seconds) && seconds >= 0 && seconds <= latest) return seconds
  throw new TypeError(`${String(seconds)} is no time: give seconds since 1970, up to the end of the year 9999`)
}

const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 }

/** The longest single advance of the clock: a thousand years. */
const longest = 31_556_952_000

/**
 * The seconds of a duration, given as a number or as a string such as `90s`, `15m`, `10h`, `30d` or `2w`. Throws a `TypeError` for anything
 * else.
 */
export const secondsOf = (duration: number | string): number => {
  const [, count = "", unit = ""] = /^(\d+)([smhdw])$/.exec(String(duration)) ?? []
  const seconds = typeof duration === "number" ? duration : Number(count) * (units[unit] ?? Number.NaN)
  if (Number.isFinite(seconds) && seconds >= 0 && seconds <= longest && (typeof duration === "number" || count !== "")) return seconds
  throw new TypeError(`${JSON.stringify(duration)} is no duration: give seconds, or a text as "90s", "15m", "10h", "30d" or "2w"`)
}
