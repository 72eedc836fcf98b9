import { spawn } from "node:child_process"
import { mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type BuildOptions, build } from "esbuild"
import { least } from "./size/weigh.ts"

// Prints the CPU that workerd takes from its start to its first answer, for a provider and for an empty worker: `node bench/coldStart.ts` (Linux).

const require = createRequire(new URL("../test/package.json", import.meta.url))
const { default: workerd } = require("workerd") as { readonly default: string }

/** The rest of a program: a provider over the memory stores, whose signer is the named one. */
const setting = (signer: "joseSigner" | "joseJwsSigner"): string => `
import { generateKey, ${signer} } from "@postern/core/jose"
import { memoryAuthenticator, memoryClientStore, memoryTokenStore } from "@postern/core/memory"
const now = () => Math.floor(Date.now() / 1000)
const open = async () => {
  const keys = [await generateKey("ES256", { createdAt: now(), activeAt: now() })]
  return createProvider({ issuer: "https://op.example", features, clients: memoryClientStore([]), authenticator: memoryAuthenticator([]), tokens: memoryTokenStore(),
    signer: ${signer}({ keys: () => keys, now }), pages: { render: ({ _tag }) => _tag } })
}
let provider
export default { fetch: async () => (await (provider ??= open())).fetch(new Request("https://op.example/.well-known/openid-configuration")) }`

const programs: Readonly<Record<string, string>> = {
  "an empty worker": `export default { fetch: () => new Response("{}") }`,
  "the least that signs in": `import { createProvider, ${least.join(", ")} } from "@postern/core/provider"
const features = [${least.join(", ")}]${setting("joseJwsSigner")}`,
  "all features": `import { createProvider } from "@postern/core"
const features = undefined${setting("joseSigner")}`,
}

const config = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .main)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const main :Workerd.Worker = (modules = [(name = "worker.mjs", esModule = embed "worker.mjs")], compatibilityDate = "2026-11-01");
`

/** The CPU time of all threads of a process so far, in milliseconds. */
const cpuOf = async (pid: number): Promise<number> => {
  const tasks = await readdir(`/proc/${pid}/task`)
  const times = await Promise.all(tasks.map(async (task) => readFile(`/proc/${pid}/task/${task}/schedstat`, "utf8").catch(() => "0")))
  return times.reduce((sum, text) => sum + Number(text.split(" ")[0]) / 1e6, 0)
}

/** Starts a worker once, and returns the CPU until its first answer. */
const started = async (home: string): Promise<number> => {
  const child = spawn(workerd, ["serve", "--control-fd=3", join(home, "config.capnp")], { stdio: ["ignore", "ignore", "inherit", "pipe"] })
  try {
    const told = child.stdio[3]
    const port = await new Promise<number>((found, failed) => {
      child.once("exit", (code) => failed(new Error(`workerd ended with ${code}`)))
      told?.on("data", (data: Buffer) => {
        const [line] = data
          .toString()
          .split("\n")
          .filter((each) => each.includes('"listen"'))
        if (line !== undefined) found((JSON.parse(line) as { readonly port: number }).port)
      })
    })
    const answer = await fetch(`http://127.0.0.1:${port}/`)
    if (answer.status !== 200) throw new Error(`the worker answered ${answer.status}`)
    await answer.text()
    return await cpuOf(child.pid ?? 0)
  } finally {
    child.kill()
  }
}

const median = (all: ReadonlyArray<number>): number => all.toSorted((one, other) => one - other)[Math.floor(all.length / 2)] ?? 0

const times = Number(process.argv[2] ?? 9)
let empty: number | undefined
for (const [name, contents] of Object.entries(programs)) {
  const home = await mkdtemp(join(tmpdir(), "postern-cold-"))
  try {
    const stdin = { contents, resolveDir: fileURLToPath(new URL("./", import.meta.url)), sourcefile: "worker.js", loader: "js" } as const
    const shape: BuildOptions = {
      bundle: true,
      minify: true,
      format: "esm",
      platform: "neutral",
      mainFields: ["module", "main"],
      conditions: ["workerd", "worker", "browser"],
      target: "es2024",
    }
    await build({ ...shape, stdin, outfile: join(home, "worker.mjs"), logLevel: "error" })
    await writeFile(join(home, "config.capnp"), config)
    const took: Array<number> = []
    while (took.length < times) took.push(await started(home))
    const cpu = median(took)
    empty ??= cpu
    console.log(
      `${name.padEnd(26)}${cpu.toFixed(1).padStart(7)} ms of CPU, ${(cpu - empty).toFixed(1).padStart(5)} beside an empty worker (median of ${times})`,
    )
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}
