import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { sqliteStores } from "@postern/adapter-sqlite"
import { defaultFeatures, logoutMessage, type RegisteredClientRow, registeredClients, registration, rowKindsOf } from "@postern/core"
import { addMessage, buryMessage, claimMessage } from "@postern/core/model"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { folder, patience, postern } from "./run.ts"

vi.setConfig({ testTimeout: 2 * patience })

/** Flags of the runtime by which a command that makes several writes is interrupted after the second. */
const interruptedAt = (signal: string): ReadonlyArray<string> => [
  "--import",
  `data:text/javascript,${encodeURIComponent(`import { syncBuiltinESMExports } from "node:module"
    import timers from "node:timers/promises"
    const turn = timers.setImmediate
    let turns = 0
    timers.setImmediate = async () => {
      if (++turns === 2) {
        const handled = new Promise((resolve) => process.once("${signal}", resolve))
        process.kill(process.pid, "${signal}")
        await handled
      }
      await turn()
    }
    syncBuiltinESMExports()`)}`,
]

const kinds = rowKindsOf({ features: [...defaultFeatures, registration()] })

const placed = (config: object = {}) => {
  const { cwd, remove } = folder({ issuer: "https://id.example.com", ...config })
  onTestFinished(remove)
  return { cwd, stores: () => sqliteStores(join(cwd, "data", "postern.sqlite"), { kinds }) }
}

const again = "  run the same command again, which completes it\n"

describe.skipIf(process.platform === "win32").for(["SIGINT", "SIGTERM", "SIGHUP"])(
  "a command of several writes that is interrupted by %s stops after one of them, says how many were made, and is completed by another run",
  (signal) => {
    const flags = interruptedAt(signal)

    it("client import", async () => {
      const { cwd } = placed()
      const clients = Array.from({ length: 5 }, (_, at) => ({
        client_id: `c${at}`,
        redirect_uris: ["https://app.example.com/cb"],
        client_secret: "x".repeat(64),
      }))
      writeFileSync(join(cwd, "clients.json"), JSON.stringify(clients))
      const args = ["client", "import", "clients.json"]
      expect(await postern(args, { cwd, flags })).toEqual({
        code: 130,
        out: "",
        err: `postern: interrupted: 2 of 5 clients were imported\n${again}`,
      })
      expect(await postern(args, { cwd })).toEqual({ code: 0, out: "✓ 3 added, 2 replaced\n", err: "" })
    })

    it("registration clean", async () => {
      const { cwd, stores } = placed({ registration: {} })
      const opened = stores()
      const row = (at: number): RegisteredClientRow => ({
        clientId: `c${at}`,
        metadata: {},
        policy: {},
        stated: {},
        createdAt: 1,
        updatedAt: 1,
        consentsSince: 1,
        version: 1,
        keepUntil: 2,
      })
      await opened.tokens.commit(
        Array.from({ length: 250 }, (_, at) => ({ table: registeredClients.name, event: "RegisterClient", given: {}, row: row(at) })),
      )
      await opened.close()
      const args = ["registration", "clean", "--json"]
      expect(await postern(args, { cwd, flags })).toEqual({
        code: 130,
        out: "",
        err: `postern: interrupted: 200 clients were removed\n${again}`,
      })
      const { code, out } = await postern(args, { cwd })
      expect([code, JSON.parse(out)]).toEqual([0, expect.objectContaining({ removed: 50 })])
    })

    it("logout replay", async () => {
      const { cwd, stores } = placed()
      const opened = stores()
      for (let at = 0; at < 5; at++) {
        await opened.tokens.commit([addMessage(`m${at}`, logoutMessage, { client_id: "web", subject: "alice", sub: "alice", sid: "s" }, 1)])
        await opened.tokens.commit([claimMessage(`m${at}`, 0, "claim", 1, 10)])
        await opened.tokens.commit([buryMessage(`m${at}`, "claim", 2, 9_999_999_999, "refused with status 400")])
      }
      await opened.close()
      const args = ["logout", "replay", "--json"]
      expect(await postern(args, { cwd, flags })).toEqual({
        code: 130,
        out: "",
        err: `postern: interrupted: 2 logout tokens are due again\n${again}`,
      })
      const { code, out } = await postern(args, { cwd })
      expect([code, JSON.parse(out)]).toEqual([0, { replayed: 3 }])
    })
  },
)
