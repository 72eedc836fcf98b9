import { spawn } from "node:child_process"
import { once } from "node:events"
import { createHash } from "node:crypto"
import { cpSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { createInterface } from "node:readline"
import { named, ownFolder, used } from "./ownFolder.ts"
import { command } from "./packed.ts"

/** Databases that stay; each is 200 kB. */
const most = 20

/** The members of a configuration that say which data its server keeps, and where. */
interface Configured {
  readonly data?: unknown
  readonly signing?: unknown
  readonly key_encryption_key?: unknown
}

/** Processes whose data is a copy: another one that runs beside them has keys of its own, as two providers have. */
let copies = 0

/**
 * Puts a database that an earlier start has made, with its tables and signing keys, where the first start of a server would make it: that is half of the CPU of a start. It does
 * nothing for a server that runs beside another with such a copy, since their keys would be the same, nor for one that keeps its data elsewhere, encrypts it or is not the
 * packed command. Answers with a function to call once the server has ended.
 */
export const prepareData = async (into: string, { data, signing, key_encryption_key: key }: Configured): Promise<() => void> => {
  const isUsual = (data === undefined || data === into) && key === undefined
  if (copies > 0 || !isUsual || existsSync(into) || !/[\\/]node_modules[\\/]/.test(command)) return () => undefined
  copies += 1
  cpSync(await madeFor(signing), into, { recursive: true })
  return () => void (copies -= 1)
}

/** The folder of the data that a start makes, made once a day for each command and each list of algorithms. */
const madeFor = async (signing: unknown): Promise<string> => {
  const [home, day] = [ownFolder("data"), new Date().toISOString().slice(0, 10)]
  const made = createHash("sha256")
    .update(JSON.stringify([readFileSync(import.meta.filename, "utf8"), command, day, signing]))
    .digest("hex")
  const place = join(home, made.slice(0, 16))
  if (!existsSync(place)) {
    const draft = mkdtempSync(join(home, "draft-"))
    const config = { issuer: "http://127.0.0.1:8080", development: true, listen: { port: 0 }, data: "data", signing }
    writeFileSync(join(draft, "postern.json"), JSON.stringify(config))
    await firstStart(draft)
    named(draft, place, most)
  }
  used(place)
  return join(place, "data")
}

const firstStart = async (cwd: string): Promise<void> => {
  const child = spawn(process.execPath, [command, "serve"], { cwd, stdio: ["ignore", "ignore", "pipe"] })
  const exit = once(child, "exit")
  for await (const line of createInterface({ input: child.stderr })) if (line === "Ready.") child.kill("SIGTERM")
  const [code] = (await exit) as [number | null]
  if (code !== 0) throw new Error(`a first start ended with ${String(code)} in ${dirname(cwd)}`)
}
