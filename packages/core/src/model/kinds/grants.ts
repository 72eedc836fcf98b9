import { type Command, happening, putting } from "../command.ts"
import type { Locator } from "../handle.ts"
import type { Grant } from "../grantRows.ts"
import { offlineAccess } from "../scope.ts"
import { type Condition, insertedAs, latestFirst, oneWay, rowKind } from "../rowKind.ts"
import type { Instant } from "../time.ts"

const standing: ReadonlyArray<Condition<"revokedAt">> = [["revokedAt", "unset"]]
const revoked = [["revokedAt", "set", ":at"]] as const

/**
 * Grants. Revoking a grant revokes all grants derived from it, over any number of generations. Keeping a grant keeps all its ancestors,
 * because each must exist to be revoked while anything derived from it lives.
 */
export const grants = rowKind<Grant>(
  "grants",
  {
    id: "text",
    clientId: "text",
    subject: "text",
    sub: "text",
    sessionId: "text?",
    scope: "json",
    resources: "json",
    authTime: "integer",
    amr: "json",
    acr: "text?",
    nonce: "text?",
    claims: "json?",
    authorizationDetails: "json?",
    endsWithSession: "flag",
    parentId: "text?",
    extension: "json?",
    createdAt: "integer",
    keepUntil: "integer",
    revokedAt: "integer?",
  },
  {
    called: "a grant",
    key: ["id"],
    ordered: true,
    keptUntil: "keepUntil",
    restored: { when: standing, change: revoked },
    descent: { from: "parentId", down: ["revokedAt"], up: ["keepUntil"] },
    events: {
      SaveGrant: insertedAs("standing"),
      RequireGrant: oneWay(standing, "nothing", { moves: { standing: "standing" } }),
      KeepGrant: oneWay(standing, [["keepUntil", "max", ":keepUntil"]], { moves: { standing: "standing" } }),
      RevokeGrant: oneWay(standing, revoked, { otherwise: "nothing", moves: { standing: "revoked" } }),
      RevokeGrants: {
        by: { subject: ":subject", clientId: ":clientId?", sessionId: ":sessionId?" },
        ...oneWay(standing, revoked),
        otherwise: "nothing",
        moves: { standing: "revoked" },
      },
      EndSessionGrants: {
        by: { sessionId: ":sessionId", endsWithSession: true },
        ...oneWay(standing, revoked),
        otherwise: "nothing",
      },
      EndClientGrants: {
        by: { sessionId: ":sessionId", endsWithSession: true },
        ...oneWay([...standing, ["clientId", "equal", ":clientId"]], revoked),
        otherwise: "nothing",
      },
    },
    lists: {
      grants: {
        all: [["subject", "equal", ":subject"], ...standing],
        any: [
          ["extension", "unset"],
          ["scope", "contains", offlineAccess],
        ],
        order: [["id", "down"]],
      },
      ofSession: latestFirst("id", ["subject", "equal", ":subject"], ["sessionId", "equal", ":sessionId"]),
    },
    states: { standing: [], revoked: [["revokedAt", "set"]] },
  },
)

/** Saves a new grant. */
export const saveGrant = (grant: Grant): Command => putting(grants, "SaveGrant", grant)

/** Requires that a grant exists and is not revoked. */
export const requireGrant = (id: Locator): Command => happening(grants, "RequireGrant", { id })

/** Keeps an unrevoked grant and all its ancestors at least until `keepUntil`, for a token family without an absolute expiry. */
export const keepGrant = (id: Locator, keepUntil: Instant): Command => happening(grants, "KeepGrant", { id, keepUntil })

/** Revokes a grant and those derived from it. The time of the first revocation is preserved. */
export const revokeGrant = (id: Locator, at: Instant): Command => happening(grants, "RevokeGrant", { id, at })

/** Selects grants of a person, optionally of one client or one session. */
export interface GrantsOf {
  /** The person whose grants they are. */
  readonly subject: string
  /** Narrows them to one client. */
  readonly clientId?: string | undefined
  /** Narrows them to one session. */
  readonly sessionId?: Locator | undefined
}

/** Revokes grants of a person, and those derived from them. */
export const revokeGrants = ({ subject, clientId, sessionId }: GrantsOf, at: Instant): Command =>
  happening(grants, "RevokeGrants", { subject, clientId, sessionId, at })

/** Revokes the grants that end with a session, and those derived from them. */
export const endSessionGrants = (sessionId: Locator, at: Instant): Command => happening(grants, "EndSessionGrants", { sessionId, at })

/** Revokes the grants of one client that end with a session, and those derived from them. */
export const endClientGrants = (sessionId: Locator, clientId: string, at: Instant): Command =>
  happening(grants, "EndClientGrants", { sessionId, clientId, at })
