import { spawn } from "node:child_process"
import { once } from "node:events"
import { describe, expect, it } from "vitest"
import { sqliteTokenStore } from "@postern/adapter-sqlite"
import { sampleLocator } from "@postern/core/testing"
import { runs } from "../tiers/tier.ts"
import { temporaryDatabase, temporaryPath } from "./support.ts"

/** Lets a writer commit until it has said so many lines, kills it, and answers with everything it said. */
const killedAfter = async (path: string, first: number, lines: number): Promise<ReadonlyArray<string>> => {
  const child = spawn(process.execPath, [new URL("writer.ts", import.meta.url).pathname, path, String(first)], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  let said = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text
    if (said.split("\n").length > lines) child.kill("SIGKILL")
  })
  const [, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null]
  expect(signal).toBe("SIGKILL")
  return said.split("\n").slice(0, -1)
}

describe("kill -9 while committing", () => {
  it("again and again: everything acknowledged is there, nothing is there by halves, and the next start goes on", async () => {
    const path = temporaryPath()
    const acknowledged: Array<string> = []
    const rounds = runs(8, 3)
    for (let round = 0; round < rounds; round++) {
      const first = round * 100_000
      acknowledged.push(...(await killedAfter(path, first, 20 + 13 * round)))
    }
    const database = temporaryDatabase(path)
    const store = sqliteTokenStore(database)
    expect(database.pragma("integrity_check", { simple: true })).toBe("ok")
    expect(acknowledged.length).toBeGreaterThan(runs(500, 90))
    for (const line of acknowledged) {
      const [what, order] = line.split(" ")
      const found = await store.findCode(sampleLocator(Number(order)))
      expect([line, found !== undefined, what === "saved" || found?.code.consumedAt !== undefined]).toEqual([line, true, true])
      expect(await store.findAccessToken(sampleLocator(Number(order)))).toBeDefined()
    }
    const counts = ["grants", "codes", "access_tokens"].map((table) => database.prepare(`SELECT count(*) FROM ${table}`).pluck().get())
    expect(new Set(counts).size).toBe(1)
  }, 60_000)
})
