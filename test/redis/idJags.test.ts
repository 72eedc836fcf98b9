import { redisStores } from "@postern/adapter-redis"
import { afterAll, describe, expect, it } from "vitest"
import { presentedAtOnce, takenOnce } from "../support/idJags.ts"
import { type RedisServer, redisThere, startRedis } from "../support/redisServer.ts"

const started: Array<RedisServer> = []
afterAll(async () => {
  for (const server of started) await server.end()
})

describe.skipIf(!redisThere)("ID-JAGs on four nodes with one Redis (draft-ietf-oauth-identity-assertion-authz-grant §4.4.1)", () => {
  it("RFC 7523 §3 (7): one that comes sixteen times at once is taken once", async () => {
    const server = await startRedis(["--save", "", "--appendonly", "no"])
    started.push(server)
    const stores = await Promise.all(Array.from({ length: 4 }, async () => (await redisStores((await server.connect()).send)).tokens))
    expect(await presentedAtOnce(stores)).toEqual(takenOnce)
  })
})
