import { type Seconds, refuseForNow } from "../model/index.ts"
import { type PageRefusal, refusePage, retryLater } from "./page.ts"
import { type Table, pass, rule, table } from "./rule.ts"

/** After how long another request makes sense; 0 when this one may be answered. */
export interface RateSeen {
  readonly wait: Seconds
}

const description = "Too many requests. Try again later."

/** Judges whether an address may ask at all (RFC 6585 §4): judged before anything is loaded, hashed or verified for it. */
export const addressRate = (endpoint: string): Table<undefined, RateSeen> =>
  table(`${endpoint}/address-rate`, [
    rule(`${endpoint}.address-rate`, "RFC 6585 §4", (_, { wait }) =>
      wait === 0 ? pass : refuseForNow("temporarily_unavailable", description, "more requests from this address than limits allow", wait),
    ),
  ])

/** Judges whether a client may ask (RFC 6585 §4): only once it has proven who it is, so that nobody can use up what is another's. */
export const clientRate = (endpoint: string): Table<undefined, RateSeen> =>
  table(`${endpoint}/client-rate`, [
    rule(`${endpoint}.client-rate`, "RFC 6585 §4", (_, { wait }) =>
      wait === 0 ? pass : refuseForNow("temporarily_unavailable", description, "more requests of this client than limits allow", wait),
    ),
  ])

/** The rate of an address at an endpoint for people. Nobody is trusted yet: the answer is a page. */
export const pageRate = (endpoint: string): Table<undefined, RateSeen, PageRefusal> =>
  table(`${endpoint}/address-rate`, [
    rule(`${endpoint}.address-rate`, "RFC 6585 §4", (_, { wait }) =>
      wait === 0
        ? pass
        : retryLater(
            refusePage(
              "too_many_attempts",
              429,
              "temporarily_unavailable",
              description,
              "more requests from this address than limits allow",
            ),
            wait,
          ),
    ),
  ])
