import * as Effect from "effect/Effect"
import type { Secret, Verification } from "../model/index.ts"
import type { Inquiry } from "./request.ts"

/** Credentials as a person typed them. */
export interface Typed {
  readonly username: string
  readonly password: Secret
}

/** Has another provider check a password, and admits the person it vouches for. */
export const verifyUpstream = Effect.fnUntraced(function* (
  provider: string,
  { username, password }: Typed,
  tenant: string | undefined,
  { ports, about }: Inquiry,
) {
  const outcome = about.upstream ?? (yield* ports.identityProviders.password({ provider, username, password }))
  about.upstream = outcome
  if (outcome._tag === "Declined") return { _tag: "Rejected", reason: outcome.reason } satisfies Verification as Verification
  return yield* ports.authenticator.admit(outcome.identity, tenant)
})
