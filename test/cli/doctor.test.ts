import { addMessage, buryMessage, claimMessage, saveAccessToken } from "@postern/core/model"
import { execFileSync } from "node:child_process"
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { X509Certificate } from "node:crypto"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import Sqlite from "better-sqlite3"
import { sqliteStores } from "@postern/adapter-sqlite"
import { sampleAccessToken, sampleLocator } from "@postern/core/testing"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { checkedTls } from "../../packages/cli/src/doctor/tls.ts"
import { command, freePort, start } from "../support/server.ts"
import { diskFolder } from "../tiers/memoryFolder.ts"
import { machineToken, config as withClients } from "./life.ts"
import { pem } from "./pem.ts"
import { posternLine as postern } from "./lines.ts"
import { patience, type Ran } from "./run.ts"

// A database in memory is one of the things that the doctor warns of.
process.env["TMPDIR"] = diskFolder()

// Each test starts processes, some several.
vi.setConfig({ testTimeout: 2 * patience })

interface Check {
  readonly check: string
  readonly state: "ok" | "warning" | "fault"
  readonly message: string
  readonly hint: string | null
}

interface Options {
  readonly config?: object
  readonly env?: Readonly<Record<string, string>>
  readonly parent?: string
}

/** A folder with a configuration and, unless it is left out, a database. */
const setting = ({ config = {}, env = {}, parent = tmpdir() }: Options = {}) => {
  const cwd = mkdtempSync(join(parent, "postern-doctor-"))
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
  const configure = (more: object): void =>
    writeFileSync(
      join(cwd, "postern.json"),
      JSON.stringify({ issuer: "http://127.0.0.1:8080", development: true, listen: { port: 0 }, data: "data", ...more }),
    )
  configure(config)
  const database = join(cwd, "data", "postern.sqlite")
  const run = (args: ReadonlyArray<string>, more: { readonly input?: string; readonly env?: Record<string, string> } = {}): Promise<Ran> =>
    postern(args, { cwd, ...more, env: { ...env, ...more.env } })
  /** Finds the checks that fail, by name, with the exit code. Keys that are not encrypted are another test's. */
  const found = async (...args: ReadonlyArray<string>) => {
    const { code, out } = await run(["doctor", "--json", ...args])
    const { checks, healthy } = JSON.parse(out) as { readonly checks: ReadonlyArray<Check>; readonly healthy: boolean }
    expect(healthy).toBe(code === 0)
    for (const { state, hint } of checks) expect(hint === null).toBe(state === "ok")
    return {
      code,
      bad: Object.fromEntries(
        checks
          .filter(({ state, message }) => state !== "ok" && !message.includes("key_encryption_key is not set"))
          .map((each) => [each.check, each]),
      ),
    }
  }
  const change = (sql: string, ...given: ReadonlyArray<string | number>): void => {
    const opened = new Sqlite(database)
    opened.prepare(sql).run(...given)
    opened.close()
  }
  const make = (): void => void sqliteStores(database).close()
  return { cwd, database, configure, run, found, change, make }
}

const aFault = (message: string, hint: string | RegExp = "") => ({
  state: "fault",
  message: expect.stringContaining(message),
  hint: expect.stringMatching(hint),
})
const aWarning = (message: string, hint: string | RegExp = "") => ({ ...aFault(message, hint), state: "warning" })

const now = (): number => Math.floor(Date.now() / 1000)
const day = 86_400

