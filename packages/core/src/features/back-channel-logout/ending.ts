import * as Effect from "effect/Effect"
import { type Client, type Command, addMessage, distinct } from "../../model/index.ts"
import type { PortFailed } from "../../ports/index.ts"
import { mapped } from "../../ports/steps.ts"
import { type Objection, judge, prove, table, tracing } from "../../rules/rule.ts"
import {
  type EndedSessions,
  type EndingMeans,
  type SessionEnding,
  type SessionName,
  type TellingMeans,
  namesOf,
} from "../../settle/sessionParts.ts"
import { freshLocator } from "../../settle/request.ts"
import { type SignedInTo, signedInTo } from "../../settle/signedInTo.ts"
import { sidFor } from "../../settle/subject.ts"
import { logoutContent, logoutMessage } from "./message.ts"
import { logoutUri, sessionRequired } from "./metadata.ts"
import { unwatched } from "./watch.ts"

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

/** The messages to one client: one for each session, or one for them all where the person is signed out everywhere and the client can use it. */
const messagesTo = (
  client: Client,
  ended: ReadonlyArray<SignedInTo>,
  isEverywhere: boolean,
  means: TellingMeans,
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

/** The logout tokens to be sent to one client. */
export interface LogoutsOf {
  readonly clientId: string
  readonly commands: ReadonlyArray<Command>
}

/** The logout tokens to be sent to the clients that hold something of sessions that end, and that take some; narrowed to those that a test passes. */
export const logoutsFor = (
  { sessions, isEverywhere }: Pick<EndedSessions, "isEverywhere"> & { readonly sessions: ReadonlyArray<SessionName> },
  means: TellingMeans,
  isTold: (client: Client) => boolean = () => true,
): Effect.Effect<ReadonlyArray<LogoutsOf>, PortFailed> =>
  Effect.flatMap(signedInTo(sessions, means), (all) => {
    const clientIds = distinct(all.map(({ grant }) => grant.clientId))
    const told = clientIds.map((clientId) =>
      Effect.flatMap(means.ports.clients.find(clientId), (client) => {
        const candidate: Candidate = { client }
        if (judge(tracing(means.ports.settings.rulesOff), toldRules, candidate) !== undefined || candidate.client === undefined)
          return Effect.succeed([])
        if (!isTold(candidate.client)) return Effect.succeed([])
        const ended = all.filter(({ grant }) => grant.clientId === clientId)
        return mapped(messagesTo(candidate.client, ended, isEverywhere, means), (commands) => [{ clientId, commands }])
      }),
    )
    return mapped(Effect.all(told, { concurrency: 8 }), (messages) => messages.flat())
  })

/**
 * Writes the logout tokens to be sent: to every client that holds something of the sessions that end, or of those in whose place they are (OpenID Connect Back-Channel
 * Logout §2.5), in the commit that ends them.
 */
export const logoutTokens: SessionEnding = ({ sessions: ended, isEverywhere }: EndedSessions, means: EndingMeans) => {
  const sessions = ended.flatMap(namesOf)
  return mapped(logoutsFor({ sessions, isEverywhere }, means), (logouts) =>
    logouts.length === 0 ? [] : [...sessions.map(({ locator }) => unwatched(locator)), ...logouts.flatMap(({ commands }) => commands)],
  )
}
