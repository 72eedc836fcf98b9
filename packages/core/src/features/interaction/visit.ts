import type { Client, PendingVisit, Person, Session } from "../../model/index.ts"
import { mapped, together } from "../../ports/steps.ts"
import { clientStands } from "../../rules/interaction.ts"
import { type PageRefusal, toPage } from "../../rules/page.ts"
import { sourceRules } from "../../rules/provider.ts"
import { type Objection, pass, table } from "../../rules/rule.ts"
import { sessionRules, signedInFor } from "../../rules/session.ts"
import type { OwnVisit } from "../../settle/inquiry.ts"
import type { ClientVisit, PageOpened, VisitAsked, Visited } from "../../settle/visits.ts"
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
export const ownVisitOf = (visit: ClientVisit, inquiry: Inquiry): OwnVisit | undefined => {
  const found = pageOf(visit, inquiry)
  return found && inquiry.ports.settings.interactionRoutes[found.route] === undefined ? undefined : found
}

/** Reports what the page asks for, or that the visitor can continue there. */
const toldPage = (s: Visited & SinceSeen, inquiry: Inquiry) => {
  if (s.way !== undefined) return s.way.look(s, inquiry)
  return pageOf(s.interaction, inquiry)?.lookBefore(s, inquiry) ?? toldGoOn(s)
}

/** Returns the row of a visit that concerns a client; undefined for a page that concerns none, which only has its visitor sign in. */
export const clientVisit = (visit: PendingVisit): ClientVisit | undefined =>
  visit.clientId === undefined ? undefined : { ...visit, clientId: visit.clientId }

const needsVisitor = (_: Objection, s: PageOpened & { readonly person: Person | undefined }, inquiry: Inquiry) =>
  toldSignIn({ ...s, client: undefined }, inquiry)

/** Reports whether the visitor of a page that concerns no client must sign in, or can continue there. It changes nothing. */
export const lookAtPage = row<PageOpened, PageRefusal>(toPage)
  .read(({ browser, browser: { session } }, inquiry) =>
    mapped(personOf(browser, inquiry), (person) => ({ session, person, way: undefined, about: { subject: session?.subject } })),
  )
  .judge(sessionRules, needsVisitor)
  .judge(sinceRules, needsVisitor)
  .decide((s) => toldGoOn({ ...s, client: undefined }))

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