describe("postern doctor", () => {
  it("finds nothing wrong with a provider that runs, in a line for each check, and exits with 0", async () => {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const { cwd, run } = setting({ config: { issuer: url, listen: { port }, key_encryption_key: { file: "sealing.key" } } })
    writeFileSync(join(cwd, "sealing.key"), "q83vEjRWeJASNFZ4kBI0VniQEjRWeJASNFZ4kBI0Vng=", { mode: 0o600 })
    const server = await start(["serve"], url, cwd)
    const { code, out, err } = await run(["doctor", "--strict"])
    expect(await server.stop()).toBe(0)
    expect([code, err]).toEqual([0, ""])
    const lines = out.trimEnd().split("\n")
    expect(lines.at(-1)).toBe("No problems found.")
    expect(lines.slice(0, -2).map((line) => line.split(/\s+/).slice(0, 2).join(" "))).toEqual(
      [
        "configuration",
        "disk.space",
        "database.file",
        "database.log",
        "database.integrity",
        "database.schema",
        "database.lock",
        "clock",
        "database.sweeping",
        "outbox",
        "keys",
        "clients",
        "backup",
        "server",
      ].map((check) => `✓ ${check}`),
    )
    expect(out).toContain(`a Postern server answers on port ${port} of 127.0.0.1, and is ready`)
  })

  it("a configuration with faults: each of them, with its place; the database only where --data names it", async () => {
    const { run, found, make } = setting({ config: { trial: "all" } })
    make()
    const { code, out, err } = await run(["doctor"])
    expect([code, err]).toEqual([1, "postern: 1 fault, 1 warning\n"])
    expect(out).toMatch(/^✗ configuration +postern\.json:1:\d+ trial is not a known key\n +did you mean trail\?\n! configuration /)
    expect((await found("--data", "data")).bad).toMatchObject({ configuration: aFault("trial"), backup: aWarning("none was made") })
  })

  it("no database yet is a warning: 0, and 1 with --strict", async () => {
    const { found, database } = setting()
    expect(await found()).toEqual({ code: 0, bad: { "database.file": expect.objectContaining(aWarning("no database at", "restore")) } })
    expect((await found("--strict")).code).toBe(1)
    expect(existsSync(database)).toBe(false)
  })

  it("a configuration that works and should not stay so: a warning for each, as check-config has it; 1 with --strict", async () => {
    const { cwd, run, make } = setting({
      config: {
        clients: [{ client_id: "web", client_secret: "s3cret", redirect_uris: ["https://app.example/cb"] }],
        users: [{ username: "alice", password: "wonderland" }],
      },
    })
    make()
    chmodSync(join(cwd, "postern.json"), 0o644)
    const { code, out } = await run(["doctor", "--json"])
    const { checks } = JSON.parse(out) as { readonly checks: ReadonlyArray<Check> }
    expect(code).toBe(0)
    expect(checks.filter(({ check }) => check === "configuration")).toEqual(
      [
        "mode 0644",
        "signing keys are stored unencrypted",
        "clients[0].client_secret has less than 128 bits",
        "users[0].password could be guessed",
      ].map((message) => expect.objectContaining(aWarning(message))),
    )
    expect((await run(["doctor", "--strict"])).code).toBe(1)
  })

  it("a file that others may open", async () => {
    const { found, make, database } = setting()
    make()
    chmodSync(database, 0o644)
    expect(await found()).toMatchObject({ code: 0, bad: { "database.mode": aWarning("users other than its owner", "chmod 600") } })
    expect(statSync(database).mode & 0o777).toBe(0o644)
  })

  const isRoot = process.getuid?.() === 0
  it.skipIf(isRoot && !existsSync("/usr/bin/setpriv"))(
    "a file that this user cannot write to; and serve refuses it in a line",
    async () => {
      const { cwd, make, database } = setting()
      make()
      chmodSync(database, 0o400)
      // Root without its privilege over files is a user like any other.
      const run = (...args: ReadonlyArray<string>): { readonly status: unknown; readonly stdout: string; readonly stderr: string } => {
        const [file = "", ...rest] = [
          ...(isRoot ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] : []),
          process.execPath,
          command,
          ...args,
        ]
        try {
          execFileSync(file, rest, { cwd, encoding: "utf8", env: { ...process.env, NO_COLOR: "1" }, stdio: "pipe", timeout: patience })
        } catch (error) {
          // Error of execFileSync at another exit code than 0.
          return error as ReturnType<typeof run>
        }
        throw new Error("it did not fail")
      }
      const looked = run("doctor")
      expect([looked.status, looked.stdout]).toEqual([
        1,
        expect.stringContaining(`✗ database.permission  this user cannot write to ${database}\n`),
      ])
      const started = run("serve")
      expect([started.status, started.stderr]).toEqual([
        1,
        expect.stringMatching(/^postern: \S+postern\.sqlite: this user cannot write to it.*\n$/),
      ])
      chmodSync(database, 0o000)
      expect(run("serve").stderr).toMatch(/^postern: \S+postern\.sqlite: the file cannot be opened.*\n$/)
      expect(run("doctor").stdout).toContain("✗ database.inaccessible")
      // A folder that this user may not search: the database is not missing.
      chmodSync(dirname(database), 0o000)
      try {
        const unreachable = /^postern: \S+postern\.sqlite: the file cannot be reached; [^\n]*\(EACCES\)\n$/
        for (const args of [["serve"], ["user", "list"], ["keys", "rotate"], ["backup", "x.backup"]])
          expect(run(...args).stderr, args.join(" ")).toMatch(unreachable)
        const { stdout } = run("doctor")
        expect(stdout).toContain("✗ database.inaccessible")
        expect(stdout).not.toContain("no database at")
        chmodSync(dirname(database), 0o700)
        chmodSync(database, 0o600)
        mkdirSync(join(cwd, "closed"), { mode: 0o000 })
        expect(run("backup", "closed/x.backup").stderr).toMatch(/^postern: \S+x\.backup: the file cannot be reached; [^\n]*\(EACCES\)\n$/)
      } finally {
        chmodSync(dirname(database), 0o700)
      }
    },
  )

  it("a damaged page", async () => {
    const { found, make, database } = setting()
    make()
    const content = readFileSync(database)
    writeFileSync(database, content.fill(0, 3 * 4096, 4 * 4096))
    expect(await found()).toMatchObject({ code: 1, bad: { "database.damaged": aFault("is damaged", "postern restore BACKUP --force") } })
  })

  it("an index that misses a row, which reading its pages alone does not show", async () => {
    const { found, make, database, change } = setting()
    make()
    const opened = new Sqlite(database)
    opened.unsafeMode()
    opened.pragma("writable_schema = ON")
    const index = opened.prepare("SELECT * FROM sqlite_schema WHERE name = 'sessions_of_subject'").get() as Record<string, string>
    opened.prepare("DELETE FROM sqlite_schema WHERE name = ?").run(index["name"])
    opened.close()
    change(
      "INSERT INTO sessions (locator, digest, subject, auth_time, amr, agent, created_at, seen_at, expires_at, keep_until) VALUES ('0000000000000001', 'd', 's', 1, '[]', 'a', 1, 1, 9999999999, 9999999999)",
    )
    const again = new Sqlite(database)
    again.unsafeMode()
    again.pragma("writable_schema = ON")
    again.prepare("INSERT INTO sqlite_schema VALUES (:type, :name, :tbl_name, :rootpage, :sql)").run(index)
    again.close()
    expect(await found()).toMatchObject({ code: 1, bad: { "database.integrity": aFault("missing from index", "then check the disk") } })
  })

  it("another program's database, a backup, and a newer schema", async () => {
    const { cwd, found, make, database, change, run } = setting()
    make()
    expect(await run(["backup", "copy.backup"])).toMatchObject({ code: 0 })
    change("PRAGMA user_version = 99")
    expect((await found()).bad).toMatchObject({ "database.newer": aFault("version 99", "from before the upgrade") })
    change("PRAGMA application_id = 7")
    expect((await found()).bad).toMatchObject({ "database.foreign": aFault("another program", "--data DIR") })
    copyFileSync(join(cwd, "copy.backup"), database)
    expect((await found()).bad).toMatchObject({ "database.foreign": aFault("this is a backup", "postern restore BACKUP") })
  })

  it("a write lock that another process keeps, and a lock on everything", async () => {
    const { found, make, database } = setting()
    make()
    const other = new Sqlite(database)
    other.exec("BEGIN IMMEDIATE")
    expect(await found()).toMatchObject({ code: 1, bad: { "database.lock": aFault("held the write lock", "fuser -v") } })
    other.exec("ROLLBACK")
    other.pragma("journal_mode = DELETE")
    other.exec("BEGIN EXCLUSIVE")
    expect((await found()).bad).toMatchObject({ "database.locked": aFault("keeps the file locked", "fuser -v") })
    other.close()
  })

  it.skipIf(!existsSync("/dev/shm"))("a file system in memory", async () => {
    const { found, make } = setting({ parent: "/dev/shm" })
    make()
    expect((await found()).bad).toMatchObject({ "disk.kind": aWarning("tmpfs, which is memory", "lost when this machine restarts") })
  })

  it.skipIf(!isRoot)("a disk that is full", async () => {
    const mount = mkdtempSync(join(tmpdir(), "postern-small-"))
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=4m", "tmpfs", mount])
    onTestFinished(() => {
      execFileSync("umount", ["-l", mount])
      rmSync(mount, { recursive: true })
    })
    const { found, make } = setting({ parent: mount })
    make()
    expect(await found()).toMatchObject({ code: 1, bad: { "disk.space": aFault("MiB free in", "free space now") } })
  })

  it("a clock that went back, by the file's time and by its rows", async () => {
    const { found, make, change, database } = setting()
    make()
    utimesSync(database, now() + 7000, now() + 7000)
    expect(await found()).toMatchObject({ code: 1, bad: { clock: aFault("the clock went back 1 hour", "NTP") } })
    change("INSERT INTO users VALUES ('s', 'a', 'a', NULL, '{}', 0, NULL, 'command', ?, ?)", now(), now() + 3 * day + 100)
    expect((await found()).bad).toMatchObject({ clock: aFault("the clock went back 3 days") })
  })

  it("expired rows that nobody sweeps, and a long log", async () => {
    const { found, database } = setting()
    const stores = sqliteStores(database)
    void stores.tokens.commit(
      Array.from({ length: 1001 }, (_, order) => saveAccessToken(sampleAccessToken(order, { createdAt: 1, keepUntil: 1 }))),
    )
    void stores.close()
    writeFileSync(`${database}-wal`, "", { mode: 0o600 })
    truncateSync(`${database}-wal`, 300 * 1024 * 1024)
    expect(await found()).toMatchObject({
      code: 0,
      bad: {
        "database.sweeping": aWarning("1001 rows expired", "not swept"),
        "database.log": aWarning("the write-ahead log has 300 MiB", "a long-running reader"),
      },
    })
  })

  it("messages that were given up, and messages that nobody delivers", async () => {
    const { found, database } = setting()
    const stores = sqliteStores(database)
    const [first, second] = [1, 2].map(sampleLocator)
    void stores.tokens.commit([addMessage(first ?? "", "letter", {}, 1)])
    expect(await found()).toMatchObject({ code: 0, bad: { outbox: aWarning("1 message should have been delivered", "start it") } })
    void stores.tokens.commit([
      addMessage(second ?? "", "letter", {}, 1),
      claimMessage(second ?? "", 0, "one", 1, 1),
      buryMessage(second ?? "", "one", 2, 9e9, "nobody is there"),
    ])
    void stores.close()
    expect(await found()).toMatchObject({ code: 0, bad: { outbox: aWarning("1 message could not be delivered", "message given up") } })
  })

  it("keys that another key sealed, that are open, that are missing, and that are overdue", async () => {
    const sealed = { key_encryption_key: { env: "POSTERN_KEY" }, signing: { algorithms: ["RS256", "ES256"] } }
    const { found, run, make, configure, change } = setting({ env: { POSTERN_KEY: "q83vEjRWeJASNFZ4kBI0VniQEjRWeJASNFZ4kBI0Vng=" } })
    make()
    configure({ signing: { algorithms: ["RS256"] } })
    expect(await run(["keys", "rotate"])).toMatchObject({ code: 0 })
    configure(sealed)
    expect(await found()).toMatchObject({
      code: 0,
      bad: {
        "keys.sealing": aWarning("1 key of 1", "postern keys rotate"),
        "keys.algorithms": aWarning("no key for ES256", "the next start"),
      },
    })
    change("UPDATE signing_keys SET active_at = ?, created_at = ?", now() - 100 * day, now() - 100 * day)
    expect((await found()).bad).toMatchObject({ "keys.rotation": aWarning("a successor of the RS256 key", "not tended") })
    expect(await run(["keys", "rotate"])).toMatchObject({ code: 0 })
    const other = await run(["doctor"], { env: { POSTERN_KEY: "zJ83vEjRWeJASNFZ4kBI0VniQEjRWeJASNFZ4kBI0Vk=" } })
    expect(other.code).toBe(1)
    expect(other.out).toMatch(/^✗ keys\.readable +signing key \S+ cannot be opened with the configured key-encryption key$/m)
    configure({ signing: sealed.signing })
    expect((await found()).bad).toMatchObject({ "keys.readable": aFault("none is configured", "the provider does not start without it") })
  })

  it("clients whose algorithm has no key, whose secret cannot be opened, and whose scope is gone", async () => {
    const resources = [{ identifier: "https://api.example.com", scopes: ["api.read"] }]
    const config = { key_encryption_key: { env: "POSTERN_KEY" }, resources }
    const { cwd, found, run, configure } = setting({ config, env: { POSTERN_KEY: "q83vEjRWeJASNFZ4kBI0VniQEjRWeJASNFZ4kBI0Vng=" } })
    const machine = { grant_types: ["client_credentials"], response_types: [] }
    writeFileSync(
      join(cwd, "clients.json"),
      JSON.stringify([
        { ...machine, client_id: "es", client_secret: "x", access_token_signed_response_alg: "ES256" },
        {
          ...machine,
          client_id: "hmac",
          token_endpoint_auth_method: "client_secret_jwt",
          client_secret: "s".repeat(32),
          access_token_format: "reference",
        },
        { ...machine, client_id: "reader", client_secret: "x", access_token_format: "reference", scope: "api.read" },
      ]),
    )
    expect(await run(["client", "import", "clients.json"])).toMatchObject({ code: 0 })
    expect((await found()).bad).toEqual({})
    configure({ ...config, resources: [], signing: { algorithms: ["RS256"] } })
    const { code, out } = await run(["doctor"], { env: { POSTERN_KEY: "zJ83vEjRWeJASNFZ4kBI0VniQEjRWeJASNFZ4kBI0Vk=" } })
    expect(code).toBe(1)
    expect(out).toMatch(/^✗ clients +es: access_token_signed_response_alg is ES256: the provider has no key for that$/m)
    expect(out).toMatch(/^✗ clients +hmac: its secret is sealed with another key_encryption_key/m)
    expect(out).toMatch(/^! clients +reader: scope api\.read: no such scope$/m)
  })

  it("backups: none, one, and one that is too old; development mode needs none", async () => {
    const { found, make, run, change, configure } = setting({ config: { issuer: "https://id.example.com", development: false } })
    make()
    expect(await found()).toMatchObject({ code: 0, bad: { backup: aWarning("none was made", "postern backup FILE") } })
    expect(await run(["backup", "copy.backup"])).toMatchObject({ code: 0 })
    expect((await found()).bad).toEqual({})
    change("UPDATE revisions SET value = ? WHERE name = 'backup'", now() - 9 * day)
    expect((await found()).bad).toMatchObject({ backup: aWarning("9 days ago", "postern backup FILE") })
    configure({})
    expect((await found()).bad).toEqual({})
  })

  it("a certificate that has expired, one that will soon, and a key that others can read", async () => {
    const tls = { key_file: "tls/key.pem", cert_file: "tls/cert.pem" }
    const { cwd, found } = setting({ config: { issuer: "https://id.example.com", development: false, tls } })
    mkdirSync(join(cwd, "tls"))
    writeFileSync(join(cwd, "tls", "key.pem"), pem.key, { mode: 0o600 })
    writeFileSync(join(cwd, "tls", "cert.pem"), pem.expired)
    expect(await found()).toMatchObject({ code: 1, bad: { "tls.certificate": aFault("CN=id.example.com expired", "without a restart") } })
    const [key, cert] = [join(cwd, "tls", "key.pem"), join(cwd, "tls", "cert.pem")]
    writeFileSync(cert, pem.cert)
    chmodSync(key, 0o644)
    const { validTo } = new X509Certificate(pem.cert)
    const before = (days: number) => checkedTls({ tls: { key, cert } }, Date.parse(validTo) / 1000 - days * day)
    expect(before(2.5)).toMatchObject([
      { check: "tls.certificate", ...aWarning("expires in 2 days", "without a restart") },
      { check: "tls.key", ...aWarning("users other than its owner can read", "chmod 600") },
    ])
    chmodSync(key, 0o600)
    expect(before(15)).toMatchObject([{ check: "tls.certificate", state: "ok" }])
    expect(before(0)).toMatchObject([{ check: "tls.certificate", state: "fault" }])
  })

  it("the listener that asks for certificates (RFC 8705 §5): something else has its port, it is free, and it answers", async () => {
    const [port, mutual] = [await freePort(), await freePort()]
    const config = {
      issuer: `https://localhost:${port}`,
      listen: { port },
      tls: { key_file: "key.pem", cert_file: "cert.pem" },
      mutual_tls: { listen: { port: mutual } },
      mutual_tls_url: `https://localhost:${mutual}`,
    }
    const { cwd, run, found } = setting({ config })
    writeFileSync(join(cwd, "key.pem"), pem.key, { mode: 0o600 })
    writeFileSync(join(cwd, "cert.pem"), pem.cert)
    const other = createServer((_, response) => response.end("hello")).listen(mutual, "127.0.0.1")
    await new Promise((resolve) => other.once("listening", resolve))
    const taken = await found()
    await new Promise((resolve) => other.close(resolve))
    expect(taken).toMatchObject({
      code: 1,
      bad: { "server.mutual_tls": aFault("a program other than Postern", "mutual_tls.listen.port") },
    })
    expect(taken.bad["server"]).toBe(undefined)
    expect((await run(["doctor"])).out).toContain(`nothing runs: port ${mutual} of 127.0.0.1 is free`)
    // The certificate is of another name.
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0")
    const server = await start(["serve"], `https://127.0.0.1:${port}`, cwd)
    const { out } = await run(["doctor"])
    expect(await server.stop()).toBe(0)
    for (const each of [port, mutual]) expect(out).toContain(`a Postern server answers on port ${each} of 127.0.0.1, and is ready`)
  })

  it("a port that something else has, a Postern that is not ready, and one of another issuer", async () => {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const { cwd, found, configure, database } = setting({ config: { ...withClients, issuer: url, listen: { port } } })
    const other = createServer((_, response) => response.end("hello")).listen(port, "127.0.0.1")
    await new Promise((resolve) => other.once("listening", resolve))
    expect(await found()).toMatchObject({ code: 1, bad: { server: aFault("a program other than Postern", "listen.port") } })
    await new Promise((resolve) => other.close(resolve))
    const server = await start(["serve"], url, cwd)
    onTestFinished(() => void server.process.kill("SIGKILL"))
    configure({ issuer: "http://127.0.0.1:9", listen: { port } })
    expect((await found()).bad).toMatchObject({ server: aFault(`its issuer is ${url}`) })
    configure({ ...withClients, issuer: url, listen: { port } })
    const lock = new Sqlite(database)
    lock.exec("BEGIN IMMEDIATE")
    expect((await machineToken(url)).status).toBe(503)
    const { bad } = await found()
    lock.close()
    expect(bad["database.lock"]).toMatchObject(aFault("held the write lock"))
    expect(bad["server"]).toMatchObject(aFault("but is not ready", "it recovers without a restart"))
    expect(await server.stop()).toBe(0)
  })
})
