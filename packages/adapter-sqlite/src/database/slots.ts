import type { Locator, RowKind } from "@postern/core/model"

// Rows of a slotted kind are found by a number made of their locator, their slot, which is the key of their table. SQLite keeps whole rows
// in the interior pages of a table that is ordered by a text, and numbers alone where the key is one: those pages stay in its cache however
// many rows there are. The locator is a column like any other, and two of them may share a slot.

/** Whole milliseconds since 2020 make the upper 41 bits of a slot, until 2089; 22 bits of the locator's chance follow, and a bit that is never set. */
const since = Date.UTC(2020)
const most = 2 ** 41 - 2

/** The number of slots in which a row may lie: the upgrade from tables without slots puts a row whose slot is taken into the next one. */
export const slotsOfOne = 8

/** The distance of a slot to the next. */
const step = 2

/**
 * The column of slots. A process of an older version knows of none, and SQLite would choose for it the number after the greatest: that is
 * an odd one, and refused, since its row would never be found.
 */
export const slotColumn = `slot INTEGER PRIMARY KEY CHECK (slot % ${step} = 0)`

/** The least slot there is. */
const least = -(2n ** 63n)

const values = new Int8Array(128).fill(-1)
Array.from("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz").forEach((digit, value) => {
  values[digit.charCodeAt(0)] = value
})

/** Eight digits of base 62; a character that is not a digit, which no handle has, counts less than zero. */
const numberIn = (locator: Locator, from: number): number => {
  let sum = 0
  for (let at = from; at < from + 8; at++) sum = sum * 62 + (values[locator.charCodeAt(at)] ?? -1)
  return sum
}

const slot = new BigInt64Array(1)
const halves = new Int32Array(slot.buffer)
const [low, high] = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1 ? [0, 1] : [1, 0]

/** The slot of a locator. Those made later have greater ones, but within a millisecond. */
export const slotOf = (locator: Locator): bigint => {
  const time = Math.min(Math.max(numberIn(locator, 0) - since, 0), most)
  // The low 22 bits of the chance.
  const chance = Math.abs(numberIn(locator, 8)) % 4_194_304
  const upper = Math.floor(time / 512)
  halves[low] = ((time - upper * 512) << 23) | (chance << 1)
  halves[high] = upper - 2 ** 31
  return slot[0] ?? 0n
}

/** The slot that is so many further than another. */
export const displaced = (at: bigint, further: number): bigint => at + BigInt(step * further)

/** The time of a slot, in milliseconds. */
export const slotTime = (at: bigint): number => Number((at - least) >> 23n) + since

/** The condition under which a table's rows are sought by slot, but for the locator itself; `asked` stands for the slot each time it is called. */
export const inSlots = (column: string, asked: () => string): string =>
  `${column} BETWEEN ${asked()} AND ${asked()} + ${step * (slotsOfOne - 1)}`

/** The locator of a row, from its members. */
export const locatorIn = ({ key }: RowKind, members: unknown): Locator => {
  const locator = (members as Readonly<Record<string, unknown>>)[key[0] ?? ""]
  return typeof locator === "string" ? locator : ""
}
