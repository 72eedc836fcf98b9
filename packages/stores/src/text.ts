import type { Stored } from "./rows/column.ts"

/** Stands in for U+0000, and escapes itself. */
const lead = "\u0001"

/**
 * A text as PostgreSQL can keep it. It takes every character but U+0000, which is written as U+0001 and `0`; U+0001 itself as U+0001 and
 * `1`. Half a surrogate pair, which is no character, becomes U+FFFD, as in every database that keeps UTF-8.
 */
export const writtenText = (value: string): string => {
  const sound = value.toWellFormed()
  if (!sound.includes("\u0000") && !sound.includes(lead)) return sound
  return sound.replaceAll(lead, `${lead}1`).replaceAll("\u0000", `${lead}0`)
}

/** The text that {@link writtenText} wrote. */
export const readText = (stored: string): string =>
  stored.includes(lead) ? stored.replaceAll(`${lead}0`, "\u0000").replaceAll(`${lead}1`, lead) : stored

/** A stored value as a parameter. */
export const parameter = (value: Stored): Stored => (typeof value === "string" ? writtenText(value) : value)

/** A stored value as a result holds it: whole numbers of eight bytes come as bigints, and ours are seconds and counts. */
export const storedValue = (value: unknown): Stored => {
  if (typeof value === "string") return readText(value)
  if (typeof value === "bigint" || typeof value === "number") return Number(value)
  return null
}
