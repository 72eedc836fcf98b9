import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import Sqlite from "better-sqlite3"
import { afterEach, describe, expect, it, vi } from "vitest"
import { type RunningServer, serve } from "../support/server.ts"
import { config, machineToken } from "./life.ts"
import { patience } from "./run.ts"

vi.setConfig({ testTimeout: 2 * patience })

let server: RunningServer | undefined
afterEach(async () => {
  await server?.stop("SIGKILL")
  server?.remove()
})

const served = async (): Promise<RunningServer> => (server = await serve(config))
const status = async (url: string, path: string): Promise<number> => (await fetch(url + path)).status

/** Asks until the answer is the one that is waited for; nothing else is sent meanwhile. */
const until = async (url: string, wanted: number): Promise<void> => {
  const end = Date.now() + patience
  while ((await status(url, "/health/ready")) !== wanted) {
    if (Date.now() > end) throw new Error(`/health/ready does not become ${wanted}`)
    await new Promise((next) => setTimeout(next, 50))
  }
}

/** Asks for everything that a server must still answer if it cannot write. */
const others = async (url: string): Promise<ReadonlyArray<number>> =>
  Promise.all(
    ["/health/live", "/.well-known/openid-configuration", "/.well-known/openid-configuration/jwks"].map((path) => status(url, path)),
  )

describe("a server that cannot write", () => {
  it.skipIf(!existsSync("/usr/bin/prlimit"))(
    "refused by the system (an I/O error): 503 with Retry-After, not ready but alive, and ready again by itself",
    async () => {
      const { url, process } = await served()
      expect((await machineToken(url)).status).toBe(200)
      expect(await status(url, "/health/ready")).toBe(200)
      const limit = (size: string) => execFileSync("prlimit", ["--pid", String(process.pid), `--fsize=${size}:`])
      limit("4096")
      const refused = await machineToken(url)
      expect([refused.status, refused.retryAfter, refused.json["access_token"]]).toEqual([503, expect.stringMatching(/^\d+$/), undefined])
      expect(await status(url, "/health/ready")).toBe(503)
      expect(await others(url)).toEqual([200, 200, 200])
      limit("unlimited")
      await until(url, 200)
      expect((await machineToken(url)).status).toBe(200)
    },
  )

  it("kept out by a lock: the same", async () => {
    const { url, folder } = await served()
    const other = new Sqlite(join(folder, "data", "postern.sqlite"))
    other.exec("BEGIN IMMEDIATE")
    expect((await machineToken(url)).status).toBe(503)
    expect(await status(url, "/health/ready")).toBe(503)
    expect(await others(url)).toEqual([200, 200, 200])
    other.exec("ROLLBACK")
    await until(url, 200)
    other.close()
  })
})
