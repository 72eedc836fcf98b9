import * as Effect from "effect/Effect"
import { type Seconds, usernameKey } from "../model/index.ts"
import type { Budget, BudgetOf } from "../rules/budget.ts"
import { mapped, together } from "../ports/steps.ts"
import { addressKey } from "../wire/index.ts"
import { type Inquiry, digestOf } from "./request.ts"

/** For how long tries are counted. */
const window: Seconds = 900

/** Wrong passwords of an account, or of it at a known device, before it must wait; of all its known devices; and of an address, which many people may share. */
const passwords = { account: 5, devices: 25, address: 50 } as const

/** Wrong passwords that go to another provider, which sees our address alone: nobody but us can hold guessers off. */
const upstreamPasswords = { account: 10, address: 50 } as const

/** Wrong codes of a person that one client sends (CIBA Core §7.1); that all clients do. */
const personCodes = { client: 5, account: 25 } as const

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

const ofAddress = (kind: string, most: number, { ports, address }: Inquiry) =>
  address === undefined
    ? Effect.succeed([])
    : mapped(digestOf(ports, addressKey(address)), (digest) => [shared("address", `${kind} address ${digest}`, most)])

/** A budget that a right guess forgets. It is closed for longer each time it is used up. */
const growing = (of: BudgetOf, kind: string, most: number, digest: string): Budget => ({
  of,
  key: `${kind} ${digest}`,
  most,
  countedFor: window,
  dayKey: `${kind} day ${digest}`,
  forgets: true,
})

/** A budget of passwords for one account. It is closed for longer each time it is used up. */
const ofAccount = (of: "account" | "device", digest: string): Budget => growing(of, `password ${of}`, passwords.account, digest)

/**
 * The tries of a password of ours: of the account and of the address. A device that the account has signed in from before has tries of its own in their place, so
 * that nobody locks a person out from elsewhere. All of them together have a bound: whoever once knew the password can have made many known.
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

/** The tries of a password that another provider checks. */
export const upstreamBudgets = (provider: string, username: string, inquiry: Inquiry) => {
  const account = digestOf(inquiry.ports, JSON.stringify([provider, usernameKey(username)]))
  return mapped(together({ account, address: ofAddress("upstream", upstreamPasswords.address, inquiry) }), (own) => [
    shared("account", `upstream account ${own.account}`, upstreamPasswords.account),
    ...own.address,
  ])
}

/**
 * The tries of the code that a person has chosen for the requests of clients (CIBA Core §7.1): of one client, so that no other one locks the person out alone, and
 * of all clients together, or each more of them would have as many guesses again.
 */
export const personCodeBudgets = (clientId: string, subject: string, { ports }: Inquiry) => {
  const digests = { client: digestOf(ports, JSON.stringify([clientId, subject])), person: digestOf(ports, subject) }
  return mapped(together(digests), ({ client, person }): ReadonlyArray<Budget> => [
    growing("client", "person code", personCodes.client, client),
    shared("account", `person code clients ${person}`, personCodes.account),
  ])
}

/** The tries of a user code, by the digest of a browser's cookie. */
export const userCodeBudgets = (browser: string, inquiry: Inquiry) =>
  mapped(ofAddress("device", userCodes.address, inquiry), (address) => [
    shared("browser", `device browser ${browser}`, userCodes.browser),
    ...address,
  ])
