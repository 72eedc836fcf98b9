import { type Command, happening, putting } from "../command.ts"
import type { Locator } from "../handle.ts"
import type { AuthorizationCode } from "../grantRows.ts"
import { insertedAs, oneWay, rowKind } from "../rowKind.ts"
import type { Instant } from "../time.ts"

/** Authorization codes. A consumed code is kept while anything issued for it lives, so that a replay finds the tokens to revoke. */
export const codes = rowKind<AuthorizationCode>(
  "codes",
  {
    locator: "text",
    digest: "text",
    grantId: "text",
    clientId: "text",
    redirectUri: "text",
    challenge: "json?",
    confirmation: "json?",
    clientVersion: "text?",
    createdAt: "integer",
    expiresAt: "integer",
    consumedAt: "integer?",
    keepUntil: "integer",
  },
  {
    called: "a code",
    key: ["locator"],
    ordered: true,
    keptUntil: "keepUntil",
    restored: "removed",
    ofGrant: "grantId",
    events: {
      SaveCode: insertedAs("unused"),
      ConsumeCode: oneWay(
        [["consumedAt", "unset"]],
        [
          ["consumedAt", "set", ":at"],
          ["keepUntil", "max", ":keepUntil"],
        ],
        { moves: { unused: "consumed" } },
      ),
    },
    states: { unused: [], consumed: [["consumedAt", "set"]] },
  },
)

/** Saves a new authorization code. */
export const saveCode = (code: AuthorizationCode): Command => putting(codes, "SaveCode", code)

/** Consumes an unused authorization code, and keeps its row at least until `keepUntil`. */
export const consumeCode = (locator: Locator, at: Instant, keepUntil: Instant): Command =>
  happening(codes, "ConsumeCode", { locator, at, keepUntil })
