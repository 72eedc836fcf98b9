import { type Command, putting } from "../command.ts"
import type { Interaction } from "../rows.ts"
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
    mayLack: ["hint", "signedInAt", "subject", "consented", "finishedAt"],
    events: {
      SaveInteraction: insertion,
      ReplaceInteraction: { ways: [{ when: [["version", "equal", ":before"]], change: "replace" }] },
    },
  },
)

/** Saves a new interaction. */
export const saveInteraction = (interaction: Interaction): Command => putting(interactions, "SaveInteraction", interaction)

/** Replaces an interaction by its next version. */
export const replaceInteraction = (interaction: Interaction): Command =>
  putting(interactions, "ReplaceInteraction", interaction, { locator: interaction.locator, before: interaction.version - 1 })
