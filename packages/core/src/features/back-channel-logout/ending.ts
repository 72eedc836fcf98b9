import * as Effect from "effect/Effect"
import { type Client, type Command, addMessage } from "../../model/index.ts"
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

/** A client with a grant from one or more sessions. */
interface Candidate {
  readonly client: Client | undefined
}

/** Judges whether a client is notified of the end of sessions. A disabled client is notified too, because its grants end as well. */
export const toldRules = table<Candidate, Objection>("back-channel-logout/told").establish(
  "back-channel-logout.client",
  "OpenID Connect Back-Channel Logout §2.2, §2.5",
  ({ client }) =>
    client !== undefined && logoutUri.of(client) !== undefined ? prove({ client }) : { reason: "the client takes no logout tokens" },
)

/** The messages to one client: one for each session, or a single one if the person is signed out everywhere and the client can use it. */
const messagesTo = (
  client: Client,
  ended: ReadonlyArray<SignedInTo>,
  isEverywhere: boolean,
  means: TellingMeans,
): Effect.Effect<ReadonlyArray<Command>, PortFailed> => {
  const message = ({ grant: { subject, sub } }: SignedInTo, sid: string | undefined): Command =>
    addMessage(freshLocator(means), logoutMessage, logoutContent({ clientId: client.clientId, subject, sub, sid }), means.now)
  const [first] = ended
  // Without a salt the `sid` that the client knows cannot be computed. The token then names only the person, so that the sign-out does not
  // fail.
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

/**
 * Makes the logout tokens for the clients that have a grant from the ending sessions and accept logout tokens, limited to the clients that
 * pass a test.
 */
export const logoutsFor = (
  { sessions, isEverywhere }: Pick<EndedSessions, "isEverywhere"> & { readonly sessions: ReadonlyArray<SessionName> },
  means: TellingMeans,
  isTold: (client: Client) => boolean = () => true,
): Effect.Effect<ReadonlyArray<LogoutsOf>, PortFailed> =>
  Effect.flatMap(signedInTo(sessions, means), (all) => {
    const told = [...Map.groupBy(all, ({ grant }) => grant.clientId)].map(([clientId, ended]) =>
      Effect.flatMap(means.ports.clients.find(clientId), (client) => {
        const candidate: Candidate = { client }
        if (judge(tracing(means.ports.settings.rulesOff), toldRules, candidate) !== undefined || candidate.client === undefined)
          return Effect.succeed([])
        if (!isTold(candidate.client)) return Effect.succeed([])
        return mapped(messagesTo(candidate.client, ended, isEverywhere, means), (commands) => [{ clientId, commands }])
      }),
    )
    return mapped(Effect.all(told, { concurrency: 8 }), (messages) => messages.flat())
  })

/**
 * Writes the logout tokens for every client that has a grant from the ending sessions, or from the sessions that these replaced
 * (OpenID Connect Back-Channel Logout §2.5), in the commit that ends them.
 */
export const logoutTokens: SessionEnding = ({ sessions: ended, isEverywhere }: EndedSessions, means: EndingMeans) => {
  const sessions = ended.flatMap(namesOf)
  return mapped(logoutsFor({ sessions, isEverywhere }, means), (logouts) =>
    logouts.length === 0 ? [] : [...sessions.map(({ locator }) => unwatched(locator)), ...logouts.flatMap(({ commands }) => commands)],
  )
}
