import * as Effect from "effect/Effect"
import { type Secret, type Verification, usernameKey } from "../../model/index.ts"
import type { PortFailed } from "../../ports/index.ts"
import { mapped, onward, together } from "../../ports/steps.ts"
import { addressBudgets, sharedBudget } from "../../settle/budgets.ts"
import { type Inquiry, digestOf, once } from "../../settle/request.ts"

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

/** The maximum number of wrong passwords that another provider checks. It sees only our address, so only we can hold guessers off. */
const upstreamPasswords = { account: 10, address: 50 } as const

/** Returns the budgets of a password that another provider checks. */
export const upstreamBudgets = (provider: string, username: string, inquiry: Inquiry) => {
  const account = digestOf(inquiry.ports, JSON.stringify([provider, usernameKey(username)]))
  return mapped(together({ account, address: addressBudgets("upstream", upstreamPasswords.address, inquiry) }), (own) => [
    sharedBudget("account", `upstream account ${own.account}`, upstreamPasswords.account),
    ...own.address,
  ])
}
