import { type Command, happening, putting } from "../command.ts"
import type { Locator } from "../handle.ts"
import type { JsonObject } from "../json.ts"
import type { OutboxMessage } from "../rows.ts"
import { type Condition, insertion, latestFirst, type Listing, oneWay, rowKind } from "../rowKind.ts"
import type { Instant } from "../time.ts"

/** Guard: the message is not given up, and the claim on it is this one. */
const claimed: ReadonlyArray<Condition<"diedAt" | "claimedBy">> = [
  ["diedAt", "unset"],
  ["claimedBy", "equal", ":claim"],
]

/** Lists messages that are due, the longest due first. */
const due = (...of: ReadonlyArray<Condition<"kind">>): Listing<"kind" | "diedAt" | "dueAt" | "locator"> => ({
  all: [...of, ["diedAt", "unset"], ["dueAt", "atMost", ":now"]],
  order: [
    ["dueAt", "up"],
    ["locator", "up"],
  ],
})

/** Messages to be delivered after the commit that wrote them. Transitions are decided in `settle/outbox.ts`. */
export const outbox = rowKind<OutboxMessage>(
  "outbox",
  {
    locator: "text",
    kind: "text",
    payload: "json",
    createdAt: "integer",
    dueAt: "integer",
    attempts: "integer",
    claimedBy: "text?",
    lastFailure: "text?",
    diedAt: "integer?",
    keepUntil: "integer",
  },
  {
    called: "a message of the outbox",
    key: ["locator"],
    keptUntil: "keepUntil",
    endless: true,
    acrossIssuers: true,
    events: {
      AddMessage: insertion,
      ClaimMessage: oneWay(
        [
          ["diedAt", "unset"],
          ["dueAt", "atMost", ":at"],
          // A copy that was read before another's attempt must not decide how many are left.
          ["attempts", "equal", ":attempts"],
        ],
        [
          ["dueAt", "set", ":until"],
          ["claimedBy", "set", ":claim"],
          ["attempts", "add", 1],
        ],
      ),
      DeferMessage: oneWay(
        [
          ["diedAt", "unset"],
          ["dueAt", "atMost", ":at"],
          ["attempts", "equal", ":attempts"],
        ],
        [["dueAt", "set", ":until"]],
      ),
      ReleaseMessage: oneWay(claimed, [
        ["dueAt", "set", ":at"],
        ["attempts", "add", -1],
        ["claimedBy", "unset"],
      ]),
      DeliverMessage: oneWay(claimed, "remove"),
      PostponeMessage: oneWay(claimed, [
        ["dueAt", "set", ":dueAt"],
        ["lastFailure", "set", ":failure"],
        ["claimedBy", "unset"],
      ]),
      BuryMessage: oneWay(claimed, [
        ["diedAt", "set", ":at"],
        ["lastFailure", "set", ":failure"],
        ["keepUntil", "set", ":keepUntil"],
        ["claimedBy", "unset"],
      ]),
      ReviveMessage: oneWay(
        [["diedAt", "set"]],
        [
          ["diedAt", "unset"],
          ["dueAt", "set", ":at"],
          ["attempts", "set", 0],
          ["keepUntil", "set", 0],
        ],
      ),
    },
    lists: {
      due: due(),
      dueOfKind: due(["kind", "equal", ":kind"]),
      dead: { all: [["diedAt", "set"]], order: [["diedAt", "down"]] },
      deadOfKind: latestFirst("locator", ["kind", "equal", ":kind"], ["diedAt", "set"]),
      waitingOfKind: latestFirst("locator", ["kind", "equal", ":kind"], ["diedAt", "unset"]),
    },
    life: {
      states: { waiting: [], claimed: [["claimedBy", "set"]], dead: [["diedAt", "set"]] },
      moves: {
        AddMessage: { none: "waiting" },
        // A claim that has run out may be taken over.
        ClaimMessage: { waiting: "claimed", claimed: "claimed" },
        DeferMessage: { waiting: "waiting", claimed: "claimed" },
        ReleaseMessage: { claimed: "waiting" },
        DeliverMessage: { claimed: "none" },
        PostponeMessage: { claimed: "waiting" },
        BuryMessage: { claimed: "dead" },
        ReviveMessage: { dead: "waiting" },
      },
    },
  },
)

/** Writes a message, due at once. It is part of the commit that makes it necessary. */
export const addMessage = (locator: Locator, kind: string, payload: JsonObject, at: Instant): Command =>
  putting(outbox, "AddMessage", {
    locator,
    kind,
    payload,
    createdAt: at,
    dueAt: at,
    attempts: 0,
    claimedBy: undefined,
    lastFailure: undefined,
    diedAt: undefined,
    keepUntil: 0,
  })

/** Claims a message that is due, until a moment. */
export const claimMessage = (locator: Locator, attempts: number, claim: string, at: Instant, until: Instant): Command =>
  happening(outbox, "ClaimMessage", { locator, attempts, claim, at, until })

/** Puts a message that is due off until a moment, without an attempt: others that wait behind it come first. */
export const deferMessage = (locator: Locator, attempts: number, at: Instant, until: Instant): Command =>
  happening(outbox, "DeferMessage", { locator, attempts, at, until })

/** Gives a claim back whose attempt was broken off: the message is due again, and has the attempt left. */
export const releaseMessage = (locator: Locator, claim: string, at: Instant): Command =>
  happening(outbox, "ReleaseMessage", { locator, claim, at })

/** Removes a message that was delivered under a claim. */
export const deliverMessage = (locator: Locator, claim: string): Command => happening(outbox, "DeliverMessage", { locator, claim })

/** Puts a message off that could not be delivered under a claim. */
export const postponeMessage = (locator: Locator, claim: string, dueAt: Instant, failure: string): Command =>
  happening(outbox, "PostponeMessage", { locator, claim, dueAt, failure })

/** Gives a message up, and keeps it until a moment for an operator to look at. */
export const buryMessage = (locator: Locator, claim: string, at: Instant, keepUntil: Instant, failure: string): Command =>
  happening(outbox, "BuryMessage", { locator, claim, at, keepUntil, failure })

/** Makes a message that was given up due again, with as many attempts as a new one. */
export const reviveMessage = (locator: Locator, at: Instant): Command => happening(outbox, "ReviveMessage", { locator, at })
