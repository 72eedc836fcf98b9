import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { JWK } from "jose"
import { pem } from "../cli/pem.ts"
import { command, freePort } from "./server.ts"

/** A client as a plan file of the suite has it. */
export interface PlanClient {
  readonly client_id: string
  readonly scope: string
  readonly jwks: { readonly keys: ReadonlyArray<JWK> }
  readonly hint_type?: string
  readonly hint_value?: string
}

/** A plan file of the suite. */
export interface Plan {
  readonly alias: string
  readonly server: { readonly discoveryUrl: string }
  readonly client: PlanClient
  readonly client2: PlanClient
  readonly mtls: { readonly cert: string; readonly key: string }
  readonly mtls2: Plan["mtls"]
  readonly resource: { readonly resourceUrl: string }
  readonly automated_ciba_approval_url?: string
}

const files = new URL("../certification/fapi2/", import.meta.url)

/** The text of a file of the FAPI plans. */
export const planText = (name: string): string => readFileSync(new URL(name, files), "utf8")

/** The program that answers CIBA requests for the suite. */
export const approveFile = new URL("approve.mjs", files).pathname

/** A provider with the configuration of the FAPI plans, at ports of its own. */
export interface PlanServer {
  readonly port: number
  /** Moves a text of the plans to the ports of this run. */
  readonly placed: (text: string) => string
  /** The folder with `postern.json` and `cert.pem`. */
  readonly folder: string
  readonly stop: () => Promise<void>
}

/** Resolves when a process has written a text; rejects with its output when it ends before, or after 30 seconds. */
export const said = (child: ChildProcess, text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    let output = ""
    const fail = (how: string): void => reject(new Error(`${how} before it said ${text}: ${output}`))
    const late = setTimeout(() => fail("30 seconds passed"), 30_000)
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (chunk: Buffer) => {
        output += chunk.toString()
        if (!output.includes(text)) return
        clearTimeout(late)
        resolve()
      })
    child.once("exit", () => {
      clearTimeout(late)
      fail("it ended")
    })
  })

/** Ends a process, by force after ten seconds, and waits for that. */
export const ended = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const end = new Promise((resolve) => child.once("exit", resolve))
  const late = setTimeout(() => child.kill("SIGKILL"), 10_000)
  child.kill("SIGTERM")
  await end
  clearTimeout(late)
}

/** Starts the provider of the FAPI plans, where a CIBA client may poll each second; `moved` may change the text of its configuration first. */
export const servePlans = async (moved: (text: string) => string = (text) => text): Promise<PlanServer> => {
  const folder = mkdtempSync(join(tmpdir(), "postern-plans-"))
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text, { mode: 0o600 })
    return join(folder, name)
  }
  const [port, mutual] = [await freePort(), await freePort()]
  const placed = (text: string): string =>
    moved(text.replaceAll("localhost:9443", `localhost:${port}`).replaceAll("localhost:9444", `localhost:${mutual}`))
  const planned = JSON.parse(placed(planText("postern.json"))) as Readonly<Record<string, unknown>> & { readonly ciba: object }
  const config = {
    ...planned,
    ciba: { ...planned.ciba, polling_interval: 1 },
    listen: { host: "127.0.0.1", port },
    tls: { key_file: write("key.pem", pem.key), cert_file: write("cert.pem", pem.cert) },
    mutual_tls: { listen: { host: "127.0.0.1", port: mutual } },
    data: join(folder, "data"),
  }
  const file = write("postern.json", JSON.stringify(config))
  const server = spawn(process.execPath, [command, "serve", "--config", file], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] })
  const stop = async (): Promise<void> => {
    await ended(server)
    rmSync(folder, { recursive: true, force: true })
  }
  await said(server, '"mutual_tls":"https://127.0.0.1:').catch(async (error: unknown) => {
    await stop()
    throw error
  })
  return { port, placed, folder, stop }
}
