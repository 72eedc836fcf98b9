import * as Effect from "effect/Effect"
import { type Client, type Decision, type Person, type Session, type Trouble } from "../../model/index.ts"
import type { PortFailed } from "../../ports/index.ts"
import { mapped, onward, together } from "../../ports/steps.ts"
import { displayedPerson } from "../../rules/faces.ts"
import { shownNames } from "../../rules/form.ts"
import { keptLength, longestKept, longestRequest } from "../../rules/length.ts"
import { isForeign } from "../../rules/ownForm.ts"
import { type PageRefusal, invalidPage } from "../../rules/page.ts"
import { type Objection, pass, prove, table } from "../../rules/rule.ts"
import { isLive } from "../../rules/session.ts"
import type { Browser } from "../../settle/browser.ts"
import { endpoint } from "../../settle/endpoint.ts"
import { loadIdToken } from "../../settle/idToken.ts"
import { formOf, page, show } from "../../settle/pages.ts"
import type { Attempt, Row } from "../../settle/stage.ts"
import type { Inquiry } from "../../settle/request.ts"
import { sentOn } from "../../settle/sentOn.ts"
import { namesOf } from "../../settle/sessionParts.ts"
import { type SignedInHere, type SigningOut, sessionEnd, signedInHere, signedOut, signingOut } from "../../settle/signOut.ts"
import { sidFor, subjectFor } from "../../settle/subject.ts"
import type { Params } from "../../wire/index.ts"
import { type Hint, type NamedSession, byHintRules, sessionOfHint } from "./byHint.ts"

interface EndSessionRequest {
  readonly params: Params
  /** The length of the request as it was sent, in characters. */
  readonly length: number
  readonly posted: boolean
  readonly isForm: boolean
  readonly idTokenHint: string | undefined
  readonly clientId: string | undefined
  readonly redirectUri: string | undefined
  readonly state: string | undefined
  readonly hint: Hint | undefined
  /** The client that the hint or client_id names. */
  readonly client: Client | undefined
}

const invalid = (description: string, reason?: string, trouble: Trouble = "request_invalid"): PageRefusal =>
  invalidPage(trouble, description, reason)

/** Judges the request, and the URI to which the browser may be redirected afterwards (RP-Initiated Logout §2, §3). */
const requestRules = table<EndSessionRequest, PageRefusal>("end-session")
  .rule("end-session.form", "RP-Initiated Logout §2", (s) =>
    !s.posted || s.isForm ? pass : invalid("The body must be application/x-www-form-urlencoded."),
  )
  .rule("end-session.parameters-once", "RFC 6749 §3.1", ({ params: { repeated } }) =>
    repeated.length === 0 ? pass : invalid("A parameter is sent more than once.", `sent more than once: ${shownNames(repeated)}`),
  )
  .rule("end-session.length", "RFC 9110 §4.1, §17.5", (s) =>
    s.length <= longestRequest && (s.state === undefined || keptLength([["state", s.state]]) <= longestKept)
      ? pass
      : invalid(
          "The request is too long.",
          `longer than ${longestRequest} characters, or with a state of more than ${longestKept} as a URL has it`,
        ),
  )
  .rule("end-session.hint", "RP-Initiated Logout §2, §4", (s) =>
    s.idTokenHint === undefined || s.hint !== undefined
      ? pass
      : invalid(
          "The id_token_hint is not an ID token of this provider.",
          "not signed by a key of this provider that is still published, or no ID token",
          "logout_hint_invalid",
        ),
  )
  .rule("end-session.client-agrees", "RP-Initiated Logout §2", (s) =>
    s.clientId === undefined || s.hint === undefined || s.hint.clientId === s.clientId
      ? pass
      : invalid("The id_token_hint is not the client's.", "client_id and id_token_hint name different clients", "logout_hint_foreign"),
  )
  .establish("end-session.redirect-uri-client", "RP-Initiated Logout §3", ({ redirectUri, client }) => {
    const back = redirectUri === undefined || client === undefined ? undefined : { to: redirectUri, client }
    return redirectUri === undefined || back !== undefined
      ? prove({ back })
      : invalid(
          "The post_logout_redirect_uri belongs to no known client.",
          "neither id_token_hint nor client_id names a client whose URI it could be",
          "logout_redirect_uri_invalid",
        )
  })
  .rule("end-session.redirect-uri-registered", "RP-Initiated Logout §3.1", ({ back }) =>
    back === undefined || back.client.postLogoutRedirectUris.includes(back.to)
      ? pass
      : invalid(
          "The post_logout_redirect_uri is not registered for this client.",
          "equal to none of the client's post_logout_redirect_uris",
          "logout_redirect_uri_invalid",
        ),
  )

interface AskSeen {
  readonly now: number
  readonly browser: Browser
  readonly here: SignedInHere | undefined
  /** Sent by the provider's own page when the person confirms. */
  readonly csrf: string | undefined
  /** The origin of the request according to the browser (`Sec-Fetch-Site`). */
  readonly fetchSite: string | undefined
  readonly hint: Hint | undefined
  /** The `sub` of the session's person for the client. */
  readonly sub: string | undefined
  /** The `sid` of the session, and of those that it replaced, for the client. */
  readonly sids: ReadonlyArray<string | undefined>
}

/** The objection that a person must confirm. */
interface Asking extends Objection {
  readonly person: Person
}

