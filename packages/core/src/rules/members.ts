import { isJsonObject } from "../model/index.ts"
import { closest } from "./closest.ts"

/** The kind of a member that an embedder without types may get wrong. `own`: a rule of its own judges it. */
export type MemberKind = "text" | "list" | "object" | "function" | "own"

const words: Readonly<Record<MemberKind, string>> = {
  text: "a text",
  list: "a list",
  object: "an object",
  function: "a function",
  own: "there",
}

/** Describes a value without showing it: it may be a secret. */
export const kindOf = (value: unknown): string => {
  if (value === null) return "null"
  if (Array.isArray(value)) return "an array"
  return typeof value === "object" ? "an object" : `a ${typeof value}`
}

const fits = (value: unknown, kind: MemberKind): boolean => {
  if (kind === "list") return Array.isArray(value)
  if (kind === "object") return isJsonObject(value)
  return kind === "own" || typeof value === (kind === "text" ? "string" : kind)
}

/** Faults of a definition's members, in words: those that are missing, of another kind, or that there are none of, with the one that is near. */
export const memberFaults = (
  given: object,
  kinds: Readonly<Record<string, MemberKind>>,
  needed: ReadonlyArray<string>,
): ReadonlyArray<string> => {
  const held = given as Readonly<Record<string, unknown>>
  const missing = needed
    .filter((name) => held[name] === undefined)
    .map((name) => `${name}: is missing, and must be ${words[kinds[name] ?? "own"]}`)
  const wrong = Object.entries(held).flatMap(([name, value]) => {
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined
    if (kind === undefined) {
      const [near] = closest(name, Object.keys(kinds))
      return [`${name}: is no member of it${near === undefined ? "" : `; did you mean ${near}?`}`]
    }
    return value === undefined || fits(value, kind) ? [] : [`${name}: is ${kindOf(value)}, and must be ${words[kind]}`]
  })
  return [...missing, ...wrong]
}
