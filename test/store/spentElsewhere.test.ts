import { type Command, uses, useOnce } from "@postern/core/model"
import { type SqliteStores, sqliteTokenStore } from "@postern/adapter-sqlite"
import { sampleTime as at } from "@postern/core/testing"
import { once } from "node:events"
import { Duplex, duplexPair } from "node:stream"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { spentIn } from "../../packages/adapter-sqlite/src/tokens/spent.ts"
import { lastRefusal } from "../cases/case.ts"
import { askWith, assertionOf, signingClients } from "../support/assertions.ts"
import { post } from "../support/flows.ts"
import { proof } from "../support/proofs.ts"
import type { Said } from "../support/visitor.ts"
import { clients, type World, world } from "../support/world.ts"
import { emptyPath, temporaryDatabase, temporaryStores } from "./support.ts"

const use = (key: string, until = at + 60, time = at): Command => useOnce(key, time, until)

/** A process that writes for itself and for another, and that other: neither commits on the connection that it reads from. */
const twoProcesses = () => {
  const path = emptyPath()
  const one = temporaryStores(path, { thread: true, writing: "shared" })
  const [mine, theirs] = duplexPair()
  one.writeFor?.(mine)
  return { one, other: temporaryStores(path, { thread: true, writing: theirs }) }
}

/** Makes what may be used once, and sends it with a request. */
interface Sending {
  readonly make: (w: World) => Promise<string>
  readonly send: (w: World, value: string) => Promise<Said>
}

const assertions: Sending = { make: (w) => assertionOf(w, "signs"), send: askWith }
const proofs: Sending = {
  make: async (w) => proof(w.now(), "POST", "/connect/token"),
  send: (w, dpop) => post(w, "/connect/token", "web", { grant_type: "client_credentials", scope: "api.read" }, { dpop }),
}

describe("a value that may be used once, where another connection commits (RFC 9449 §11.1, RFC 7523 §3)", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }))
  afterEach(() => void vi.useRealTimers())

  it("leaves the memory of a connection that only looks values up, once its row is swept", () => {
    const path = emptyPath()
    const writing = sqliteTokenStore(temporaryDatabase(path))
    const reading = spentIn(temporaryDatabase(path))
    expect(writing.commit([use("a", at + 10), use("b", at + 10), use("c", at + 20)])).toBe("Committed")
    expect([reading.find("new"), reading.find("c"), reading.remembered()], "three values that end at two moments").toEqual([
      undefined,
      at + 20,
      5,
    ])
    for (const [time, left] of [
      [at + 10, 2],
      [at + 20, 0],
    ] as const) {
      writing.sweep(time)
      vi.advanceTimersByTime(250)
      expect([reading.find("new"), reading.remembered()]).toEqual([undefined, left])
    }
  })

  it("is found by its process once a use of it has failed, however short a time ago that has looked", async () => {
    const { one, other } = twoProcesses()
    const found = async () => Promise.all([one, other].map(async ({ tokens }) => (await tokens.find(uses, { key: "a" })) !== undefined))
    expect(await found()).toEqual([false, false])
    expect(await one.tokens.commit([use("a")])).toBe("Committed")
    expect(await found(), "a quarter of a second has not passed").toEqual([false, false])
    expect(await other.tokens.commit([use("a")])).toBe("Conflict")
    expect(await found()).toEqual([false, true])
    expect(await one.tokens.commit([use("a")])).toBe("Conflict")
    expect(await found()).toEqual([true, true])
    const again = use("a", at + 120, at + 60)
    expect([await one.tokens.commit([again]), await other.tokens.commit([again])], "after its time").toEqual(["Committed", "Conflict"])
    expect(await other.tokens.find(uses, { key: "a" })).toEqual({ key: "a", expiresAt: at + 120 })
  })

  it("is found by its process once a commit was made whose answer never came: nobody is told that it was not used", async () => {
    const path = emptyPath()
    const one = temporaryStores(path, { thread: true, writing: "shared" })
    const [mine, theirs] = duplexPair()
    one.writeFor?.(mine)
    const answered = once(theirs, "data")
    // Sends what it is given, and hears nothing.
    const deaf = new Duplex({ write: (chunk: Buffer, _, sent) => void theirs.write(chunk, sent), read: () => undefined })
    const { tokens } = temporaryStores(path, { thread: true, writing: deaf })
    expect(await tokens.find(uses, { key: "a" })).toBeUndefined()
    const lost = expect(tokens.commit([use("a")])).rejects.toMatchObject({ code: "LOST", uncertain: true })
    await answered
    deaf.destroy()
    await lost
    expect(await tokens.find(uses, { key: "a" }), "a quarter of a second has not passed").toEqual({ key: "a", expiresAt: at + 60 })
  })

  it.each<readonly [string, Sending, ReadonlyArray<unknown>]>([
    ["RFC 7523 §3 (7): an assertion", assertions, [401, "invalid_client", "assertion.unused"]],
    ["RFC 9449 §11.1: a proof", proofs, [400, "invalid_dpop_proof", "dpop.unused"]],
  ])(
    "%s that is sent again, to the process it was used at or to another, is refused by the rule of a replay",
    async (_, { make, send }, refused) => {
      const { one, other } = twoProcesses()
      const open = ({ tokens }: SqliteStores): Promise<World> => world({ clients: [...clients, ...signingClients], tokens })
      const [here, there] = [await open(one), await open(other)]
      const told = async (w: World, value: string): Promise<unknown> => {
        const { status, json } = await send(w, value)
        return status === 200 ? status : [status, json?.["error"], lastRefusal(w)]
      }
      // Each has looked for what others used a moment ago.
      expect([await told(here, await make(here)), await told(there, await make(there))]).toEqual([200, 200])
      const value = await make(here)
      expect([await told(here, value), await told(here, value), await told(there, value)]).toEqual([200, refused, refused])
    },
  )
})
