import * as Effect from "effect/Effect"
import {
  type Client,
  type Decision,
  type Instant,
  type PendingAuthorization,
  type Refusal,
  type WaitingRequest,
  refuse,
} from "../../model/index.ts"
import { mapped, onward, together } from "../../ports/steps.ts"
import { consentRules, wrong } from "../../rules/allowed.ts"
import { interactionRules } from "../../rules/interaction.ts"
import { ownFormRules } from "../../rules/ownForm.ts"
import { type PageRefusal, toPage } from "../../rules/page.ts"
import { type ShownSeen, csrfParts, shownRules } from "../../rules/shown.ts"
import { askedOf } from "../../settle/asked.ts"
import { type Browser, loadBrowser, loadInteraction } from "../../settle/browser.ts"
import { type Asked, type Endpoint, type Place, endpoint } from "../../settle/endpoint.ts"
import { go } from "../../settle/pages.ts"
import type { Inquiry } from "../../settle/request.ts"
import { waitingParams } from "../../settle/signIn.ts"
import { row, where } from "../../settle/stage.ts"
import { visitNotBefore } from "../../settle/told.ts"
import { readParams } from "../../wire/index.ts"
import { lookAtAuthorization, notBeforeOf, resumeSignedIn, turnDownAuthorization } from "../authorize/index.ts"
import { answered, consentAsked, requestedScope } from "../consent/index.ts"
import { allowDevice, denyDeviceOf, lookAtDevice } from "../device/index.ts"
import { type AnyAnswer, answerRules, errorRules, memberRules, record, signInRules } from "./rules.ts"
import { clientVisit, lookAtPage, lookAtVisit, ownVisitOf } from "./visit.ts"

const place = (name: string, audience: Place["audience"]): Place => ({
  name,
  // The provider serves no such path; the call comes from the embedder's own route.
  path: `/${name}`,
  methods: ["GET", "POST"],
  audience,
  cors: false,
})

const waiting = row<Asked, PageRefusal>(toPage).read(({ message }, inquiry) => {
  const handle = readParams(message.query).one("interaction") ?? ""
  return together({
    settings: inquiry.ports.settings,
    now: inquiry.now,
    handle,
    browser: loadBrowser(message, inquiry),
    interaction: loadInteraction(handle, inquiry),
  })
})

/** Reports to an embedder's page what a waiting request needs from its person. It changes nothing. */
export const interaction = endpoint(
  place("interaction", "programs"),
  waiting.split(
    {
      authorization: (found) => found.decide(lookAtAuthorization),
      device: (found) =>
        found
          .read(({ interaction: each }) => ({ interaction: each?.kind === "device" ? each : undefined }))
          .judge(interactionRules)
          .decide(lookAtDevice.attempt),
      visit: (found) =>
        found
          .read(({ interaction: each }) => ({ interaction: each?.kind === "visit" ? each : undefined }))
          .judge(interactionRules)
          .decide((s, inquiry) => {
            const visit = clientVisit(s.interaction)
            return visit === undefined ? lookAtPage.attempt(s, inquiry) : lookAtVisit.attempt({ ...s, interaction: visit }, inquiry)
          }),
    },
    ({ interaction: each }) => (each?.kind === "device" || each?.kind === "visit" ? each.kind : "authorization"),
  ),
)

interface Answering extends Asked {
  readonly answer: AnyAnswer
}

const kinds = ["signIn", "consent", "deny", "error"] as const

/** The parts of a consent answer. */
const consentIn = (answer: AnyAnswer) => {
  const { scopes, details } = record(answer["consent"])
  return { scopes, details }
}

interface Waiting {
  readonly interaction: WaitingRequest
  readonly handle: string
  readonly browser: Browser
}

/** Ends a request with an error. A device is told that its person denied it (RFC 8628 §3.5). */
const turnDown = ({ interaction: each, handle, browser }: Waiting, turnedDown: Refusal, inquiry: Inquiry) => {
  if (each.kind === "visit") {
    const visit = clientVisit(each)
    const seen = { settings: inquiry.ports.settings, now: inquiry.now, browser, handle, refusal: turnedDown }
    return (
      (visit && ownVisitOf(visit, inquiry)?.deny({ ...seen, interaction: visit }, inquiry)) ??
      Effect.succeed<Decision>(go("/", browser.cookies))
    )
  }
  if (each.kind === "device")
    return denyDeviceOf.attempt({ settings: inquiry.ports.settings, now: inquiry.now, browser, interaction: each, handle }, inquiry)
  const denied = turnedDown.error === "access_denied"
  const noted: PendingAuthorization = { ...each, subject: browser.session?.subject, consented: undefined, denied }
  return onward(inquiry.ports.clients.find(each.clientId), (client) =>
    turnDownAuthorization(
      {
        interaction: noted,
        handle,
        browser,
        client,
        person: undefined,
        consent: undefined,
        cookies: [],
        commands: [],
        choice: [],
        isNew: true,
        turnedDown,
      },
      inquiry,
    ),
  )
}

