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

/** Requests that wait for a person, and the rows that they depend on. A replacement has the next version after the one that was read. */
export const interactions = wholeRowKind<Interaction>(
  "interactions",
  { locator: "text", version: "integer", keepUntil: "integer" },
  {
    called: "an interaction",
    key: ["locator"],
    ordered: true,
    keptUntil: "keepUntil",
    restored: "removed",
    // Each kind has different members; absent ones stay absent.
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
      // Happens once: later requests receive the stored outcome.
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

/**
 * Records a page's answer or another provider's failure on the waiting request, or on a sign-in at another provider that its response is
 * being exchanged.
 */
export const noteAnswer = (interaction: WaitingRequest | PendingUpstream): Command => moved(interactions, "NoteAnswer", interaction)

/** Marks an authorization request as answered, and stores its outcome. */
export const finishRequest = (request: PendingAuthorization, at: Instant, answer: AuthorizationAnswer): Command =>
  moved(interactions, "FinishRequest", request, { finishedAt: at, answer })

/** Marks a sign-in at another provider as answered, and stores its outcome. */
export const finishUpstream = (attempt: PendingUpstream, at: Instant, result?: UpstreamResult): Command =>
  moved(interactions, "FinishUpstream", attempt, { finishedAt: at, result })

/** Uses up a pushed request. */
export const usePushedRequest = (pushed: PushedRequest, usedBy: Locator | undefined, at: Instant): Command =>
  moved(interactions, "UsePushedRequest", pushed, { finishedAt: at, usedBy })

/** Requires that an interaction is unchanged since it was read. */
export const requireInteraction = ({ locator, version }: PendingAuthorization | PushedRequest): Command =>
  happening(interactions, "RequireInteraction", { locator, version })

/** A waiting row of an older version without `kind`, which its parameters determine. */
type Untagged = Omit<PendingAuthorization, "kind"> & { readonly kind?: undefined }

/** Reads a waiting row. A row of an older version receives its kind. */
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
