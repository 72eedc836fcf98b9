import { rowKindsOf } from "@postern/core"
import { memoryTokenStore } from "@postern/core/memory"
import type { TokenStorePort } from "@postern/core/ports"
import { describe, expect, it } from "vitest"
import { answeredByRule, polledAtOnce, pollFeatures, polls } from "../support/polls.ts"
import { temporaryPath, temporaryStores } from "./support.ts"

const kinds = rowKindsOf({ features: pollFeatures })

const stores: Readonly<Record<string, () => TokenStorePort>> = {
  "in memory": () => memoryTokenStore(kinds),
  "on SQLite": () => temporaryStores(temporaryPath(), { kinds }).tokens,
  "on SQLite with a writing thread": () => temporaryStores(temporaryPath(), { kinds, thread: true }).tokens,
}

describe.each(Object.keys(stores))("polls at once, %s", (name) => {
  it.each(Object.keys(polls) as ReadonlyArray<keyof typeof polls>)(
    "of 16 polls of one pending %s, one is told to wait and each other to slow down, and none that the provider is busy",
    async (way) => {
      const tokens = stores[name]?.()
      if (tokens === undefined) throw new Error("no such store")
      expect(await polledAtOnce(tokens, way)).toEqual(answeredByRule)
    },
  )
})
