import { type Command, happening, putting } from "../command.ts"
import type { Locator } from "../handle.ts"
import { moved } from "../moved.ts"
import type {
  AuthorizationAnswer,
  Interaction,
  PendingAuthorization,
  PendingUpstream,
  PushedRequest,
  UpstreamResult,
  WaitingRequest,
} from "../pending.ts"
import { insertedAs, nextVersion, oneWay, wholeRowKind } from "../rowKind.ts"
import type { Instant } from "../time.ts"

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
      SaveRequest: insertedAs("waiting"),
      SaveDeviceRequest: insertedAs("of a device"),
      SaveVisit: insertedAs("of a page"),
      BeginUpstream: insertedAs("begun upstream"),
      PushRequest: insertedAs("pushed"),
      NoteAnswer: {
        ...nextVersion,
        moves: { waiting: "waiting", "of a device": "of a device", "of a page": "of a page", "begun upstream": "begun upstream" },
      },
      // Once: whoever comes after it is told the outcome that the row has.
      FinishRequest: { ...nextVersion, moves: { waiting: "finished" } },
      FinishUpstream: { ...nextVersion, moves: { "begun upstream": "finished upstream" } },
      UsePushedRequest: { ...nextVersion, moves: { pushed: "pushed and used" } },
      RequireInteraction: oneWay([["version", "equal", ":version"]], "nothing", { moves: { waiting: "waiting", pushed: "pushed" } }),
    },
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

/** Notes a page's answer, or another provider's failure, on the request that waits for it; on a sign-in at another provider, that its answer is being redeemed. */
export const noteAnswer = (interaction: WaitingRequest | PendingUpstream): Command => moved(interactions, "NoteAnswer", interaction)

/** Marks an authorization request as answered, and keeps its outcome. */
export const finishRequest = (request: PendingAuthorization, at: Instant, answer: AuthorizationAnswer): Command =>
  moved(interactions, "FinishRequest", request, { finishedAt: at, answer })

/** Marks a sign-in at another provider as answered, and keeps its outcome. */
export const finishUpstream = (attempt: PendingUpstream, at: Instant, result?: UpstreamResult): Command =>
  moved(interactions, "FinishUpstream", attempt, { finishedAt: at, result })

/** Uses up a pushed request. */
export const usePushedRequest = (pushed: PushedRequest, usedBy: Locator | undefined, at: Instant): Command =>
  moved(interactions, "UsePushedRequest", pushed, { finishedAt: at, usedBy })

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
