import * as Effect from "effect/Effect"
import { type Client, type Command, type Grant, type Session, addMessage, distinct, grants } from "../../model/index.ts"
import type { PortFailed } from "../../ports/index.ts"
import { mapped, steps } from "../../ports/steps.ts"
import { type Objection, judge, prove, table, tracing } from "../../rules/rule.ts"
import type { EndedSessions, EndingMeans, SessionEnding } from "../../settle/inquiry.ts"
import { freshLocator } from "../../settle/request.ts"
import { sidFor } from "../../settle/subject.ts"
import { logoutContent, logoutMessage } from "./message.ts"
import { logoutUri, sessionRequired } from "./metadata.ts"

/** A client that holds something of a session, or of several. */
interface Candidate {
  readonly client: Client | undefined
}

/** Judges whether a client is told of the end of sessions. One that is disabled is told too: what it holds ends as well. */
export const toldRules = table<Candidate, Objection>("back-channel-logout/told").establish(
  "back-channel-logout.client",
  "OpenID Connect Back-Channel Logout §2.2, §2.5",
  ({ client }) =>
    client !== undefined && logoutUri.of(client) !== undefined ? prove({ client }) : { reason: "the client takes no logout tokens" },
)

/** Grants that are looked at for one session. Pages of so many are listed until none is left. */
const mostPages = 50

/** Every grant that came of a session, newest first: a client whose tokens were revoked may have its own session still. */
const grantsIn = steps(function* ({ subject, locator }: Session, { ports: { tokens }, now }: EndingMeans) {
  const found = new Map<string, Grant>()
  let until = now
  for (let page = 0; page < mostPages; page++) {
    const listed = yield* tokens.list(grants, "ofSession", { subject, sessionId: locator, until })
    const fresh = listed.filter(({ id }) => !found.has(id))
    for (const grant of fresh) found.set(grant.id, grant)
    const last = listed.at(-1)
    if (last === undefined || fresh.length === 0) break
    // A second in which more were made than a page holds is passed by, or the walk would never end.
    until = last.createdAt < until ? last.createdAt : until - 1
  }
  return [...found.values()] satisfies ReadonlyArray<Grant> as ReadonlyArray<Grant>
})

/** A client as it was signed in to, with a session of it. */
interface SignedInTo {
  readonly session: Session
  readonly grant: Grant
}

/** The clients of each session, once for each session. */
const signedInTo = (sessions: ReadonlyArray<Session>, means: EndingMeans): Effect.Effect<ReadonlyArray<SignedInTo>, PortFailed> =>
  mapped(
    Effect.all(
      sessions.map((session) => mapped(grantsIn(session, means), (found) => ({ session, found }))),
      { concurrency: 8 },
    ),
    (all) =>
      all.flatMap(({ session, found }) =>
        distinct(found.map(({ clientId }) => clientId)).flatMap((clientId) => {
          const grant = found.find((each) => each.clientId === clientId)
          return grant === undefined ? [] : [{ session, grant }]
        }),
      ),
  )

/** The messages to one client: one for each session, or one for them all where the person is signed out everywhere and the client can use it. */
const messagesTo = (
  client: Client,
  ended: ReadonlyArray<SignedInTo>,
  isEverywhere: boolean,
  means: EndingMeans,
): Effect.Effect<ReadonlyArray<Command>, PortFailed> => {
  const message = ({ grant: { subject, sub } }: SignedInTo, sid: string | undefined): Command =>
    addMessage(freshLocator(means), logoutMessage, logoutContent({ clientId: client.clientId, subject, sub, sid }), means.now)
  const [first] = ended
  // Without a salt nobody can say how the client knows the session, so it is told of the person: a sign-out must not fail for it.
  if (client.subjectType === "pairwise" && means.ports.settings.pairwiseSalt === undefined)
    return Effect.succeed(first === undefined ? [] : [message(first, undefined)])
  if (first !== undefined && isEverywhere && !sessionRequired.of(client)) return Effect.succeed([message(first, undefined)])
  return mapped(
    Effect.all(ended.map((each) => mapped(sidFor(client, each.session.locator, means), (sid) => message(each, sid)))),
    (all) => all,
  )
}

/**
 * Writes the logout tokens to be sent: to every client that holds something of the sessions that end (OpenID Connect Back-Channel Logout §2.5), in the
 * commit that ends them.
 */
export const logoutTokens: SessionEnding = ({ sessions, isEverywhere }: EndedSessions, means: EndingMeans) =>
  Effect.flatMap(signedInTo(sessions, means), (all) => {
    const clientIds = distinct(all.map(({ grant }) => grant.clientId))
    const told = clientIds.map((clientId) =>
      Effect.flatMap(means.ports.clients.find(clientId), (client) => {
        const candidate: Candidate = { client }
        if (judge(tracing(means.ports.settings.rulesOff), toldRules, candidate) !== undefined || candidate.client === undefined)
          return Effect.succeed([])
        const ended = all.filter(({ grant }) => grant.clientId === clientId)
        return messagesTo(candidate.client, ended, isEverywhere, means)
      }),
    )
    return mapped(Effect.all(told, { concurrency: 8 }), (messages) => messages.flat())
  })
