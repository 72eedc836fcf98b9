import { mapped, together } from "../../ports/steps.ts"
import { consentRules } from "../../rules/allowed.ts"
import { detailWord } from "../../rules/details/index.ts"
import { detailFaces } from "../../rules/details/known.ts"
import { displayedClient, displayedPerson, scopeFaces } from "../../rules/faces.ts"
import { type PageRefusal, invalidPage, toPage } from "../../rules/page.ts"
import { sourceRules } from "../../rules/provider.ts"
import type { Objection } from "../../rules/rule.ts"
import { sessionRules } from "../../rules/session.ts"
import { csrfWithVersion, shownRules } from "../../rules/shown.ts"
import { sessionTenantRules } from "../../rules/tenant.ts"
import { contextsOf } from "../../settle/asked.ts"
import type { OwnVisit } from "../../settle/inquiry.ts"
import type { VisitAllowed, VisitAsked, VisitDenied, Visited } from "../../settle/visits.ts"
import { go, personOf } from "../../settle/pages.ts"
import type { Inquiry } from "../../settle/request.ts"
import { grantableOf } from "../../settle/sector.ts"
import { signInOf } from "../../settle/signIn.ts"
import { row } from "../../settle/stage.ts"
import { toldGoOn, toldSignIn, toldWaiting } from "../../settle/told.ts"
import { readParams } from "../../wire/index.ts"
import { grantableRules, signedInRules, waitingRules } from "./approval.ts"
import { type Answerable, bindingAsked, endRequest, grantedDetails, grantedScope, settleRequest } from "./page.ts"
import { approvalPath } from "./request.ts"
import { type AuthenticationRequest, authenticationRequests } from "./rows.ts"
import { waitingAmong } from "./rules.ts"

/** Shows that the request was answered, here or in another window, or that it has expired. */
const gone = ({ reason }: Objection) => toPage(invalidPage("interaction_finished", "The request no longer waits for an answer.", reason))

/** Finds the request that a waiting visit leads to, and the other waiting requests of the person who is signed in. */
const requestOf = ({ interaction: { path } }: VisitAsked, subject: string | undefined, { now, ports }: Inquiry) => {
  const locator = readParams(path.split("?")[1] ?? "").one("request") ?? ""
  const { tokens } = ports
  const reads = together({
    request: tokens.find(authenticationRequests, { locator }),
    all: subject === undefined ? [] : tokens.list(authenticationRequests, "ofPerson", { subject }),
  })
  return mapped(reads, ({ request, all }) => ({ request, others: waitingAmong(all, now).filter((each) => each.locator !== locator) }))
}

const told = (s: Answerable & VisitAsked, inquiry: Inquiry) => {
  const { settings, handle, client, person, browser, request, others } = s
  const details = grantedDetails(s, inquiry)
  return toldWaiting({
    need: "approval",
    why: { rule: "approval.decision", cites: "CIBA Core §8", reason: "the person has not answered yet" },
    interaction: handle,
    csrf: csrfWithVersion(browser.sessionCsrf, client),
    client: displayedClient(client),
    person: displayedPerson(person),
    consent: {
      scopes: scopeFaces(settings.catalog, grantedScope(s, inquiry)),
      details: request.authorizationDetails === undefined ? undefined : detailFaces(settings, details.map(detailWord)),
    },
    approval: { bindingMessage: request.bindingMessage, askedAt: request.createdAt, others: others.length },
    expiresAt: Math.min(s.interaction.expiresAt, request.expiresAt),
  })
}

const needsSignIn = (_: Objection, s: Visited & { readonly tenant?: string | undefined }, inquiry: Inquiry) => toldSignIn(s, inquiry)

const looking = row<Visited, PageRefusal>(toPage)
  .read((s, inquiry) => requestOf(s, s.session.subject, inquiry))
  .read(bindingAsked)

const signedInAsAsked = row<Visited & { readonly request: AuthenticationRequest }, PageRefusal>(toPage)
  .read(({ request, client, interaction: visit }, inquiry) => ({ ...contextsOf(request.acrValues, client, inquiry), visit }))
  .judge(sessionTenantRules, needsSignIn)
  .judge(signedInRules, needsSignIn)

const lookAtApproval = looking.judge(waitingRules, gone).through(signedInAsAsked).decide(told)

/** Looks up the request for the provider's own page, which says so if no request waits any longer. */
const lookBeforeApproval = looking
  .judge(waitingRules, (_, s) => toldGoOn(s))
  .through(signedInAsAsked)
  .decide(toldGoOn)

const backToSignIn = (_: Objection, { handle, browser }: VisitAsked) => go(signInOf(handle), browser.cookies)

const answering = row<VisitAsked, PageRefusal>(toPage)
  .read(({ interaction: { clientId }, browser, browser: { session } }, inquiry) =>
    together({
      session,
      client: inquiry.ports.clients.find(clientId),
      person: personOf(browser, inquiry),
      about: { clientId, subject: session?.subject },
    }),
  )
  .judge(sessionRules, backToSignIn)
  .read((s, inquiry) => requestOf(s, s.session.subject, inquiry))
  .read(bindingAsked)
  .judge(waitingRules, gone)
  .read(({ request, client, interaction: visit }, inquiry) => ({ ...contextsOf(request.acrValues, client, inquiry), visit }))
  .judge(sourceRules, backToSignIn)
  .judge(sessionTenantRules, backToSignIn)
  .judge(signedInRules, backToSignIn)
  .read(grantableOf)
  .judge(grantableRules)

const allowRequest = row<VisitAllowed, PageRefusal>(toPage)
  .through(answering)
  .judge(shownRules)
  .read((s, inquiry) => ({
    requested: [...grantedScope(s, inquiry), ...grantedDetails(s, inquiry).map(detailWord)],
    settings: inquiry.ports.settings,
    whole: true,
  }))
  .judge(consentRules)
  .decide((s, inquiry) => settleRequest({ ...s, approved: true }, inquiry))

const denyRequest = row<VisitDenied, PageRefusal>(toPage).through(answering).decide(endRequest)

/** The page on which a person answers, if an embedder renders it (CIBA Core §8). */
export const ownApproval: OwnVisit = {
  path: approvalPath,
  route: "approval",
  look: lookAtApproval.attempt,
  lookBefore: lookBeforeApproval.attempt,
  allow: allowRequest.attempt,
  deny: denyRequest.attempt,
}

/** All tables that judge the page. */
export const ownTables = [...lookAtApproval.tables, ...lookBeforeApproval.tables, ...allowRequest.tables, ...denyRequest.tables]
