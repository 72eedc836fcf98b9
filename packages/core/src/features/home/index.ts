import * as Effect from "effect/Effect"
import {
  type ClientFace,
  type Command,
  type Consent,
  type ConsentFace,
  type Grant,
  type Page,
  type Person,
  type Session,
  type Settings,
  removeConsent,
  requireSession,
  revokeGrants,
} from "../../model/index.ts"
import { offlineAccess } from "../../model/index.ts"
import type { PortFailed } from "../../ports/index.ts"
import { mapped, onward, together } from "../../ports/steps.ts"
import { detailWord } from "../../rules/details/index.ts"
import { detailFaces } from "../../rules/details/known.ts"
import { displayedClient, displayedPerson, scopeFaces } from "../../rules/faces.ts"
import { type SessionForm, sentAsForm, stale, tokenOfSession } from "../../rules/ownForm.ts"
import { type PageRefusal, toPage } from "../../rules/page.ts"
import { type Objection, pass, prove, table } from "../../rules/rule.ts"
import { isLive, sessionRules } from "../../rules/session.ts"
import type { Browser } from "../../settle/browser.ts"
import { type Asked, type Place, endpoint } from "../../settle/endpoint.ts"
import { firstBy } from "../../rules/firstBy.ts"
import { formOf, fromOwnPages, go, page, personOf, show } from "../../settle/pages.ts"
import type { Inquiry } from "../../settle/request.ts"
import { namesOf } from "../../settle/sessionParts.ts"
import { visitorsLimited } from "../../settle/rate.ts"
import { anotherAccountOf, signInOf } from "../../settle/signIn.ts"
import { sessionEnd } from "../../settle/signOut.ts"
import { row } from "../../settle/stage.ts"
import { signInFor } from "../../settle/waiting.ts"

/** Judges every form of the home page before it changes anything. */
const actionRules = table<SessionForm, PageRefusal>("home/action")
  .include(sentAsForm("home.form"))
  .establish("home.session", "OpenID Connect Core §3.1.2.3", ({ session, now }) =>
    isLive(session, now) ? prove({ session }) : stale("no session stands"),
  )
  .include(tokenOfSession("home.csrf", "RFC 6749 §10.12"))

/** Judges whether the person wants to see the page with their account. */
const accountRules = table<{ readonly another: boolean }, Objection>("home/account").rule(
  "home.same-account",
  "OpenID Connect Core §3.1.2.1",
  ({ another }) => (another ? { reason: "the person wants to use another account" } : pass),
)

/** Judges whether there is a session to end. People may end only their own sessions, and learn nothing about those of others. */
const endableRules = table<{ readonly session: Session; readonly named: Session | undefined }, Objection>("home/end-session").establish(
  "home.session-own",
  "NIST SP 800-63B §5.1",
  ({ session, named }) =>
    named?.subject === session.subject ? prove({ named }) : { reason: "no session, or one of another person; nothing to do" },
)

/** Judges whether there is a consent to withdraw. */
const withdrawableRules = table<{ readonly clientId: string | undefined }, Objection>("home/withdraw-consent").present(
  "home.client-named",
  "OpenID Connect Core §3.1.2.4",
  "clientId",
  () => ({ reason: "no client is named; nothing to do" }),
)

const notices = ["session_ended", "consent_withdrawn"] as const

/** The clients that a person has given access: by consent, or by a grant for which no consent was asked. Both can be withdrawn. */
const consentFaces = (
  consents: ReadonlyArray<Consent>,
  grants: ReadonlyArray<Grant>,
  { ports, parts, now }: Inquiry,
): Effect.Effect<ReadonlyArray<ConsentFace>, PortFailed> => {
  const given = [
    ...consents.filter(({ expiresAt }) => expiresAt === 0 || now < expiresAt),
    ...grants
      .filter(({ keepUntil, scope }) => now < keepUntil && scope.includes(offlineAccess))
      .map(({ clientId, scope, authorizationDetails = [], createdAt }) => ({
        clientId,
        scope: [...scope, ...authorizationDetails.map(detailWord)],
        grantedAt: createdAt,
      })),
  ]
  const faces = firstBy(given, ({ clientId }) => clientId).map(({ clientId, scope, grantedAt }) =>
    mapped(ports.knownClients.find(clientId), (known) => {
      const client = known === undefined ? faceWithoutCopy(clientId, parts) : displayedClient(known)
      return client === undefined
        ? []
        : [{ client, scopes: scopeFaces(ports.settings.catalog, scope), ...detailsIn(scope, ports.settings), grantedAt }]
    }),
  )
  return mapped(Effect.all(faces, { concurrency: 8 }), (found) => found.flat())
}

/** A client with a metadata document of which no copy is stored. The person can still withdraw its access. */
const faceWithoutCopy = (clientId: string, { clientResolvers }: Inquiry["parts"]): ClientFace | undefined => {
  const name = clientResolvers.find(({ claims }) => claims(clientId))?.nameOf?.(clientId)
  return name === undefined ? undefined : { clientId, name, unverified: true }
}

