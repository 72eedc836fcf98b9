import { breaker } from "@postern/adapter-http"
import { describe, expect, onTestFinished, test } from "vitest"
import { type Discovered, type Providers, providersOf } from "../../packages/adapter-http/src/upstream/provider.ts"
import { type Scripted, scripted } from "./scripted.ts"

const started = async (): Promise<{ readonly at: { now: number }; readonly there: Scripted; readonly providers: Providers }> => {
  const there = await scripted("postern")
  onTestFinished(there.close)
  const at = { now: 1_000_000 }
  const corp = { name: "corp", issuer: there.issuer, clientId: "postern", authentication: { method: "none" } } as const
  return { at, there, providers: providersOf([corp], breaker(), () => at.now) }
}

describe("the metadata of another provider (OpenID Connect Discovery §4)", () => {
  test("is read again after an hour, by a clock that nobody sets back", async () => {
    const { at, there, providers } = await started()
    const first = await providers.find("corp")
    at.now += 3_599_999
    expect(await providers.find("corp")).toBe(first)
    at.now += 1
    expect(await providers.find("corp")).not.toBe(first)
    expect(there.asked).toHaveLength(2)
  })

  test("stays where an earlier attempt, which was forgotten, fails after it", async () => {
    const { there, providers } = await started()
    let again: Promise<Discovered> | undefined
    Object.defineProperty(there.script, "padding", {
      get: () => {
        if (again !== undefined) return 0
        providers.forget("corp")
        again = providers.find("corp")
        return 300_000
      },
    })
    await expect(providers.find("corp")).rejects.toThrow()
    const found = await again
    expect(await providers.find("corp")).toBe(found)
    expect(there.asked).toHaveLength(2)
  })
})
