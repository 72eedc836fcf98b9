import type * as Effect from "effect/Effect"
import { type UpstreamIdentity, usernameKey } from "../model/index.ts"
import type { PortFailed, Ports } from "../ports/index.ts"
import { mapped, onward } from "../ports/steps.ts"
import { type Inquiry, digestOf } from "./request.ts"

/** A hash of texts that nobody can make without the account key. It is taken twice, so that no one of a longer text can be made from it. */
export const keyedHash = (
  texts: ReadonlyArray<string>,
  { ports }: { readonly ports: Pick<Ports, "accountKey" | "digest"> },
): Effect.Effect<string, PortFailed> => {
  const key = ports.accountKey().reveal()
  return onward(digestOf(ports, JSON.stringify([key, ...texts])), (inner) => digestOf(ports, JSON.stringify([key, inner])))
}

/** An account as audit events name it: 128 bits of a keyed hash. */
const named = (texts: ReadonlyArray<string>, inquiry: Inquiry): Effect.Effect<string, PortFailed> =>
  mapped(keyedHash(["account", ...texts], inquiry), (hash) => hash.slice(0, 22))

/** The name in audit events of the account that a password was sent for. `provider` is the one that checks it, if not we. */
export const accountOf = (username: string, inquiry: Inquiry, provider = ""): Effect.Effect<string, PortFailed> =>
  named([provider, usernameKey(username)], inquiry)

/** The name in audit events of the account that another provider vouches for. */
export const accountOfIdentity = ({ issuer, subject }: UpstreamIdentity, inquiry: Inquiry): Effect.Effect<string, PortFailed> =>
  named([issuer, subject], inquiry)
