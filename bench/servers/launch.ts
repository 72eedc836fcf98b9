import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { closeSync, existsSync, openSync, readFileSync } from "node:fs"
import { createServer } from "node:net"
import { cpus } from "node:os"
import type { Credentials } from "../load/browser.ts"
import { type Conversation, getting, membersOf, WrongAnswer } from "../load/conversation.ts"
import { hold } from "../load/run.ts"
import type { Place } from "../load/wire.ts"

/** A server under measurement. */
export interface Server extends Place {
  readonly name: string
  readonly pid: number
  /** Every process whose CPU counts: its own, and that of a proxy before it. */
  readonly pids: ReadonlyArray<number>
  readonly issuer: string
  /** The processes of its database, where that is a server of its own. */
  readonly database?: () => ReadonlyArray<number>
  /** True for a server that does only the work itself and knows no people. */
  readonly bare: boolean
  /** Its endpoints, as paths. */
  readonly paths: Paths
  /** Milliseconds from start to the first answer. */
  readonly startup: number
  /** The file its output goes to. */
  readonly log: string
  /** People who sign in over a connection. */
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

/** Command and settings of a server's start. */
export interface Start extends Place {
  readonly name: string
  /** Arguments of the runtime. */
  readonly args: ReadonlyArray<string>
  /** Its output, as a log that an operator keeps. */
  readonly log: string
  /** The core it is kept to, or a range of cores; the first when not given. */
  readonly core?: number | string
  readonly env?: Readonly<Record<string, string>>
  /** Request that is asked first, and again until it is answered; discovery when not given. */
  readonly first?: (() => Conversation) | undefined
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

/** Tells if servers and load are kept to cores of their own. */
export const pinning = cpus().length > 1 && existsSync(taskset)

/** Keeps this process to a core. */
export const pinSelf = (core: number): void => {
  if (pinning) execFileSync(taskset, ["-acp", String(core), String(process.pid)], { stdio: "ignore" })
}

/** Builds the command that starts a program of this runtime on a core. */
export const onCore = (core: number | string, args: ReadonlyArray<string>): readonly [string, ReadonlyArray<string>] =>
  pinning ? [taskset, ["-c", `${core}`, process.execPath, ...args]] : [process.execPath, args]

/** Starts a server and waits for its first answer. */
export const launch = async ({
  name,
  port,
  args,
  log,
  core = 0,
  env = {},
  certificate,
  first,
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
  const place = { port, ...(certificate === undefined ? {} : { certificate }) }
  try {
    let document: Readonly<Record<string, unknown>> = {}
    const discovered = function* (): Conversation {
      document = membersOf(yield getting(discovery), "discovery")
    }
    await firstAnswer(place, first ?? discovered, () => child.exitCode !== null)
    const startup = performance.now() - began
    if (first !== undefined) await hold(place, discovered())
    const pid = child.pid ?? 0
    return { name, ...place, log, pid, pids: [pid], startup, issuer: String(document["issuer"]), paths: pathsOf(document), stop, child }
  } catch (error) {
    await stop()
    throw new Error(`${name} did not start: ${String(error)}\n${readFileSync(log, "utf8").slice(-2000)}`, { cause: error })
  }
}

/** Asks until there is an answer, which must be right. */
const firstAnswer = async (place: Place, ask: () => Conversation, gone: () => boolean): Promise<void> => {
  for (const began = performance.now(); performance.now() - began < 120_000 && !gone();) {
    try {
      return await hold(place, ask())
    } catch (error) {
      if (error instanceof WrongAnswer) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, 2))
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
