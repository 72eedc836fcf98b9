import { type Command, putting } from "../command.ts"
import type { Use } from "../uses.ts"
import { rowKind } from "../rowKind.ts"
import type { Instant } from "../time.ts"

/** Single-use values, such as a `jti`. A value is claimed by the one commit that inserts its row. */
export const uses = rowKind<Use>(
  "uses",
  { key: "text", expiresAt: "integer" },
  {
    called: "a use",
    key: ["key"],
    keptUntil: "expiresAt",
    events: {
      UseOnce: {
        ways: [
          { when: "absent", change: "insert" },
          { when: [["expiresAt", "atMost", ":at"]], change: "replace" },
        ],
      },
    },
  },
)

/** Marks a value as used until `until`. It is a conflict if the value is already used. */
export const useOnce = (key: string, at: Instant, until: Instant): Command =>
  putting(uses, "UseOnce", { key, expiresAt: until }, { key, at })
