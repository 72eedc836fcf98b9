import { type AnswerCommands, type AnswerableRow, type Grant, type Instant, refuse } from "../model/index.ts"
import { type ProvingTable, pass, prove } from "./rule.ts"

/** A grant for which clients poll. */
export interface Polling<Row extends AnswerableRow> {
  /** The prefix of its rule ids. */
  readonly prefix: string
  /** The paragraph about polls. */
  readonly cites: string
  /** The name of the exchanged value, in refusals. */
  readonly called: string
  /** The name of the polling party, in refusals. */
  readonly poller: string
  /** The name of the page on which a person answers, for the operator. */
  readonly page: string
  /** The commands of its rows. */
  readonly commands: Pick<AnswerCommands<Row>, "poll" | "hurry">
}

interface PolledSeen<Row> {
  readonly now: Instant
  readonly request: Row
  /** The grant of the person; undefined until approval. */
  readonly granted: Grant | undefined
}

/** The increase of the interval after each poll that came too early, in seconds (RFC 8628 §3.5, CIBA Core §11). */
const slower = 5

/** Adds the rules of a poll: the row has no tokens yet, the client respects the interval until a person has answered, and they have approved. */
export const polledRules =
  <In extends object, Row extends AnswerableRow, S extends PolledSeen<Row>>({
    prefix,
    cites,
    called,
    poller,
    page,
    commands: { poll, hurry },
  }: Polling<Row>) =>
  (begun: ProvingTable<In, S>) =>
    begun
      .rule(`${prefix}.unused`, cites, ({ request }) =>
        request.state === "consumed" ? refuse("invalid_grant", `The ${called} has been used.`, "it gave its tokens before") : pass,
      )
      .rule(`${prefix}.fresh`, cites, ({ request, now }) =>
        now < request.expiresAt ? pass : refuse("expired_token", `The ${called} has expired.`, "expired"),
      )
      // `slow_down` says that the request is still pending. Once it is answered, a client that is told so asks at once.
      .rule(`${prefix}.unhurried`, cites, ({ request, request: { state, polledAt, interval }, now }) =>
        state !== "pending" || polledAt === undefined || now >= polledAt + interval
          ? pass
          : refuse(
              "slow_down",
              `The ${poller} polls too fast.`,
              `polled ${now - polledAt} s after the last time, not ${interval} s`,
              hurry(request, now, interval + slower),
            ),
      )
      .rule(`${prefix}.not-denied`, cites, ({ request }) =>
        request.state === "denied" ? refuse("access_denied", "The person did not allow it.", `denied on the ${page} page`) : pass,
      )
      .rule(`${prefix}.approved`, cites, ({ request, request: { state, interval }, now }) =>
        state === "pending"
          ? refuse(
              "authorization_pending",
              "The person has not answered yet.",
              "nobody has approved or denied it",
              poll(request, now, interval),
            )
          : pass,
      )
      .establish(`${prefix}.grant-live`, "RFC 6749 §5.2", ({ granted }: Pick<PolledSeen<Row>, "granted">) =>
        granted !== undefined && granted.revokedAt === undefined
          ? prove({ granted })
          : refuse("invalid_grant", "The authorization has been revoked.", "the grant was revoked, or is gone"),
      )
