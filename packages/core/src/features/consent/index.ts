import {
  type Client,
  type Command,
  type Consent,
  type JsonObject,
  type PendingAuthorization,
  type Person,
  type Session,
  type Settings,
  requireConsent,
  requireSession,
  saveConsent,
} from "../../model/index.ts"
import { scopeWords } from "../../model/index.ts"
import { together } from "../../ports/steps.ts"
import { requiredOf } from "../../rules/allowed.ts"
import { claimWords, readClaimsRequest } from "../../rules/claims.ts"
import { detailWord, detailsParameter, isDetailWord } from "../../rules/details/index.ts"
import { allowedDetails, detailFaces, detailsOfWords, enriched, readDetails, rememberedWords } from "../../rules/details/known.ts"
import { displayedClient, destinationOf, displayedPerson, scopeFaces } from "../../rules/faces.ts"
import { clientStands, interactionRules, openRules } from "../../rules/interaction.ts"
import { heldOf, standingConsent } from "../../rules/remembered.ts"
import { type AllowForm, allowedOrDenied } from "../../rules/ownForm.ts"
import { type PageRefusal, toPage } from "../../rules/page.ts"
import { table } from "../../rules/rule.ts"
import { sessionRules } from "../../rules/session.ts"
import { shownRules } from "../../rules/shown.ts"
import { changesSince } from "../../rules/terms.ts"
import { sessionTenantRules } from "../../rules/tenant.ts"
import { askedOf } from "../../settle/asked.ts"
import type { Browser } from "../../settle/browser.ts"
import { endpoint } from "../../settle/endpoint.ts"
import { formOf, fromOwnPages, go, pageOfWaiting, personOf, show } from "../../settle/pages.ts"
import type { Inquiry } from "../../settle/request.ts"
import { row } from "../../settle/stage.ts"
import { anotherAccountOf } from "../../settle/signIn.ts"
import { toRequest } from "../../settle/signInPage.ts"
import { paramsOf, writeParams } from "../../wire/index.ts"
import { resumeAuthorization } from "../authorize/index.ts"
import { consentPath } from "../../settle/ownPlaces.ts"

/** Judges the client for which consent is requested. */
const askRules = table<{ readonly client: Client | undefined }, PageRefusal>("consent").through(
  clientStands("consent.client", "OpenID Connect Core §3.1.2.4"),
)

/** Judges the person's answer. */
const answerRules = table<AllowForm, PageRefusal>("consent/answer").through(
  allowedOrDenied("consent", { csrf: "RFC 6749 §10.12", decision: "OpenID Connect Core §3.1.2.4" }),
)

interface Waits {
  readonly settings: Settings
  readonly now: number
  readonly browser: Browser
  readonly interaction: PendingAuthorization
  readonly handle: string | undefined
}

/** A request for consent, and everything that was read for it. */
export interface Asking {
  readonly client: Client
  readonly session: Session
  readonly person: Person
  readonly browser: Browser
  readonly interaction: PendingAuthorization
  readonly handle: string
  /** The remembered consent, valid or not. */
  readonly previous: Consent | undefined
}

/** The requested authorization details, enriched by the provider for the person (RFC 9396 §7.1). */
const requestedDetails = (
  { interaction, client, person }: Pick<Asking, "interaction" | "client" | "person">,
  { ports: { settings } }: Inquiry,
): ReadonlyArray<JsonObject> =>
  enriched(readDetails(paramsOf(interaction.params).one(detailsParameter), settings, client).details, settings.details, person)

/** Everything requested that the client may have: scopes, claims by name, and authorization details. */
export const requestedScope = (s: Pick<Asking, "interaction" | "client" | "person">, inquiry: Inquiry): ReadonlyArray<string> => {
  const { interaction, client } = s
  const { ports } = inquiry
  const params = paramsOf(interaction.params)
  const scope = scopeWords(params.one("scope") ?? "").filter((name) => client.scope.includes(name))
  return [
    ...scope,
    ...claimWords(ports.settings.catalog, client, scope, readClaimsRequest(params.one("claims"))),
    ...requestedDetails(s, inquiry).map(detailWord),
  ]
}

/** The part of the request that the client has already been granted; the person is asked for the rest. */
const heldScope = (s: Asking, inquiry: Inquiry): ReadonlyArray<string> =>
  heldOf(
    standingConsent(s.previous, s.client, inquiry.now),
    requestedScope(s, inquiry),
    scopeWords(paramsOf(s.interaction.params).one("prompt") ?? ""),
    inquiry.ports.settings.details,
  )

/** The version of the client that the page shows, if the client publishes its own metadata. */
const versionOf = ({ document }: Client): ReadonlyArray<readonly [string, string]> =>
  document === undefined ? [] : [["client_version", document.digest]]

const ask = (s: Asking, inquiry: Inquiry) => {
  if (inquiry.ports.settings.interactionRoutes.consent !== undefined)
    return go(`${consentPath}?${writeParams([["interaction", s.handle]])}`, s.browser.cookies)
  const { settings } = inquiry.ports
  const [requested, held] = [requestedScope(s, inquiry), heldScope(s, inquiry)]
  const details = detailFaces(settings, requested, held)
  return show(
    {
      _tag: "Consent",
      form: formOf(consentPath, s.browser, [["interaction", s.handle], ...versionOf(s.client)]),
      client: displayedClient(s.client),
      person: displayedPerson(s.person),
      scopes: scopeFaces(settings.catalog, requested, held),
      ...(details.length === 0 ? {} : { details }),
      destination: destinationOf(paramsOf(s.interaction.params).one("redirect_uri")),
      another: anotherAccountOf(s.handle),
      changes: changesSince(s.previous, s.client),
    },
    s.browser.cookies,
  )
}

