import { spawn } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { connect as tlsConnect } from "node:tls"
import Sqlite from "better-sqlite3"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { changesOf } from "../../packages/cli/src/config/reloadable.ts"
import { command } from "../support/packed.ts"
import { pem } from "./pem.ts"
import { folder, patience } from "./run.ts"
import { listening, running, serve } from "./running.ts"
import { script } from "./terminal.ts"

// Each test starts a server.
vi.setConfig({ testTimeout: 2 * patience })

const machine = (client_id: string, client_secret: string, scope = "api.read") => ({
  client_id,
  client_secret,
  grant_types: ["client_credentials"],
  response_types: [],
  scope,
})
const config = {
  issuer: "http://127.0.0.1:8080",
  development: true,
  listen: { port: 0 },
  resources: [{ identifier: "https://api.example", scopes: ["api.read"] }],
  clients: [machine("robot", "first secret")],
}

/** A server, with what writes its configuration and asks it to reload. */
const served = async (first: object, files: Readonly<Record<string, string>> = {}) => {
  const { cwd, remove } = folder(first)
  onTestFinished(remove)
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text)
  const server = await serve({ cwd })
  const url = listening(server)
  const lines = () =>
    server.said.out
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
  /** Answers with the lines that the reload wrote. */
  const reload = async (next: object | string, message = "configuration reloaded") => {
    const before = lines().length
    writeFileSync(join(cwd, "postern.json"), typeof next === "string" ? next : JSON.stringify(next))
    server.signal("SIGHUP")
    await vi.waitFor(() => expect(lines().slice(before)).toContainEqual(expect.objectContaining({ message })), { timeout: patience })
    return lines()
      .slice(before)
      .filter((line) => !["audit", "request", "listening"].includes(String(line["message"])))
  }
  const token = async (client: string, secret: string, scope = "api.read"): Promise<number> => {
    const { status } = await fetch(`${url}/connect/token`, {
      method: "POST",
      headers: { authorization: `Basic ${btoa(`${client}:${secret}`)}` },
      body: new URLSearchParams({ grant_type: "client_credentials", scope }),
    })
    return status
  }
  return { cwd, server, url, lines, reload, token }
}

/** Flags of the runtime by which a process sends itself a SIGHUP while its main file is evaluated, before it loads anything else. */
const hungUpFirst = [
  "--import",
  `data:text/javascript,${encodeURIComponent(`import module from "node:module"
    const enable = module.enableCompileCache
    module.enableCompileCache = (folder) => (process.kill(process.pid, "SIGHUP"), enable(folder))`)}`,
]

