import { type RowKind, grants } from "../model/index.ts"
import { type NamedRead, eachRead, namedReads } from "./namedReads.ts"

// Rules trust the answers of ports by their types, but a port written without types can return anything: a string instead of `true` would
// authenticate a client, and an invalid signature would use up a code. An answer of the wrong type is therefore a failure of the port.

/** Checks that an answer has the expected type. A null was replaced by undefined before. */
export type Due = (value: unknown) => boolean

/** An answer whose members are checked before they are used; a primitive has none of them. */
type Given = Readonly<Record<string, unknown>>

const isText: Due = (value) => typeof value === "string"

const isObject: Due = (value) => typeof value === "object" && value !== null

const isFlag: Due = (value) => typeof value === "boolean"

/** A member of the wrong type. The message omits its value, which may be a secret. */
const wrongMember = (called: string, name: string, member: unknown, due: string): TypeError =>
  new TypeError(`answered ${called} whose ${name} is ${member === null ? "null" : typeof member}, and must be ${due}`)

/** Refuses an answer by the first of its members that has the wrong type, and names it. */
const withMembers = (called: string, members: Readonly<Record<string, readonly [is: Due, due: string]>>): Due => {
  const each = Object.entries(members)
  return (value) => {
    if (!isObject(value)) return false
    for (const [name, [is, due]] of each) {
      const member = (value as Given)[name]
      if (!is(member)) throw wrongMember(called, name, member, due)
    }
    return true
  }
}

/**
 * JSON, in which undefined stands for an absent member. A bigint has no JSON, and a `Date`, a `Map` or a promise would be written as
 * something else than it is. What is nested in itself, or deeper than 64, cannot be written.
 */
const isJson = (value: unknown, above: ReadonlyArray<unknown> = []): boolean =>
  isObject(value)
    ? above.length < 64 &&
      !above.includes(value) &&
      (Array.isArray(value) || isClaims(value)) &&
      Object.values(value as Given).every((member) => isJson(member, [...above, value]))
    : value === null || value === undefined || isText(value) || isFlag(value) || Number.isFinite(value)

/** An object of named members. */
const isClaims: Due = (value) =>
  isObject(value) &&
  [Symbol.iterator, "toJSON", "then"].every((name) => (value as Readonly<Record<PropertyKey, unknown>>)[name] === undefined)

/** A subject goes into tokens as `sub`, which may have at most 255 ASCII characters (OpenID Connect Core §2). */
const isPerson: Due = (value) => {
  const { subject, claims } = (value ?? {}) as Given
  if (isText(subject) && !/^[ -~]{1,255}$/.test(String(subject)))
    throw new TypeError("answered a person whose subject is not 1 to 255 printable ASCII characters")
  if (!hasPersonMembers(value)) return false
  for (const [name, claim] of Object.entries(claims as Given))
    if (!isJson(claim)) throw wrongMember("a person", `claim ${name}`, claim, "JSON")
  return true
}

/** Makes a check that also accepts undefined. */
const orNothing =
  (is: Due): Due =>
  (value) =>
    value === undefined || is(value)

const text = [isText, "text"] as const

const hasPersonMembers = withMembers("a person", {
  subject: text,
  username: text,
  active: [isFlag, "true or false"],
  tenant: [(value: unknown) => value === null || aTextOrNothing(value), "text, null or undefined"],
  claims: [isClaims, "an object of claims"],
})

/** A boolean; undefined counts as false. */
export const aVerdict = orNothing(isFlag)

/** A text. */
export const aText = isText

/** A text, or undefined. */
export const aTextOrNothing = orNothing(isText)

/** A secret, made by `secretOf`, or undefined. */
export const aSecret = orNothing((value) => typeof (value as Given)["reveal"] === "function")

/** An object, or undefined. */
export const anObject = orNothing(isObject)

/** An object whose `_tag` states its kind. */
export const aTagged: Due = (value) => isObject(value) && isText((value as Given)["_tag"])

