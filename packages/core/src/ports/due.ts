// Rules trust the answers of ports by their types, and a port written without types may give anything: a text in the place of true would prove a client, and a
// signature that is none would use up a code. So an answer of another kind is a failure of the port.

/** Judges whether an answer is of the kind that is due; null was taken for undefined. */
export type Due = (value: unknown) => boolean

/** An answer of which each member is looked at before it is trusted; a primitive has none of them either. */
type Given = Readonly<Record<string, unknown>>

const isText: Due = (value) => typeof value === "string"

const isPerson: Due = (value) => {
  const { subject, active, claims } = (value ?? {}) as Given
  return isText(subject) && typeof active === "boolean" && typeof claims === "object"
}

/** Makes the kind of an answer that may also be nothing. */
const orNothing =
  (is: Due): Due =>
  (value) =>
    value === undefined || is(value)

/** A judgement; nothing is taken for no. */
export const aVerdict = orNothing((value) => typeof value === "boolean")

/** A text. */
export const aText = isText

/** A list. */
export const aList: Due = Array.isArray

/** A row, or nothing. */
export const aRow = orNothing((value) => typeof value === "object")

/** A registered client, made by `defineClient` or `registeredClient`, or nothing. */
export const aClient = orNothing((value) => isText((value as Given)["clientId"]))

/** A person, or nothing. */
export const aPerson = orNothing(isPerson)

/** The result of a sign-in. */
export const aVerification: Due = (value) => {
  const { _tag, person, amr } = (value ?? {}) as Given
  return _tag === "Verified" ? isPerson(person) && Array.isArray(amr) : _tag === "Rejected" || _tag === "Throttled"
}

/** The result of a commit. */
export const aResult: Due = (value) => value === "Committed" || value === "Conflict"

/** Throws where an answer is not of the kind that is due. The answer is not shown: it may be a secret. Nobody knows what was done for it. */
export const demand = (value: unknown, is: Due): void => {
  if (!is(value)) throw Object.assign(new TypeError(`answered ${typeof value}, which is not what its type says`), { uncertain: true })
}