describe("SIGHUP has postern serve reload its configuration", () => {
  it.skipIf(process.platform === "win32").for(["--port 0", "--port=0", "--workers 2"])(
    "from its first moment on: one that comes while it starts ends nothing, and what was written by then is served (%s)",
    async (options) => {
      vi.stubEnv("NODE_COMPILE_CACHE", undefined)
      onTestFinished(() => void vi.unstubAllEnvs())
      const { cwd, remove } = folder(config)
      onTestFinished(remove)
      const server = await running(
        ["serve", ...options.split(" ")],
        { cwd, flags: hungUpFirst, env: { CACHE_DIRECTORY: join(cwd, "cache") } },
        /^Ready\.$/m,
      )
      await server.says(/"message":"configuration reloaded"/)
      expect(server.said.out.match(/configuration (?:not )?reloaded/g)).toEqual(["configuration reloaded"])
      expect(await server.stop("SIGTERM")).toBe(0)
    },
  )

  it("takes up clients, their secrets, resources and scopes, and logs their names and no secret", async () => {
    const { server, reload, token } = await served({ ...config, clients: [...config.clients, machine("dropped", "dropped secret")] })
    expect([await token("robot", "first secret"), await token("dropped", "dropped secret")]).toEqual([200, 200])
    const told = await reload({
      ...config,
      resources: [{ identifier: "https://api.example", scopes: ["api.read", "api.write"] }],
      clients: [machine("robot", "second secret", "api.read api.write"), machine("added", "secret of the third")],
    })
    expect(told).toEqual([
      expect.objectContaining({
        level: "info",
        message: "configuration reloaded",
        file: "postern.json",
        changed: [
          "clients.robot.scope",
          "clients.robot.client_secret",
          "clients.dropped",
          "clients.added",
          "resources.https://api.example.scopes",
        ],
        clients_added: 1,
        clients_changed: 1,
        clients_removed: 1,
      }),
    ])
    const answers = [
      await token("robot", "first secret"),
      await token("robot", "second secret", "api.read api.write"),
      await token("added", "secret of the third"),
      await token("dropped", "dropped secret"),
    ]
    expect(answers).toEqual([401, 200, 200, 401])
    expect(server.said.out + server.said.err).not.toMatch(/(?:second secret|secret of the third)/)
  })

  it("leaves documents of clients and the service of CIBA as they are until a restart, and takes up the rest of the file", async () => {
    const first = { ...config, metadata_documents: { enabled: false }, ciba: { notification: { endpoint: "http://127.0.0.1:9/a" } } }
    const { reload, token } = await served(first)
    const told = await reload({
      ...first,
      metadata_documents: {},
      ciba: { notification: { endpoint: "http://127.0.0.1:9/b" } },
      clients: [machine("robot", "second secret")],
    })
    expect(told).toEqual([
      expect.objectContaining({ message: "configuration reloaded", changed: ["clients.robot.client_secret"] }),
      expect.objectContaining({
        message: "settings wait for a restart",
        settings: ["ciba.notification.endpoint", "metadata_documents.enabled"],
      }),
    ])
    expect(await token("robot", "second secret")).toBe(200)
  })

  it("leaves people the subjects that pairwise clients know them by, whatever is in the salt's own file now (OpenID Connect Core §8.1)", async () => {
    const first = {
      ...config,
      pairwise_salt: { file: "salt" },
      users: [{ username: "alice", password: "correct horse battery staple" }],
      clients: [{ ...machine("robot", "first secret"), grant_types: ["password"], scope: "openid", subject_type: "pairwise" }],
    }
    const { cwd, url, reload } = await served(first, { salt: "s".repeat(40) })
    const sub = async (): Promise<unknown> => {
      const response = await fetch(`${url}/connect/token`, {
        method: "POST",
        headers: { authorization: `Basic ${btoa("robot:first secret")}` },
        body: new URLSearchParams({ grant_type: "password", username: "alice", password: "correct horse battery staple", scope: "openid" }),
      })
      const { id_token } = (await response.json()) as { readonly id_token: string }
      return JSON.parse(Buffer.from(id_token.split(".")[1] ?? "", "base64url").toString())["sub"]
    }
    const before = await sub()
    writeFileSync(join(cwd, "salt"), "t".repeat(40))
    await reload({ ...first, scopes: [{ name: "extra", claims: ["extra"] }] })
    expect(await sub()).toBe(before)
  })

  it("refuses a file with a fault, says where it is, and serves what it served", async () => {
    const { reload, token, server } = await served(config)
    const told = await reload('{\n  "issuer": "http://127.0.0.1:8080",\n  "trial": "all"\n}\n', "configuration not reloaded")
    expect(told).toEqual([
      expect.objectContaining({
        level: "error",
        file: "postern.json",
        faults: ["postern.json:2:13 issuer is http, and this is not development mode", "postern.json:3:3 trial is not a known key"],
      }),
    ])
    expect(await token("robot", "first secret")).toBe(200)
    expect(await reload("{", "configuration not reloaded")).toMatchObject([{ faults: [expect.stringContaining("postern.json:1:")] }])
    expect(await reload(config)).toMatchObject([{ changed: [] }])
    expect(await server.stop("SIGTERM")).toBe(0)
  })

  it("names settings that wait for a restart and takes up the others; refuses what needs them", async () => {
    const { reload, token, url } = await served(config)
    const next = { ...config, issuer: "http://127.0.0.1:9999", listen: { port: 1 }, clients: [machine("robot", "second secret")] }
    expect(await reload(next, "settings wait for a restart")).toEqual([
      expect.objectContaining({ level: "info", changed: ["clients.robot.client_secret"] }),
      expect.objectContaining({ level: "warn", message: "settings wait for a restart", settings: ["issuer", "listen.port"] }),
    ])
    expect(await token("robot", "second secret")).toBe(200)
    expect(await (await fetch(`${url}/.well-known/openid-configuration`)).json()).toMatchObject({ issuer: "http://127.0.0.1:8080" })
    const needing = {
      ...config,
      signing: { encryption_algorithms: ["ECDH-ES"] },
      clients: [
        {
          client_id: "bank",
          client_secret: "s".repeat(40),
          redirect_uris: ["https://bank.example/cb"],
          request_object_encryption_alg: "ECDH-ES",
          jwks: { keys: [] },
        },
      ],
    }
    const refused = await reload(needing, "configuration not reloaded")
    expect(refused).toMatchObject([{ faults: [expect.stringMatching(/^clients\[0\]\..*wait for a restart: signing/)] }])
    expect(await token("robot", "second secret")).toBe(200)
  })

  it("waits for a database that another process keeps, and reloads then", async () => {
    const { cwd, reload, token } = await served(config)
    const other = new Sqlite(join(cwd, "data", "postern.sqlite"))
    other.exec("BEGIN IMMEDIATE")
    const reloaded = reload({ ...config, clients: [machine("robot", "second secret")] })
    // It is kept for longer than a write waits by itself.
    await new Promise((next) => setTimeout(next, 2_500))
    other.exec("ROLLBACK")
    other.close()
    expect(await reloaded).toMatchObject([{ changed: ["clients.robot.client_secret"] }])
    expect(await token("robot", "second secret")).toBe(200)
  })

  it("takes up the level of the log, off as well", async () => {
    const { reload, url, lines } = await served({ ...config, log: { level: "error" } })
    expect(lines()).toEqual([])
    expect(await reload({ ...config, log: { level: "debug" } })).toMatchObject([{ changed: ["log.level"] }])
    await fetch(`${url}/.well-known/openid-configuration`)
    await vi.waitFor(() => expect(lines().map(({ level }) => level)).toContain("debug"), { timeout: patience })
  })

  it("takes up pages; those that are shown already keep their files", async () => {
    const { cwd, reload, url } = await served({ ...config, pages: { name: "First", colors: { accent: "#115522" } } })
    const shown = async () => (await fetch(`${url}/login`)).text()
    const styles = (page: string): string => /href="([^"]+\.css)"/.exec(page)?.[1] ?? ""
    const first = await shown()
    expect(first).toContain("First")
    const told = await reload({ ...config, pages: { name: "Second", colors: { accent: "#552211" } } })
    expect(told).toMatchObject([{ changed: ["pages.name", "pages.colors.accent"] }])
    expect(await shown()).toContain("Second")
    for (const page of [first, await shown()]) expect((await fetch(new URL(styles(page), url))).status).toBe(200)
    mkdirSync(join(cwd, "broken"))
    writeFileSync(join(cwd, "broken", "login.liquid"), "{% if %}")
    await reload({ ...config, pages: { templates: "./broken" } }, "configuration not reloaded")
    expect(await shown()).toContain("Second")
  })

  it("takes up a certificate, of other files too, and refuses one that does not fit", async () => {
    const at = (name: string) => ({ key_file: `./${name}.key`, cert_file: `./${name}.pem` })
    const tls = { ...config, issuer: "https://localhost:8443", clients: [] }
    const { cwd, remove } = folder({ ...tls, tls: at("one") })
    onTestFinished(remove)
    for (const [name, cert] of Object.entries({ one: pem.cert, two: pem.expired })) {
      writeFileSync(join(cwd, `${name}.key`), pem.key)
      writeFileSync(join(cwd, `${name}.pem`), cert)
    }
    const server = await serve({ cwd })
    const { port } = new URL(listening(server))
    const fingerprint = (): Promise<string> =>
      new Promise((resolve, reject) => {
        const socket = tlsConnect({ host: "127.0.0.1", port: Number(port), rejectUnauthorized: false }, () => {
          resolve(socket.getPeerCertificate().fingerprint256)
          socket.end()
        })
        socket.on("error", reject)
      })
    const first = await fingerprint()
    writeFileSync(join(cwd, "postern.json"), JSON.stringify({ ...tls, tls: at("two") }))
    server.signal("SIGHUP")
    await server.says(/"changed":\["tls\.key_file","tls\.cert_file"\].*"certificate":true/)
    const second = await fingerprint()
    expect(second).not.toBe(first)
    writeFileSync(join(cwd, "two.key"), pem.otherKey)
    server.signal("SIGHUP")
    await server.says(/configuration not reloaded.*does not match the key/)
    expect(await fingerprint()).toBe(second)
  })

  it("finishes a request that has begun, and reloads once more for all that ask meanwhile", async () => {
    const { cwd, server, url, lines, token } = await served(config)
    const { port, host } = new URL(url)
    const form = "grant_type=client_credentials&scope=api.read"
    const socket = connect(Number(port), "127.0.0.1")
    onTestFinished(() => void socket.destroy())
    let answer = ""
    socket.setEncoding("utf8").on("data", (text: string) => (answer += text))
    const head = `POST /connect/token HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Basic ${btoa("robot:first secret")}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${form.length}\r\nConnection: close\r\n\r\n`
    socket.write(head + form.slice(0, 10))
    const next = { ...config, clients: [...config.clients, machine("added", "secret of the second")], pages: { name: "Other" } }
    writeFileSync(join(cwd, "postern.json"), JSON.stringify(next))
    // No reload ends while the database is kept: each signal comes while the first one's is under way.
    const other = new Sqlite(join(cwd, "data", "postern.sqlite"))
    other.exec("BEGIN IMMEDIATE")
    for (let times = 0; times < 50; times++) server.signal("SIGHUP")
    // Signals are heard before a request that was sent later.
    expect((await fetch(`${url}/health/live`)).status).toBe(200)
    expect(lines().map(({ message }) => message)).not.toContain("configuration reloaded")
    other.exec("ROLLBACK")
    other.close()
    await server.says(/configuration reloaded/)
    socket.write(form.slice(10))
    await vi.waitFor(() => expect(answer).toMatch(/^HTTP\/1\.1 200 .*"access_token"/s), { timeout: patience })
    expect(await token("robot", "first secret")).toBe(200)
    expect(await server.stop("SIGTERM")).toBe(0)
    const reloaded = lines().filter(({ message }) => message === "configuration reloaded")
    expect(reloaded.length).toBeGreaterThan(0)
    expect(reloaded.length).toBeLessThan(4)
    expect(lines().at(-1)).toMatchObject({ message: "stopped", cut: 0 })
  })

  it.skipIf(!existsSync(script))("but ends in order when the terminal that it was started from hangs up", async () => {
    const { cwd, remove } = folder(config)
    onTestFinished(remove)
    const shell = `exec '${process.execPath}' '${command}' serve > out.log`
    const terminal = spawn(script, ["-qec", shell, "/dev/null"], { cwd, stdio: "pipe" })
    onTestFinished(() => void terminal.kill("SIGKILL"))
    await new Promise<void>((resolve) => terminal.stdout.on("data", (text: Buffer) => text.includes("Ready.") && resolve()))
    terminal.kill("SIGKILL")
    await vi.waitFor(() => expect(readFileSync(join(cwd, "out.log"), "utf8")).toContain('"message":"stopped"'), { timeout: patience })
  })
})

