import { RedisRefused, RedisUnavailable, redisStores, type SendCommand } from "@postern/adapter-redis"
import { rowKinds, rowKind } from "@postern/core"
import {
  happening,
  insertion,
  putting,
  rotateRefreshToken,
  saveAccessToken,
  saveGrant,
  saveRefreshToken,
  useOnce,
} from "@postern/core/model"
import { sampleAccessToken, sampleGrant, sampleLocator, sampleRefreshToken, sampleTime } from "@postern/core/testing"
import { memoryTokenStore } from "@postern/core/memory"
import { afterAll, describe, expect, it } from "vitest"
import { appointmentContract, kinds, raced } from "../support/rowsOfFeatures.ts"
import { redisThere, type RedisServer, startRedis } from "../support/redisServer.ts"
import { sharedRedis } from "./shared.ts"

const fresh = sharedRedis()

const started: Array<RedisServer> = []
afterAll(async () => {
  for (const server of started) await server.end()
})
const serverWith = async (...settings: ReadonlyArray<string>): Promise<RedisServer> => {
  const server = await startRedis(settings)
  started.push(server)
  return server
}
const connected = async (...settings: ReadonlyArray<string>): Promise<SendCommand> => (await (await serverWith(...settings)).connect()).send

describe.skipIf(!redisThere)("a Redis server", () => {
  for (const { name, run } of appointmentContract) {
    it(name, () =>
      run(async () => {
        const { tokens } = await redisStores(await fresh(), { kinds })
        return { store: tokens, sweep: tokens.sweep }
      }),
    )
  }

  it("law 4: of two requests for one row at once one is refused by the rule that a later one meets", async () => {
    const { tokens } = await redisStores(await fresh(), { kinds })
    expect(await raced(tokens)).toEqual(['"The hour is taken."', '"The hour is taken."', "200"])
  })

  it("R1: a client that sends a commit again is told what came of the first", async () => {
    const send = await fresh()
    const twice: SendCommand = async (command) => {
      const first = await send(command)
      return command[1]?.includes("commit") === true ? send(command) : first
    }
    const { tokens } = await redisStores(twice)
    await tokens.commit([saveGrant(sampleGrant(1)), saveRefreshToken(sampleRefreshToken(2))])
    const successor = { locator: sampleLocator(3), sealed: "sealed" }
    expect(await tokens.commit([rotateRefreshToken(sampleLocator(2), sampleTime, successor)])).toBe("Committed")
    expect(await tokens.commit([rotateRefreshToken(sampleLocator(2), sampleTime, successor)])).toBe("Conflict")
  })

  it("R1: of sixteen commits at once that use one value, one is done", async () => {
    const server = await serverWith("--save", "", "--appendonly", "no")
    const stores = await Promise.all(Array.from({ length: 4 }, async () => redisStores((await server.connect()).send)))
    const all = await Promise.all(
      Array.from({ length: 16 }, async (_, each) => stores[each % 4]?.tokens.commit([useOnce("jti", sampleTime, sampleTime + 60)])),
    )
    expect(all.filter((each) => each === "Committed")).toHaveLength(1)
  })

  it("R1: what was acknowledged with appendfsync always is there after kill -9, and nothing is spent twice", async () => {
    const server = await serverWith("--save", "", "--appendonly", "yes", "--appendfsync", "always")
    const acknowledged: Array<number> = []
    let at = 0
    for (let round = 0; round < 3; round++) {
      const { tokens, durability } = await redisStores((await server.connect()).send)
      expect(durability).toBe("always")
      const writing = Array.from({ length: 8 }, async () => {
        for (;;) {
          const mine = at++
          const set = [saveAccessToken(sampleAccessToken(mine)), useOnce(`once ${mine}`, sampleTime, sampleTime + 9)]
          const done = await tokens.commit(set).catch((error: unknown) => error)
          if (done === "Committed") acknowledged.push(mine)
          else return done
          if (acknowledged.length === 300 * (round + 1)) await server.kill()
        }
      })
      for (const error of await Promise.all(writing)) expect(error).toMatchObject({ name: "RedisUnavailable", uncertain: true })
      await server.start()
    }
    const { tokens } = await redisStores((await server.connect()).send)
    const found = await Promise.all(acknowledged.map(async (each) => tokens.findAccessToken(sampleLocator(each))))
    expect(found.filter((each) => each === undefined)).toEqual([])
    const again = await Promise.all(acknowledged.map(async (each) => tokens.commit([useOnce(`once ${each}`, sampleTime, sampleTime + 9)])))
    expect(new Set(again)).toEqual(new Set(["Conflict"]))
    expect(acknowledged.length).toBeGreaterThanOrEqual(900)
  }, 60_000)

  it("law 13: a server that lost the functions is given them again", async () => {
    const send = await fresh()
    const { tokens } = await redisStores(send)
    await send(["FUNCTION", "FLUSH"])
    expect(await tokens.commit([saveGrant(sampleGrant(1))])).toBe("Committed")
    expect(await tokens.findGrant(sampleLocator(1))).toEqual(sampleGrant(1))
  })

  it("law 13: rows of a version that kept no such list are listed by one that does", async () => {
    const send = await fresh()
    const bare = rowKinds.map((kind) =>
      kind.name === "grants" ? rowKind<object>("grants", kind.columns as never, { ...kind, lists: {} } as never) : kind,
    )
    const before = await redisStores(send, { kinds: bare })
    await before.tokens.commit([saveGrant(sampleGrant(1))])
    const after = await redisStores(send)
    expect(await after.tokens.grantsOf(sampleGrant(1).subject)).toEqual([sampleGrant(1)])
  })

  it("a server that drops keys when its memory is full is refused, with the setting to change", async () => {
    const send = await connected("--save", "", "--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru")
    const refused = await redisStores(send).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(RedisRefused)
    expect(String(refused)).toContain("set it to noeviction")
  })

  it("an answer that says nothing was done is certain, and holds no value", async () => {
    const send = await connected("--save", "", "--maxmemory-policy", "noeviction")
    const { tokens, durability } = await redisStores(send)
    expect(durability).toBe("never")
    await send(["CONFIG", "SET", "maxmemory", "1"])
    const failed = await tokens.commit([saveGrant(sampleGrant(1))]).catch((error: unknown) => error)
    expect(failed).toBeInstanceOf(RedisUnavailable)
    expect(failed).toMatchObject({ code: "OOM", uncertain: false, message: "Redis cannot commit now (OOM)" })
    await send(["CONFIG", "SET", "maxmemory", "0"])
    expect(await tokens.findGrant(sampleLocator(1))).toBeUndefined()
  })

  it("R8: sweeping frees memory where there is none left for anything else", async () => {
    const send = await connected("--save", "", "--maxmemory-policy", "noeviction")
    const { tokens, sweep } = await redisStores(send)
    await tokens.commit([saveAccessToken(sampleAccessToken(1))])
    await send(["CONFIG", "SET", "maxmemory", "1"])
    await expect(tokens.commit([saveGrant(sampleGrant(1))])).rejects.toMatchObject({ code: "OOM" })
    expect(await sweep(999_999_999_999)).toBe(1)
  })

  it("law 13: a value that no two rows have goes from one row to another within a commit, and nothing equals what is absent", async () => {
    const seats = rowKind<{ readonly seat: string; readonly person: string; readonly note: string | undefined }>(
      "seats_taken",
      { seat: "text", person: "text", note: "text?" },
      {
        key: ["seat"],
        unique: ["person"],
        events: {
          TakeSeat: insertion,
          LeaveSeat: { ways: [{ when: [], change: "remove" }] },
          LeaveNoted: { ways: [{ when: [["note", "equal", ":note"]], change: "remove" }] },
        },
      },
    )
    for (const { tokens } of [await redisStores(await fresh(), { kinds: [seats] }), { tokens: memoryTokenStore([seats]) }]) {
      const take = (seat: string) => putting(seats, "TakeSeat", { seat, person: "ann", note: undefined })
      await tokens.commit([take("1")])
      for (let seat = 1; seat < 30; seat++) {
        expect(await tokens.commit([happening(seats, "LeaveSeat", { seat: String(seat) }), take(String(seat + 1))])).toBe("Committed")
        expect(await tokens.find(seats, { person: "ann" })).toMatchObject({ seat: String(seat + 1) })
      }
      expect(await tokens.commit([happening(seats, "LeaveNoted", { seat: "30", note: undefined })])).toBe("Conflict")
    }
  })
})
