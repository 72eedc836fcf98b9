import { logoutMessage, toldLogout } from "@postern/core"
import { latest, outbox, type OutboxMessage, reviveMessage } from "@postern/core/model"
import type { TokenStorePort } from "@postern/core/ports"
import { promised } from "../action.ts"
import type { Whereabouts } from "../data/place.ts"
import { withStores } from "../data/stores.ts"
import { moment, printable, say, sayJson, styled, table } from "../terminal/output.ts"

/** The parameters of `postern logout status` and `postern logout replay`. */
export interface LogoutsWanted extends Whereabouts {
  readonly client: string | undefined
  readonly json: boolean
}

/** Messages that are shown at once. */
const mostShown = 1000

/** The messages of one of the outbox's lists, a page at a time, newest first; those of one client where one is named. */
async function* logoutsOf(
  tokens: Pick<TokenStorePort, "list">,
  list: "waitingOfKind" | "deadOfKind",
  client: string | undefined,
): AsyncGenerator<OutboxMessage> {
  for (let from = latest; ;) {
    const page = await tokens.list(outbox, list, { kind: logoutMessage, ...from })
    const last = page.at(-1)
    if (last === undefined) return
    for (const message of page) if (client === undefined || toldLogout(message).clientId === client) yield message
    from = { until: last.createdAt, before: last.locator }
  }
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

/** Lists logout tokens that are not delivered. */
export const logoutStatus = promised(async ({ client, json, ...whereabouts }: LogoutsWanted) =>
  withStores(whereabouts, false, async ({ tokens }) => {
    const waiting = await most(logoutsOf(tokens, "waitingOfKind", client))
    const dead = await most(logoutsOf(tokens, "deadOfKind", client))
    const found = [...waiting, ...dead]
    if (json) return sayJson(found.map(shown))
    if (found.length === 0) return say("Every logout token is delivered.")
    say(table(["CLIENT", "STATE", "SIGNED OUT", "NEXT ATTEMPT", "ATTEMPTS", "LAST FAILURE"], found.map(row)))
    if (waiting.length >= mostShown) say(`There are more that wait: the latest ${mostShown} are listed.`)
    if (dead.length >= mostShown) say(`There are more that were given up: the latest ${mostShown} are listed.`)
    if (dead.length > 0) say("Send those again that were given up with: postern logout replay")
  }),
)

/** Makes logout tokens due again that were given up; a running provider sends them. */
export const replayLogouts = promised(async ({ client, json, ...whereabouts }: LogoutsWanted) =>
  withStores(whereabouts, false, async ({ tokens }) => {
    const revived = await reviveAll(tokens, client, Math.floor(Date.now() / 1000))
    if (json) return sayJson({ replayed: revived })
    if (revived === 0) return say("No logout token was given up.")
    const which = revived === 1 ? "One logout token is" : `${revived} logout tokens are`
    say(`${styled("green", "✓")} ${which} due again; a running provider sends ${revived === 1 ? "it" : "them"}`)
  }),
)

/** Revives what was given up: whoever else has revived or swept a message was first. */
const reviveAll = async (tokens: Pick<TokenStorePort, "list" | "commit">, client: string | undefined, at: number): Promise<number> => {
  let revived = 0
  for await (const { locator } of logoutsOf(tokens, "deadOfKind", client))
    if ((await tokens.commit([reviveMessage(locator, at)])) === "Committed") revived++
  return revived
}