describe("the demo", () => {
  it("ends in order at SIGHUP: there is nothing to reload", async () => {
    const { cwd, remove } = folder(null)
    onTestFinished(remove)
    const demo = await running(["demo", "--port", "0"], { cwd }, /Stop it with Ctrl-C/)
    expect(await demo.stop("SIGHUP")).toBe(0)
  })
})

describe("what changed in a configuration", () => {
  const sound = { ...config, listen: { host: "127.0.0.1", port: 0 } }

  it("is named to the member of a client, and people are not named", () => {
    const users = [{ username: "alice", password: "correct horse battery" }]
    const { changed } = changesOf(sound, { ...sound, users, clients: [machine("robot", "other")] })
    expect(changed).toEqual(["clients.robot.client_secret", "users"])
  })

  it("is nothing for the same file", () => {
    expect(changesOf(sound, structuredClone(sound))).toEqual({ config: sound, changed: [], waiting: [] })
    // A setting of a feature has no name here.
    const held = { ...sound, require_pushed_authorization_requests: true }
    expect(changesOf(held, held)).toEqual({ config: held, changed: [], waiting: [] })
    expect(changesOf(sound, held)).toEqual({ config: held, changed: ["require_pushed_authorization_requests"], waiting: [] })
  })

  it("waits with documents of clients where they are turned on or off, by their section or by the profile mcp, and with nothing else of them", () => {
    const off = { metadata_documents: { enabled: false } }
    const rows = [
      [off, { metadata_documents: {} }, [], ["metadata_documents.enabled"]],
      [{ metadata_documents: {} }, off, [], ["metadata_documents.enabled"]],
      [{}, { metadata_documents: {} }, [], ["metadata_documents"]],
      [{}, off, ["metadata_documents"], []],
      [{ metadata_documents: {} }, { metadata_documents: { most_documents: 7 } }, ["metadata_documents.most_documents"], []],
      [{}, { profile: "mcp" }, [], ["profile"]],
      [{ profile: "mcp" }, { metadata_documents: {} }, ["metadata_documents", "profile"], []],
      [{ metadata_documents: {} }, { profile: "mcp" }, ["metadata_documents", "profile"], []],
      [{ profile: "mcp" }, { profile: "oauth2.1", ...off }, [], ["metadata_documents", "profile"]],
      [{ metadata_documents: {} }, { profile: "oauth2.1", ...off }, ["profile"], ["metadata_documents.enabled"]],
      [{ profile: "mcp", ...off }, off, ["profile"], []],
    ] as const
    for (const [before, after, changed, waiting] of rows) {
      const told = changesOf({ ...sound, ...before }, { ...sound, ...after })
      expect([before, after, told.changed, told.waiting]).toEqual([before, after, changed, waiting])
    }
  })

  it("waits with the service that tells people of requests, and takes up other settings of ciba", () => {
    const [first, second] = [{ endpoint: "https://a.example/" }, { endpoint: "https://b.example/" }]
    const rows = [
      [{ notification: first }, { notification: second }, [], ["ciba.notification.endpoint"], { notification: first }],
      [
        { notification: first },
        { polling_interval: 9 },
        ["ciba.polling_interval"],
        ["ciba.notification"],
        { polling_interval: 9, notification: first },
      ],
      [{ polling_interval: 7 }, { notification: second }, ["ciba.polling_interval"], ["ciba.notification"], {}],
      [
        { notification: first },
        { notification: first, polling_interval: 9 },
        ["ciba.polling_interval"],
        [],
        { notification: first, polling_interval: 9 },
      ],
    ] as const
    for (const [before, after, changed, waiting, kept] of rows)
      expect(changesOf({ ...sound, ciba: before }, { ...sound, ciba: after })).toEqual({
        config: { ...sound, ciba: kept },
        changed,
        waiting,
      })
  })

  it("keeps what waits as it is served", () => {
    const { config: kept, waiting } = changesOf(sound, { ...sound, listen: { port: 9 }, metrics: true })
    expect([kept, waiting]).toEqual([sound, ["listen.host", "listen.port", "metrics"]])
  })
})
