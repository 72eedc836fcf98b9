import type * as Effect from "effect/Effect"
import { type UpstreamIdentity, usernameKey } from "../model/index.ts"
import type { PortFailed, Ports } from "../ports/index.ts"
import { mapped, onward } from "../ports/steps.ts"
import { type Inquiry, digestOf } from "./request.ts"

/** Computes a hash of strings that requires the account key. It is hashed twice to prevent length extension. */
export const keyedHash = (
  texts: ReadonlyArray<string>,
  { ports }: { readonly ports: Pick<Ports, "accountKey" | "digest"> },
): Effect.Effect<string, PortFailed> => {
  const key = ports.accountKey().reveal()
  return onward(digestOf(ports, JSON.stringify([key, ...texts])), (inner) => digestOf(ports, JSON.stringify([key, inner])))
}

/** Returns the identifier of an account in audit events: 128 bits of a keyed hash. */
const named = (texts: ReadonlyArray<string>, inquiry: Inquiry): Effect.Effect<string, PortFailed> =>
  mapped(keyedHash(["account", ...texts], inquiry), (hash) => hash.slice(0, 22))

/**
 * Returns the identifier in audit events of the account that a password was sent for. `provider` is the other provider that checks it, if
 * any.
 */
export const accountOf = (username: string, inquiry: Inquiry, provider = ""): Effect.Effect<string, PortFailed> =>
  named([provider, usernameKey(username)], inquiry)

/** Returns the identifier in audit events of the account that another provider asserts. */
export const accountOfIdentity = ({ issuer, subject }: UpstreamIdentity, inquiry: Inquiry): Effect.Effect<string, PortFailed> =>
  named([issuer, subject], inquiry)
