/**
 * A secret that was received, such as a password or a client secret. It is printed, logged and serialized as `<redacted>`; only `reveal`
 * returns it.
 */
export interface Secret {
  /** Returns the secret. */
  readonly reveal: () => string
}

/** The maximum length of a password or client secret that is verified, in characters. Hashing longer ones would be useless work. */
export const longestSecret = 1024

const redacted = (): string => "<redacted>"

/** The symbol that Node's console and inspector look for, registered globally so that any runtime has it. */
const inspected = Symbol.for("nodejs.util.inspect.custom")

/** Wraps a secret. Throws for anything but a text, which could never be verified. */
export const secretOf = (text: string): Secret => {
  // The value is not shown: it may be a secret in another form.
  if (typeof text !== "string") throw new TypeError("secretOf: text: must be a text")
  const secret = { reveal: () => text, toString: redacted, toJSON: redacted, [inspected]: redacted }
  return secret
}
