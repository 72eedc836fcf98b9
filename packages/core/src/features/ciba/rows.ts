import {
  type Command,
  type Instant,
  type JsonObject,
  type Locator,
  type Seconds,
  answerEvents,
  answerStates,
  insertedAs,
  moved,
  nextVersion,
  putting,
  wholeRowKind,
} from "../../model/index.ts"

/** The way in which a client learns of a result (CIBA Core §5). */
export type Delivery = "poll" | "ping" | "push"

/** An authentication request that waits for a person, or was answered by them. */
export interface AuthenticationRequest {
  /** The row's key, and the first half of the `auth_req_id`. */
  readonly locator: Locator
  /** SHA-256 of the secret half of the `auth_req_id`. */
  readonly digest: string
  /** The client that asks. */
  readonly clientId: string
  /** The person who is asked. */
  readonly subject: string
  /** Its number among the requests to this person. */
  readonly order: number
  /** The person and the number. No two requests have the same, so that of two that come at once one sees the other. */
  readonly slot: string
  /** The scopes asked for. */
  readonly scope: ReadonlyArray<string>
  /** The resources asked for (RFC 8707). */
  readonly resources: ReadonlyArray<string>
  /** The authorization details asked for (RFC 9396); undefined for none. */
  readonly authorizationDetails?: ReadonlyArray<JsonObject> | undefined
  /** The `acr_values` asked for, as they came. */
  readonly acrValues?: string | undefined
  /** The text that the client shows where it was asked for. */
  readonly bindingMessage?: string | undefined
  /** The way in which the client learns of the result. */
  readonly delivery: Delivery
  /** The bearer token for the client's notification endpoint, sealed by {@link sealed}. */
  readonly notification?: string | undefined
  /** The time it was made. */
  readonly createdAt: Instant
  /** The time it ends. */
  readonly expiresAt: Instant
  /** Seconds between two polls at least. */
  readonly interval: Seconds
  /** The time of the last poll. */
  readonly polledAt?: Instant | undefined
  /** The state of its life. */
  readonly state: "pending" | "approved" | "denied" | "failed" | "consumed" | "expired"
  /** The words for the client where the request failed. */
  readonly failure?: string | undefined
  /** The grant that the person gave. */
  readonly grantId?: Locator | undefined
  /** Counts the changes. */
  readonly version: number
  /** The earliest time the row may be swept. */
  readonly keepUntil: Instant
}

/** Seconds that a request is kept after its end where its client is to be told of it: a worker that was away still can, and tries for some hours. */
export const expiryKept: Seconds = 6 * 3600

/** Authentication requests. A replacement is the version after the one it read. */
export const authenticationRequests = wholeRowKind<AuthenticationRequest>(
  "ciba_requests",
  { locator: "text", subject: "text", slot: "text", version: "integer", keepUntil: "integer" },
  {
    called: "an authentication request",
    key: ["locator"],
    ordered: true,
    unique: ["slot"],
    keptUntil: "keepUntil",
    mayLack: ["authorizationDetails", "acrValues", "bindingMessage", "notification", "polledAt", "failure", "grantId"],
    events: {
      RequestAuthentication: insertedAs("pending"),
      ...answerEvents("Authentication"),
      PushAuthentication: { ...nextVersion, moves: { pending: "consumed" } },
      FailAuthentication: { ...nextVersion, moves: { pending: "failed" } },
      ExpireAuthentication: { ...nextVersion, moves: { pending: "expired" } },
    },
    lists: { ofPerson: { all: [["subject", "equal", ":subject"]], order: [["locator", "down"]] } },
    states: answerStates("failed", "expired"),
  },
)

/** Saves a new request. */
export const requestAuthentication = (row: AuthenticationRequest): Command => putting(authenticationRequests, "RequestAuthentication", row)

/** Notes a poll: the client waits for `interval` seconds until the next. */
export const pollAuthentication = (row: AuthenticationRequest, polledAt: Instant, interval: Seconds): Command =>
  moved(authenticationRequests, "PollAuthentication", row, { polledAt, interval })

/** Notes a poll that came too soon, unless the request has changed meanwhile: the client waits for `interval` seconds until the next. */
export const hurryAuthentication = (row: AuthenticationRequest, polledAt: Instant, interval: Seconds): Command =>
  moved(authenticationRequests, "HurryAuthentication", row, { polledAt, interval })

/** Approves a pending request: its tokens come from this grant. */
export const approveAuthentication = (row: AuthenticationRequest, grantId: Locator): Command =>
  moved(authenticationRequests, "ApproveAuthentication", row, { grantId, state: "approved" })

/** Approves a pending request whose tokens are pushed: it has them. */
export const pushAuthentication = (row: AuthenticationRequest): Command =>
  moved(authenticationRequests, "PushAuthentication", row, { state: "consumed" })

/** Denies a pending request. */
export const denyAuthentication = (row: AuthenticationRequest): Command =>
  moved(authenticationRequests, "DenyAuthentication", row, { state: "denied" })

/** Ends a pending request that cannot be completed, with words for its client. */
export const failAuthentication = (row: AuthenticationRequest, failure: string): Command =>
  moved(authenticationRequests, "FailAuthentication", row, { failure, state: "failed" })

/** Consumes an approved request: its client has the tokens. */
export const consumeAuthentication = (row: AuthenticationRequest): Command =>
  moved(authenticationRequests, "ConsumeAuthentication", row, { state: "consumed" })

/** Ends a pending request that nobody has answered in time, and whose client is told so: nobody can answer it any more. */
export const expireAuthentication = (row: AuthenticationRequest, keepUntil: Instant): Command =>
  moved(authenticationRequests, "ExpireAuthentication", row, { keepUntil, state: "expired" })
