import { logoutMessage, toldLogout } from "@postern/core"
import { outbox, type OutboxMessage, reviveMessage } from "@postern/core/model"
import { listed, type TokenStorePort } from "@postern/core/ports"
import { promised } from "../action.ts"
import type { Whereabouts } from "../data/place.ts"
import { withStores } from "../data/stores.ts"
import { moment, printable, say, sayJson, styled, table } from "../terminal/output.ts"

/** The parameters of `postern logout status` and `postern logout replay`. */
export interface LogoutsWanted extends Whereabouts {
  readonly client: string | undefined
  readonly json: boolean
}

const kind = logoutMessage

const ofClient = (messages: ReadonlyArray<OutboxMessage>, client: string | undefined): ReadonlyArray<OutboxMessage> =>
  messages.filter((message) => client === undefined || toldLogout(message).clientId === client)

/** Times of later than any message, in seconds since 1970. */
const everything = { kind, now: Number.MAX_SAFE_INTEGER }

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
    const [waiting, dead] = await Promise.all([tokens.list(outbox, "dueOfKind", everything), tokens.list(outbox, "deadOfKind", { kind })])
    const found = ofClient([...waiting, ...dead], client)
    if (json) return sayJson(found.map(shown))
    if (found.length === 0) return say("Every logout token is delivered.")
    say(table(["CLIENT", "STATE", "SIGNED OUT", "NEXT ATTEMPT", "ATTEMPTS", "LAST FAILURE"], found.map(row)))
    if (waiting.length >= listed) say(`There may be more that wait: ${listed} are listed.`)
    if (dead.length >= listed) say(`There may be more that were given up: ${listed} are listed.`)
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

/** Revives what was given up, a list at a time: what was revived is listed no more. */
const reviveAll = async (tokens: Pick<TokenStorePort, "list" | "commit">, client: string | undefined, at: number): Promise<number> => {
  let revived = 0
  for (;;) {
    const dead = ofClient(await tokens.list(outbox, "deadOfKind", { kind }), client)
    const results = await Promise.all(dead.map(async ({ locator }) => tokens.commit([reviveMessage(locator, at)])))
    const done = results.filter((result) => result === "Committed").length
    revived += done
    if (done === 0) return revived
  }
}
