import { memoryTokenStore } from "@postern/core/memory"
import type { TokenStorePort } from "@postern/core/ports"
import { describe, it } from "vitest"
import { type SentOnce, expectOneOutcome, oneOutcome, sentKinds } from "../support/sentAtOnce.ts"
import { temporaryPath, temporaryStores } from "./support.ts"

const stores: Readonly<Record<string, () => TokenStorePort>> = {
  "in memory": () => memoryTokenStore(sentKinds),
  "on SQLite": () => temporaryStores(temporaryPath(), { kinds: sentKinds }).tokens,
  "on SQLite with a writing thread": () => temporaryStores(temporaryPath(), { kinds: sentKinds, thread: true }).tokens,
}

describe.each(Object.entries(stores))("answers at once, %s", (_, open) => {
  it.each(Object.keys(oneOutcome) as ReadonlyArray<SentOnce>)(
    "%s that is sent 16 times at once has one outcome, and none is told that the provider is busy (RFC 6749 §4.1.2)",
    { timeout: 30_000 },
    async (name) => expectOneOutcome(open(), name),
  )
})
