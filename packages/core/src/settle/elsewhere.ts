import * as Effect from "effect/Effect"
import type { Secret, Verification } from "../model/index.ts"
import { addressKey } from "../wire/index.ts"
import { type Inquiry, digestOf } from "./request.ts"

/** What a person typed. */
export interface Typed {
  readonly username: string
  readonly password: Secret
}

/** Wrong passwords that are let pass on to another provider, for one account and from one address. */
const mostOfAccount = 10
const mostOfAddress = 50

/** For how long wrong passwords are counted, in seconds. */
export const guessesCountedFor = 900

/** Under what a password that goes to another provider is counted: it sees our address alone, so nobody but us can hold guessers off. */
export const guessKeys = Effect.fnUntraced(function* (provider: string, username: string, { ports, address }: Inquiry) {
  const account = `upstream account ${yield* digestOf(ports, JSON.stringify([provider, username.trim().toLowerCase()]))}`
  return address === undefined ? [account] : [account, `upstream address ${yield* digestOf(ports, addressKey(address))}`]
})

/** Asks another provider, unless too much was tried that was wrong. */
export const verifyElsewhere = Effect.fnUntraced(function* (
  provider: string,
  guesses: ReadonlyArray<string>,
  { username, password }: Typed,
  tenant: string | undefined,
  inquiry: Inquiry,
) {
  const { ports, about, now } = inquiry
  const [account, address] = yield* Effect.forEach(guesses, ports.tokens.findAttempts)
  const over = [
    account !== undefined && account.count >= mostOfAccount ? account : undefined,
    address !== undefined && address.count >= mostOfAddress ? address : undefined,
  ].find((each) => each !== undefined && each.resetAt > now)
  if (over !== undefined)
    return {
      _tag: "Throttled",
      reason: "too many wrong passwords were passed on to that provider",
      retryAfter: over.resetAt - now,
    } satisfies Verification as Verification
  const outcome = about.upstream ?? (yield* ports.identityProviders.password({ provider, username, password }))
  about.upstream = outcome
  if (outcome._tag === "Declined") return { _tag: "Rejected", reason: outcome.reason } satisfies Verification as Verification
  return yield* ports.authenticator.admit(outcome.identity, tenant)
})
