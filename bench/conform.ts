import { spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { configurationAt, crossing, takingMessages, tellingPerson } from "../test/conformance/ownServer.ts"
import { freePort } from "./servers/launch.ts"
import { command, commandName } from "./servers/postern.ts"

// Prints the time that `postern conform` takes for every requirement, in process and over HTTP against a server of ours: `node bench/conform.ts [RUNS]`.
// Ends with 1 where one is slower than docs/testing.md says.

/** Seconds that a run may take. */
const most = { "in process": 10, "over HTTP": 90 } as const

/** Tells the CPU time of a process as it ends, beside its output. */
const telling = `data:text/javascript,${encodeURIComponent(
  'import { writeSync } from "node:fs"; process.on("exit", () => { const { user, system } = process.cpuUsage(); writeSync(3, String((user + system) / 1e6)) })',
)}`

interface Ran {
  readonly wall: number
  readonly cpu: number
  readonly summary: string
}

/** Runs the command to its end. */
const ran = (cwd: string, ...args: ReadonlyArray<string>): Promise<Ran> =>
  new Promise((resolve, reject) => {
    const began = performance.now()
    const child = spawn(process.execPath, ["--import", telling, command, ...args], { cwd, stdio: ["ignore", "ignore", "pipe", "pipe"] })
    const text = { said: "", cpu: "" }
    child.stderr?.on("data", (chunk: Buffer) => (text.said += chunk.toString()))
    child.stdio[3]?.on("data", (chunk: Buffer) => (text.cpu += chunk.toString()))
    child.once("error", reject)
    child.once("close", (code) => {
      const ended = {
        wall: (performance.now() - began) / 1000,
        cpu: Number(text.cpu),
        summary: /^.*\d pass(?:,| in ).*$/m.exec(text.said)?.[0].trim() ?? "",
      }
      if (code === 0) resolve(ended)
      else reject(new Error(`postern ${args.join(" ")} ended with ${code}\n${text.said}`))
    })
  })

/** Starts a server of ours with the clients of a folder; gives what stops it. */
const served = (cwd: string): Promise<() => Promise<void>> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [command, "serve"], { cwd, stdio: ["ignore", "ignore", "pipe"] })
    const ended = new Promise<void>((end) => child.once("close", () => end()))
    let said = ""
    child.stderr.on("data", (chunk: Buffer) => {
      said += chunk.toString()
      if (/^Ready\.$/m.test(said)) resolve(() => (child.kill(), ended))
    })
    child.once("error", reject)
    void ended.then(() => reject(new Error(`postern serve ended\n${said}`)))
  })

const inProcess = (cwd: string): Promise<Ran> => ran(cwd, "conform", "--in-process", "--allow-write")

const overHttp = async (cwd: string): Promise<Ran> => {
  await ran(cwd, "conform", "--prepare", ".")
  tellingPerson(cwd, "postern")
  takingMessages(cwd, await freePort())
  const issuer = `http://127.0.0.1:${await freePort()}`
  const grants = { token_exchange: true, id_jag: crossing(cwd) }
  writeFileSync(join(cwd, "postern.json"), JSON.stringify(configurationAt(issuer, { grants })), { mode: 0o600 })
  await ran(cwd, "client", "import", "clients.json")
  const stop = await served(cwd)
  try {
    return await ran(cwd, "conform", issuer, "--client-file", "client-file.json", "--allow-write")
  } finally {
    await stop()
  }
}

const median = (all: ReadonlyArray<number>): number => all.toSorted((one, other) => one - other)[Math.floor(all.length / 2)] ?? 0

const runs = Number(process.argv[2] ?? 3)
console.log(`postern conform with every requirement, by ${commandName} under Node ${process.version} (median of ${runs})`)
for (const [name, measure] of [
  ["in process", inProcess],
  ["over HTTP", overHttp],
] as const) {
  const all: Array<Ran> = []
  while (all.length < runs) {
    const cwd = mkdtempSync(join(tmpdir(), "postern-conform-"))
    try {
      all.push(await measure(cwd))
    } finally {
      rmSync(cwd, { recursive: true, force: true })
    }
  }
  const [wall, cpu] = [median(all.map((each) => each.wall)), median(all.map((each) => each.cpu))]
  console.log(
    `${name.padEnd(11)}${wall.toFixed(1).padStart(6)} s, ${cpu.toFixed(1)} s of CPU, of ${most[name]} s at the most: ${all.at(-1)?.summary ?? ""}`,
  )
  if (wall > most[name]) process.exitCode = 1
}
