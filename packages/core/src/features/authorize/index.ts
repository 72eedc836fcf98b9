import * as Effect from "effect/Effect"
import {
  type Callback,
  type Client,
  type Command,
  type Decision,
  type JsonObject,
  type Refusal,
  replaceInteraction,
} from "../../model/index.ts"
import { refuse } from "../../model/index.ts"
import { acrAsked } from "../../rules/acr.ts"
import { callbackOf } from "../../rules/callback.ts"
import { interactionRules } from "../../rules/interaction.ts"
import { toPage } from "../../rules/page.ts"
import { askedProvider } from "../../rules/provider.ts"
import { pageRate } from "../../rules/rate.ts"
import { held, judge } from "../../rules/rule.ts"
import { takeOfAddress } from "../../settle/rate.ts"
import { type Inquiry, freshHandle } from "../../settle/request.ts"
import { type SignInSeen, type SignedIn, isAuthorization, resumeOf, signIn } from "../../settle/signIn.ts"
import { loadBrowser, loadInteraction } from "../../settle/browser.ts"
import { paramsOf, readParams } from "../../wire/index.ts"
import type { Endpoint } from "../../settle/endpoint.ts"
import { sendOn } from "../../settle/sendOn.ts"
import { answer, ask } from "./grant.ts"
import { type AuthorizeSeen, load, loadClient } from "./load.ts"
import { needRules } from "./needs.ts"
import { type AuthorizeRequest, authorizeRequest, modeOf, parse } from "./parse.ts"
import { type AnsweredPage, type Waiting, noteAnswer, refuseByPage } from "./resume.ts"
import { loadRequestObject, loadUnverified } from "./request-object/load.ts"
import { answeredTo } from "./request-object/parse.ts"
import { parameterRules, requestObjectRules } from "./request-object/rules.ts"
import { clientRules, requestRules, trustRules } from "./rules.ts"

/** As much as is known of a request before its person is. */
type Waited = Pick<AuthorizeSeen, "waiting" | "now">

/** Sends an error back to the client, and ends the waiting request it answers. */
const sendError = (callback: Callback, { error, description, commands }: Refusal, seen: Waited): Decision => ({
  _tag: "SendBack",
  callback,
  params: [
    ["error", error],
    ["error_description", description],
  ],
  tokens: undefined,
  cookies: seen.waiting?.page?.cookies ?? [],
  commands: [...(seen.waiting?.page?.commands ?? []), ...commands, ...finish(seen)],
})

/** Marks the waiting request as answered; one that was answered before too, so that what was ticked on its page still stands. */
const finish = ({ waiting, now }: Waited): ReadonlyArray<Command> => {
  if (waiting === undefined) return []
  const { interaction } = waiting
  const { finishedAt = now, version } = interaction
  return [replaceInteraction({ ...interaction, finishedAt, version: version + 1 })]
}

/** Decides an authorization request: may it be answered at all, is it well formed, is the person needed, then the code. */
export const decide = (q: AuthorizeRequest, seen: AuthorizeSeen, { trace, about }: Pick<Inquiry, "trace" | "about">): Decision => {
  const untrusted = judge(trace, trustRules, q, seen)
  if (untrusted !== undefined) return refuseByPage(untrusted, seen.waiting)
  const callback = held(callbackOf(held(seen.client), held(q.redirectUri), modeOf(q), q.state))
  // A store that fails while a page is answered is told to the person, who can answer again.
  if (seen.waiting?.page === undefined) about.callback = callback
  const refusal = judge(trace, requestRules, q, seen)
  if (refusal !== undefined) return sendError(callback, refusal, seen)
  const asked = acrAsked(q.params.one("acr_values"), seen.client, q.claimsRequest)
  const provider = askedProvider(asked, seen, trace)
  const objection = judge(trace, needRules, q, { ...seen, provider, tenant: asked.tenant })
  if (objection === undefined) return answer(q, seen, callback, finish(seen))
  if (objection._tag === "Refusal") return sendError(callback, objection, seen)
  if (q.prompt.includes("none")) {
    const description = objection.need === "login" ? "The person must sign in." : "The person must be asked for consent."
    return sendError(callback, refuse(objection.error, description, objection.reason), seen)
  }
  return ask(q, seen, objection)
}

/**
 * Refuses a request for its request object: to the client in the mode that the request asks for, if the redirect_uri is the client's own,
 * else with a page (RFC 9101 §7, OpenID Connect Core §3.1.2.6, OAuth 2.0 Multiple Response Types §2.1).
 */
const refuseObject = (
  sent: AuthorizeRequest,
  said: JsonObject | undefined,
  client: Client,
  refusal: Refusal,
  inquiry: Inquiry,
): Decision => {
  const q = answeredTo(sent, said)
  if (q.redirectUri === undefined) return toPage({ ...refusal, trouble: "request_invalid", status: 400 })
  // One that nobody registered is not passed over either, wherever it stands.
  const beside = sent.redirectUri === undefined ? undefined : judge(inquiry.trace, trustRules, sent, { client })
  const untrusted = beside ?? judge(inquiry.trace, trustRules, q, { client })
  if (untrusted !== undefined) return toPage(untrusted)
  const callback = held(callbackOf(client, q.redirectUri, modeOf(q), q.state))
  return sendError(callback, refusal, { waiting: undefined, now: inquiry.now })
}

