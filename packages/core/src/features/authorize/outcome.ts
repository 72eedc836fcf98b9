import type * as Effect from "effect/Effect"
import {
  type AuthorizationAnswer,
  type Command,
  type Decision,
  type FreshHandle,
  type PendingAuthorization,
  type Refusal,
  finishRequest,
  noteAnswer,
  refuse,
  requireInteraction,
  requireSession,
  saveInteraction,
  usePushedRequest,
} from "../../model/index.ts"
import type { PortFailed } from "../../ports/index.ts"
import { mapped } from "../../ports/steps.ts"
import { type PageRefusal, toPage } from "../../rules/page.ts"
import { isLive } from "../../rules/session.ts"
import { type Inquiry, freshHandle } from "../../settle/request.ts"
import { resumeOf } from "../../settle/signIn.ts"
import { waitingRow } from "../../settle/waiting.ts"
import { writeParams } from "../../wire/index.ts"
import type { Answerable, Asking, Loaded, Resuming, Waiting } from "./evidence.ts"
import type { Need } from "./needs.ts"
import { keptParams } from "./parse.ts"
import { consentPath, signInPath } from "../../settle/ownPlaces.ts"

/**
 * Refuses by a page. If a page's answer must be recorded, the browser is first redirected back to the request, which then shows the
 * refusal.
 */
export const refuseByPage = (refusal: PageRefusal, { waiting }: Resuming): Decision =>
  waiting?.page === undefined
    ? toPage(refusal)
    : { _tag: "Go", to: resumeOf(waiting.handle, waiting.interaction), cookies: waiting.page.cookies, commands: pageCommands(waiting) }

/**
 * The commands of a page's answer, then those of the request, then the one that records the answer on the waiting row if there was a page.
 */
const pageCommands = ({ page, interaction }: Waiting, commands: ReadonlyArray<Command> = []): ReadonlyArray<Command> => {
  if (page === undefined) return commands
  if (interaction.finishedAt !== undefined) return [...page.commands, ...commands]
  return [...page.commands, ...page.choice, ...commands, ...(page.isNew ? [noteAnswer(interaction)] : [])]
}

/** Marks the pushed request, if there is one, as used (RFC 9126 §4). */
export const useUp = ({ pushed, waiting, now }: Resuming & { readonly now: number }): ReadonlyArray<Command> =>
  pushed === undefined ? [] : [usePushedRequest(pushed, waiting?.interaction.locator, now)]

/** Sends an answer to the client, and finishes the waiting request with this outcome, which happens once. */
export const sendBack = (
  s: Answerable,
  params: ReadonlyArray<readonly [string, string]>,
  tokens: Extract<Decision, { _tag: "SendBack" }>["tokens"],
  commands: ReadonlyArray<Command>,
  answer: AuthorizationAnswer,
): Decision => {
  const { commands: before = [], choice = [], cookies = [] } = s.waiting?.page ?? {}
  const finished = s.waiting === undefined ? [] : [finishRequest(s.waiting.interaction, s.now, answer)]
  return { _tag: "SendBack", callback: s.callback, params, tokens, cookies, commands: [...before, ...choice, ...commands, ...finished] }
}

/**
 * Sends an error to the client. It marks a pushed request as used if a person was asked, because their answer has been given (RFC 9126 §4).
 * An error without an interaction does not, because otherwise a link preview, which has no cookies, would use up the person's request.
 */
export const sendError = ({ error, description, commands }: Refusal, s: Answerable): Decision =>
  sendBack(
    s,
    [
      ["error", error],
      ["error_description", description],
    ],
    undefined,
    s.waiting === undefined ? commands : [...commands, ...useUp(s)],
    { outcome: "refused", error, description },
  )

/**
 * Requires that the rows on which the judgment relied still exist: the session, and the rows of a waiting or pushed request. The consent is
 * read after them, so the answer is valid at the moment of that read. A page's own changes already require the session and replace the
 * waiting row.
 */
const stillStanding = ({ visitor, now, pushed, waiting }: Loaded & Resuming): ReadonlyArray<Command> => [
  ...(waiting?.page?.isNew !== true && visitor !== undefined && isLive(visitor.session, now)
    ? [requireSession(visitor.session.locator)]
    : []),
  ...(pushed === undefined ? [] : [requireInteraction(pushed)]),
  ...(waiting === undefined || waiting.page?.isNew === true ? [] : [requireInteraction(waiting.interaction)]),
]

/** Asks the person for what is needed, unless the client forbids that (OpenID Connect Core §3.1.2.6). */
export const ask = (
  objection: Need | Refusal,
  s: Asking & Loaded & Answerable,
  inquiry: Inquiry,
): Effect.Effect<Decision, PortFailed> | Decision => {
  // The session is not required if a sign-in is needed, because a session that has ended never becomes live again.
  const standing = objection._tag === "Need" && objection.need === "login" ? [] : stillStanding(s)
  if (objection._tag === "Refusal") return sendError({ ...objection, commands: [...objection.commands, ...standing] }, s)
  if (!s.prompt.includes("none")) return sendToPage(objection, standing, s, inquiry)
  const description = objection.need === "login" ? "The person must sign in." : "The person must be asked for consent."
  return sendError({ ...refuse(objection.error, description, objection.reason), commands: standing }, s)
}

/** Redirects the browser to the page that asks, and stores the request, bound to this browser. */
const sendToPage = (
  { need }: Need,
  standing: ReadonlyArray<Command>,
  s: Asking & Loaded,
  inquiry: Inquiry,
): Effect.Effect<Decision, PortFailed> | Decision => {
  const page = need === "login" ? signInPath : consentPath
  const go = (handle: string, commands: ReadonlyArray<Command>): Decision => ({
    _tag: "Go",
    to: `${page}?${writeParams([["interaction", handle]])}`,
    cookies: s.waiting?.page?.cookies ?? s.browser.cookies,
    commands,
  })
  if (s.waiting !== undefined) return go(s.waiting.handle, pageCommands(s.waiting, standing))
  return mapped(freshHandle(inquiry, "i"), (handle) => go(handle.value, [...standing, saveInteraction(pendingRow(handle, s, inquiry))]))
}

const pendingRow = (handle: FreshHandle, s: Asking & Loaded, inquiry: Inquiry): PendingAuthorization => ({
  ...waitingRow(handle, s, inquiry),
  kind: "authorization",
  params: keptParams(s),
  hint: s.hint?.subject,
  consented: undefined,
  denied: false,
  pushed: s.pushed?.locator,
})
