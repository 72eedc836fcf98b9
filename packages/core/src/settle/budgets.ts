import * as Effect from "effect/Effect"
import { type Seconds, usernameKey } from "../model/index.ts"
import type { Budget, BudgetOf } from "../rules/budget.ts"
import { addressKey } from "../wire/index.ts"
import { type Inquiry, digestOf } from "./request.ts"

/** For how long tries are counted. */
const window: Seconds = 900

/** Wrong passwords of an account before it must wait, and of an address, since many people may share one. */
const passwords = { account: 5, address: 50 } as const

/** Wrong passwords that go to another provider, which sees our address alone: nobody but us can hold guessers off. */
const upstreamPasswords = { account: 10, address: 50 } as const

/** Wrong user codes (RFC 8628 §5.1). */
const userCodes = { browser: 10, address: 10 } as const

const shared = (of: BudgetOf, key: string, most: number): Budget => ({
  of,
  key,
  most,
  countedFor: window,
  dayKey: undefined,
  forgets: false,
})

const ofAddress = Effect.fnUntraced(function* (kind: string, most: number, { ports, address }: Inquiry) {
  return address === undefined ? [] : [shared("address", `${kind} address ${yield* digestOf(ports, addressKey(address))}`, most)]
})

/** The tries of a password of ours: of the account, which waits longer each time it has used them up, and of the address. */
export const passwordBudgets = Effect.fnUntraced(function* (username: string, inquiry: Inquiry) {
  const account = yield* digestOf(inquiry.ports, usernameKey(username))
  const budget: Budget = {
    of: "account",
    key: `password account ${account}`,
    most: passwords.account,
    countedFor: window,
    dayKey: `password day ${account}`,
    forgets: true,
  }
  return [budget, ...(yield* ofAddress("password", passwords.address, inquiry))]
})

/** The tries of a password that another provider checks. */
export const upstreamBudgets = Effect.fnUntraced(function* (provider: string, username: string, inquiry: Inquiry) {
  const account = yield* digestOf(inquiry.ports, JSON.stringify([provider, usernameKey(username)]))
  return [
    shared("account", `upstream account ${account}`, upstreamPasswords.account),
    ...(yield* ofAddress("upstream", upstreamPasswords.address, inquiry)),
  ]
})

/** The tries of a user code, by the digest of a browser's cookie. */
export const userCodeBudgets = Effect.fnUntraced(function* (browser: string, inquiry: Inquiry) {
  return [shared("browser", `device browser ${browser}`, userCodes.browser), ...(yield* ofAddress("device", userCodes.address, inquiry))]
})
