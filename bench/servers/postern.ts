import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { hashSync } from "@node-rs/argon2"
import type { Conversation } from "../load/conversation.ts"
import { asserting, certified, type DeclaredClient } from "./clients.ts"
import { freePort, launch, type Server } from "./launch.ts"
import type { Tls } from "./tls.ts"

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

const sources = here("../../packages/cli/src/main.ts")
const named = process.env["BENCH_COMMAND"]
const { command: bundled } = (await import(new URL("../../scripts/command.mjs", import.meta.url).href)) as {
  readonly command: (node: string) => string
}

/** Command that runs: a bundle of the sources as they are, as it is published. `BENCH_COMMAND` names another file. */
export const command = named ?? bundled(process.execPath)

/** Name of the command for the report. */
export const commandName =
  named === undefined ? (command === sources ? "its sources" : "a bundle, as it is published") : "a command of its own"

/** Settings of Postern's start. */
export interface PosternOptions {
  readonly name?: string
  /** A folder for its data, kept from start to start. */
  readonly folder: string
  /** Leaves password hashing out: each hash is verified once and then remembered. */
  readonly unhashed?: boolean
  /** Runs the sources and not the bundle. */
  readonly fromSources?: boolean
  /** The command's file, where it is another than {@link command}: an older bundle, to compare with. */
  readonly file?: string
  /** Flags of the runtime. */
  readonly flags?: ReadonlyArray<string>
  /** Another store than SQLite in the folder. */
  readonly data?: string
  /** The core it is kept to, or a range of cores. */
  readonly core?: number | string
  /** Number of worker processes; one process when not given. */
  readonly workers?: number
  readonly port?: number
  /** Its issuer, where several serve as one, or a proxy stands before it. */
  readonly issuer?: string
  /** The clients it declares, when they are others. */
  readonly clients?: ReadonlyArray<DeclaredClient>
  /** Serves https itself. */
  readonly tls?: Tls
  /** Serves as behind a proxy on this machine that passes the certificates of clients on, and has a client with one. */
  readonly certificates?: boolean
  /** Request that is asked first, in place of discovery. */
  readonly first?: () => Conversation
}

const people = 64
const password = "correct horse battery"

/** Postern as an operator starts it: `postern serve --config FILE`, everything at its default. */
export const postern = async ({
  name = "Postern",
  folder,
  unhashed = false,
  fromSources = false,
  file = fromSources ? sources : command,
  flags = [],
  data = join(folder, "data"),
  core = 0,
  port: wanted,
  issuer,
  clients,
  tls,
  certificates = false,
  first,
  workers,
}: PosternOptions): Promise<Server> => {
  const port = wanted ?? (await freePort())
  const own = issuer ?? `${tls === undefined ? "http" : "https"}://127.0.0.1:${port}`
  const config = configFile(
    folder,
    own,
    certificates ? [...usualClients, certified().client] : clients,
    tls,
    certificates ? behindProxy : {},
  )
  const without = unhashed ? ["--import", here("unhashed.mjs")] : []
  const log = join(folder, "postern.log")
  const server = await launch({
    name,
    port,
    args: [
      ...flags,
      ...without,
      file,
      "serve",
      "--config",
      config,
      "--port",
      String(port),
      "--data",
      data,
      ...(workers === undefined ? [] : ["--workers", String(workers)]),
    ],
    log,
    core,
    first,
    ...(tls === undefined ? {} : { certificate: tls.certificate }),
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

interface Config {
  readonly clients: ReadonlyArray<DeclaredClient>
  readonly users?: ReadonlyArray<unknown>
}

const base = JSON.parse(readFileSync(here("postern.json"), "utf8")) as Config

/** The clients that a server of the benchmark has when it is given no others. */
export const usualClients: ReadonlyArray<DeclaredClient> = [...base.clients, asserting]

const behindProxy = {
  mutual_tls_url: "https://mtls.bench.example",
  mutual_tls: { proxies: { form: "client-cert", from: ["127.0.0.1"] } },
}

const configFile = (folder: string, issuer: string, clients = usualClients, tls: Tls | undefined, more: object): string => {
  mkdirSync(folder, { recursive: true })
  const file = join(folder, "postern.json")
  const before = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Partial<Config>) : undefined
  // One hash at the cost Postern itself has, so that it is not renewed; the same in every start.
  const users = before?.users ?? declared(hashSync(password, { memoryCost: 19_456, timeCost: 2, parallelism: 1 }))
  const files = tls === undefined ? {} : { tls: { key_file: tls.keyFile, cert_file: tls.certificateFile } }
  const proxies = issuer.startsWith("https:") && tls === undefined ? { trusted_proxies: ["127.0.0.1"] } : {}
  writeFileSync(file, JSON.stringify({ ...base, ...files, ...proxies, ...more, clients, issuer, users }))
  return file
}

const declared = (hash: string): ReadonlyArray<unknown> =>
  Array.from({ length: people }, (_, at) => ({ username: `person-${at}`, password_hash: hash, claims: { name: `Person ${at}` } }))
