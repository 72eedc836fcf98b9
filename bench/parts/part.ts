import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Server } from "../servers/launch.ts"

const began = performance.now()

/** Says on stderr how far the benchmark is, with the seconds since it began. */
export const progress = (line: string): void =>
  void process.stderr.write(
    `${Math.round((performance.now() - began) / 1000)
      .toString()
      .padStart(4)} s  ${line}\n`,
  )

/** Processes that a part starts and that end with it. */
export interface Ground {
  /** A new folder of that name. */
  readonly folder: (name: string) => string
  /** Stops the server when the part ends. */
  readonly keep: (server: Promise<Server>) => Promise<Server>
  /** Does something when the part ends. */
  readonly atEnd: (end: () => unknown) => void
}

/** Runs a part on ground of its own; whatever it started is stopped and its files go, however it ends. */
export const grounded = async <A>(run: (ground: Ground) => Promise<A>): Promise<A> => {
  const home = mkdtempSync(join(tmpdir(), "postern-bench-"))
  const ends: Array<() => unknown> = [() => rmSync(home, { recursive: true, force: true })]
  const stop = async (): Promise<void> => {
    for (const end of ends.splice(0).reverse()) await end()
  }
  const interrupted = (): void => void stop().finally(() => process.exit(130))
  process.once("SIGINT", interrupted)
  process.once("SIGTERM", interrupted)
  try {
    return await run({
      folder: (name) => {
        const folder = join(home, name)
        mkdirSync(folder, { recursive: true })
        return folder
      },
      keep: async (server) => {
        const started = await server
        ends.push(started.stop)
        return started
      },
      atEnd: (end) => void ends.push(end),
    })
  } finally {
    process.off("SIGINT", interrupted)
    process.off("SIGTERM", interrupted)
    await stop()
  }
}
