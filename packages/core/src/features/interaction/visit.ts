import type { Client, PendingVisit, Person, Session } from "../../model/index.ts"
import { together } from "../../ports/steps.ts"
import { clientFace, personFace } from "../../rules/faces.ts"
import { type PageRefusal, refusePage, toPage } from "../../rules/page.ts"
import { sourceRules } from "../../rules/provider.ts"
import { type Objection, prove, table } from "../../rules/rule.ts"
import { sessionRules } from "../../rules/session.ts"
import type { OwnVisit, VisitAsked } from "../../settle/inquiry.ts"
import { personOf } from "../../settle/pages.ts"
import type { Inquiry } from "../../settle/request.ts"
import { row } from "../../settle/stage.ts"
import { toldSignIn, toldWaiting } from "../../settle/told.ts"

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

type Seen = VisitAsked & { readonly client: Client; readonly person: Person | undefined }

const needsSignIn = (_: Objection, s: Seen, inquiry: Inquiry) => toldSignIn(s, inquiry)

/** The page of a feature that a row leads to, where the embedder draws it. */
export const ownVisitOf = ({ path }: PendingVisit, { parts, ports: { settings } }: Inquiry): OwnVisit | undefined =>
  parts.ownVisits.find((each) => each.path === path.split("?")[0] && settings.interactionRoutes[each.route] !== undefined)

/** Tells what the page asks for, or that the visitor can go on there. */
const toldPage = (s: Seen & { readonly person: Person; readonly session: Session }, inquiry: Inquiry) => {
  const { settings, browser, interaction, handle, client, person } = s
  const way = ownVisitOf(interaction, inquiry)
  if (way !== undefined) return way.look(s, inquiry)
  return toldWaiting({
    need: "nothing",
    why: undefined,
    interaction: handle,
    csrf: browser.csrf,
    client: clientFace(client),
    person: personFace(person),
    location: settings.issuer.replace(/\/$/, "") + interaction.path,
    expiresAt: interaction.expiresAt,
  })
}

/** Tells what a page of the provider needs of its visitor: that they sign in; changes nothing. */
export const lookAtVisit = row<VisitAsked, PageRefusal>(toPage)
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
  .decide(toldPage)
