import { logoutMessage, sessionMessage, toldLogout } from "@postern/core"
import { latest, outbox, type OutboxMessage, reviveMessage } from "@postern/core/model"
import type { TokenStorePort } from "@postern/core/ports"
import type { Stores } from "@postern/stores"
import { systemClock } from "@postern/stores/sql"
import { promised, stoppable, turn } from "../action.ts"
import type { Whereabouts } from "../data/place.ts"
import { completing, interrupted, withStores } from "../data/stores.ts"
import { moment, printable, say, sayJson, styled, table } from "../terminal/output.ts"

/** The parameters of `postern logout status` and `postern logout replay`. */
export interface LogoutsWanted extends Whereabouts {
  readonly client: string | undefined
  readonly json: boolean
}

/** The parameters of `postern logout status`. */
export interface StatusWanted extends LogoutsWanted {
  readonly clients: boolean
}

/** The maximum number of messages shown. */
const mostShown = 1000

/** Yields the messages of a kind from one of the outbox's lists, newest first. They are read page by page. */
async function* messagesOf(
  tokens: Pick<TokenStorePort, "list">,
  list: "waitingOfKind" | "deadOfKind",
  kind: string,
): AsyncGenerator<OutboxMessage> {
  for (let from = latest; ;) {
    const page = await tokens.list(outbox, list, { kind, ...from })
    const last = page.at(-1)
    if (last === undefined) return
    yield* page
    from = { until: last.createdAt, before: last.locator }
  }
}

/** Yields logout tokens, only those of the given client if there is one. */
async function* logoutsOf(
  tokens: Pick<TokenStorePort, "list">,
  list: "waitingOfKind" | "deadOfKind",
  client: string | undefined,
): AsyncGenerator<OutboxMessage> {
  for await (const message of messagesOf(tokens, list, logoutMessage))
    if (client === undefined || toldLogout(message).clientId === client) yield message
}

const most = async (messages: AsyncGenerator<OutboxMessage>): Promise<ReadonlyArray<OutboxMessage>> => {
  const found: Array<OutboxMessage> = []
  for await (const message of messages) if (found.push(message) >= mostShown) break
  return found
}

const shown = (message: OutboxMessage): object => {
  const { clientId, subject, sid } = toldLogout(message)
  const { locator, createdAt, dueAt, attempts, lastFailure, diedAt } = message
  return {
    id: locator,
    client_id: clientId,
    subject,
    sid,
    state: diedAt === undefined ? "waiting" : "given_up",
    created_at: createdAt,
    due_at: diedAt === undefined ? dueAt : undefined,
    given_up_at: diedAt,
    attempts,
    last_failure: lastFailure,
  }
}

const row = (message: OutboxMessage): ReadonlyArray<string> => [
  printable(toldLogout(message).clientId),
  message.diedAt === undefined ? "waiting" : "given up",
  moment(message.createdAt),
  message.diedAt === undefined ? moment(message.dueAt) : "",
  String(message.attempts),
  printable(message.lastFailure ?? ""),
]

/** Lists undelivered logout tokens, or counts them by client. */
export const logoutStatus = promised(async ({ client, clients, json, ...whereabouts }: StatusWanted) =>
  withStores(whereabouts, false, async ({ tokens, audit }, { setup }) => {
    if (clients) return sayCounts(await countsOf(tokens, audit, client), setup?.audit.store === true, json)
    const waiting = await most(logoutsOf(tokens, "waitingOfKind", client))
    const dead = await most(logoutsOf(tokens, "deadOfKind", client))
    const found = [...waiting, ...dead]
    if (json) return sayJson(found.map(shown))
    if (found.length === 0) return say("All logout tokens are delivered.")
    say(table(["CLIENT", "STATE", "SIGNED OUT", "NEXT ATTEMPT", "ATTEMPTS", "LAST FAILURE"], found.map(row)))
    if (waiting.length >= mostShown) say(`More are waiting: the latest ${mostShown} are listed.`)
    if (dead.length >= mostShown) say(`More were given up: the latest ${mostShown} are listed.`)
    if (dead.length > 0) say("Retry those that were given up with: postern logout replay")
  }),
)