/** A consent request that was answered. */
export interface Answer extends Asking {
  /** The scopes, and claims by name, that the person selected. */
  readonly ticked: ReadonlyArray<string>
  readonly approved: boolean
}

/** Processes the answer: it is remembered for the client and recorded on the waiting request, which is then resumed. */
export const answered = (s: Answer, inquiry: Inquiry) => {
  const { interaction, client, person, browser, handle, previous, approved, session } = s
  const consent = approved ? allowed(s, inquiry) : previous
  const noted = { ...interaction, subject: session.subject, denied: !approved, consented: approved ? allowedNow(s, inquiry) : undefined }
  const commands = [requireSession(session.locator)]
  const choice = approved && consent !== undefined ? save(consent, previous) : []
  const page = { cookies: [], commands, choice, isNew: true }
  return resumeAuthorization({ interaction: noted, handle, browser, client, person, consent, ...page }, inquiry)
}

/** The words that the person selected or could not deselect. Of the details it has those that are within the requested ones. */
const allowedNow = (s: Answer, inquiry: Inquiry): ReadonlyArray<string> => {
  const { settings } = inquiry.ports
  const requested = requestedScope(s, inquiry)
  const required = requiredOf(settings.catalog, requested)
  return [
    ...requested.filter((name) => !isDetailWord(name) && (s.ticked.includes(name) || required.includes(name))),
    ...allowedDetails(s.ticked, requestedDetails(s, inquiry), settings.details).map(detailWord),
  ]
}

/** The words of an earlier consent that were not asked about now. A detail that covers one refused now is dropped. */
const carriedOver = (s: Answer, standing: Consent, allowed: ReadonlyArray<string>, inquiry: Inquiry): ReadonlyArray<string> => {
  const { details } = inquiry.ports.settings
  const requested = requestedScope(s, inquiry)
  const refused = detailsOfWords(
    requested.filter((word) => isDetailWord(word) && !allowed.includes(word)),
    details,
  )
  return standing.scope.filter((word) => {
    if (!isDetailWord(word)) return !requested.includes(word)
    const [detail] = detailsOfWords([word], details)
    return detail !== undefined && refused.every((each) => details?.beyond([each], [detail]) !== undefined)
  })
}

/** The consent to remember: the words allowed now, and the earlier ones that were not asked about now. */
const allowed = (s: Answer, inquiry: Inquiry): Consent => {
  const { now } = inquiry
  const { clientId, lifetimes } = s.client
  const standing = standingConsent(s.previous, s.client, now)
  const words = allowedNow(s, inquiry)
  const carried = standing === undefined ? [] : carriedOver(s, standing, words, inquiry)
  const kept = carried.length > 0 || heldScope(s, inquiry).length > 0
  return {
    subject: s.session.subject,
    clientId,
    scope: rememberedWords([...carried, ...words], inquiry.ports.settings.details),
    grantedAt: now,
    // A scope that the person was not asked about again keeps its expiry, because one consent does not extend another.
    expiresAt: kept && standing !== undefined ? standing.expiresAt : lifetimes.consent === 0 ? 0 : now + lifetimes.consent,
    terms: s.client.document?.terms,
  }
}

/** Saves a consent in place of the one that it continues, and of no other, because another consent of the same second has another scope. */
const save = (consent: Consent, previous: Consent | undefined): ReadonlyArray<Command> => [
  ...(previous === undefined ? [] : [requireConsent(previous)]),
  saveConsent(consent, previous?.grantedAt),
]

/** Establishes the client and the person who is asked from a waiting request and its browser. */
export const consentAsked = row<Waits, PageRefusal>(toPage)
  .read(({ interaction: { clientId, params }, browser, handle = "" }, inquiry) => {
    const { session } = browser
    const { clients, tokens } = inquiry.ports
    return together({
      client: clients.find(clientId),
      handle,
      session,
      person: personOf(browser, inquiry),
      previous: session && tokens.findConsent(session.subject, clientId),
      about: { clientId, uiLocales: paramsOf(params).one("ui_locales"), subject: session?.subject },
    })
  })
  .through(askedOf)
  .judge(askRules)
  .judge(sessionRules, toRequest)
  .judge(sessionTenantRules, toRequest)

/** The page that asks a person what a client may have, and processes the answer (OpenID Connect Core §3.1.2.4). */
export const consent = endpoint(
  { name: "consent", path: consentPath, methods: ["GET", "POST"], audience: "people", cors: false },
  fromOwnPages
    .through(pageOfWaiting)
    .read(({ interaction }) => ({ interaction: interaction?.kind === "authorization" ? interaction : undefined }))
    .judge(interactionRules)
    .through(consentAsked)
    .split(
      {
        show: (row) => row.judge(openRules, toRequest).decide(ask),
        submit: (row) =>
          row
            .read(({ params }) => ({
              decision: params.one("decision"),
              ticked: params.all("scope"),
              version: params.one("client_version"),
            }))
            .judge(answerRules)
            .judge(shownRules)
            .decide(answered),
      },
      ({ posted }) => (posted ? "submit" : "show"),
    ),
)
