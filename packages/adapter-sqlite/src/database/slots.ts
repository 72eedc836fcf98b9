import type { Locator, RowKind } from "@postern/core/model"

// Rows of a slotted kind are found by their slot, a number derived from their locator, which is the primary key of their table. In a table
// ordered by a text key, SQLite stores whole rows in the interior pages; with an integer key it stores only numbers there, so those pages
// stay in its cache however many rows there are. The locator is an ordinary column, and two locators may share a slot.

/**
 * The epoch of slots. The upper 41 bits of a slot are the milliseconds since 2020, which lasts until 2089. 22 random bits of the locator
 * follow, and then a bit that is never set.
 */
const since = Date.UTC(2020)
const most = 2 ** 41 - 2

/**
 * The number of slots in which a row may lie. The upgrade from tables without slots puts a row whose slot is taken into the next free one.
 */
export const slotsOfOne = 8

/** The distance between two adjacent slots. */
const step = 2

/**
 * The definition of the slot column. A process of an older version does not set it, so SQLite would assign the greatest slot plus one. That
 * number is odd, and the check refuses it, because such a row would never be found.
 */
export const slotColumn = `slot INTEGER PRIMARY KEY CHECK (slot % ${step} = 0)`

/** The lowest slot. */
const least = -(2n ** 63n)

const values = new Int8Array(128).fill(-1)
Array.from("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz").forEach((digit, value) => {
  values[digit.charCodeAt(0)] = value
})

/** Decodes eight base-62 digits. A character that is not a digit, which no handle contains, counts as -1. */
const numberIn = (locator: Locator, from: number): number => {
  let sum = 0
  for (let at = from; at < from + 8; at++) sum = sum * 62 + (values[locator.charCodeAt(at)] ?? -1)
  return sum
}

const slot = new BigInt64Array(1)
const halves = new Int32Array(slot.buffer)
const [low, high] = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1 ? [0, 1] : [1, 0]

/** Returns the slot of a locator. Later locators have greater slots, except within one millisecond. */
export const slotOf = (locator: Locator): bigint => {
  const time = Math.min(Math.max(numberIn(locator, 0) - since, 0), most)
  // The low 22 bits of the locator's random part.
  const chance = Math.abs(numberIn(locator, 8)) % 4_194_304
  const upper = Math.floor(time / 512)
  halves[low] = ((time - upper * 512) << 23) | (chance << 1)
  halves[high] = upper - 2 ** 31
  return slot[0] ?? 0n
}

/** Returns the slot that is the given number of slots after another. */
export const displaced = (at: bigint, further: number): bigint => at + BigInt(step * further)

/** Returns the time of a slot, in milliseconds. */
export const slotTime = (at: bigint): number => Number((at - least) >> 23n) + since

/**
 * Returns the condition that finds rows by slot, to which the caller adds the locator. `asked` is called for each occurrence of the slot.
 */
export const inSlots = (column: string, asked: () => string): string =>
  `${column} BETWEEN ${asked()} AND ${asked()} + ${step * (slotsOfOne - 1)}`

/** Returns the locator of a row from its members. */
export const locatorIn = ({ key }: RowKind, members: unknown): Locator => {
  const locator = (members as Readonly<Record<string, unknown>>)[key[0] ?? ""]
  return typeof locator === "string" ? locator : ""
}