/** The counts of a client's logout tokens. Delivered and refused ones are those of the last day. */
interface ClientCounts {
  readonly clientId: string
  delivered: number
  refused: number
  waiting: number
  givenUp: number
}

/** The maximum number of audit events counted, for each event type. */
const mostCounted = 100_000

const day = 86_400

/** Counts all logout tokens. They are read page by page, so only one page is in memory. */
const countsOf = async (
  tokens: Pick<TokenStorePort, "list">,
  audit: Pick<Stores["audit"], "list">,
  client: string | undefined,
): Promise<ReadonlyArray<ClientCounts>> => {
  const counts = new Map<string, ClientCounts>()
  const of = (clientId: string): ClientCounts => {
    const known = counts.get(clientId) ?? { clientId, delivered: 0, refused: 0, waiting: 0, givenUp: 0 }
    counts.set(clientId, known)
    return known
  }
  const since = systemClock() - day
  const settled = async (event: string) => audit.list({ event, clientId: client, since, most: mostCounted })
  for (const { clientId = "" } of await settled("logout_delivered")) of(clientId).delivered++
  for (const { clientId = "" } of await settled("logout_refused")) of(clientId).refused++
  for await (const message of logoutsOf(tokens, "waitingOfKind", client)) of(toldLogout(message).clientId).waiting++
  for await (const message of logoutsOf(tokens, "deadOfKind", client)) of(toldLogout(message).clientId).givenUp++
  return [...counts.values()].toSorted((one, other) => (one.clientId < other.clientId ? -1 : 1))
}

const sayCounts = (counts: ReadonlyArray<ClientCounts>, isAudited: boolean, json: boolean): void => {
  // Deliveries cannot be counted without audit events.
  const settled = (count: number): number | undefined => (isAudited ? count : undefined)
  if (json)
    return sayJson(
      counts.map(({ clientId, delivered, refused, waiting, givenUp }) => ({
        client_id: clientId,
        delivered: settled(delivered),
        refused: settled(refused),
        waiting,
        given_up: givenUp,
      })),
    )
  if (counts.length === 0) say("No logout tokens.")
  else
    say(
      table(
        ["CLIENT", "DELIVERED", "REFUSED", "WAITING", "GIVEN UP"],
        counts.map(({ clientId, delivered, refused, waiting, givenUp }) =>
          [printable(clientId), settled(delivered) ?? "?", settled(refused) ?? "?", waiting, givenUp].map(String),
        ),
      ),
    )
  if (!isAudited) say('  Deliveries are counted once the configuration says "audit": { "store": true }.')
}

/** Makes undeliverable logout tokens due again. A running provider sends them. */
export const replayLogouts = stoppable(async ({ client, json, ...whereabouts }: LogoutsWanted, signal) =>
  withStores(whereabouts, false, async ({ tokens }) => {
    const revived = await reviveAll(tokens, client, systemClock(), signal)
    if (signal.aborted) throw interrupted(`${revived} logout tokens are due again`)
    if (json) return sayJson({ replayed: revived })
    if (revived === 0) return say("No logout token was given up.")
    const which = revived === 1 ? "One logout token is" : `${revived} logout tokens are`
    say(`${styled("green", "✓")} ${which} due again; a running provider sends ${revived === 1 ? "it" : "them"}`)
  }),
)

/**
 * Revives undeliverable messages. Those that another process has revived or removed meanwhile are not counted. Without a client,
 * undeliverable session-end messages are revived too, which look for the clients of an ended session.
 */
const reviveAll = async (
  tokens: Pick<TokenStorePort, "list" | "commit">,
  client: string | undefined,
  at: number,
  signal: AbortSignal,
): Promise<number> => {
  let revived = 0
  if (client === undefined)
    for await (const { locator } of messagesOf(tokens, "deadOfKind", sessionMessage)) {
      await tokens.commit([reviveMessage(locator, at)])
      await turn()
      if (signal.aborted) return revived
    }
  const some = (): string | undefined => (revived === 0 ? undefined : `${revived} logout tokens are due again`)
  for await (const { locator } of logoutsOf(tokens, "deadOfKind", client)) {
    if ((await completing(some(), () => tokens.commit([reviveMessage(locator, at)]))) === "Committed") revived++
    await turn()
    if (signal.aborted) return revived
  }
  return revived
}
