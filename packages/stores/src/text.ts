import type { Stored } from "./rows/column.ts"

/** Replaces U+0000 and escapes itself. */
const lead = "\u0001"

/**
 * Encodes a text for PostgreSQL, which stores every character except U+0000. U+0000 is written as U+0001 and `0`, and U+0001 as U+0001 and
 * `1`. A lone surrogate is not a character and becomes U+FFFD, as in every database that stores UTF-8.
 */
export const writtenText = (value: string): string => {
  const sound = value.toWellFormed()
  if (!sound.includes("\u0000") && !sound.includes(lead)) return sound
  return sound.replaceAll(lead, `${lead}1`).replaceAll("\u0000", `${lead}0`)
}

/** Decodes a text that {@link writtenText} encoded. */
export const readText = (stored: string): string =>
  stored.includes(lead) ? stored.replaceAll(`${lead}0`, "\u0000").replaceAll(`${lead}1`, lead) : stored

/** Converts a stored value to a query parameter. */
export const parameter = (value: Stored): Stored => (typeof value === "string" ? writtenText(value) : value)

/** Converts a value of a query result. 64-bit integers arrive as bigints and become numbers, because all of ours are seconds and counts. */
export const storedValue = (value: unknown): Stored => {
  if (typeof value === "string") return readText(value)
  if (typeof value === "bigint" || typeof value === "number") return Number(value)
  return null
}
