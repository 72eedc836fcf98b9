import { type Refusal, type Seconds, refuseForNow } from "../model/index.ts"
import { type PageRefusal, refusePage, retryLater } from "./page.ts"
import { type ProvingTable, pass, table } from "./rule.ts"

/** The seconds until another request makes sense; 0 if this one is allowed. */
export interface RateSeen {
  readonly wait: Seconds
}

/** The table of one rate limit. */
export type RateTable<R extends Refusal | PageRefusal = Refusal> = ProvingTable<RateSeen, RateSeen, R>

const description = "Too many requests. Try again later."

const tooMany = (reason: string, wait: Seconds): Refusal => refuseForNow("temporarily_unavailable", description, reason, wait)

/** Limits the request rate of an address (RFC 6585 §4), before anything is loaded, hashed or verified for it. */
export const addressRate = (endpoint: string): RateTable =>
  table<RateSeen>(`${endpoint}/address-rate`).rule(`${endpoint}.address-rate`, "RFC 6585 §4", ({ wait }) =>
    wait === 0 ? pass : tooMany("more requests from this address than limits allow", wait),
  )

/** Limits the request rate of a client (RFC 6585 §4), only after authentication, so that nobody can use up another client's rate. */
export const clientRate = (endpoint: string): RateTable =>
  table<RateSeen>(`${endpoint}/client-rate`).rule(`${endpoint}.client-rate`, "RFC 6585 §4", ({ wait }) =>
    wait === 0 ? pass : tooMany("more requests of this client than limits allow", wait),
  )

/** Limits the request rate of an address at an endpoint for people. Nothing is trusted yet, so the answer is a page. */
export const pageRate = (endpoint: string): RateTable<PageRefusal> =>
  table<RateSeen, PageRefusal>(`${endpoint}/address-rate`).rule(`${endpoint}.address-rate`, "RFC 6585 §4", ({ wait }) => {
    const reason = "more requests from this address than limits allow"
    return wait === 0 ? pass : retryLater(refusePage("too_many_attempts", 429, "temporarily_unavailable", description, reason), wait)
  })
