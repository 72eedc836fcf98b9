import {
  type DetailObjectSchema,
  type DetailSchema,
  type DetailType,
  type Json,
  type JsonObject,
  type Narrowing,
  type TextFormat,
  isJsonObject,
} from "../../model/index.ts"
import { typeOf } from "./type.ts"

/**
 * Reports whether a detail requests nothing beyond another one of its type (RFC 9396 §6.1). Both must have passed {@link fitted}. It is a
 * partial order: each kind of field has one, and an absent field is above all values, below all, or unrelated to them.
 */
export const isWithin = (narrow: JsonObject, wide: JsonObject, { type, schema }: DetailType): boolean =>
  narrow["type"] === type && wide["type"] === type && objectWithin(narrow, wide, schema)

const objectWithin = (narrow: JsonObject, wide: JsonObject, { fields }: DetailObjectSchema): boolean => {
  for (const [name, { schema, absent }] of fields) {
    const [a, b] = [ownOf(narrow, name), ownOf(wide, name)]
    if (a === undefined && b === undefined) continue
    if (a === undefined) {
      if (absent !== "nothing") return false
    } else if (b === undefined) {
      if (absent !== "everything") return false
    } else if (!valueWithin(a, b, schema)) return false
  }
  return true
}

const ownOf = (value: JsonObject, name: string): Json | undefined => (Object.hasOwn(value, name) ? value[name] : undefined)

const valueWithin = (a: Json, b: Json, schema: DetailSchema): boolean => {
  switch (schema.kind) {
    case "object":
      return isJsonObject(a) && isJsonObject(b) && objectWithin(a, b, schema)
    case "list":
      return Array.isArray(a) && Array.isArray(b) && listWithin(a, b, schema.narrows)
    case "flag":
      return a === b
    case "number":
      return typeof a === "number" && typeof b === "number" && inOrder(Math.sign(a - b), schema.narrows)
    case "text":
      return typeof a === "string" && typeof b === "string" && inOrder(compared(a, b, schema.format), schema.narrows)
  }
}

const inOrder = (sign: number, narrows: Narrowing): boolean =>
  sign === 0 || (narrows === "at-most" && sign < 0) || (narrows === "at-least" && sign > 0)

const listWithin = (a: ReadonlyArray<Json>, b: ReadonlyArray<Json>, narrows: Narrowing): boolean => {
  if (narrows !== "subset") return JSON.stringify(a) === JSON.stringify(b)
  // Normalized values have a single spelling.
  const wide = new Set(b.map((each) => JSON.stringify(each)))
  return a.every((each) => wide.has(JSON.stringify(each)))
}

/** Compares two values; only the sign matters. Decimal numbers are compared by value, dates and times as strings of equal length. */
const compared = (a: string, b: string, format: TextFormat | undefined): number => {
  const [left, right] = format === "decimal" ? [padded(a), padded(b)] : [a, b]
  return left === right ? 0 : left < right ? -1 : 1
}

const padded = (decimal: string): string => {
  const [whole = "", part = ""] = decimal.split(".", 2)
  return `${whole.padStart(18, "0")}.${part.padEnd(9, "0")}`
}

/**
 * Finds a detail of a list that exceeds another list; undefined if none does. Each must be within a different one of the other list,
 * because two payments do not fit into one.
 */
export const beyond = (
  narrow: ReadonlyArray<JsonObject>,
  wide: ReadonlyArray<JsonObject>,
  types: ReadonlyMap<string, DetailType>,
): number | undefined => {
  /** The index of a detail in the wide list, mapped to the index of the detail that uses it. */
  const taken = new Map<number, number>()
  const place = (at: number, tried: Set<number>): boolean => {
    const detail = narrow[at]
    const type = detail && typeOf(detail, types)
    if (detail === undefined || type === undefined) return false
    for (const [into, each] of wide.entries()) {
      if (tried.has(into) || !isWithin(detail, each, type)) continue
      tried.add(into)
      const holder = taken.get(into)
      if (holder === undefined || place(holder, tried)) {
        taken.set(into, at)
        return true
      }
    }
    return false
  }
  const found = narrow.findIndex((_, at) => !place(at, new Set()))
  return found < 0 ? undefined : found
}
