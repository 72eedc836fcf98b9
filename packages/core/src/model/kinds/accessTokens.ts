import { type Command, happening, putting } from "../command.ts"
import type { Locator } from "../handle.ts"
import type { AccessToken } from "../grantRows.ts"
import { insertedAs, oneWay, rowKind } from "../rowKind.ts"
import type { Instant } from "../time.ts"

/** Reference access tokens. */
export const accessTokens = rowKind<AccessToken>(
  "access_tokens",
  {
    locator: "text",
    digest: "text",
    grantId: "text?",
    clientId: "text",
    subject: "text?",
    scope: "json",
    audience: "json",
    createdAt: "integer",
    expiresAt: "integer",
    revokedAt: "integer?",
    confirmation: "json?",
    authorizationDetails: "json?",
    keepUntil: "integer",
  },
  {
    called: "an access token",
    key: ["locator"],
    ordered: true,
    slotted: true,
    keptUntil: "keepUntil",
    ofGrant: "grantId",
    restored: {
      when: [
        ["revokedAt", "unset"],
        ["expiresAt", "above", ":at"],
      ],
      change: [["revokedAt", "set", ":at"]],
    },
    events: {
      SaveAccessToken: insertedAs("live"),
      RevokeAccessToken: oneWay([["revokedAt", "unset"]], [["revokedAt", "set", ":at"]], {
        otherwise: "nothing",
        moves: { live: "revoked" },
      }),
    },
    states: { live: [], revoked: [["revokedAt", "set"]] },
  },
)

/** Saves a new reference access token. */
export const saveAccessToken = (token: AccessToken): Command => putting(accessTokens, "SaveAccessToken", token)

/** Revokes one reference access token. */
export const revokeAccessToken = (locator: Locator, at: Instant): Command => happening(accessTokens, "RevokeAccessToken", { locator, at })