const detailsIn = (words: ReadonlyArray<string>, settings: Settings): Pick<ConsentFace, "details"> => {
  const details = detailFaces(settings, words)
  return details.length === 0 ? {} : { details }
}

interface HomeSeen {
  readonly settings: Settings
  readonly person: Person
  readonly browser: Browser
  readonly sessions: ReadonlyArray<Session>
  readonly consents: ReadonlyArray<ConsentFace>
  readonly notice: string | undefined
}

const homePage = ({ settings, person, browser, sessions, consents, notice }: HomeSeen): Page => ({
  _tag: "Home",
  person: displayedPerson(person),
  sessions: sessions.map(({ locator, agent, address, authTime, seenAt }) => ({
    id: locator,
    agent,
    address,
    signedInAt: authTime,
    seenAt,
    current: locator === browser.session?.locator,
  })),
  consents,
  endSession: formOf("/sessions/end", browser),
  withdrawConsent: formOf("/consents/withdraw", browser),
  logout: formOf("/logout", browser),
  another: settings.interactionRoutes.signIn === undefined ? anotherAccountOf(undefined) : "/?another=1",
  notice: notices.find((each) => each === notice),
})

/**
 * Redirects the visitor to sign in. The provider's own page leads back here by itself; an embedder's page answers for a row, which leads
 * back.
 */
const toSignIn = (
  placeOf: (handle: string | undefined) => string,
  s: { readonly browser: Browser; readonly now: number },
  inquiry: Inquiry,
) =>
  inquiry.ports.settings.interactionRoutes.signIn === undefined
    ? Effect.succeed(go(placeOf(undefined), s.browser.cookies))
    : signInFor("/", s, inquiry, placeOf)

/** The home page of a person who is signed in: their sessions, and the access that they have given to clients. */
export const home = endpoint(
  { name: "home", path: "/", methods: ["GET"], audience: "people", cors: false },
  row<Asked, PageRefusal>(toPage)
    .through(visitorsLimited("home", "authorizeAddress"))
    .through(page)
    .read(({ browser, params }, inquiry) =>
      mapped(personOf(browser, inquiry), (person) => ({
        session: browser.session,
        person,
        another: params.one("another") !== undefined,
        about: { subject: person?.subject },
      })),
    )
    .judge(sessionRules, (_, s, inquiry) => toSignIn(signInOf, s, inquiry))
    .judge(accountRules, (_, s, inquiry) => toSignIn(anotherAccountOf, s, inquiry))
    .read(({ person: { subject }, params, now }, inquiry) => {
      const { tokens } = inquiry.ports
      return together({
        notice: params.one("notice"),
        sessions: mapped(tokens.sessionsOf(subject), (all) => all.filter((session) => isLive(session, now))),
        consents: onward(together({ consents: tokens.consentsOf(subject), grants: tokens.grantsOf(subject) }), ({ consents, grants }) =>
          consentFaces(consents, grants, inquiry),
        ),
      })
    })
    .decide((seen) => show(homePage(seen), seen.browser.cookies)),
)

const place = (name: string, path: string): Place => ({ name, path, methods: ["POST"], audience: "people", cors: false })

const action = fromOwnPages
  .through(page)
  .read(({ browser: { session } }) => ({ session, about: { subject: session?.subject } }))
  .judge(actionRules)

const done = (notice: (typeof notices)[number], commands: ReadonlyArray<Command> = []) => go(`/?notice=${notice}`, [], commands)

/** Ends one of the person's sessions, and revokes the grants made in it. */
export const endSessionOfMine = endpoint(
  place("end-session-of-mine", "/sessions/end"),
  action
    .read(({ params }, { ports }) => {
      const locator = params.one("session")
      return locator === undefined ? { named: undefined } : mapped(ports.tokens.findSession(locator), (named) => ({ named }))
    })
    .judge(endableRules, () => done("session_ended"))
    .decide(({ session: own, named, named: { locator }, now }, inquiry) =>
      mapped(sessionEnd(named, inquiry), (end) =>
        done("session_ended", [
          // A change made in a session requires that the session still exists. The commands are in a fixed order, so that two sessions that
          // end each other do not wait for each other.
          ...(locator < own.locator ? [...end, requireSession(own.locator)] : [requireSession(own.locator), ...end]),
          ...namesOf(named).map((each) => revokeGrants({ subject: each.subject, sessionId: each.locator }, now)),
        ]),
      ),
    ),
)

/** Withdraws a consent, and revokes the client's grants. */
export const withdrawConsent = endpoint(
  place("withdraw-consent", "/consents/withdraw"),
  action
    .read(({ params }) => ({ clientId: params.one("client_id") }))
    .judge(withdrawableRules, () => done("consent_withdrawn"))
    .decide(({ session: { locator, subject }, clientId, now }) =>
      done("consent_withdrawn", [requireSession(locator), removeConsent(subject, clientId), revokeGrants({ subject, clientId }, now)]),
    ),
)
