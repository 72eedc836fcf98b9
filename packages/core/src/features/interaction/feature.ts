import type { Feature } from "../feature.ts"
import { ownWay } from "./calls.ts"
import { tables } from "./index.ts"

/** Pages of an embedder's own in place of ours: `provider.interaction` and `provider.resume`. */
export const feature: Feature = {
  name: "interaction",
  ownPages: ownWay,
  tables,
}
