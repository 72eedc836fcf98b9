import type { StoreUnavailable } from "@postern/adapter-cloudflare"
import { saveAccessToken, saveGrant, useOnce, uses } from "@postern/core/model"
import { sampleAccessToken, sampleGrant, sampleLocator, sampleTime } from "@postern/core/testing"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { apart, places } from "./places.ts"
import { patience, startWorkerd, type Workerd } from "./workerd.ts"

let workerd: Workerd
beforeAll(async () => {
  workerd = await startWorkerd()
}, patience)
afterAll(() => workerd?.end())

describe.each(places)("workerd that dies, with %s", (_, open) => {
  it(
    "R1: what was acknowledged is there after kill -9, nothing is spent twice or half done, and what was not acknowledged is uncertain",
    async () => {
      const options = apart()
      const acknowledged = new Set<number>()
      const errors: Array<StoreUnavailable> = []
      let at = 0
      for (let round = 0; round < 3; round++) {
        const { tokens } = await open(workerd.origin(), options)
        await Promise.all(
          Array.from({ length: 8 }, async () => {
            for (;;) {
              const mine = at++
              try {
                await tokens.commit([saveAccessToken(sampleAccessToken(mine)), useOnce(`once ${mine}`, sampleTime, sampleTime + 9)])
                acknowledged.add(mine)
              } catch (error) {
                errors.push(error as StoreUnavailable)
                return
              }
              if (acknowledged.size === 60 * (round + 1)) workerd.kill()
            }
          }),
        )
        await workerd.start()
      }
      expect(errors).toHaveLength(24)
      for (const error of errors) expect(error).toMatchObject({ name: "StoreUnavailable", code: "DISCONNECTED", uncertain: true })
      const { tokens } = await open(workerd.origin(), options)
      const found = await Promise.all(
        Array.from({ length: at }, async (_, each) => ({
          each,
          token: (await tokens.findAccessToken(sampleLocator(each))) !== undefined,
          use: (await tokens.find(uses, { key: `once ${each}` })) !== undefined,
        })),
      )
      expect(found.filter(({ token, use }) => token !== use)).toEqual([])
      expect(found.filter(({ each, token }) => acknowledged.has(each) && !token)).toEqual([])
      const again = await Promise.all(
        [...acknowledged].map(async (each) => tokens.commit([useOnce(`once ${each}`, sampleTime, sampleTime + 9)])),
      )
      expect(new Set(again)).toEqual(new Set(["Conflict"]))
      expect(acknowledged.size).toBeGreaterThanOrEqual(180)
    },
    patience,
  )

  it("law 7: a database that cannot be reached is an error that holds no value, and works again when it can be", async () => {
    const { tokens } = await open(workerd.origin(), apart())
    const before = workerd.origin()
    await tokens.commit([saveGrant(sampleGrant(1))])
    workerd.kill()
    const failed = await Promise.resolve(tokens.commit([saveGrant(sampleGrant(2))])).catch((error: unknown) => error)
    expect(failed).toMatchObject({ name: "StoreUnavailable", operation: "commit", code: "DISCONNECTED" })
    expect(String(failed)).not.toContain(sampleLocator(2))
    await expect(open(before, apart())).rejects.toMatchObject({ name: "DatabaseRefused", reason: "inaccessible" })
    await workerd.start()
  })
})
