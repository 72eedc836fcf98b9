import { existsSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { hashSync } from "@node-rs/argon2"
import { freePort, launch, type Server } from "./launch.ts"

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

const built = here("../../packages/cli/dist/main.js")
const sources = here("../../packages/cli/src/main.ts")

/** When the last of the packages' sources was changed. */
const changed = (): number =>
  Math.max(...globSync("../../packages/*/src/**/*.{ts,liquid,json}", { cwd: here(".") }).map((file) => statSync(here(file)).mtimeMs))

const named = process.env["BENCH_COMMAND"]
const wantsSources = named === undefined && process.env["BENCH_SOURCES"] !== undefined
const isBuilt = existsSync(built)
const isStale = isBuilt && statSync(built).mtimeMs < changed()

/** Which command runs: the built one where it is newer than its sources, else the sources. `BENCH_SOURCES=1` asks for them, `BENCH_COMMAND` names a file. */
export const command = named ?? (isBuilt && !isStale && !wantsSources ? built : sources)

/** What was run, for the report. */
export const commandName =
  command === built
    ? "the built command"
    : command !== sources
      ? "a command of its own"
      : isStale && !wantsSources
        ? "sources, newer than what is built"
        : "sources"

/** How Postern is started. */
export interface PosternOptions {
  readonly name?: string
  /** A folder for its data, kept from start to start. */
  readonly folder: string
  /** Leaves password hashing out: each hash is verified once and then remembered. */
  readonly unhashed?: boolean
  /** Runs the sources even where there is a built command. */
  readonly fromSources?: boolean
  /** Flags of the runtime. */
  readonly flags?: ReadonlyArray<string>
  /** Another store than SQLite in the folder. */
  readonly data?: string
  readonly core?: number
  readonly port?: number
  /** Its issuer, where several serve as one. */
  readonly issuer?: string
}

const people = 64
const password = "correct horse battery"

/** Postern as an operator starts it: `postern serve --config FILE`, everything at its default. */
export const postern = async ({
  name = "Postern",
  folder,
  unhashed = false,
  fromSources = false,
  flags = [],
  data = join(folder, "data"),
  core = 0,
  port: wanted,
  issuer,
}: PosternOptions): Promise<Server> => {
  const port = wanted ?? (await freePort())
  const config = configFile(folder, issuer ?? `http://127.0.0.1:${port}`)
  const without = unhashed ? ["--import", here("unhashed.mjs")] : []
  const log = join(folder, "postern.log")
  const server = await launch({
    name,
    port,
    args: [...flags, ...without, fromSources ? sources : command, "serve", "--config", config, "--port", String(port), "--data", data],
    log,
    core,
  })
  return { ...server, bare: false, credentials: (connection) => ({ username: `person-${connection % people}`, password }) }
}

/** Runs another of Postern's commands on the same data, as an operator would while it serves. */
export const posternArgs = (folder: string, ...args: ReadonlyArray<string>): ReadonlyArray<string> => [
  command,
  ...args,
  "--config",
  join(folder, "postern.json"),
  "--data",
  join(folder, "data"),
]

const configFile = (folder: string, issuer: string): string => {
  mkdirSync(folder, { recursive: true })
  const file = join(folder, "postern.json")
  const before = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as { users?: unknown }) : undefined
  // One hash at the cost Postern itself has, so that it is not renewed; the same in every start.
  const users = before?.users ?? declared(hashSync(password, { memoryCost: 19_456, timeCost: 2, parallelism: 1 }))
  const config = { ...(JSON.parse(readFileSync(here("postern.json"), "utf8")) as object), issuer, users }
  writeFileSync(file, JSON.stringify(config))
  return file
}

const declared = (hash: string): ReadonlyArray<unknown> =>
  Array.from({ length: people }, (_, at) => ({ username: `person-${at}`, password_hash: hash, claims: { name: `Person ${at}` } }))
