import {
  type DetailField,
  type DetailObjectSchema,
  type DetailSchema,
  type DetailTextSchema,
  type DetailType,
  type Json,
  type JsonObject,
  type TextFormat,
  isJsonObject,
} from "../../model/index.ts"
import { isShowable } from "../showable.ts"

/** A fault of a detail, with the path of the field. */
export interface DetailFault {
  /** The path, which consists of declared names and list indices, so it is safe to show. */
  readonly path: string
  readonly problem: string
}

const fault = (path: string, problem: string): DetailFault => ({ path, problem })

/**
 * Validates a detail against its type (RFC 9396 §5), and normalizes it: `type` first, then its fields in the order of the type, so that
 * equal details have equal texts.
 */
export const fitted = (
  detail: JsonObject,
  { type, schema }: DetailType,
): { readonly detail: JsonObject } | { readonly fault: DetailFault } => {
  const { type: _type, ...fields } = detail
  const found = objectFitted(fields, schema, "")
  return isFaulty(found) ? { fault: found.fault } : { detail: { type, ...found.value } }
}

type Fitted<A extends Json> = { readonly value: A } | { readonly fault: DetailFault }

const isFaulty = <A extends Json>(found: Fitted<A>): found is { readonly fault: DetailFault } => "fault" in found

const objectFitted = (value: JsonObject, { fields }: DetailObjectSchema, path: string): Fitted<JsonObject> => {
  const names = Object.keys(value)
  if (names.some((name) => !fields.has(name))) return { fault: fault(path, "has a field that its type does not have") }
  const kept: Array<readonly [string, Json]> = []
  for (const [name, { schema, required }] of fields) {
    const at = path === "" ? name : `${path}.${name}`
    const given = Object.hasOwn(value, name) ? value[name] : undefined
    if (given === undefined) {
      if (required) return { fault: fault(at, "is missing") }
      continue
    }
    const found = valueFitted(given, schema, at)
    if (isFaulty(found)) return found
    kept.push([name, found.value])
  }
  return { value: Object.fromEntries(kept) }
}

/** Validates one value. */
export const valueFitted = (value: Json, schema: DetailSchema, path: string): Fitted<Json> => {
  switch (schema.kind) {
    case "object":
      return isJsonObject(value) ? objectFitted(value, schema, path) : { fault: fault(path, "must be an object") }
    case "list": {
      if (!Array.isArray(value)) return { fault: fault(path, "must be a list") }
      const items: ReadonlyArray<Json> = value
      if (items.length < schema.least || items.length > schema.most)
        return { fault: fault(path, `must have ${schema.least} to ${schema.most} items`) }
      const kept: Array<Json> = []
      for (const [at, item] of items.entries()) {
        const found = valueFitted(item, schema.items, `${path}[${at}]`)
        if (isFaulty(found)) return found
        kept.push(found.value)
      }
      return { value: kept }
    }
    case "flag":
      return typeof value === "boolean" ? { value } : { fault: fault(path, "must be true or false") }
    case "number": {
      const { whole, minimum, maximum } = schema
      const fits = typeof value === "number" && value >= minimum && value <= maximum && (!whole || Number.isSafeInteger(value))
      return fits
        ? { value: value === 0 ? 0 : value }
        : { fault: fault(path, `must be a ${whole ? "whole number" : "number"} from ${minimum} to ${maximum}`) }
    }
    case "text": {
      const problem = typeof value === "string" ? textProblem(value, schema) : "must be a text"
      return problem === undefined ? { value } : { fault: fault(path, problem) }
    }
  }
}

const textProblem = (value: string, { least, longest, of, format, pattern }: DetailTextSchema): string | undefined => {
  if (of !== undefined) return of.includes(value) ? undefined : "is not one of the values that its type has"
  if (value.length < least || value.length > longest) return `must have ${least} to ${longest} characters`
  if (!isShowable(value)) return "has characters that cannot be shown"
  if (format !== undefined && !formats[format].fits(value)) return `must be ${formats[format].called}`
  return pattern === undefined || pattern.test(value) ? undefined : "does not have the form that its type asks for"
}

const isDate = (text: string): boolean => {
  const [, year = "", month = "", day = ""] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? []
  const [y, m, d] = [Number(year), Number(month), Number(day)]
  if (year === "" || m < 1 || m > 12 || d < 1) return false
  const leap = (y % 4 === 0 && y % 100 !== 0) || y % 400 === 0
  return d <= ([31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][m - 1] ?? 0)
}

/** Reports whether the check digits of an IBAN (ISO 13616) are correct, by ISO 7064's MOD 97-10. */
const isIban = (text: string): boolean => {
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(text)) return false
  let rest = 0
  for (const letter of text.slice(4) + text.slice(0, 4)) {
    const value = Number.parseInt(letter, 36)
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97
  }
  return rest === 1
}

/** Formats of strings. Those with an order have a single spelling, so that they can be compared. */
const formats: Readonly<Record<TextFormat, { readonly called: string; readonly fits: (text: string) => boolean }>> = {
  uri: { called: "an absolute URI without a fragment", fits: (text) => /^[a-zA-Z][a-zA-Z0-9+.-]*:[^\s#]+$/.test(text) },
  date: { called: "a date such as 2026-11-30", fits: isDate },
  "date-time": {
    called: "a time such as 2026-11-30T12:00:00Z",
    fits: (text) => /^.{10}T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/.test(text) && isDate(text.slice(0, 10)),
  },
  decimal: { called: "a decimal number such as 123.50", fits: (text) => /^(?:0|[1-9]\d{0,17})(?:\.\d{1,9})?$/.test(text) },
  currency: { called: "a currency such as EUR", fits: (text) => /^[A-Z]{3}$/.test(text) },
  iban: { called: "an IBAN without spaces", fits: isIban },
}

/** Names of the formats. */
export const textFormats = Object.keys(formats) as ReadonlyArray<TextFormat>

/** Returns the value at a path; undefined if there is none. */
export const valueAt = (value: Json | undefined, path: ReadonlyArray<string>): Json | undefined =>
  path.reduce<Json | undefined>((at, name) => (isJsonObject(at) && Object.hasOwn(at, name) ? at[name] : undefined), value)

/** Returns the field at a path through objects; undefined if there is none. */
export const fieldAt = (schema: DetailObjectSchema, [name = "", ...rest]: ReadonlyArray<string>): DetailField | undefined => {
  const field = schema.fields.get(name)
  if (field === undefined || rest.length === 0) return field
  return field.schema.kind === "object" ? fieldAt(field.schema, rest) : undefined
}
