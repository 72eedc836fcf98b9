import {
  type Command,
  type Instant,
  type JsonObject,
  type Locator,
  happening,
  insertedAs,
  oneWay,
  putting,
  rowKind,
} from "../../model/index.ts"

/** A self-registered client. */
export interface RegisteredClientRow {
  /** The `client_id`. */
  readonly clientId: string
  /** Its metadata, without a secret. */
  readonly metadata: JsonObject
  /** The limits under which it was registered, which apply to every update of it. */
  readonly policy: JsonObject
  /** The members of its software statement, which no update can remove. */
  readonly stated: JsonObject
  /** Its software statement, as it was sent. */
  readonly statement?: string | undefined
  /** The SHA-256 of its secret; undefined for a client without one. */
  readonly digest?: string | undefined
  /** The SHA-256 of its registration access token; undefined for a client that several installations share, which cannot be managed. */
  readonly accessDigest?: string | undefined
  /** The initial access token with which it was registered. */
  readonly token?: Locator | undefined
  /** The SHA-256 of the metadata of a client that several installations share. */
  readonly fingerprint?: string | undefined
  /** Its slot among the clients without a grant; undefined once it has had a grant, or if it was registered with a token. */
  readonly slot?: string | undefined
  /** The time at which it was registered. */
  readonly createdAt: Instant
  /** The time of its last change. */
  readonly updatedAt: Instant
  /** The time from which consents are valid: that of the last change of its redirect URIs. */
  readonly consentsSince: Instant
  /** The number of its changes. */
  readonly version: number
  /** The time until which it is kept; 0 is forever. */
  readonly keepUntil: Instant
}

/**
 * Self-registered clients. One that never had a grant may be removed for others, and is removed when it expires. One that had a grant is
 * kept as long as the grant.
 */
export const registeredClients = rowKind<RegisteredClientRow>(
  "registration_clients",
  {
    clientId: "text",
    metadata: "json",
    policy: "json",
    stated: "json",
    statement: "text?",
    digest: "text?",
    accessDigest: "text?",
    token: "text?",
    fingerprint: "text?",
    slot: "text?",
    createdAt: "integer",
    updatedAt: "integer",
    consentsSince: "integer",
    version: "integer",
    keepUntil: "integer",
  },
  {
    called: "a registered client",
    key: ["clientId"],
    unique: ["fingerprint", "slot"],
    keptUntil: "keepUntil",
    endless: true,
    events: {
      RegisterClient: insertedAs("registered"),
      AskForClientAgain: oneWay([["keepUntil", "above", 0]], [["keepUntil", "max", ":until"]], { moves: { registered: "registered" } }),
      UseClient: {
        ways: [
          {
            when: [["keepUntil", "above", 0]],
            change: [
              ["keepUntil", "max", ":until"],
              ["slot", "unset"],
            ],
          },
          { when: [], change: "nothing" },
        ],
        moves: { registered: "registered" },
      },
      ChangeClient: oneWay([["version", "equal", ":version"]], "replace", { moves: { registered: "registered" } }),
      EvictClient: oneWay([["slot", "equal", ":slot"]], "remove", { moves: { registered: "none" } }),
      UnregisterClient: oneWay([], "remove", { otherwise: "nothing", moves: { registered: "none" } }),
      CleanClient: oneWay(
        [
          ["keepUntil", "above", 0],
          ["keepUntil", "atMost", ":now"],
        ],
        "remove",
        { otherwise: "nothing" },
      ),
    },
    lists: {
      newest: {
        all: [],
        order: [
          ["createdAt", "down"],
          ["clientId", "up"],
        ],
      },
      unused: {
        all: [["slot", "set"]],
        order: [
          ["createdAt", "up"],
          ["clientId", "up"],
        ],
      },
      ended: {
        all: [
          ["keepUntil", "above", 0],
          ["keepUntil", "atMost", ":now"],
        ],
        order: [
          ["keepUntil", "up"],
          ["clientId", "up"],
        ],
      },
    },
    states: { registered: [] },
  },
)

