import { type Command, happening, putting } from "../command.ts"
import type { Locator } from "../handle.ts"
import type { RefreshToken, Successor } from "../grantRows.ts"
import { type Condition, insertedAs, oneWay, rowKind } from "../rowKind.ts"
import type { Instant } from "../time.ts"

const newest: ReadonlyArray<Condition<"rotatedAt">> = [["rotatedAt", "unset"]]

/** Refresh tokens, which form the chains of their grants. */
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
      SaveRefreshToken: insertedAs("newest"),
      RotateRefreshToken: oneWay(
        newest,
        [
          ["rotatedAt", "set", ":at"],
          ["successor", "set", ":successor"],
        ],
        { moves: { newest: "rotated" } },
      ),
      ExtendRefreshToken: oneWay(
        newest,
        [
          ["expiresAt", "max", ":expiresAt"],
          ["keepUntil", "max", ":expiresAt"],
        ],
        { moves: { newest: "newest" } },
      ),
    },
    states: { newest: [], rotated: [["rotatedAt", "set"]] },
  },
)

/** Saves a new refresh token. */
export const saveRefreshToken = (token: RefreshToken): Command => putting(refreshTokens, "SaveRefreshToken", token)

/** Marks the newest refresh token of a chain as rotated, and stores its successor. */
export const rotateRefreshToken = (locator: Locator, at: Instant, { locator: next, sealed }: Successor): Command =>
  happening(refreshTokens, "RotateRefreshToken", { locator, at, successor: { locator: next, sealed } })

/** Extends the lifetime of a refresh token that is not rotated; it is never shortened. */
export const extendRefreshToken = (locator: Locator, expiresAt: Instant): Command =>
  happening(refreshTokens, "ExtendRefreshToken", { locator, expiresAt })
