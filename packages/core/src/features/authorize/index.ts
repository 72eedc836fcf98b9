import * as Effect from "effect/Effect"
import { type Client, type Command, type Decision, type SealedHandle, type Session, noteAnswer } from "../../model/index.ts"
import type { PortFailed } from "../../ports/index.ts"
import { mapped, onward, together } from "../../ports/steps.ts"
import { type PageRefusal, toPage } from "../../rules/page.ts"
import { sameSignInRules } from "../../rules/sameSignIn.ts"
import { type Asked, endpoint } from "../../settle/endpoint.ts"
import { resumePath } from "../../settle/ownPlaces.ts"
import { type Inquiry, freshHandle } from "../../settle/request.ts"
import { leaving } from "../../settle/replaced.ts"
import { sealFor, sessionBefore } from "../../settle/sealed.ts"
import { type SignInChanges, type SignInSeen, type SignedIn, resumeOf, signIn } from "../../settle/signIn.ts"
import { row } from "../../settle/stage.ts"
import { from, ways } from "../../settle/ways.ts"
import { type Params, readParams } from "../../wire/index.ts"
import type { AnsweredPage, TurnedDown } from "./evidence.ts"
import { answered } from "./answered.ts"
import { detailsProtected } from "./details.ts"
import { look, lookedAnswered, lookedRequest } from "./look.ts"
import { grant } from "./grant.ts"
import type { Arrived } from "./parse.ts"
import { carried, opened } from "./request-object/index.ts"
import { pushedUri } from "./pushed-request/metadata.ts"
import { fetched, goesOn, notPushed } from "./pushed-request/index.ts"
import { comeBack, comeFromPage } from "./resume.ts"
import {
  arrive,
  authorizePath,
  client,
  errorsToClient,
  keyNamed,
  person,
  rate,
  request,
  sentOn,
  sessionTold,
  trust,
  turnDown,
  visitor,
} from "./stages.ts"

export { pushedLifetime, pushedUri, pushingRequired } from "./pushed-request/metadata.ts"
export { notBeforeOf } from "./look.ts"
export { keptRequest, validated } from "./validate.ts"
export { isRequestType } from "./request-object/rules.ts"

/**
 * The stages of an authorization request, each with the kinds of request that pass through it. The kinds differ only in how the request is
 * obtained.
 */
const matrix = ways({
  query: from<Arrived>(),
  form: from<Arrived>(),
  object: from<Arrived>(),
  pushed: from<Arrived>(),
  resumed: from<Asked>(),
  page: from<AnsweredPage>(),
  turnedDown: from<TurnedDown>(),
  looked: from<Asked>(),
})
  .meet(rate, "query", "form", "object", "pushed")
  .meet(arrive, "query", "form", "object", "pushed")
  .meet(comeBack, "resumed", "looked")
  .meet(comeFromPage, "page", "turnedDown")
  .meet(client, "query", "form", "object", "pushed", "resumed", "page", "turnedDown", "looked")
  .meet(carried, "query", "form", "object")
  .meet(opened, "object")
  .meet(fetched, "pushed")
  .meet(goesOn, "resumed", "page", "turnedDown", "looked")
  .meet(visitor, "query", "form", "object", "pushed", "resumed", "page", "turnedDown", "looked")
  .meet(trust, "query", "form", "object", "pushed", "resumed", "page", "turnedDown", "looked")
  .meet(sentOn, "form", "object", "pushed")
  .meet(sessionTold, "query", "form", "object", "pushed", "resumed", "page", "turnedDown")
  .meet(answered, "resumed", "page", "turnedDown")
  .meet(lookedAnswered, "looked")
  .meet(turnDown, "turnedDown")
  .meet(errorsToClient, "query", "form", "object", "pushed", "resumed")
  .meet(notPushed, "query", "form", "object")
  .meet(detailsProtected, "query", "form")
  .meet(request, "query", "form", "object", "pushed", "resumed", "page", "turnedDown")
  .meet(keyNamed, "query", "form", "object", "pushed", "resumed", "page", "turnedDown")
  .meet(lookedRequest, "looked")
  .meet(look, "looked")
  .meet(person, "query", "form", "object", "pushed", "resumed", "page", "turnedDown")

const authorization = matrix.decide(grant)

const isPushed = ({ one, repeated }: Params): boolean =>
  one("request_uri")?.startsWith(pushedUri) === true && one("request") === undefined && !repeated.includes("request_uri")

/** The kind of a request that arrives without a page before it. */
const wayIn = (arrived: Arrived): "query" | "form" | "object" | "pushed" => {
  const { message, params } = arrived
  if (isPushed(params)) return "pushed"
  if (params.one("request") !== undefined || params.one("request_uri") !== undefined) return "object"
  return message.method === "POST" ? "form" : "query"
}

/** The authorization endpoint: RFC 6749 §4.1.1, OpenID Connect Core §3.1.2, specification §2.1. */
export const authorize = endpoint(
  { name: "authorize", path: authorizePath, methods: ["GET", "POST"], audience: "people", cors: false },
  {
    ...row<Asked, PageRefusal>(toPage)
      .read(({ message }) => ({ params: readParams(message.method === "POST" ? message.body : message.query) }))
      .decide((s, inquiry) => authorization[wayIn(s)].attempt(s, inquiry)),
    tables: matrix.tables,
  },
)

/** The endpoint to which a browser returns after a page, where the waiting request is resumed. */
export const resume = endpoint(
  { name: "resume", path: resumePath, methods: ["GET"], audience: "people", cors: false },
  authorization.resumed,
)