/** The earliest sign-in time that satisfies the waiting request. */
const earliest = (waits: WaitingRequest, client: Client | undefined, now: Instant): Instant | undefined =>
  waits.kind === "authorization" ? client && notBeforeOf(waits, client, now) : visitNotBefore(waits, client, now)

const signedIn = row<Answering & Waiting & { readonly settings: Inquiry["ports"]["settings"]; readonly now: number }, PageRefusal>(toPage)
  .read(({ answer, interaction: { clientId } }, { ports }) => {
    const { subject, amr, acr, authTime } = record(answer["signIn"])
    const found = together({
      client: clientId === undefined ? undefined : ports.clients.find(clientId),
      person: typeof subject === "string" ? ports.authenticator.find(subject) : undefined,
    })
    return mapped(found, ({ client, person }) => ({ subject, amr, acr, authTime, client, person }))
  })
  .through(askedOf)
  .read(({ interaction: each, client, person, now }) => ({
    notBefore: earliest(each, client, now),
    about: { clientId: each.clientId, uiLocales: waitingParams(each).one("ui_locales"), subject: person?.subject },
  }))
  .judge(signInRules)
  .judge(memberRules)
  .decide((s, inquiry) => {
    const { person, amr, acr, tenant, authTime } = s
    return resumeSignedIn(s, { person, amr, acr, idp: undefined, tenant, authTime }, inquiry)
  })

const consented = row<Answering & Pick<ShownSeen, "version"> & Parameters<typeof consentAsked.run>[0], PageRefusal>(toPage)
  .through(consentAsked)
  .judge(shownRules)
  .read((s, inquiry) => ({
    ...consentIn(s.answer),
    requested: requestedScope(s, inquiry),
    settings: inquiry.ports.settings,
    whole: false,
  }))
  .judge(consentRules)
  .decide((s, inquiry) => answered({ ...s, approved: true }, inquiry))

/**
 * Requires that an answer comes from the embedder's own pages, whatever the method. The exception is a sign-in without a form: an existing
 * session answers the GET request by which another site sent the browser to the authorization endpoint.
 */
const fromTheirPages = where(
  ({ message, answer }: Answering) => message.method !== "GET" || record(answer["signIn"])["authTime"] === undefined,
  row<Answering, PageRefusal>(toPage).judge(ownFormRules),
)

const resumed = row<Answering, PageRefusal>(toPage)
  .through(fromTheirPages)
  .through(waiting)
  .judge(interactionRules)
  .read(({ answer }) => ({
    ...csrfParts(answer["csrf"]),
    kinds: kinds.filter((kind) => answer[kind] !== undefined && answer[kind] !== false),
  }))
  .judge(answerRules)
  .split(
    {
      signIn: (found) => found.decide(signedIn.attempt),
      consent: (found) =>
        found.judge(memberRules).decide((s, inquiry) => {
          const { interaction: each } = s
          if (each.kind === "visit") {
            const visit = clientVisit(each)
            return (
              (visit && ownVisitOf(visit, inquiry)?.allow({ ...s, interaction: visit, ...consentIn(s.answer) }, inquiry)) ??
              toPage(wrong("nothing to consent to: the page of the provider asks for itself"))
            )
          }
          return each.kind === "device"
            ? allowDevice.attempt({ ...s, interaction: each, ...consentIn(s.answer) }, inquiry)
            : consented.attempt({ ...s, interaction: each }, inquiry)
        }),
      deny: (found) =>
        found.decide((s, inquiry) =>
          turnDown(s, refuse("access_denied", "The person did not allow it.", "denied on the embedder's page"), inquiry),
        ),
      error: (found) =>
        found
          .read(({ answer }) => {
            const { error, description } = record(answer["error"])
            return { error, description }
          })
          .judge(errorRules)
          .judge(memberRules)
          .decide((s, inquiry) => turnDown(s, s.refusal, inquiry)),
    },
    ({ kind }) => kind,
  )

/** All tables that judge answers, in addition to those of the provider's pages that the embedder's replace. */
export const tables = [
  ...resumed.tables,
  ...signedIn.tables,
  ...consented.tables,
  ...denyDeviceOf.tables,
  ...allowDevice.tables,
  ...lookAtDevice.tables,
  ...lookAtVisit.tables,
  ...lookAtPage.tables,
]

/** Resumes a waiting request with the answer of an embedder's page, and responds in the form that its caller reads. */
export const resumeInteraction = (answer: AnyAnswer, audience: Place["audience"]): Endpoint => ({
  ...place("resume-interaction", audience),
  attempt: (message, inquiry) => resumed.attempt({ message, answer }, inquiry),
})
