import type { Json } from "../model/index.ts"
import { isDeeper } from "./json.ts"

/** The limits of a JSON text. */
export interface JsonBounds {
  /** The maximum length, in characters. */
  readonly longest: number
  /** The maximum nesting depth of objects and lists. */
  readonly deepest: number
  /** The maximum number of values of all kinds. */
  readonly most: number
}

/** A parsed JSON text, or the reason why parsing failed. */
export type ReadJson = { /** The value. */ readonly value: Json } | { /** The reason: `not JSON`. */ readonly fault: string }

/**
 * Parses JSON within limits. An object with a repeated member name is rejected, because parsers disagree about which one counts (RFC 8259
 * §4). It takes time in proportion to the length of the text.
 */
export const readStrictJson = (text: string, { longest, deepest, most }: JsonBounds): ReadJson => {
  if (text.length > longest) return { fault: `longer than ${longest} characters` }
  if (text.length > long && isDeeper(text, deepest)) return { fault: `nested deeper than ${deepest} levels` }
  const value = parsed(text)
  if (value === undefined) return { fault: "not JSON" }
  // The text is valid JSON from here on, so that only punctuation, numbers and literals occur outside of quotes.
  const open: Array<Set<string> | undefined> = []
  let isName = false
  let values = 1
  for (let at = 0; at < text.length; at++) {
    switch (text.charAt(at)) {
      case '"': {
        const end = endOf(text, at)
        const names = open.at(-1)
        if (isName && names !== undefined) {
          const name = JSON.parse(text.slice(at, end)) as string
          if (names.has(name)) return { fault: "JSON that names a member twice" }
          names.add(name)
          isName = false
        }
        at = end - 1
        break
      }
      case "{":
      case "[": {
        const isObject = text.charAt(at) === "{"
        if (open.push(isObject ? new Set() : undefined) > deepest) return { fault: `nested deeper than ${deepest} levels` }
        isName = isObject
        values++
        break
      }
      case "}":
      case "]":
        open.pop()
        isName = false
        break
      case ",":
        isName = open.at(-1) !== undefined
        values++
        break
    }
    if (values > most) return { fault: `more than ${most} values` }
  }
  return { value }
}

/**
 * The length in characters from which the depth of a text is checked before parsing, because thousands of levels cost the parser several
 * times as much as flat values.
 */
const long = 1024

const parsed = (text: string): Json | undefined => {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

/** Returns the index after a quoted string that begins at `start`. */
const endOf = (text: string, start: number): number => {
  let at = start + 1
  while (at < text.length && text.charAt(at) !== '"') at += text.charAt(at) === "\\" ? 2 : 1
  return at + 1
}
