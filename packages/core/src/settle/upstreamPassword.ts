import * as Effect from "effect/Effect"
import type { Secret, Verification } from "../model/index.ts"
import type { PortFailed } from "../ports/index.ts"
import { onward } from "../ports/steps.ts"
import { type Inquiry, once } from "./request.ts"

/** Credentials, as typed. */
export interface Typed {
  readonly username: string
  readonly password: Secret
}

/** Lets another provider check a password, and admits the person it identifies. */
export const verifyUpstream = (
  provider: string,
  { username, password }: Typed,
  tenant: string | undefined,
  inquiry: Inquiry,
): Effect.Effect<Verification, PortFailed> => {
  const { authenticator, identityProviders } = inquiry.ports
  return onward(
    once(inquiry, "upstream", () => identityProviders.password({ provider, username, password })),
    (outcome): Effect.Effect<Verification, PortFailed> =>
      outcome._tag === "Declined"
        ? Effect.succeed({ _tag: "Rejected", reason: outcome.reason })
        : authenticator.admit(outcome.identity, tenant),
  )
}
