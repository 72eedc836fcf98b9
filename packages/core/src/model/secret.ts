/**
 * A secret that was sent: a password, a client secret. It says `<redacted>` wherever it is printed, logged or written as JSON;
 * only `reveal` opens it.
 */
export interface Secret {
  /** Opens it. */
  readonly reveal: () => string
}

const redacted = (): string => "<redacted>"

/** The symbol that Node's console and inspector look for, by a name any runtime has. */
const inspected = Symbol.for("nodejs.util.inspect.custom")

/** Wraps a secret. */
export const secretOf = (text: string): Secret => {
  const secret = { reveal: () => text, toString: redacted, toJSON: redacted, [inspected]: redacted }
  return secret
}
