import { type Command, type Grant, type Instant, type Locator, type Seconds, refuse } from "../model/index.ts"
import { type ProvingTable, pass, prove } from "./rule.ts"

/** A row whose client asks for tokens again and again until a person has answered: of a device (RFC 8628), or of CIBA. */
export interface PolledRow {
  readonly expiresAt: Instant
  /** Seconds between two polls at least. */
  readonly interval: Seconds
  /** The time of the last poll. */
  readonly polledAt?: Instant | undefined
  readonly state: "pending" | "approved" | "denied" | "failed" | "consumed" | "expired"
  /** The grant that the person gave. */
  readonly grantId?: Locator | undefined
}

/** A way to ask for tokens again and again. */
export interface Polling<Row extends PolledRow> {
  /** Begins the ids of its rules. */
  readonly prefix: string
  /** The paragraph on polls. */
  readonly cites: string
  /** The name of what is exchanged, in refusals. */
  readonly called: string
  /** The name of what polls, in refusals. */
  readonly poller: string
  /** The name of the page on which a person answers, for the operator. */
  readonly page: string
  /** Notes a poll, and the interval until the next. */
  readonly polled: (row: Row, at: Instant, interval: Seconds) => Command
  /** Notes a poll that came too soon, unless another request has changed the row meanwhile. */
  readonly hurried: (row: Row, at: Instant, interval: Seconds) => Command
}

interface PolledSeen<Row> {
  readonly now: Instant
  readonly request: Row
  /** The grant of the person; undefined until they approved. */
  readonly granted: Grant | undefined
}

/** The time that a client must wait longer after each poll that came too soon, in seconds (RFC 8628 §3.5, CIBA Core §11). */
const slower = 5

/** Rules of a poll: the row still waits for tokens, the client does not hurry, and a person has approved. */
export const polledRules =
  <In extends object, Row extends PolledRow, S extends PolledSeen<Row>>({
    prefix,
    cites,
    called,
    poller,
    page,
    polled,
    hurried,
  }: Polling<Row>) =>
  (begun: ProvingTable<In, S>) =>
    begun
      .rule(`${prefix}.unused`, cites, ({ request }) =>
        request.state === "consumed" ? refuse("invalid_grant", `The ${called} has been used.`, "it gave its tokens before") : pass,
      )
      .rule(`${prefix}.fresh`, cites, ({ request, now }) =>
        now < request.expiresAt ? pass : refuse("expired_token", `The ${called} has expired.`, "expired"),
      )
      .rule(`${prefix}.unhurried`, cites, ({ request, request: { polledAt, interval }, now }) =>
        polledAt === undefined || now >= polledAt + interval
          ? pass
          : refuse(
              "slow_down",
              `The ${poller} polls too fast.`,
              `polled ${now - polledAt} s after the last time, the interval is ${interval} s`,
              hurried(request, now, interval + slower),
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
              polled(request, now, interval),
            )
          : pass,
      )
      .establish(`${prefix}.grant-live`, "RFC 6749 §5.2", ({ granted }: Pick<PolledSeen<Row>, "granted">) =>
        granted !== undefined && granted.revokedAt === undefined
          ? prove({ granted })
          : refuse("invalid_grant", "The authorization has been revoked.", "the grant was revoked, or is gone"),
      )