/**
 * Resumes a waiting authorization request with the values that a page has established (OpenID Connect Core §3.1.2.3). The rules are the
 * same as when the browser comes back by itself, but the page's changes are in the same commit and there is one redirect fewer. If a rule
 * refuses the request by a page, the browser is redirected to the resume endpoint, which shows that page, and the person's answer is
 * stored.
 */
export const resumeAuthorization = (answered: AnsweredPage, inquiry: Inquiry): Effect.Effect<Decision, PortFailed> =>
  authorization.page.attempt(answered, inquiry)

/** Ends a waiting authorization request with an error, as decided by its person or by the page that asked them (RFC 6749 §4.1.2.1). */
export const turnDownAuthorization = (answered: TurnedDown, inquiry: Inquiry): Effect.Effect<Decision, PortFailed> =>
  authorization.turnedDown.attempt(answered, inquiry)

/** Reports what a waiting authorization request needs from a person, by the rules that would judge it now. It changes nothing. */
export const lookAtAuthorization = (asked: Asked, inquiry: Inquiry): Effect.Effect<Decision, PortFailed> =>
  authorization.looked.attempt(asked, inquiry)

/** A sign-in for a waiting request, and the changes that belong to it. */
interface SigningIn extends SignInSeen {
  readonly client: Client | undefined
  readonly who: SignedIn
  /**
   * The value under which the session is sealed for this browser, so that it can be given again; undefined if the session is not given
   * again.
   */
  readonly sealedUnder: string | undefined
  readonly more: MoreOfSignIn | undefined
}

/** Makes the additional changes of a sign-in from its session and the sealed handle of the session. */
export type MoreOfSignIn = (session: Session, sealed: SealedHandle | undefined) => ReadonlyArray<Command>

/** Resumes the waiting request as the person who signed in. The browser is redirected unless an authorization request is waiting. */
const resumeWaiting = (s: SigningIn, changes: SignInChanges, isNew: boolean, inquiry: Inquiry): Effect.Effect<Decision, PortFailed> => {
  const { handle, client, browser, who } = s
  const { session, interaction, cookies, commands } = changes
  if (handle === undefined || client === undefined || interaction?.kind !== "authorization") {
    const noted = !isNew || interaction === undefined || interaction.finishedAt !== undefined ? [] : [noteAnswer(interaction)]
    return Effect.succeed<Decision>({ _tag: "Go", to: resumeOf(handle, interaction), cookies, commands: [...commands, ...noted] })
  }
  return onward(inquiry.ports.tokens.findConsent(session.subject, client.clientId), (consent) =>
    resumeAuthorization(
      { interaction, handle, browser: { ...browser, session }, client, person: who.person, consent, cookies, commands, choice: [], isNew },
      inquiry,
    ),
  )
}

/** Signs the person in. The waiting request stores the sealed session, so that the same form sent again receives the same session. */
const signInFirst = (s: SigningIn, inquiry: Inquiry): Effect.Effect<Decision, PortFailed> =>
  onward(together({ sessionHandle: freshHandle(inquiry, "s"), left: leaving(s.browser.session, s.who.person, inquiry) }), (made) => {
    const { sealedUnder, browser, more } = s
    return onward(sealedUnder === undefined ? noSeal : sealFor({ handle: sealedUnder, browser }, made.sessionHandle, inquiry), (sealed) => {
      const changes = signIn(s, made.sessionHandle, s.who, (session) => more?.(session, sealed) ?? [])
      const interaction = changes.interaction && { ...changes.interaction, session: sealed }
      return resumeWaiting(s, { ...changes, interaction, commands: [...made.left, ...changes.commands] }, true, inquiry)
    })
  })

const noSeal: Effect.Effect<SealedHandle | undefined> = Effect.succeed(undefined)

/** Judges whether this sign-in was already sent. If so, its person continues in the existing session. */
const signInAgain = row<SigningIn, PageRefusal>(toPage)
  .read((s, inquiry) => {
    const { handle, browser, interaction } = s
    const sealed = interaction?.session
    const opened = handle === undefined || sealed === undefined ? undefined : sessionBefore({ handle, browser }, sealed, inquiry)
    return mapped(together({ opened }), ({ opened: found }) => ({ before: found?.session, value: found?.value }))
  })
  .fork(sameSignInRules, {
    passed: (same) =>
      same.decide((s, inquiry) => {
        const { before: session, browser, interaction, more, value } = s
        const cookies = [...browser.cookies, { name: "session" as const, value }]
        return resumeWaiting(s, { session, interaction, cookies, commands: more?.(session, interaction?.session) ?? [] }, false, inquiry)
      }),
    objected: (fresh) => fresh.decide(signInFirst),
  })

/** The tables that judge repeated sign-ins. */
export const signInTables = signInAgain.tables

/** Signs a person in, with the additional changes that belong to it, and resumes the authorization request that waits for the sign-in. */
export const resumeSignedIn = (
  s: SignInSeen & { readonly client: Client | undefined },
  who: SignedIn,
  inquiry: Inquiry,
  more?: MoreOfSignIn,
  sealedUnder = s.handle,
): Effect.Effect<Decision, PortFailed> =>
  s.interaction?.session === undefined
    ? signInFirst({ ...s, who, sealedUnder, more }, inquiry)
    : signInAgain.attempt({ ...s, who, sealedUnder, more }, inquiry)
