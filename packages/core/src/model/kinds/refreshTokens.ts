import { type Command, happening, putting } from "../command.ts"
import type { Locator } from "../handle.ts"
import type { RefreshToken, Successor } from "../rows.ts"
import { insertion, oneWay, rowKind } from "../rowKind.ts"
import type { Instant } from "../time.ts"

/** Refresh tokens: the links of their grants' chains. */
export const refreshTokens = rowKind<RefreshToken>(
  "refresh_tokens",
  {
    locator: "text",
    digest: "text",
    grantId: "text",
    clientId: "text",
    scope: "json",
    createdAt: "integer",
    expiresAt: "integer",
    absoluteExpiresAt: "integer",
    rotatedAt: "integer?",
    successor: "json?",
    confirmation: "json?",
    keepUntil: "integer",
  },
  {
    called: "a refresh token",
    key: ["locator"],
    ordered: true,
    keptUntil: "keepUntil",
    ofGrant: "grantId",
    events: {
      SaveRefreshToken: insertion,
      RotateRefreshToken: oneWay(
        [["rotatedAt", "unset"]],
        [
          ["rotatedAt", "set", ":at"],
          ["successor", "set", ":successor"],
        ],
      ),
      ExtendRefreshToken: oneWay(
        [["rotatedAt", "unset"]],
        [
          ["expiresAt", "max", ":expiresAt"],
          ["keepUntil", "max", ":expiresAt"],
        ],
      ),
    },
    life: {
      states: { newest: [], rotated: [["rotatedAt", "set"]] },
      moves: {
        SaveRefreshToken: { none: "newest" },
        RotateRefreshToken: { newest: "rotated" },
        ExtendRefreshToken: { newest: "newest" },
      },
    },
  },
)

/** Saves a new refresh token. */
export const saveRefreshToken = (token: RefreshToken): Command => putting(refreshTokens, "SaveRefreshToken", token)

/** Marks the newest refresh token of a chain as rotated, and names its successor. */
export const rotateRefreshToken = (locator: Locator, at: Instant, { locator: next, sealed }: Successor): Command =>
  happening(refreshTokens, "RotateRefreshToken", { locator, at, successor: { locator: next, sealed } })

/** Moves the end of a refresh token that is not rotated later, never earlier. */
export const extendRefreshToken = (locator: Locator, expiresAt: Instant): Command =>
  happening(refreshTokens, "ExtendRefreshToken", { locator, expiresAt })
