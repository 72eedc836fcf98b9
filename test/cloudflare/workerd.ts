import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"
import { Log, LogLevel, Miniflare, type MiniflareOptions } from "miniflare"

/** The tests' worker in workerd, with its D1 and its objects in a folder of their own. */
export interface Workerd {
  /** Its address: another one after each start. */
  readonly origin: () => string
  /** Its process. */
  readonly pid: () => number
  /** Kills workerd, as a crash of the process would. */
  readonly kill: () => void
  /** Starts it on what it has kept. */
  readonly start: () => Promise<void>
  readonly end: () => Promise<void>
}

/** The time that anything may take which starts workerd: a busy machine needs more than a test has. */
export const patience = 120_000

/** Bundles a worker as an embedder would. */
export const bundled = async (entry: string): Promise<string> => {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    target: "es2024",
    external: ["cloudflare:workers"],
    logLevel: "silent",
  })
  return outputFiles[0]?.text ?? ""
}

/** Process ids of the workerd that this process started. */
const ours = (): ReadonlyArray<number> =>
  spawnSync("pgrep", ["-P", String(process.pid), "workerd"], { encoding: "utf8" })
    .stdout.split("\n")
    .filter(Boolean)
    .map(Number)

/** Starts workerd with the tests' worker. */
export const startWorkerd = async (): Promise<Workerd> => {
  const home = mkdtempSync(join(tmpdir(), "postern-cloudflare-"))
  const script = await bundled(fileURLToPath(new URL("worker.ts", import.meta.url)))
  const options: MiniflareOptions = {
    host: "127.0.0.1",
    port: 0,
    cf: false,
    resourcePersistencePath: home,
    log: new Log(LogLevel.NONE),
    workers: [
      {
        config: {
          name: "stores",
          compatibilityDate: "2026-11-01",
          manifest: { mainModule: "worker.mjs", modulesRoot: home, modules: { "worker.mjs": { type: "esm", contents: script } } },
          env: { DB: { type: "d1", id: "postern" }, STORE: { type: "durable-object", worker: "stores", exportName: "PosternStore" } },
          exports: { PosternStore: { type: "durable-object", storage: "sqlite" } },
        },
        dev: { rootPath: home },
      },
    ],
  }
  let running: { readonly simulator: Miniflare; readonly origin: string; readonly pid: number } | undefined
  const start = async (): Promise<void> => {
    await running?.simulator.dispose()
    const before = ours()
    const simulator = new Miniflare(options)
    const { origin } = await simulator.ready
    running = { simulator, origin, pid: ours().find((pid) => !before.includes(pid)) ?? 0 }
  }
  await start()
  return {
    origin: () => running?.origin ?? "",
    pid: () => running?.pid ?? 0,
    kill: () => void process.kill(running?.pid ?? 0, "SIGKILL"),
    start,
    end: async () => {
      await running?.simulator.dispose()
      rmSync(home, { recursive: true, force: true })
    },
  }
}
