import type { Feature } from "../feature.ts"
import { ownWay } from "./calls.ts"
import { tables } from "./index.ts"

/** An embedder's own pages in place of the provider's: `provider.interaction` and `provider.resume`. */
export const feature: Feature = {
  name: "interaction",
  ownPages: ownWay,
  tables,
}
