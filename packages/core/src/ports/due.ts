// Rules trust the answers of ports by their types, but a port written without types can return anything: a string instead of `true` would
// authenticate a client, and an invalid signature would use up a code. An answer of the wrong type is therefore a failure of the port.

/** Checks that an answer has the expected type. A null was replaced by undefined before. */
export type Due = (value: unknown) => boolean

/** An answer whose members are checked before they are used; a primitive has none of them. */
type Given = Readonly<Record<string, unknown>>

const isText: Due = (value) => typeof value === "string"

/** A subject goes into tokens as `sub`, which may have at most 255 ASCII characters (OpenID Connect Core §2). */
const isPerson: Due = (value) => {
  const { subject, active, claims } = (value ?? {}) as Given
  if (isText(subject) && !/^[ -~]{1,255}$/.test(String(subject)))
    throw new TypeError("answered a person whose subject is not 1 to 255 printable ASCII characters")
  return isText(subject) && typeof active === "boolean" && typeof claims === "object"
}

/** Makes a check that also accepts undefined. */
const orNothing =
  (is: Due): Due =>
  (value) =>
    value === undefined || is(value)

/** A boolean; undefined counts as false. */
export const aVerdict = orNothing((value) => typeof value === "boolean")

/** A text. */
export const aText = isText

/** A list. */
export const aList: Due = Array.isArray

/** A row, or undefined. */
export const aRow = orNothing((value) => typeof value === "object")

/** A registered client, made by `defineClient` or `registeredClient`, or undefined. */
export const aClient = orNothing((value) => isText((value as Given)["clientId"]))

/** A person, or undefined. */
export const aPerson = orNothing(isPerson)

/** The result of a sign-in. */
export const aVerification: Due = (value) => {
  const { _tag, person, amr } = (value ?? {}) as Given
  return _tag === "Verified" ? isPerson(person) && Array.isArray(amr) : _tag === "Rejected" || _tag === "Throttled"
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