/** Judges whether an address may ask at all. */
export const authorizeRate = pageRate("authorize")

/** The authorization endpoint: RFC 6749 §4.1.1, OpenID Connect Core §3.1.2, specification §2.1. */
export const authorize: Endpoint = {
  name: "authorize",
  path: "/connect/authorize",
  methods: ["GET", "POST"],
  audience: "people",
  cors: false,
  attempt: Effect.fnUntraced(function* (message, inquiry) {
    const crowded = takeOfAddress("authorizeAddress", inquiry)
    const rushed = crowded === undefined ? undefined : judge(inquiry.trace, authorizeRate, undefined, { wait: crowded })
    if (rushed !== undefined) return toPage(rushed)
    const q = parse(message)
    const browser = yield* loadBrowser(message, inquiry)
    const elsewhere = sendOn("/connect/authorize", message, browser, inquiry)
    if (elsewhere !== undefined) return elsewhere
    const client = yield* loadClient(q, inquiry)
    const unknown = judge(inquiry.trace, clientRules, q, { client })
    if (unknown !== undefined) return toPage(unknown)
    const refusal = judge(inquiry.trace, parameterRules, q, { client: held(client) })
    if (refusal !== undefined) return refuseObject(q, yield* loadUnverified(q, inquiry), held(client), refusal, inquiry)
    if (q.params.one("request") === undefined && q.params.one("request_uri") === undefined)
      return decide(q, yield* load(q, client, undefined, browser, inquiry), inquiry)
    const object = yield* loadRequestObject(q, held(client), inquiry)
    const bad = judge(inquiry.trace, requestObjectRules, q, object)
    if (bad !== undefined) return refuseObject(q, object.said, held(client), bad, inquiry)
    const request = held(object.request)
    return decide(request, yield* load(request, client, undefined, browser, inquiry), inquiry)
  }),
}

/** Where a browser comes back to after a page, and the very request that waited goes on. */
export const resume: Endpoint = {
  name: "resume",
  path: "/connect/authorize/resume",
  methods: ["GET"],
  audience: "people",
  cors: false,
  attempt: Effect.fnUntraced(function* (message, inquiry) {
    const browser = yield* loadBrowser(message, inquiry)
    const handle = readParams(message.query).one("interaction")
    const interaction = yield* loadInteraction(handle, inquiry)
    const refusal = judge(inquiry.trace, interactionRules, { now: inquiry.now, interaction, browser })
    if (refusal !== undefined) return toPage(refusal)
    const waiting: Waiting = { interaction: held(interaction), handle: held(handle), page: undefined }
    const q = waitingRequest(waiting)
    const client = yield* loadClient(q, inquiry)
    const unknown = judge(inquiry.trace, clientRules, q, { client })
    if (unknown !== undefined) return toPage(unknown)
    return decide(q, yield* load(q, client, waiting, browser, inquiry), inquiry)
  }),
}

/**
 * Resumes a waiting authorization request from what a page has established (OpenID Connect Core §3.1.2.3): by the same rules as when the browser
 * comes back by itself, in one commit with what the page changes, and one redirect fewer. A page that refuses it is shown on the way back, to a
 * person whose answer is kept.
 */
export const resumeAuthorization = Effect.fnUntraced(function* (page: AnsweredPage, inquiry: Inquiry) {
  const { interaction, handle, browser, client, commands, cookies } = page
  const waiting: Waiting = { interaction, handle, page: { commands, cookies } }
  const q = waitingRequest(waiting)
  const unknown = judge(inquiry.trace, clientRules, q, { client })
  if (unknown !== undefined) return refuseByPage(unknown, waiting)
  return decide(q, yield* load(q, client, waiting, browser, inquiry, page), inquiry)
})

const waitingRequest = ({ interaction }: Waiting): AuthorizeRequest => authorizeRequest(paramsOf(interaction.params), true, 0)

/** Signs a person in, and resumes the authorization request that waits for it. Anything else is gone on with by the browser. */
export const resumeSignedIn = Effect.fnUntraced(function* (
  s: SignInSeen & { readonly client: Client | undefined },
  who: SignedIn,
  inquiry: Inquiry,
  more: ReadonlyArray<Command> = [],
) {
  const { session, interaction, cookies, commands } = signIn(s, yield* freshHandle(inquiry, "s"), who, more)
  const { handle, client, browser } = s
  if (handle === undefined || interaction === undefined || client === undefined || !isAuthorization(interaction)) {
    const noted = interaction === undefined ? [] : [noteAnswer(interaction)]
    return { _tag: "Go", to: resumeOf(handle, interaction), cookies, commands: [...commands, ...noted] } satisfies Decision as Decision
  }
  const consent = yield* inquiry.ports.tokens.findConsent(session.subject, client.clientId)
  return yield* resumeAuthorization(
    { interaction, handle, browser: { ...browser, session }, client, person: who.person, consent, cookies, commands },
    inquiry,
  )
})
