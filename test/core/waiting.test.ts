import type { Command } from "@postern/core"
import { memoryTokenStore } from "@postern/core/memory"
import { expect, test } from "vitest"
import { request } from "../support/flows.ts"
import { world } from "../support/world.ts"

/** The longest value of a parameter with which an authorization request is still kept, and what it costs then: the row, and the longest Location. */
const longest = async (parameter: string, unit: string, method: "GET" | "POST") => {
  const rows: Array<number> = []
  const store = memoryTokenStore()
  const kept = (commands: ReadonlyArray<Command>): void => {
    for (const each of commands) if (each.event === "SaveRequest") rows.push(Buffer.byteLength(JSON.stringify(each.row)))
  }
  const w = await world({ tokens: { ...store, commit: (commands) => (kept(commands), store.commit(commands)) } })
  const ask = async (count: number): Promise<boolean> => {
    const visitor = w.visitor()
    await visitor.get("/login")
    const asked = request("web", { [parameter]: unit.repeat(count) })
    const answer = method === "GET" ? await visitor.get("/connect/authorize", asked) : await visitor.post("/connect/authorize", asked)
    return answer.status === 303
  }
  let [good, bad] = [0, 20_000]
  while (bad - good > 1) {
    const middle = (good + bad) >> 1
    if (await ask(middle)) good = middle
    else bad = middle
  }
  return { good, row: Math.max(...rows) }
}

test.each([
  ["nonce", "n"],
  ["nonce", "€"],
  ["nonce", '"'],
  ["nonce", "\u0001"],
  ["nonce", "\ud800"],
  ["login_hint", "\\"],
  ["acr_values", "é"],
])(
  "RFC 9110 §17.5: a waiting request costs at most 10,000 bytes, whatever its %s is made of (%j)",
  { timeout: 60_000 },
  async (parameter, unit) => {
    for (const method of ["GET", "POST"] as const) {
      const { good, row } = await longest(parameter, unit, method)
      expect(good).toBeGreaterThan(800)
      expect(row).toBeLessThan(10_000)
    }
  },
)
