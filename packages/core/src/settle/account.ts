import * as Effect from "effect/Effect"
import { type UpstreamIdentity, usernameKey } from "../model/index.ts"
import type { Ports } from "../ports/index.ts"
import { type Inquiry, digestOf } from "./request.ts"

/** A hash of texts that nobody can make without the account key. It is taken twice, so that no one of a longer text can be made from it. */
export const keyedHash = Effect.fnUntraced(function* (texts: ReadonlyArray<string>, { ports }: { readonly ports: Ports }) {
  const key = ports.accountKey().reveal()
  return yield* digestOf(ports, JSON.stringify([key, yield* digestOf(ports, JSON.stringify([key, ...texts]))]))
})

/** Notes an account as audit events name it: 128 bits of a keyed hash. */
const note = (texts: ReadonlyArray<string>, inquiry: Inquiry) =>
  Effect.map(keyedHash(["account", ...texts], inquiry), (hash) => {
    inquiry.about.account = hash.slice(0, 22)
  })

/** Notes the account that a password was sent for. `provider` is the one that checks it, if not we. */
export const noteAccount = (username: string, inquiry: Inquiry, provider = "") => note([provider, usernameKey(username)], inquiry)

/** Notes the account that another provider vouches for. */
export const noteIdentity = ({ issuer, subject }: UpstreamIdentity, inquiry: Inquiry) => note([issuer, subject], inquiry)
