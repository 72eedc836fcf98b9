import type { Interaction } from "../model/index.ts"
import { sameDigest } from "../model/index.ts"
import { type PageRefusal, refusePage } from "./page.ts"
import { held, pass, rule, table } from "./rule.ts"

/** What tells whether a waiting request may go on in this browser. */
export interface InteractionSeen {
  readonly now: number
  readonly interaction: Interaction | undefined
  /** Digest of this browser's cookie. */
  readonly browser: string
}

/** For this many seconds a request that was answered may be answered again, in the same browser: a double click, or an answer that was lost. */
const again = 10

/** A waiting request: it is there, it is this browser's, it is not too old, and it is not done with. */
export const interactionRules = table<unknown, InteractionSeen, PageRefusal>("interaction", [
  rule("interaction.known", "OpenID Connect Core §3.1.2.3", (_, s) =>
    s.interaction === undefined
      ? refusePage(
          "interaction_expired",
          400,
          "invalid_request",
          "The sign-in is no longer waiting.",
          "no such interaction, or not with this secret",
        )
      : pass,
  ),
  rule("interaction.browser", "RFC 9700 §4.7.1", (_, s) =>
    sameDigest(held(s.interaction).browser, s.browser)
      ? pass
      : refusePage(
          "interaction_elsewhere",
          400,
          "invalid_request",
          "The sign-in was begun in another browser.",
          "bound to another browser cookie, or to one that is gone",
        ),
  ),
  rule("interaction.fresh", "RFC 9700 §4.7.1", (_, s) =>
    s.now < held(s.interaction).expiresAt
      ? pass
      : refusePage("interaction_expired", 400, "invalid_request", "The sign-in is no longer waiting.", "expired"),
  ),
  rule("interaction.unfinished", "RFC 6749 §4.1.2", (_, s) => {
    const { finishedAt } = held(s.interaction)
    return finishedAt === undefined || s.now <= finishedAt + again
      ? pass
      : refusePage("interaction_finished", 400, "invalid_request", "The sign-in is already finished.", "answered before")
  }),
])
