import { postgresStores } from "@postern/adapter-postgres"
import { describe, test } from "vitest"
import { cheap } from "../store/support.ts"
import { closing, postgresServer } from "../support/postgres.ts"
import { type SentOnce, expectOneOutcome, oneOutcome, sentKinds } from "../support/sentAtOnce.ts"

const server = postgresServer()

describe("answers at once, on PostgreSQL", () => {
  test.each(Object.keys(oneOutcome) as ReadonlyArray<SentOnce>)(
    "%s that is sent 16 times at once has one outcome, and none is told that the provider is busy (RFC 6749 §4.1.2)",
    { timeout: 60_000 },
    async (name) => {
      const stores = closing(await postgresStores(await (await server()).database(), { hashing: cheap, kinds: sentKinds }))
      await expectOneOutcome(stores.tokens, name)
    },
  )
})