const listOf =
  (is: Due): Due =>
  (value) =>
    Array.isArray(value) && value.every(is)

/** A list of texts. */
export const texts = listOf(isText)

/** A list of objects. */
export const objects = listOf(isObject)

/** The type of each kind of column, by its first letter. */
const types: Readonly<Record<string, string>> = { t: "string", i: "number", f: "boolean", j: "object" }

const checks = new WeakMap<RowKind, Due>()

/** A row has the members that its columns state. A null in the place of a missing member would count as set. */
const rowCheck = (of: RowKind): Due => {
  const due = Object.entries(of.columns).map(([name, kind]) => [name, types[kind.charAt(0)], kind, kind.endsWith("?")] as const)
  const check: Due = (value) => {
    if (!isObject(value)) return false
    for (const [name, type, kind, isOptional] of due) {
      const member = (value as Given)[name]
      if (typeof member !== type && (member !== undefined || !isOptional)) throw wrongMember(of.called, name, member, kind)
    }
    return true
  }
  checks.set(of, check)
  return check
}

/** The check of a kind's rows, made once: every read of a row runs it. */
const isRowOf = (kind: RowKind): Due => checks.get(kind) ?? rowCheck(kind)

/** A row of this kind, or undefined. */
export const aRow = (kind: RowKind): Due => orNothing(isRowOf(kind))

/** A list of rows of this kind. */
export const rowsOf = (kind: RowKind): Due => listOf(isRowOf(kind))

/** A row with its grant, which only a row that names none may lack, or undefined. */
const besideGrant = (member: string, kind: RowKind): Due => {
  const isItsRow = isRowOf(kind)
  const isItsGrant = kind.columns[kind.ofGrant ?? ""]?.endsWith("?") === true ? aRow(grants) : isRowOf(grants)
  return orNothing((value) => isItsRow((value as Given)[member]) && isItsGrant((value as Given)["grant"]))
}

const dueOf = ({ kind, list, withGrant }: NamedRead): Due => {
  if (list !== undefined) return rowsOf(kind)
  return withGrant === undefined ? aRow(kind) : besideGrant(withGrant, kind)
}

/** The answers of a token store's named reads. */
export const stored = /* @__PURE__ */ eachRead((name) => dueOf(namedReads[name]))

const madeByUs = [isObject, "what defineClient or registeredClient makes"] as const

/** A registered client, made by `defineClient` or `registeredClient`, or undefined. */
export const aClient = orNothing(
  withMembers("a client", {
    clientId: text,
    grantTypes: madeByUs,
    redirectUris: madeByUs,
    scope: madeByUs,
    lifetimes: madeByUs,
    requestObjects: madeByUs,
    keys: madeByUs,
  }),
)

/** A person, or undefined. */
export const aPerson = orNothing(isPerson)

const verifications = {
  Verified: withMembers("a sign-in", { person: [isPerson, "a person"], amr: [texts, "a list of texts"], acr: [aTextOrNothing, "text?"] }),
  Rejected: isObject,
  Throttled: withMembers("a sign-in", { retryAfter: [Number.isFinite, "a number of seconds"] }),
} as const

const isKind = (tag: unknown): tag is keyof typeof verifications => Object.hasOwn(verifications, String(tag))

const isKnownKind = withMembers("a sign-in", { _tag: [isKind, Object.keys(verifications).join(" or ")] })

/** The result of a sign-in. */
export const aVerification: Due = (value) => {
  const { _tag } = (value ?? {}) as Given
  return isKind(_tag) ? verifications[_tag](value) : isKnownKind(value)
}

/** The result of a commit. */
export const aResult: Due = (value) => value === "Committed" || value === "Conflict"

/**
 * Throws if an answer does not have the expected type. The message omits the answer because it may be a secret. The error is `uncertain`,
 * because the port may have done the work.
 */
export const demand = (value: unknown, is: Due): void => {
  if (!is(value)) throw Object.assign(new TypeError(`answered ${typeof value}, which is not what its type says`), { uncertain: true })
}
