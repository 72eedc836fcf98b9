import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { closeSync, existsSync, openSync, readFileSync } from "node:fs"
import { createServer } from "node:net"
import { cpus } from "node:os"
import type { Credentials } from "../load/browser.ts"

/** A server under measurement. */
export interface Server {
  readonly name: string
  readonly port: number
  readonly pid: number
  /** Whether it does only the work itself and knows no people. */
  readonly bare: boolean
  /** Its endpoints, as paths. */
  readonly paths: Paths
  /** Milliseconds from start to the first answer. */
  readonly startup: number
  /** The file its output goes to. */
  readonly log: string
  /** Who signs in over a connection. */
  readonly credentials: (connection: number) => Credentials
  readonly stop: () => Promise<void>
}

/** Paths of endpoints, by what discovery calls them. */
export interface Paths {
  readonly authorization: string
  readonly token: string
  readonly userinfo: string
  readonly introspection: string
  readonly revocation: string
  readonly device: string
  readonly jwks: string
  readonly discovery: string
}

/** How a server is started. */
export interface Start {
  readonly name: string
  readonly port: number
  /** What the runtime is started with. */
  readonly args: ReadonlyArray<string>
  /** Its output, as a log that an operator keeps. */
  readonly log: string
  /** The core it is kept to; the first when not given. */
  readonly core?: number
  readonly env?: Readonly<Record<string, string>>
}

const discovery = "/.well-known/openid-configuration"

/** A port that is free now. */
export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once("error", reject)
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

const taskset = "/usr/bin/taskset"

/** Whether servers and load are kept to cores of their own. */
export const pinning = cpus().length > 1 && existsSync(taskset)

/** Keeps this process to a core. */
export const pinSelf = (core: number): void => {
  if (pinning) execFileSync(taskset, ["-acp", String(core), String(process.pid)], { stdio: "ignore" })
}

/** What a program of this runtime is started with on a core. */
export const onCore = (core: number, args: ReadonlyArray<string>): readonly [string, ReadonlyArray<string>] =>
  pinning ? [taskset, ["-c", String(core), process.execPath, ...args]] : [process.execPath, args]

/** Starts a server and waits for its first answer. */
export const launch = async ({
  name,
  port,
  args,
  log,
  core = 0,
  env = {},
}: Start): Promise<Omit<Server, "bare" | "credentials"> & { readonly child: ChildProcess }> => {
  const output = openSync(log, "a")
  const began = performance.now()
  const [command, all] = onCore(core, args)
  // A cache of compiled code is each server's own affair; that of this workspace's tasks is not inherited.
  const environment = { ...process.env, NODE_COMPILE_CACHE: undefined, ...env }
  const child = spawn(command, all, { stdio: ["ignore", output, output], env: environment })
  closeSync(output)
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()))
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill("SIGTERM")
    const late = setTimeout(() => child.kill("SIGKILL"), 15_000)
    await exited
    clearTimeout(late)
  }
  try {
    const document = await firstAnswer(`http://127.0.0.1:${port}${discovery}`, () => child.exitCode !== null)
    const startup = performance.now() - began
    return { name, port, log, pid: child.pid ?? 0, startup, paths: pathsOf(document), stop, child }
  } catch {
    await stop()
    throw new Error(`${name} did not start: ${readFileSync(log, "utf8").slice(-2000)}`)
  }
}

const firstAnswer = async (url: string, gone: () => boolean): Promise<Readonly<Record<string, unknown>>> => {
  for (const began = performance.now(); performance.now() - began < 30_000 && !gone();) {
    const answer = await fetch(url).catch(() => undefined)
    if (answer?.ok === true) return (await answer.json()) as Readonly<Record<string, unknown>>
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  throw new Error("no answer")
}

const pathsOf = (document: Readonly<Record<string, unknown>>): Paths => {
  const path = (name: string): string => {
    const url = document[name]
    return typeof url === "string" ? new URL(url).pathname : "/missing"
  }
  return {
    authorization: path("authorization_endpoint"),
    token: path("token_endpoint"),
    userinfo: path("userinfo_endpoint"),
    introspection: path("introspection_endpoint"),
    revocation: path("revocation_endpoint"),
    device: path("device_authorization_endpoint"),
    jwks: path("jwks_uri"),
    discovery,
  }
}
