import { type Command, happening, putting } from "../command.ts"
import { stateOf } from "../conditions.ts"
import type { Locator } from "../handle.ts"
import type { Interaction, PendingAuthorization, PendingUpstream, PushedRequest, WaitingRequest } from "../pending.ts"
import { insertion, oneWay, type RowEvent, wholeRowKind } from "../rowKind.ts"
import type { Instant } from "../time.ts"

/** Guard: the stored version is the one that was read, and with it the state. */
const next: RowEvent<"version"> = oneWay([["version", "equal", ":before"]], "replace")

/** Requests that wait for a person, and what they wait by. A replacement is the version after the one it read. */
export const interactions = wholeRowKind<Interaction>(
  "interactions",
  { locator: "text", version: "integer", keepUntil: "integer" },
  {
    called: "an interaction",
    key: ["locator"],
    ordered: true,
    keptUntil: "keepUntil",
    // Each kind of them has members of its own: those that are absent stay so.
    mayLack: [],
    events: {
      SaveRequest: insertion,
      SaveDeviceRequest: insertion,
      SaveVisit: insertion,
      BeginUpstream: insertion,
      PushRequest: insertion,
      NoteAnswer: next,
      FinishRequest: next,
      FinishUpstream: next,
      UsePushedRequest: next,
      RequireInteraction: oneWay([["version", "equal", ":version"]], "nothing"),
    },
    life: {
      states: {
        waiting: [["kind", "is", "authorization"]],
        finished: [
          ["kind", "is", "authorization"],
          ["finishedAt", "set"],
        ],
        "of a device": [["kind", "is", "device"]],
        "of a page": [["kind", "is", "visit"]],
        "begun upstream": [["kind", "is", "upstream"]],
        "finished upstream": [
          ["kind", "is", "upstream"],
          ["finishedAt", "set"],
        ],
        pushed: [["kind", "is", "pushed"]],
        "pushed and used": [
          ["kind", "is", "pushed"],
          ["finishedAt", "set"],
        ],
      },
      moves: {
        SaveRequest: { none: "waiting" },
        SaveDeviceRequest: { none: "of a device" },
        SaveVisit: { none: "of a page" },
        BeginUpstream: { none: "begun upstream" },
        PushRequest: { none: "pushed" },
        // An answer is given again for a moment after it was given: what is finished stays finished.
        NoteAnswer: { waiting: "waiting", finished: "finished", "of a device": "of a device", "of a page": "of a page" },
        FinishRequest: { waiting: "finished", finished: "finished" },
        FinishUpstream: { "begun upstream": "finished upstream" },
        UsePushedRequest: { pushed: "pushed and used", "pushed and used": "pushed and used" },
        RequireInteraction: { waiting: "waiting", finished: "finished", pushed: "pushed", "pushed and used": "pushed and used" },
      },
    },
  },
)

const savings = {
  authorization: "SaveRequest",
  device: "SaveDeviceRequest",
  visit: "SaveVisit",
  upstream: "BeginUpstream",
  pushed: "PushRequest",
} as const

/** Saves a new interaction. */
export const saveInteraction = (interaction: Interaction): Command => putting(interactions, savings[interaction.kind], interaction)

/** The version after the one that was read. A move that its state does not know, or that leads elsewhere than its life says, is a defect. */
const moved = <Row extends Interaction>(event: string, row: Row, change: Partial<Omit<Row, "kind" | "locator">> = {}): Command => {
  const from = stateOf(interactions.life, row)
  const to = interactions.life?.moves[event]?.[from]
  const { locator, version: before } = row
  const after: Interaction = { ...row, ...change, version: before + 1 }
  if (to === undefined || stateOf(interactions.life, after) !== to) throw new Error(`an interaction that is ${from} takes no ${event}`)
  return putting(interactions, event, after, { locator, before })
}

/** Notes a page's answer, or another provider's failure, on the request that waits for it. */
export const noteAnswer = (interaction: WaitingRequest): Command => moved("NoteAnswer", interaction)

/** Marks an authorization request as answered. It keeps the time of its first answer. */
export const finishRequest = (request: PendingAuthorization, at: Instant): Command =>
  moved("FinishRequest", request, { finishedAt: request.finishedAt ?? at })

/** Marks a sign-in at another provider as answered: a second answer is refused. */
export const finishUpstream = (attempt: PendingUpstream, at: Instant): Command => moved("FinishUpstream", attempt, { finishedAt: at })

/** Uses up a pushed request. It keeps the time of its first use. */
export const usePushedRequest = (pushed: PushedRequest, usedBy: Locator | undefined, at: Instant): Command =>
  moved("UsePushedRequest", pushed, { finishedAt: pushed.finishedAt ?? at, usedBy })

/** Requires an interaction just as it was read. */
export const requireInteraction = ({ locator, version }: PendingAuthorization | PushedRequest): Command =>
  happening(interactions, "RequireInteraction", { locator, version })

/** A waiting row as it was kept before its kind was: told by its parameters. */
type Untagged = Omit<PendingAuthorization, "kind"> & { readonly kind?: undefined }

/** Reads a waiting row. One from before rows had a kind is given it. */
export const interactionOf = (row: Interaction | Untagged): Interaction => {
  if (row.kind !== undefined) return row
  const { params, clientId, hint, consented, denied, signedInAt, subject, ...pending } = row
  const value = (name: string): string | undefined => params.find(([each]) => each === name)?.[1]
  const provider = value("idp")
  if (provider !== undefined) {
    const [maxAge, locator, sealed] = [value("max_age"), value("waiting"), value("sealed")]
    const waiting = locator === undefined || sealed === undefined ? undefined : { locator, sealed }
    return { ...pending, kind: "upstream", provider, maxAge: maxAge === undefined ? undefined : Number(maxAge), waiting }
  }
  const awaiting = { ...pending, clientId, signedInAt, subject, failedProvider: value("idp_failed") }
  const userCode = value("user_code")
  if (userCode !== undefined) return { ...awaiting, kind: "device", userCode }
  return { ...awaiting, kind: "authorization", params: params.filter(([name]) => name !== "idp_failed"), hint, consented, denied }
}