/** Judges whether the person must confirm first, because anyone could send a browser here (RP-Initiated Logout §2, §6). */
const askRules = table<AskSeen, Asking>("end-session/ask").rule(
  "end-session.asked",
  "RP-Initiated Logout §2, §6, Fetch Metadata §2.3",
  ({ now, browser, here, csrf, fetchSite, hint, sub, sids }) => {
    if (here === undefined || !isLive(here.session, now) || (csrf === browser.sessionCsrf && !isForeign(fetchSite))) return pass
    if (hint !== undefined && hint.subject === sub && (hint.sid === undefined || sids.includes(hint.sid))) return pass
    const reason = hint === undefined ? "no id_token_hint says whose wish it is" : "the id_token_hint is of another person or session"
    return { person: here.person, reason }
  },
)

const sidsFor = (client: Client, session: Session, inquiry: Inquiry): Effect.Effect<ReadonlyArray<string | undefined>, PortFailed> =>
  mapped(Effect.all(namesOf(session).map(({ locator }) => sidFor(client, locator, inquiry))), (all) => all)

const hintOf = (idTokenHint: string | undefined, inquiry: Inquiry): Effect.Effect<Hint | undefined, PortFailed> =>
  mapped(loadIdToken(idTokenHint, inquiry), (claims) => {
    const subject = claims?.["sub"]
    const clientId = claims?.["aud"]
    const sid = claims?.["sid"]
    const jti = claims?.["jti"]
    if (typeof subject !== "string" || typeof clientId !== "string" || typeof jti !== "string") return undefined
    return { subject, clientId, sid: typeof sid === "string" ? sid : undefined, jti }
  })

/** The supported parameters (RP-Initiated Logout §2), which the page sends again when the person confirms. */
const repeatedByForm: ReadonlySet<string> = new Set([
  "id_token_hint",
  "logout_hint",
  "client_id",
  "post_logout_redirect_uri",
  "state",
  "ui_locales",
])

const ask = ({ person }: Asking, { browser, params }: Pick<AskSeen & EndSessionRequest, "browser" | "params">): Decision => {
  const repeated = params.pairs.filter(([name]) => repeatedByForm.has(name))
  return show({ _tag: "Logout", person: displayedPerson(person), form: formOf(path, browser, repeated) }, browser.cookies)
}

const path = "/connect/endsession"

/** A request that passed, with the URI to which the browser may be redirected. */
interface Judged extends Pick<AskSeen & EndSessionRequest, "now" | "browser" | "here" | "hint" | "client" | "state"> {
  readonly back: { readonly to: string } | undefined
}

/** Redirects the browser to the client's URI, if that is allowed (RP-Initiated Logout §3). */
const after = ({ back, state }: Judged, ended: SigningOut): Decision =>
  signedOut(ended, back && { to: back.to, params: state === undefined ? [] : [["state", state]] })

/** Ends the session of the browser. */
const endHere = <Seen extends Judged>(row: Row<Seen, Seen, PageRefusal>): Attempt<Seen> =>
  row.decide((s, inquiry) => mapped(signingOut(s.browser, inquiry), (ended) => after(s, ended)))

/** Ends the session that the hint names. */
const endNamed = (s: Judged & { readonly named: NamedSession }, inquiry: Inquiry) => {
  const { session } = s.named
  return mapped(sessionEnd(session, inquiry), (commands) => after(s, { cookies: [], commands, frames: [] }))
}

/** The end session endpoint (RP-Initiated Logout §2). */
export const endSession = endpoint(
  { name: "end-session", path, methods: ["GET", "POST"], audience: "people", cors: false },
  page
    .through(sentOn(path))
    .read(({ message, posted, params, browser }, inquiry) => {
      const idTokenHint = params.one("id_token_hint")
      return together({
        length: (posted ? message.body : message.query).length,
        idTokenHint,
        clientId: params.one("client_id"),
        redirectUri: params.one("post_logout_redirect_uri"),
        state: params.one("state"),
        fetchSite: message.headers["sec-fetch-site"],
        hint: hintOf(idTokenHint, inquiry),
        here: signedInHere(browser, inquiry),
      })
    })
    .read(({ hint, clientId, here, params }, inquiry) => {
      const named = hint?.clientId ?? clientId
      const session = here?.session
      const about = { clientId: named, subject: session?.subject, uiLocales: params.one("ui_locales") }
      return onward(named === undefined ? Effect.succeed(undefined) : inquiry.ports.knownClients.find(named), (client) =>
        together({
          about,
          client,
          sub: client === undefined || session === undefined ? session?.subject : subjectFor(client, session.subject, inquiry),
          sids: client === undefined || session === undefined ? [] : sidsFor(client, session, inquiry),
        }),
      )
    })
    .judge(requestRules)
    .judge(askRules, ask)
    .split(
      {
        here: endHere,
        // A client may end the session that its hint names, if the request comes from a browser without a session.
        byHint: (row) =>
          row
            .read(({ hint, client }, inquiry) => mapped(sessionOfHint(hint, client, inquiry), (named) => ({ named })))
            .fork(byHintRules, {
              passed: (allowed) => allowed.read(({ named }) => ({ about: { subject: named.session.subject } })).decide(endNamed),
              objected: endHere,
            }),
      },
      ({ here, hint, now }) => (hint === undefined || isLive(here?.session, now) ? "here" : "byHint"),
    ),
)
