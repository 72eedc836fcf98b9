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

/** The same for passwords that another provider checks. It sees only our address, so only we can hold guessers off. */
const upstreamPasswords = { account: 10, address: 50 } as const

/** The maximum number of wrong codes of a person (CIBA Core §7.1) from one client, and from all clients. */
const personCodes = { client: 5, account: 25 } as const

/** The maximum number of wrong user codes (RFC 8628 §5.1). */
const userCodes = { browser: 10, address: 10 } as const

const shared = (of: BudgetOf, key: string, most: number): Budget => ({
  of,
  key,
  most,
  countedFor: window,
  dayKey: undefined,
  forgets: false,
})

const ofAddress = (kind: string, most: number, { ports, address }: Inquiry) =>
  address === undefined
    ? Effect.succeed([])
    : mapped(digestOf(ports, addressKey(address)), (digest) => [shared("address", `${kind} address ${digest}`, most)])

/** A budget that a correct guess resets. Each time it is used up, it stays closed for longer. */
const growing = (of: BudgetOf, kind: string, most: number, digest: string): Budget => ({
  of,
  key: `${kind} ${digest}`,
  most,
  countedFor: window,
  dayKey: `${kind} day ${digest}`,
  forgets: true,
})

/** A budget of password attempts for one account. Each time it is used up, it stays closed for longer. */
const ofAccount = (of: "account" | "device", digest: string): Budget => growing(of, `password ${of}`, passwords.account, digest)

/**
 * Returns the budgets of a password of this provider: of the account and of the address. A device from which the account has signed in
 * before has a budget of its own instead, so that nobody can lock a person out from elsewhere. All known devices together are limited too,
 * because somebody who once knew the password may have made many devices known.
 */
export const passwordBudgets = (username: string, device: string | undefined, inquiry: Inquiry) => {
  const { ports } = inquiry
  const account = digestOf(ports, usernameKey(username))
  if (device === undefined)
    return mapped(together({ account, address: ofAddress("password", passwords.address, inquiry) }), (own) => [
      ofAccount("account", own.account),
      ...own.address,
    ])
  return mapped(together({ account, device: digestOf(ports, device) }), (own) => [
    ofAccount("device", own.device),
    shared("account", `password devices ${own.account}`, passwords.devices),
  ])
}

/** Returns the budgets of a password that another provider checks. */
export const upstreamBudgets = (provider: string, username: string, inquiry: Inquiry) => {
  const account = digestOf(inquiry.ports, JSON.stringify([provider, usernameKey(username)]))
  return mapped(together({ account, address: ofAddress("upstream", upstreamPasswords.address, inquiry) }), (own) => [
    shared("account", `upstream account ${own.account}`, upstreamPasswords.account),
    ...own.address,
  ])
}

/**
 * Returns the budgets of the user code that a person has chosen for the requests of clients (CIBA Core §7.1): of one client, so that no
 * other client alone can lock the person out, and of all clients together, because otherwise each further client would have as many guesses
 * again.
 */
export const personCodeBudgets = (clientId: string, subject: string, { ports }: Inquiry) => {
  const digests = { client: digestOf(ports, JSON.stringify([clientId, subject])), person: digestOf(ports, subject) }
  return mapped(together(digests), ({ client, person }): ReadonlyArray<Budget> => [
    growing("client", "person code", personCodes.client, client),
    shared("account", `person code clients ${person}`, personCodes.account),
  ])
}

/** Returns the budgets of a user code (RFC 8628), by the digest of a browser's cookie. */
export const userCodeBudgets = (browser: string, inquiry: Inquiry) =>
  mapped(ofAddress("device", userCodes.address, inquiry), (address) => [
    shared("browser", `device browser ${browser}`, userCodes.browser),
    ...address,
  ])
