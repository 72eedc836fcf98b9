import type { Client, PendingVisit, Person, Settings } from "../../model/index.ts"
import { together } from "../../ports/steps.ts"
import { clientFace, personFace } from "../../rules/faces.ts"
import { type PageRefusal, refusePage, toPage } from "../../rules/page.ts"
import { sourceRules } from "../../rules/provider.ts"
import { type Objection, prove, table } from "../../rules/rule.ts"
import { isLive, sessionRules } from "../../rules/session.ts"
import type { Browser } from "../../settle/browser.ts"
import { personOf } from "../../settle/pages.ts"
import type { Inquiry } from "../../settle/request.ts"
import { row } from "../../settle/stage.ts"
import { toldWaiting, visitorSignIn, whyOf } from "../../settle/told.ts"

/** A page of the provider whose visitor must sign in, on a page of the embedder's own. */
interface WaitingVisit {
  readonly settings: Settings
  readonly now: number
  readonly browser: Browser
  readonly interaction: PendingVisit
  readonly handle: string
}

interface VisitSeen {
  readonly client: Client | undefined
}

/** Judges whether the page still has a client to ask for. */
const visitRules = table<VisitSeen, PageRefusal>("interaction/visit").establish(
  "interaction.visit-client",
  "OpenID Connect Core §3.1.2.3",
  ({ client }) =>
    client === undefined || client.disabled
      ? refusePage("interaction_expired", 400, "invalid_request", "The page no longer waits.", "the client is gone or disabled")
      : prove({ client }),
)

type Seen = WaitingVisit & { readonly client: Client; readonly person: Person | undefined }

const told = (need: "sign_in" | "nothing", s: Seen, inquiry: Inquiry) => {
  const { settings, browser, interaction, handle, client, person, now } = s
  return toldWaiting({
    need,
    why: need === "sign_in" ? whyOf(inquiry.trace) : undefined,
    interaction: handle,
    csrf: browser.csrf,
    client: clientFace(client),
    person: person && isLive(browser.session, now) ? personFace(person) : undefined,
    signIn: need === "sign_in" ? visitorSignIn(s) : undefined,
    location: need === "nothing" ? settings.issuer.replace(/\/$/, "") + interaction.path : undefined,
    expiresAt: interaction.expiresAt,
  })
}

const needsSignIn = (_: Objection, s: Seen, inquiry: Inquiry) => told("sign_in", s, inquiry)

/** Tells what a page of the provider needs of its visitor: that they sign in; changes nothing. */
export const lookAtVisit = row<WaitingVisit, PageRefusal>(toPage)
  .read(({ interaction: { clientId }, browser, browser: { session } }, inquiry) =>
    together({
      client: inquiry.ports.clients.find(clientId),
      person: personOf(browser, inquiry),
      session,
      about: { clientId, subject: session?.subject },
    }),
  )
  .judge(visitRules)
  .judge(sessionRules, needsSignIn)
  .judge(sourceRules, needsSignIn)
  .decide((s, inquiry) => told("nothing", s, inquiry))
