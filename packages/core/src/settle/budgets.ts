import * as Effect from "effect/Effect"
import { type Seconds, usernameKey } from "../model/index.ts"
import type { Budget, BudgetOf } from "../rules/budget.ts"
import { mapped, together } from "../ports/steps.ts"
import { addressKey } from "../wire/index.ts"
import { type Inquiry, digestOf } from "./request.ts"

/** The time for which attempts are counted. */
const window: Seconds = 900

/**
 * The maximum number of wrong passwords of an account (or of an account at a known device) before it must wait, of all its known devices
 * together, and of an address, which many people may share.
 */
const passwords = { account: 5, devices: 25, address: 50 } as const

/** Returns a budget that others share, so that a correct guess returns only its own attempt. */
export const sharedBudget = (of: BudgetOf, key: string, most: number): Budget => ({
  of,
  key,
  most,
  countedFor: window,
  dayKey: undefined,
  forgets: false,
})

/** Returns the budget of the network address of a request; none if it is unknown. */
export const addressBudgets = (kind: string, most: number, { ports, address }: Inquiry) =>
  address === undefined
    ? Effect.succeed([])
    : mapped(digestOf(ports, addressKey(address)), (digest) => [sharedBudget("address", `${kind} address ${digest}`, most)])

/** Returns a budget that a correct guess resets. Each time it is used up, it stays closed for longer. */
export const growingBudget = (of: BudgetOf, kind: string, most: number, digest: string): Budget => ({
  of,
  key: `${kind} ${digest}`,
  most,
  countedFor: window,
  dayKey: `${kind} day ${digest}`,
  forgets: true,
})

/** A budget of password attempts for one account. Each time it is used up, it stays closed for longer. */
const ofAccount = (of: "account" | "device", digest: string): Budget => growingBudget(of, `password ${of}`, passwords.account, digest)

/**
 * Returns the budgets of a password of this provider: of the account and of the address. A device from which the account has signed in
 * before has a budget of its own instead, so that nobody can lock a person out from elsewhere. All known devices together are limited too,
 * because somebody who once knew the password may have made many devices known.
 */
export const passwordBudgets = (username: string, device: string | undefined, inquiry: Inquiry) => {
  const { ports } = inquiry
  const account = digestOf(ports, usernameKey(username))
  if (device === undefined)
    return mapped(together({ account, address: addressBudgets("password", passwords.address, inquiry) }), (own) => [
      ofAccount("account", own.account),
      ...own.address,
    ])
  return mapped(together({ account, device: digestOf(ports, device) }), (own) => [
    ofAccount("device", own.device),
    sharedBudget("account", `password devices ${own.account}`, passwords.devices),
  ])
}
