import * as Effect from "effect/Effect"
import type { Grant } from "@postern/core/model"
import { expect, test } from "vitest"
import { signedInTo } from "../../packages/core/src/settle/signedInTo.ts"
import type { TellingMeans } from "../../packages/core/src/settle/sessionParts.ts"

const many = 4_000

/** The grants of a session, newest first, that count how often their client is asked for. */
const session = (clientOf: (at: number) => string) => {
  const read = { clients: 0 }
  const grants = Array.from({ length: many }, (_, at) => ({
    id: String(at),
    createdAt: many - at,
    get clientId() {
      read.clients++
      return clientOf(at)
    },
  })) as unknown as ReadonlyArray<Grant>
  const list = (_: unknown, __: unknown, { before }: { readonly before: string }) => {
    const from = grants.findIndex(({ id }) => id === before) + 1
    return Effect.succeed(grants.slice(from, from + 100))
  }
  const means = { ports: { tokens: { list } } } as unknown as TellingMeans
  return { read, found: () => Effect.runPromise(signedInTo([{ locator: "s" as never, subject: "ann" }], means)) }
}

test("OpenID Connect Back-Channel Logout §2.3: of the grants of a client in a session the newest is named, whatever is between them", async () => {
  const { found } = session((at) => `client ${at % 3}`)
  expect((await found()).map(({ grant }) => [grant.clientId, grant.id])).toEqual([
    ["client 0", "0"],
    ["client 1", "1"],
    ["client 2", "2"],
  ])
})

test("each grant of a session is looked at a few times, however many clients it has", async () => {
  const { read, found } = session((at) => `client ${at}`)
  expect(await found()).toHaveLength(many)
  expect(read.clients).toBeLessThanOrEqual(4 * many)
})
