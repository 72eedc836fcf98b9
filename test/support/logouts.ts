import { deliveriesOf, type OutboundAnswer, type OutboundBody } from "@postern/core"
import { type AuditEvent, outbox, type OutboxMessage } from "@postern/core/model"
import type { Undelivered } from "@postern/core/features"
import { claimOf, deliveryPolicy, settled } from "@postern/core/outbox"
import { claimsOf, headerOf } from "./flows.ts"
import type { World } from "./world.ts"

/** A logout token as its receiver saw it. */
export interface SentLogout {
  readonly url: string
  readonly contentType: string
  readonly token: string
  readonly header: Readonly<Record<string, unknown>>
  readonly claims: Readonly<Record<string, unknown>>
}

/** Everything that one round of deliveries came to. */
export interface LogoutRound {
  readonly sent: ReadonlyArray<SentLogout>
  readonly outcomes: ReadonlyArray<Undelivered | undefined>
  readonly audited: ReadonlyArray<AuditEvent>
}

const whole = (token: string, read: (jwt: string) => Record<string, unknown>): Record<string, unknown> =>
  token.split(".").length === 3 ? read(token) : {}

/** Answers with a status and nothing else. */
export const answering = (status: number, retryAfter?: string): OutboundAnswer => ({
  _tag: "Fetched",
  status,
  body: "",
  ...(retryAfter === undefined ? {} : { retryAfter }),
})

/** Makes one attempt at every message that is due in a world, and settles it as a worker would. */
export const logoutRound = async (
  w: World,
  answer: (url: string, body: OutboundBody) => OutboundAnswer = () => answering(200),
  choice: Parameters<typeof deliveriesOf>[0] = { settings: w.provider.settings.members },
): Promise<LogoutRound> => {
  const sent: Array<SentLogout> = []
  const outcomes: Array<Undelivered | undefined> = []
  const audited: Array<AuditEvent> = []
  const handlers = deliveriesOf(choice, {
    issuer: w.provider.settings.issuer,
    clients: { find: (id) => w.clients.get(id) },
    tokens: w.tokens,
    pairwiseSalt: w.provider.settings.pairwiseSalt,
    signer: w.signer,
    outbound: {
      fetch: () => ({ _tag: "Unfetched", reason: "nothing is published here" }),
      post: (url, body) => {
        const token = new URLSearchParams(body.text).get("logout_token") ?? ""
        sent.push({ url, contentType: body.contentType, token, header: whole(token, headerOf), claims: whole(token, claimsOf) })
        return answer(url, body)
      },
    },
    audit: { record: (events) => audited.push(...events()) },
    rulesOff: [...w.provider.settings.rulesOff],
    now: w.now,
  })
  for (const message of await waitingLogouts(w)) {
    if (message.dueAt > w.now()) continue
    await w.tokens.commit([claimOf(message, "claim", w.now(), deliveryPolicy)])
    const undelivered = (await handlers[message.kind]?.(message, new AbortController().signal)) ?? undefined
    outcomes.push(undelivered)
    await w.tokens.commit([settled(message, "claim", undelivered ?? { _tag: "Delivered" }, w.now(), 0, deliveryPolicy)])
  }
  return { sent, outcomes, audited }
}

/** Messages that wait in a world, due or not. */
export const waitingLogouts = async (w: World): Promise<ReadonlyArray<OutboxMessage>> =>
  w.tokens.list(outbox, "due", { now: w.now() + 9e8 })
