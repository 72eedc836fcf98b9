import { type Command, happening, putting } from "../command.ts"
import type { Locator } from "../handle.ts"
import type { JsonObject } from "../json.ts"
import type { OutboxMessage } from "../rows.ts"
import { type Condition, insertedAs, latestFirst, type Listing, oneWay, rowKind } from "../rowKind.ts"
import type { Instant } from "../time.ts"

/** Guard: delivery was not given up, and the claim is this one. */
const claimed: ReadonlyArray<Condition<"diedAt" | "claimedBy">> = [
  ["diedAt", "unset"],
  ["claimedBy", "equal", ":claim"],
]

/** Lists messages that are due, the longest overdue first. */
const due = (...of: ReadonlyArray<Condition<"kind">>): Listing<"kind" | "diedAt" | "dueAt" | "locator"> => ({
  all: [...of, ["diedAt", "unset"], ["dueAt", "atMost", ":now"]],
  order: [
    ["dueAt", "up"],
    ["locator", "up"],
  ],
})

/** Messages to be delivered after the commit that wrote them. `settle/outbox.ts` decides the transitions. */
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
      AddMessage: insertedAs("waiting"),
      ScheduleMessage: {
        ways: [
          { when: "absent", change: "insert" },
          { when: [], change: "nothing" },
        ],
        moves: { none: "waiting", waiting: "waiting", claimed: "claimed", dead: "dead" },
      },
      AwaitMessage: oneWay(
        [["diedAt", "unset"]],
        [
          ["dueAt", "set", ":until"],
          ["attempts", "set", 0],
          ["claimedBy", "unset"],
        ],
        { moves: { waiting: "waiting", claimed: "waiting" } },
      ),
      FollowMessage: oneWay([["diedAt", "unset"]], "remove", { moves: { waiting: "none", claimed: "none" } }),
      ForgetMessage: oneWay([], "remove", { otherwise: "nothing", moves: { waiting: "none", claimed: "none", dead: "none" } }),
      // An expired claim may be taken over.
      ClaimMessage: oneWay(
        [
          ["diedAt", "unset"],
          ["dueAt", "atMost", ":at"],
          // A copy that was read before another process's attempt must not decide the number of remaining attempts.
          ["attempts", "equal", ":attempts"],
        ],
        [
          ["dueAt", "set", ":until"],
          ["claimedBy", "set", ":claim"],
          ["attempts", "add", 1],
        ],
        { moves: { waiting: "claimed", claimed: "claimed" } },
      ),
      DeferMessage: oneWay(
        [
          ["diedAt", "unset"],
          ["dueAt", "atMost", ":at"],
          ["attempts", "equal", ":attempts"],
        ],
        [["dueAt", "set", ":until"]],
        { moves: { waiting: "waiting", claimed: "claimed" } },
      ),
      ReleaseMessage: oneWay(
        claimed,
        [
          ["dueAt", "set", ":at"],
          ["attempts", "add", -1],
          ["claimedBy", "unset"],
        ],
        { moves: { claimed: "waiting" } },
      ),
      DeliverMessage: oneWay(claimed, "remove", { moves: { claimed: "none" } }),
      PostponeMessage: oneWay(
        claimed,
        [
          ["dueAt", "set", ":dueAt"],
          ["lastFailure", "set", ":failure"],
          ["claimedBy", "unset"],
        ],
        { moves: { claimed: "waiting" } },
      ),
      BuryMessage: oneWay(
        claimed,
        [
          ["diedAt", "set", ":at"],
          ["lastFailure", "set", ":failure"],
          ["keepUntil", "set", ":keepUntil"],
          ["claimedBy", "unset"],
        ],
        { moves: { claimed: "dead" } },
      ),
      ReviveMessage: oneWay(
        [["diedAt", "set"]],
        [
          ["diedAt", "unset"],
          ["dueAt", "set", ":at"],
          ["attempts", "set", 0],
          ["keepUntil", "set", 0],
        ],
        { moves: { dead: "waiting" } },
      ),
    },
    lists: {
      due: due(),
      dueOfKind: due(["kind", "equal", ":kind"]),
      dead: { all: [["diedAt", "set"]], order: [["diedAt", "down"]] },
      deadOfKind: latestFirst("locator", ["kind", "equal", ":kind"], ["diedAt", "set"]),
      waitingOfKind: latestFirst("locator", ["kind", "equal", ":kind"], ["diedAt", "unset"]),
    },
    states: { waiting: [], claimed: [["claimedBy", "set"]], dead: [["diedAt", "set"]] },
  },
)

const newMessage = (locator: Locator, kind: string, payload: JsonObject, createdAt: Instant, dueAt: Instant): OutboxMessage => ({
  locator,
  kind,
  payload,
  createdAt,
  dueAt,
  attempts: 0,
  claimedBy: undefined,
  lastFailure: undefined,
  diedAt: undefined,
  keepUntil: 0,
})

/** Writes a message that is due immediately, in the commit that requires it. */
export const addMessage = (locator: Locator, kind: string, payload: JsonObject, at: Instant): Command =>
  putting(outbox, "AddMessage", newMessage(locator, kind, payload, at, at))

/** Writes a message that is due in the future, unless it exists. Its locator identifies its subject. */
export const scheduleMessage = (locator: Locator, kind: string, payload: JsonObject, at: Instant, dueAt: Instant): Command =>
  putting(outbox, "ScheduleMessage", newMessage(locator, kind, payload, at, dueAt))

/** Postpones a message that is not due yet, and resets its attempts and its claim, so that the previous claim can no longer complete it. */
export const awaitMessage = (locator: Locator, until: Instant): Command => happening(outbox, "AwaitMessage", { locator, until })

/**
 * Removes a message in the commit that performs its action, so that it is performed once. It is a conflict if the message is gone or was
 * given up.
 */
export const followMessage = (locator: Locator): Command => happening(outbox, "FollowMessage", { locator })

/** Removes a message that is no longer needed, if it exists. */
export const forgetMessage = (locator: Locator): Command => happening(outbox, "ForgetMessage", { locator })

/** Claims a due message until `until`. */
export const claimMessage = (locator: Locator, attempts: number, claim: string, at: Instant, until: Instant): Command =>
  happening(outbox, "ClaimMessage", { locator, attempts, claim, at, until })

/** Postpones a due message without using an attempt, so that other messages are delivered first. */
export const deferMessage = (locator: Locator, attempts: number, at: Instant, until: Instant): Command =>
  happening(outbox, "DeferMessage", { locator, attempts, at, until })

/** Releases the claim of an aborted attempt. The message is due again, and the attempt is not counted. */
export const releaseMessage = (locator: Locator, claim: string, at: Instant): Command =>
  happening(outbox, "ReleaseMessage", { locator, claim, at })

/** Removes a message that was delivered under this claim. */
export const deliverMessage = (locator: Locator, claim: string): Command => happening(outbox, "DeliverMessage", { locator, claim })

/** Postpones a message whose delivery under this claim failed. */
export const postponeMessage = (locator: Locator, claim: string, dueAt: Instant, failure: string): Command =>
  happening(outbox, "PostponeMessage", { locator, claim, dueAt, failure })

/** Gives up delivery, and keeps the message until `keepUntil` for the operator. */
export const buryMessage = (locator: Locator, claim: string, at: Instant, keepUntil: Instant, failure: string): Command =>
  happening(outbox, "BuryMessage", { locator, claim, at, keepUntil, failure })

/** Makes a given-up message due again, with all its attempts. */
export const reviveMessage = (locator: Locator, at: Instant): Command => happening(outbox, "ReviveMessage", { locator, at })
