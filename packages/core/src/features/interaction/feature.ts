import type { Feature } from "../feature.ts"
import { interaction, resumeInteraction, tables } from "./index.ts"

/** Pages of an embedder's own in place of ours: `provider.interaction` and `provider.resume`. */
export const feature: Feature = {
  name: "interaction",
  ownPages: { interaction, resume: resumeInteraction },
  tables,
}
