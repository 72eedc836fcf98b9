import {
  type Command,
  type Instant,
  type JsonObject,
  type Locator,
  type Seconds,
  answerCommands,
  answerEvents,
  answerStates,
  insertedAs,
  moved,
  nextVersion,
  putting,
  wholeRowKind,
} from "../../model/index.ts"

/** The delivery mode, by which a client receives a result (CIBA Core §5). */
export type Delivery = "poll" | "ping" | "push"

/** An authentication request that waits for a person or was answered by them. */
export interface AuthenticationRequest {
  /** The row's key, and the first half of the `auth_req_id`. */
  readonly locator: Locator
  /** SHA-256 of the secret half of the `auth_req_id`. */
  readonly digest: string
  /** The client that made the request. */
  readonly clientId: string
  /** The person who is asked. */
  readonly subject: string
  /** Its number among the requests to this person. */
  readonly order: number
  /** The person and the number. No two requests have the same slot, so of two concurrent requests one sees the other. */
  readonly slot: string
  /** The requested scopes. */
  readonly scope: ReadonlyArray<string>
  /** The requested resources (RFC 8707). */
  readonly resources: ReadonlyArray<string>
  /** The requested authorization details (RFC 9396); undefined for none. */
  readonly authorizationDetails?: ReadonlyArray<JsonObject> | undefined
  /** The requested `acr_values`, as sent. */
  readonly acrValues?: string | undefined
  /** The text that the client displays where the request was made. */
  readonly bindingMessage?: string | undefined
  /** The delivery mode of the client. */
  readonly delivery: Delivery
  /** The bearer token for the client's notification endpoint, sealed by {@link sealed}. */
  readonly notification?: string | undefined
  /** The time at which the request was made. */
  readonly createdAt: Instant
  /** The time at which the request expires. */
  readonly expiresAt: Instant
  /** Minimum seconds between two polls. */
  readonly interval: Seconds
  /** The time of the last poll. */
  readonly polledAt?: Instant | undefined
  /** The state of its life. */
  readonly state: "pending" | "approved" | "denied" | "failed" | "consumed" | "expired"
  /** The error description for the client if the request failed. */
  readonly failure?: string | undefined
  /** The grant that the person gave. */
  readonly grantId?: Locator | undefined
  /** The number of changes made to the row. */
  readonly version: number
  /** The earliest time at which the row may be swept. */
  readonly keepUntil: Instant
}

/**
 * Seconds that a request is kept after it expires if its client must be notified. A worker that was down can then still notify it, with
 * retries for some hours.
 */
export const expiryKept: Seconds = 6 * 3600

/** Authentication requests. A change succeeds only if the stored version is the one that was read, and increments it. */
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

/** The commands of a client's polls and of a person's answer. */
export const authenticationAnswers = answerCommands(authenticationRequests, "Authentication")

/** Approves a pending request whose tokens are pushed. */
export const pushAuthentication = (row: AuthenticationRequest): Command =>
  moved(authenticationRequests, "PushAuthentication", row, { state: "consumed" })

/** Ends a pending request that cannot be completed, with an error description for its client. */
export const failAuthentication = (row: AuthenticationRequest, failure: string): Command =>
  moved(authenticationRequests, "FailAuthentication", row, { failure, state: "failed" })

/** Expires a pending request that nobody has answered in time and whose client is notified. After that nobody can answer it. */
export const expireAuthentication = (row: AuthenticationRequest, keepUntil: Instant): Command =>
  moved(authenticationRequests, "ExpireAuthentication", row, { keepUntil, state: "expired" })
