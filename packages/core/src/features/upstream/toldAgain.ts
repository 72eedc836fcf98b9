import type { Handle, PendingUpstream, Session, WaitingRequest } from "../../model/index.ts"
import { writeHandle } from "../../model/index.ts"
import { together } from "../../ports/steps.ts"
import { type PageRefusal, invalidPage, toPage } from "../../rules/page.ts"
import { prove, table } from "../../rules/rule.ts"
import { isLive } from "../../rules/session.ts"
import type { Browser } from "../../settle/browser.ts"
import { go } from "../../settle/pages.ts"
import { sessionBefore } from "../../settle/sealed.ts"
import { againOf, resumeOf } from "../../settle/signIn.ts"
import { Decided, row, where } from "../../settle/stage.ts"

/** A response that was sent again, and the request that waits for its attempt. */
interface CameAgain {
  readonly attempt: PendingUpstream
  readonly provider: string
  readonly state: Handle
  readonly handle: string | undefined
  readonly interaction: WaitingRequest | undefined
  readonly browser: Browser
  readonly now: number
}

interface AgainSeen extends Pick<CameAgain, "attempt" | "now"> {
  /** The session that the browser came with, as it is now: the sign-in that was waited for may have ended it. */
  readonly present: Session | undefined
  /** The session of the sign-in; undefined if there was none, or if it was deleted. */
  readonly opened: { readonly session: Session; readonly value: string } | undefined
}

/**
 * Judges whether the outcome of a sign-in at another provider can be returned again, because a response has one outcome, however often it
 * is sent.
 */
const againRules = table<AgainSeen, PageRefusal>("upstream/again").establish(
  "upstream.unused",
  "RFC 9700 §4.7.1",
  ({ attempt: { result }, opened, present, now }) => {
    const lasts = isLive(opened?.session, now) && (!isLive(present, now) || present.subject === opened.session.subject)
    return result !== undefined && (result.outcome === "refused" || lasts)
      ? prove({ result })
      : invalidPage(
          "interaction_finished",
          "The sign-in is already finished.",
          "a second answer with the same state: its outcome was not kept, its session has ended, or somebody else has signed in since",
        )
  },
)

/** Returns the outcome of a sign-in again to the browser that received it, after a double click or a lost response. */
export const toldAgain = where(
  ({ attempt }: CameAgain) => attempt.finishedAt !== undefined,
  row<CameAgain, PageRefusal>(toPage)
    .read(({ attempt: { result }, handle, state, browser }, inquiry) => {
      const sealed = result?.outcome === "signed in" ? result.session : undefined
      return together({
        opened: sealed && sessionBefore({ handle: handle ?? writeHandle(state), browser }, sealed, inquiry),
        present: browser.session && inquiry.ports.tokens.findSession(browser.session.locator),
      })
    })
    .judge(againRules)
    .read(({ result, opened, provider, handle, interaction, browser: { cookies } }) => {
      if (result.outcome === "refused") return new Decided(go(againOf(handle, result.problem, provider), cookies))
      return new Decided(go(resumeOf(handle, interaction), [...cookies, { name: "session", value: opened?.value }]))
    }),
)