/** Saves a new self-registered client. */
export const registerClient = (row: RegisteredClientRow): Command => putting(registeredClients, "RegisterClient", row)

/** Extends the life of a client that was registered again. */
export const askForClientAgain = (clientId: string, until: Instant): Command =>
  happening(registeredClients, "AskForClientAgain", { clientId, until })

/** Keeps a client for a grant of it. From then on it is not removed for others. */
export const useClient = (clientId: string, until: Instant): Command => happening(registeredClients, "UseClient", { clientId, until })

/** Replaces the client that was read by its new version. */
export const changeClient = (row: RegisteredClientRow, version: number): Command =>
  putting(registeredClients, "ChangeClient", row, { clientId: row.clientId, version })

/** Removes a client that never had a grant from its slot. */
export const evictClient = (clientId: string, slot: string): Command => happening(registeredClients, "EvictClient", { clientId, slot })

/** Removes a client. */
export const unregisterClient = (clientId: string): Command => happening(registeredClients, "UnregisterClient", { clientId })

/** Removes an expired client. */
export const cleanClient = (clientId: string, now: Instant): Command => happening(registeredClients, "CleanClient", { clientId, now })

/** An initial access token (RFC 7591 §3). */
export interface InitialAccessTokenRow {
  /** Its locator. */
  readonly locator: Locator
  /** The SHA-256 of its secret. */
  readonly digest: string
  /** Its name, for the operator. */
  readonly name: string
  /** The limits of the clients that it registers; undefined for those of the provider. */
  readonly policy?: JsonObject | undefined
  /** Number of clients that it has registered. */
  readonly uses: number
  /** Number of clients that it may register; 0 for any number. */
  readonly mostUses: number
  /** The time at which it was created. */
  readonly createdAt: Instant
  /** The time at which it expires; 0 is never. */
  readonly expiresAt: Instant
  /** The time at which it was revoked. */
  readonly revokedAt?: Instant | undefined
  /** The time until which it is kept; 0 is forever. */
  readonly keepUntil: Instant
}

/** Initial access tokens. */
export const initialAccessTokens = rowKind<InitialAccessTokenRow>(
  "registration_tokens",
  {
    locator: "text",
    digest: "text",
    name: "text",
    policy: "json?",
    uses: "integer",
    mostUses: "integer",
    createdAt: "integer",
    expiresAt: "integer",
    revokedAt: "integer?",
    keepUntil: "integer",
  },
  {
    called: "an initial access token",
    key: ["locator"],
    ordered: true,
    keptUntil: "keepUntil",
    endless: true,
    events: {
      SaveInitialAccessToken: insertedAs("good"),
      UseInitialAccessToken: {
        ways: [
          {
            when: [
              ["revokedAt", "unset"],
              ["mostUses", "equal", 0],
            ],
            change: [["uses", "add", 1]],
          },
          {
            when: [
              ["revokedAt", "unset"],
              ["uses", "below", ":most"],
            ],
            change: [["uses", "add", 1]],
          },
        ],
        moves: { good: "good" },
      },
      RevokeInitialAccessToken: oneWay([["revokedAt", "unset"]], [["revokedAt", "set", ":at"]], {
        otherwise: "nothing",
        moves: { good: "revoked" },
      }),
    },
    lists: { tokens: { all: [], order: [["locator", "down"]] } },
    states: { good: [], revoked: [["revokedAt", "set"]] },
  },
)

/** Saves an initial access token. */
export const saveInitialAccessToken = (row: InitialAccessTokenRow): Command => putting(initialAccessTokens, "SaveInitialAccessToken", row)

/** Uses an initial access token once, in the same commit as the registration. */
export const useInitialAccessToken = ({ locator, mostUses }: InitialAccessTokenRow): Command =>
  happening(initialAccessTokens, "UseInitialAccessToken", { locator, most: mostUses })

/** Revokes an initial access token. The clients that it registered are kept. */
export const revokeInitialAccessToken = (locator: Locator, at: Instant): Command =>
  happening(initialAccessTokens, "RevokeInitialAccessToken", { locator, at })
