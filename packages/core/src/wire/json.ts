import { type JsonObject, parseJsonObject } from "../model/index.ts"

/** Reports whether a Content-Type is JSON. */
export const isJson = (contentType: string | undefined): boolean => /^application\/json\s*(?:;|$)/i.test(contentType ?? "")

/** Reports whether a Content-Type is JSON, or a format based on JSON (RFC 6839 §3.1). */
export const isJsonOfAnyKind = (contentType: string | undefined): boolean =>
  /^application\/(?:json|[a-z0-9!#$&^_.-]{1,100}\+json)\s*(?:;|$)/i.test(contentType ?? "")

/** The maximum nesting depth of objects and lists of a body: metadata needs five. */
const deepest = 20

/** Reports whether a text nests objects and lists deeper than a limit, because parsing it would cost more than its length suggests. */
export const isDeeper = (text: string, bound: number): boolean => {
  let depth = 0
  let quoted = false
  for (let at = 0; at < text.length; at++) {
    const letter = text.charAt(at)
    if (quoted) {
      if (letter === "\\") at++
      else if (letter === '"') quoted = false
    } else if (letter === '"') quoted = true
    else if (letter === "{" || letter === "[") {
      if (++depth > bound) return true
    } else if (letter === "}" || letter === "]") depth--
  }
  return false
}

/** Parses a JSON object; undefined for anything else, and if it is nested too deeply. It takes time in proportion to its length. */
export const readObject = (text: string): JsonObject | undefined => (isDeeper(text, deepest) ? undefined : parseJsonObject(text))
