import { isJsonObject } from "./json.ts"
import { closest } from "./closest.ts"

const isText = (value: unknown): boolean => typeof value === "string"

const listOf =
  (fits: (each: unknown) => boolean) =>
  (value: unknown): boolean =>
    Array.isArray(value) && Array.from(value).every(fits)

const isOf =
  (type: string) =>
  (value: unknown): boolean =>
    typeof value === type

const fitting = {
  text: ["a text", isText],
  number: ["a number", isOf("number")],
  boolean: ["true or false", isOf("boolean")],
  function: ["a function", isOf("function")],
  list: ["a list", Array.isArray],
  texts: ["a list of texts", listOf(isText)],
  functions: ["a list of functions", listOf(isOf("function"))],
  objects: ["a list of objects", listOf(isJsonObject)],
  object: ["an object", isJsonObject],
  table: ["a table, or the name of one", (value) => isText(value) || (isJsonObject(value) && Array.isArray(value["rules"]))],
  own: ["there", () => true],
} satisfies Readonly<Record<string, readonly [words: string, fits: (value: unknown) => boolean]>>

type Word = keyof typeof fitting

/** The kind of a member, for embedders without types. `?` marks an optional one; one with `own` has a rule of its own. */
export type MemberKind = Word | `${Word}?`

type Runs = (...args: ReadonlyArray<never>) => unknown

type WordOf<Of> = Of extends string
  ? "text"
  : Of extends number
    ? "number"
    : Of extends boolean
      ? "boolean"
      : Of extends Runs
        ? "function"
        : Of extends ReadonlyArray<infer Each>
          ? Each extends string
            ? "texts"
            : Each extends Runs
              ? "functions"
              : "objects"
          : "object"

/** The kinds of all members of a type, which the compiler keeps complete and correct. A missing flag is false. */
export type MemberKinds<Of> = {
  readonly [Name in keyof Of]-?: Record<never, never> extends Pick<Of, Name>
    ? `${WordOf<NonNullable<Of[Name]>> | "table" | "own"}?`
    : Of[Name] extends boolean
      ? "boolean?"
      : WordOf<Of[Name]> | "own"
}

/** Reports whether nothing can be read of a value, because it is a proxy that was revoked. */
const isRevoked = (value: unknown): boolean => {
  try {
    Array.isArray(value)
    return false
  } catch {
    return true
  }
}

/** Describes a value without showing it, because it may be a secret. */
export const kindOf = (value: unknown): string => {
  if (isRevoked(value)) return "a revoked proxy"
  if (value === undefined) return "missing"
  if (value === null) return "null"
  if (Array.isArray(value)) return "an array"
  return typeof value === "object" ? "an object" : `a ${typeof value}`
}

/** Returns the fault of a value by its kind, as text; undefined if there is none. */
export const kindFault = (place: string, value: unknown, kind: MemberKind, type = ""): string | undefined => {
  const isOptional = kind.endsWith("?")
  if (isOptional && value === undefined) return undefined
  const [words, fits] = fitting[(isOptional ? kind.slice(0, -1) : kind) as Word]
  return !isRevoked(value) && fits(value) ? undefined : `${place}: is ${kindOf(value)}, and must be ${words}${type}`
}

/** Returns the fault of an unknown name, as text, with the most similar known one. */
export const nameFault = (place: string, name: string, known: ReadonlyArray<string>, what: string): string => {
  const [near] = closest(name, known)
  return `${place}: is no ${what}${near === undefined ? "" : `; did you mean ${near}?`}`
}

/** Returns the fault of one member by its name and kind, as text; undefined if there is none. */
export const memberFault = (
  name: string,
  value: unknown,
  kinds: Readonly<Record<string, MemberKind>>,
  within = "",
  what = "member of it",
): string | undefined => {
  const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined
  return kind === undefined ? nameFault(within + name, name, Object.keys(kinds), what) : kindFault(within + name, value, kind)
}

/** The names of the members that must be given. */
const neededOf = (kinds: Readonly<Record<string, MemberKind>>): ReadonlyArray<string> =>
  Object.keys(kinds).filter((name) => kinds[name]?.endsWith("?") === false)

/** Returns the fault of a value that is no object, as text. */
const objectFault = (place: string, value: unknown, kinds: Readonly<Record<string, MemberKind>>, type = ""): string => {
  const needed = neededOf(kinds).join(", ")
  return `${place}: is ${kindOf(value)}, and must be an object${type}${needed && `${type && ","} with ${needed}`}`
}

/**
 * Returns the faults of an object's members, as text: missing ones, those of the wrong kind, and unknown ones, with the most similar known
 * one.
 */
export const memberFaults = (
  given: unknown,
  kinds: Readonly<Record<string, MemberKind>>,
  within = "",
  what = "member of it",
): ReadonlyArray<string> => {
  if (isRevoked(given) || !isJsonObject(given)) return [objectFault(within.slice(0, -1) || "options", given, kinds)]
  const missing = neededOf(kinds).filter((name) => given[name] === undefined)
  return [...missing, ...Object.keys(given).filter((name) => given[name] !== undefined)].flatMap(
    (name) => memberFault(name, given[name], kinds, within, what) ?? [],
  )
}

/**
 * Returns the faults of an object that may have other members too, such as a port, which may be an instance of a class with inherited
 * functions. `type` is the name of its interface.
 */
export const partFaults = (
  place: string,
  given: unknown,
  kinds: Readonly<Record<string, MemberKind>>,
  type?: string,
): ReadonlyArray<string> =>
  !isRevoked(given) && isJsonObject(given)
    ? Object.entries(kinds).flatMap(
        ([member, kind]) => kindFault(`${place}.${member}`, given[member], kind, type === undefined ? "" : ` (${type})`) ?? [],
      )
    : [objectFault(place, given, kinds, type === undefined ? "" : `, ${type}`)]

/** Throws one `TypeError` that names the called function and lists every fault of what it was given, if there are any. */
export const refuseFaults = (called: string, ...found: ReadonlyArray<string | undefined | ReadonlyArray<string>>): void => {
  const faults = found.flatMap((each) => each ?? [])
  if (faults.length > 0) throw new TypeError(`${called}: ${faults.length === 1 ? faults[0] : `\n- ${faults.join("\n- ")}`}`)
}
