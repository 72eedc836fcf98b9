import { type Client, type Command, type JsonObject, type Person, type Refusal, type Session, requireSession } from "../../model/index.ts"
import { mapped, onward, together } from "../../ports/steps.ts"
import { detailWord, detailsLeft } from "../../rules/details/index.ts"
import { detailFaces, enriched } from "../../rules/details/known.ts"
import { displayedClient, displayedPerson, scopeFaces } from "../../rules/faces.ts"
import { sourceRules } from "../../rules/provider.ts"
import { mayHave } from "../../rules/scope.ts"
import { sessionRules } from "../../rules/session.ts"
import { sessionTenantRules } from "../../rules/tenant.ts"
import { contextsOf } from "../../settle/asked.ts"
import type { Browser } from "../../settle/browser.ts"
import { mustBeBound } from "../../settle/confirmation.ts"
import { endpoint } from "../../settle/endpoint.ts"
import { ownApprovalPage } from "../../settle/ownPlaces.ts"
import { formOf, fromOwnPages, go, page, personOf, show } from "../../settle/pages.ts"
import { visitorsLimited } from "../../settle/rate.ts"
import type { Inquiry } from "../../settle/request.ts"
import { grantableOf } from "../../settle/sector.ts"
import { anotherAccountOf, signInOf } from "../../settle/signIn.ts"
import { usesOf } from "../../settle/sessionUses.ts"
import { findWay } from "../../settle/waiting.ts"
import { writeParams } from "../../wire/index.ts"
import { type Answered, accountRules, answerRules, answered, approval, signedInRules, waitingRules } from "./approval.ts"
import { approvalPath } from "./request.ts"
import { approved as approvedBy, denied, failed } from "./outcome.ts"
import { type AuthenticationRequest, authenticationRequests } from "./rows.ts"
import { waitingAmong } from "./rules.ts"
import { askToSignIn, keepFor, pathOf } from "./visit.ts"

interface Visiting {
  readonly browser: Browser
  readonly now: number
  /** True if the person wants to answer with an account other than the one that is signed in. */
  readonly another: boolean
  /** The request that the address refers to; undefined if there is no such request. */
  readonly named: AuthenticationRequest | undefined
  /** The request that is displayed. */
  readonly request?: AuthenticationRequest | undefined
}

/** Redirects the person to sign in and then back to the request of which they were notified. */
const toSignIn = (_: unknown, s: Visiting, inquiry: Inquiry) =>
  askToSignIn(s.another ? anotherAccountOf : signInOf, s.request ?? s.named, s, inquiry)

/** A request that a person may answer. */
export interface Answerable {
  readonly request: AuthenticationRequest
  readonly client: Client
  readonly person: Person
  readonly session: Session
  readonly browser: Browser
  readonly now: number
  /** The other requests that wait for the person. */
  readonly others: ReadonlyArray<AuthenticationRequest>
}

/** The scopes that the client would be granted. */
export const grantedScope = ({ request, client }: Pick<Answerable, "request" | "client">, { ports }: Inquiry): ReadonlyArray<string> =>
  request.scope.filter((name) => mayHave(ports.settings, client, name))

/** The authorization details that the client would be granted, enriched by the provider for the person (RFC 9396 §7.1). */
export const grantedDetails = (
  { request, client, person }: Pick<Answerable, "request" | "client" | "person">,
  { ports: { settings } }: Inquiry,
): ReadonlyArray<JsonObject> => enriched(detailsLeft(request.authorizationDetails, settings, client), settings.details, person)

/** Reads whether all tokens of the client must be bound: by what it is now, since it may have changed after it asked. */
export const bindingAsked = ({ client }: { readonly client: Client | undefined }, inquiry: Inquiry) => ({
  mustBeBound: client !== undefined && mustBeBound(client, inquiry),
})

const ownPageOf = (handle: string): string => `${ownApprovalPage}?${writeParams([["interaction", handle]])}`

const nextOf = ([next]: ReadonlyArray<AuthenticationRequest>): string | undefined => next && pathOf(next.locator)

const confirm = (s: Answerable, inquiry: Inquiry) => {
  const { request, client, person, browser } = s
  if (inquiry.ports.settings.interactionRoutes.approval !== undefined) return keepFor(ownPageOf, request, s, inquiry)
  const again = [
    ["request", request.locator],
    ["another", "1"],
  ] as const
  const { settings } = inquiry.ports
  const details = detailFaces(settings, grantedDetails(s, inquiry).map(detailWord))
  const model = {
    form: formOf(approvalPath, browser, [["request", request.locator]]),
    client: displayedClient(client),
    person: displayedPerson(person),
    bindingMessage: request.bindingMessage,
    scopes: scopeFaces(settings.catalog, grantedScope(s, inquiry)),
    details: details.length === 0 ? undefined : details,
    askedAt: request.createdAt,
    another: `${approvalPath}?${writeParams(again)}`,
  }
  return show(approval.page(model), browser.cookies)
}

