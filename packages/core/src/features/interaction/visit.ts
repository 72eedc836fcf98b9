import type { Client, PendingVisit, Person, Session } from "../../model/index.ts"
import { together } from "../../ports/steps.ts"
import { clientStands } from "../../rules/interaction.ts"
import { type PageRefusal, toPage } from "../../rules/page.ts"
import { sourceRules } from "../../rules/provider.ts"
import { type Objection, pass, table } from "../../rules/rule.ts"
import { sessionRules, signedInFor } from "../../rules/session.ts"
import type { OwnVisit } from "../../settle/inquiry.ts"
import type { VisitAsked, Visited } from "../../settle/visits.ts"
import { personOf } from "../../settle/pages.ts"
import type { Inquiry } from "../../settle/request.ts"
import { row } from "../../settle/stage.ts"
import { toldGoOn, toldSignIn } from "../../settle/told.ts"

/** Judges whether the client of the page still exists. */
const visitRules = table<{ readonly client: Client | undefined }, PageRefusal>("interaction/visit").through(
  clientStands("interaction.visit-client", "OpenID Connect Core §3.1.2.3", "The page no longer waits."),
)

interface SinceSeen {
  readonly interaction: PendingVisit
  readonly session: Session
  /** The embedder's page in its place; undefined if there is none. */
  readonly way: OwnVisit | undefined
}

/**
 * Judges whether the visitor has signed in since the page asked for it. A page that the provider draws redirects here only visitors who
 * must sign in.
 */
const sinceRules = table<SinceSeen, Objection>("interaction/visit-since").rule(
  "interaction.visit-since",
  "OpenID Connect Core §3.1.2.3",
  ({ interaction, session, way }) =>
    way !== undefined || signedInFor(interaction, session)
      ? pass
      : { reason: "the page has asked for a sign-in, and there was none since" },
)

type Seen = VisitAsked & { readonly client: Client; readonly person: Person | undefined }

const needsSignIn = (_: Objection, s: Seen, inquiry: Inquiry) => toldSignIn(s, inquiry)

/** The page of a feature to which a row leads. */
const pageOf = ({ path }: PendingVisit, { parts }: Inquiry): OwnVisit | undefined =>
  parts.ownVisits.find((each) => each.path === path.split("?")[0])

/** The page of a feature to which a row leads, if the embedder draws it. */
export const ownVisitOf = (visit: PendingVisit, inquiry: Inquiry): OwnVisit | undefined => {
  const found = pageOf(visit, inquiry)
  return found && inquiry.ports.settings.interactionRoutes[found.route] === undefined ? undefined : found
}

/** Reports what the page asks for, or that the visitor can continue there. */
const toldPage = (s: Visited & SinceSeen, inquiry: Inquiry) => {
  if (s.way !== undefined) return s.way.look(s, inquiry)
  return pageOf(s.interaction, inquiry)?.lookBefore(s, inquiry) ?? toldGoOn(s)
}

/** Reports what a page of the provider needs from its visitor, such as a sign-in. It changes nothing. */
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
  .read(({ interaction }, inquiry) => ({ way: ownVisitOf(interaction, inquiry) }))
  .judge(sinceRules, needsSignIn)
  .decide(toldPage)
