import { type Json, isJsonObject } from "../../model/index.ts"
import { closest } from "../../model/closest.ts"

/** A part of a path in the configuration. */
export type Key = string | number

/** A fault of a provider's types: its place, the fault, and its remedy. */
export interface TypeFault {
  /** Its path below `authorization_details_types`. */
  readonly path: ReadonlyArray<Key>
  readonly message: string
  readonly hint: string
}

/** A place in the configuration that is being read. The faults of all places are collected. */
export interface Reading {
  /** Reads a place below this one. */
  readonly at: (...path: ReadonlyArray<Key>) => Reading
  /** Adds a fault at this place. */
  readonly fault: (message: string, hint: string) => void
  /** Adds a fault for each unknown name of an object here. */
  readonly known: (value: { readonly [name: string]: Json }, names: ReadonlyArray<string>) => void
}

/** Reads a value; faults are added to the list. */
export const readingInto = (faults: Array<TypeFault>, path: ReadonlyArray<Key> = []): Reading => {
  const reading: Reading = {
    at: (...more) => readingInto(faults, [...path, ...more]),
    fault: (message, hint) => void faults.push({ path, message, hint }),
    known: (value, names) => {
      for (const name of Object.keys(value)) {
        if (names.includes(name)) continue
        const near = closest(name, names)
        reading
          .at(name)
          .fault("is not known here", near.length === 0 ? `use one of: ${names.join(", ")}` : `did you mean ${near.join(" or ")}?`)
      }
    },
  }
  return reading
}

/** Readers of single values. Each records a fault and continues with a valid value. */
export const read = {
  /** A list of texts; empty if not given. */
  texts: (value: Json | undefined, reading: Reading): ReadonlyArray<string> => {
    if (value === undefined) return []
    const items: ReadonlyArray<Json> = Array.isArray(value) ? value : []
    if (!Array.isArray(value) || items.some((each) => typeof each !== "string" || each === ""))
      reading.fault("is no list of texts", 'write ["…"]')
    return items.filter((each) => typeof each === "string")
  },
  /** One of the given texts. */
  choice: <Text extends string>(
    value: Json | undefined,
    choices: ReadonlyArray<Text>,
    otherwise: Text,
    reading: Reading,
    hint = `use one of: ${choices.join(", ")}`,
  ): Text => {
    const found = choices.find((each) => each === value)
    if (value !== undefined && found === undefined) reading.fault("is none of the values it may have", hint)
    return found ?? otherwise
  },
  /** A whole number between two bounds. */
  whole: (value: Json | undefined, least: number, most: number, otherwise: number, reading: Reading): number => {
    if (value === undefined) return otherwise
    if (typeof value === "number" && Number.isInteger(value) && value >= least && value <= most) return value
    reading.fault(`is no whole number from ${least} to ${most}`, "correct it")
    return otherwise
  },
  /** Any number. */
  number: (value: Json | undefined, otherwise: number, reading: Reading): number => {
    if (value === undefined || typeof value === "number") return value ?? otherwise
    reading.fault("is no number", "correct it")
    return otherwise
  },
  /** A text of 1 to the given number of characters. */
  text: (value: Json | undefined, longest: number, reading: Reading, hint: string): string => {
    if (typeof value === "string" && value.trim() !== "" && value.length <= longest) return value
    reading.fault(value === undefined ? "is missing" : `is no text of 1 to ${longest} characters`, hint)
    return ""
  },
  /** The value if it is an object, otherwise an empty object. */
  object: (value: Json | undefined, reading: Reading, hint: string): { readonly [name: string]: Json } => {
    if (isJsonObject(value)) return value
    reading.fault(value === undefined ? "is missing" : "is not an object", hint)
    return {}
  },
} as const