/** Shows the outcome to the person, on the provider's page or on the embedder's. */
const showDone = (
  outcome: Answered["outcome"] | "failed",
  { browser, client, others }: Pick<Answerable, "browser" | "others"> & { readonly client: Client | undefined },
  commands: ReadonlyArray<Command>,
  inquiry: Inquiry,
) => {
  if (inquiry.ports.settings.interactionRoutes.approval === undefined)
    return show(
      answered.page({ outcome: outcome === "failed" ? "none" : outcome, client: client && displayedClient(client), next: nextOf(others) }),
      browser.cookies,
      commands,
    )
  const told = [["done", outcome], ...(others.length === 0 ? [] : ([["others", String(others.length)]] as const))] as const
  return go(`${ownApprovalPage}?${writeParams(told)}`, browser.cookies, commands)
}

/** Approves or denies a request (CIBA Core §8). */
export const settleRequest = (s: Answerable & { readonly approved: boolean }, inquiry: Inquiry) => {
  const { approved, session } = s
  const scope = grantedScope(s, inquiry)
  const details = s.request.authorizationDetails === undefined ? undefined : grantedDetails(s, inquiry)
  return mapped(approved ? approvedBy({ ...s, scope, details }, inquiry) : denied(s, inquiry), (commands) =>
    showDone(
      approved ? "approved" : "denied",
      s,
      [requireSession(session.locator), ...commands, ...(approved ? usesOf(s.client, session, inquiry) : [])],
      inquiry,
    ),
  )
}

/** Ends a request for which a page reports an error: a denial, or any other reason why the person could not answer (CIBA Core §12). */
export const endRequest = (s: Answerable & { readonly refusal: Refusal }, inquiry: Inquiry) => {
  const { refusal, session } = s
  if (refusal.error === "access_denied") return settleRequest({ ...s, approved: false }, inquiry)
  return mapped(failed(s, refusal.description, inquiry), (commands) =>
    showDone("failed", s, [requireSession(session.locator), ...commands], inquiry),
  )
}

/** The page on which a person answers the requests of clients (CIBA Core §8). */
export const approvalPage = endpoint(
  { name: "approval", path: approvalPath, methods: ["GET", "POST"], audience: "people", cors: false },
  fromOwnPages
    .through(visitorsLimited("approval", "authorizeAddress"))
    .through(page)
    .read(({ params, posted, browser }, inquiry) => {
      const locator = params.one("request")
      return together({
        decision: params.one("decision"),
        another: !posted && params.one("another") !== undefined,
        named: locator === undefined ? undefined : inquiry.ports.tokens.find(authenticationRequests, { locator }),
        locator,
        session: browser.session,
        person: personOf(browser, inquiry),
        about: { subject: browser.session?.subject },
      })
    })
    .judge(sessionRules, toSignIn)
    .judge(accountRules, toSignIn)
    .read(({ session: { subject }, named, locator, now }, { ports }) =>
      onward(ports.tokens.list(authenticationRequests, "ofPerson", { subject }), (all) => {
        const waiting = waitingAmong(all, now).toReversed()
        const request = locator === undefined ? waiting[0] : named
        return together({
          request,
          others: waiting.filter((each) => each.locator !== request?.locator),
          client: request?.subject === subject ? ports.clients.find(request.clientId) : undefined,
        })
      }),
    )
    .read(bindingAsked)
    .judge(waitingRules, (_, { browser, others }, inquiry) => showDone("none", { browser, client: undefined, others }, [], inquiry))
    .read(({ request, client, browser }, inquiry) =>
      together({
        ...contextsOf(request.acrValues, client, inquiry),
        visit: findWay(request.locator, browser, inquiry),
        about: { clientId: client.clientId },
      }),
    )
    .judge(sourceRules, toSignIn)
    .judge(sessionTenantRules, toSignIn)
    .judge(signedInRules, toSignIn)
    .split(
      {
        confirm: (row) => row.decide(confirm),
        answer: (row) => row.read(grantableOf).judge(answerRules).decide(settleRequest),
      },
      ({ posted }) => (posted ? "answer" : "confirm"),
    ),
)
