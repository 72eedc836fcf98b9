import { type ChildProcess, spawn } from "node:child_process"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import type { Bundle } from "./bundle.ts"
import type { Run } from "./flow.ts"

/** A runtime's account of itself and of the flow. */
export interface Told extends Run {
  readonly agent: string
}

/** A runtime: what it calls itself, and how it runs a bundle. */
export interface Runtime {
  readonly name: string
  readonly agent: string
  readonly tell: (bundle: Bundle) => Promise<Told>
}

/** Longest time any of them may take, in milliseconds. */
export const longest = 60_000

const require = createRequire(import.meta.url)
const packageOf = (name: string): string => dirname(require.resolve(`${name}/package.json`))
const versionOf = (name: string): string => (require(`${name}/package.json`) as { readonly version: string }).version

/** Nothing of the developer's own: no caches, no settings, nothing fetched. */
const environment = ({ directory }: Bundle): Record<string, string> => ({
  PATH: process.env["PATH"] ?? "",
  HOME: directory,
  DENO_DIR: join(directory, "deno"),
  DENO_NO_UPDATE_CHECK: "1",
  DO_NOT_TRACK: "1",
  BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0",
  NO_COLOR: "1",
})

const textOf = (stream: NodeJS.ReadableStream | null): { readonly text: () => string } => {
  let text = ""
  stream?.setEncoding("utf8").on("data", (piece: string) => (text += piece))
  return { text: () => text }
}

/** Ends a process and what it started. */
const end = ({ pid, exitCode, signalCode }: ChildProcess): void => {
  if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, "SIGKILL")
}

const finished = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve, reject) => child.on("error", reject).on("close", resolve))

const within = async <A>(child: ChildProcess, work: Promise<A>): Promise<A> => {
  const timer = setTimeout(() => end(child), longest - 5000)
  try {
    return await work
  } finally {
    clearTimeout(timer)
    end(child)
  }
}

/** Runs a program that prints what it has to say. */
const printed = (bundle: Bundle, command: string, args: ReadonlyArray<string>): Promise<Told> => {
  const child = spawn(command, [...args, bundle.program], {
    cwd: bundle.directory,
    env: environment(bundle),
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  })
  const [out, err] = [textOf(child.stdout), textOf(child.stderr)]
  const read = async (): Promise<Told> => {
    const code = await finished(child)
    if (code !== 0) throw new Error(`${command} ended with ${code}: ${err.text()}`)
    return JSON.parse(out.text())
  }
  return within(child, read())
}

/** Serves the bundle on a free port of this machine, and asks it. */
const served = (bundle: Bundle, command: string): Promise<Told> => {
  const args = ["serve", "--control-fd=3", join(bundle.directory, "config.capnp")]
  const child = spawn(command, args, {
    cwd: bundle.directory,
    env: environment(bundle),
    detached: true,
    stdio: ["ignore", "ignore", "pipe", "pipe"],
  })
  const err = textOf(child.stderr)
  const ask = async (): Promise<Told> => {
    const port = await Promise.race([listening(child), finished(child)])
    if (port === null || port === 0) throw new Error(`${command} did not start: ${err.text()}`)
    const response = await fetch(`http://127.0.0.1:${port}/`)
    if (response.status !== 200) throw new Error(`${command} answered ${response.status}: ${await response.text()} ${err.text()}`)
    return (await response.json()) as Told
  }
  return within(child, ask())
}

/** The port that workerd says it listens on, on its control pipe. */
const listening = (child: ChildProcess): Promise<number> =>
  new Promise((resolve) => {
    let told = ""
    const control = child.stdio[3]
    if (control !== null && control !== undefined && "setEncoding" in control) {
      control.setEncoding("utf8").on("data", (piece: string) => {
        told += piece
        const [, port] = /"event":"listen".*"port":(\d+)/.exec(told) ?? []
        if (port !== undefined) resolve(Number(port))
      })
    }
  })

/** The runtimes core is for, as the lock file pins them. */
export const runtimes: ReadonlyArray<Runtime> = [
  {
    name: "Node",
    agent: `Node.js/${process.versions.node.split(".")[0]}`,
    tell: (bundle) => printed(bundle, process.execPath, ["--permission", `--allow-fs-read=${bundle.directory}`]),
  },
  {
    name: "Bun",
    agent: `Bun/${versionOf("bun")}`,
    tell: (bundle) => printed(bundle, join(packageOf("bun"), "bin", "bun.exe"), ["--no-install", "run"]),
  },
  {
    name: "Deno",
    agent: `Deno/${versionOf("deno")}`,
    // No --allow of any kind: core needs no permission.
    tell: (bundle) =>
      printed(bundle, process.execPath, [
        join(packageOf("deno"), "bin.cjs"),
        "run",
        "--no-remote",
        "--no-npm",
        "--no-config",
        "--no-lock",
        "--no-prompt",
      ]),
  },
  {
    name: "workerd",
    agent: "Cloudflare-Workers",
    tell: (bundle) => served(bundle, (require("workerd") as { readonly default: string }).default),
  },
]
