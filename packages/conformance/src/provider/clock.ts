/** The one clock of a provider under test. */
export interface TestClock {
  /** Milliseconds since 1970. */
  readonly millis: () => number
  /** Whole seconds since 1970. */
  readonly now: () => number
  /** Moves the clock on. */
  readonly advance: (by: number | string) => void
}

/** A clock that runs with the system's, or stands still at a time in seconds since 1970; both until they are moved. */
export const testClock = (at?: number): TestClock => {
  let ahead = 0
  const millis = () => (at === undefined ? Date.now() : at * 1000) + ahead
  return { millis, now: () => Math.floor(millis() / 1000), advance: (by) => void (ahead += secondsOf(by) * 1000) }
}

const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 }

/** The seconds of a duration: a number of them, or a text as `90s`, `15m`, `10h`, `30d` or `2w`. Throws a `TypeError` for anything else. */
export const secondsOf = (duration: number | string): number => {
  const [, count = "", unit = ""] = /^(\d+)([smhdw])$/.exec(String(duration)) ?? []
  const seconds = typeof duration === "number" ? duration : Number(count) * (units[unit] ?? Number.NaN)
  if (Number.isFinite(seconds) && seconds >= 0 && (typeof duration === "number" || count !== "")) return seconds
  throw new TypeError(`${JSON.stringify(duration)} is no duration: give seconds, or a text as "90s", "15m", "10h", "30d" or "2w"`)
}
