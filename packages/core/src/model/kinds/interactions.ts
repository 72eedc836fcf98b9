import { type Command, happening, putting } from "../command.ts"
import type { Interaction, PendingAuthorization } from "../pending.ts"
import { insertion, wholeRowKind } from "../rowKind.ts"

/** Requests that wait for a person. A replacement is the version after the one it read. */
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
      SaveInteraction: insertion,
      ReplaceInteraction: { ways: [{ when: [["version", "equal", ":before"]], change: "replace" }] },
      RequireInteraction: { ways: [{ when: [["version", "equal", ":version"]], change: "nothing" }] },
    },
  },
)

/** Saves a new interaction. */
export const saveInteraction = (interaction: Interaction): Command => putting(interactions, "SaveInteraction", interaction)

/** Replaces an interaction by its next version. */
export const replaceInteraction = (interaction: Interaction): Command =>
  putting(interactions, "ReplaceInteraction", interaction, { locator: interaction.locator, before: interaction.version - 1 })

/** Requires an interaction just as it was read. */
export const requireInteraction = ({ locator, version }: Interaction): Command =>
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
