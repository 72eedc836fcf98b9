import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { type AddressInfo, createServer } from "node:net"
import { dirname, join } from "node:path"
import { afterAll, describe, expect, it, onTestFinished, vi } from "vitest"
import { postern as tree } from "../../packages/cli/src/commands/postern.ts"
import { stringify } from "../../packages/cli/src/config/yaml.ts"
import { command } from "../support/packed.ts"
import { freePort } from "../support/server.ts"
import { posternLine } from "./lines.ts"
import { folder, patience, postern, type Ran } from "./run.ts"
import { listening, running, serve } from "./running.ts"

// Each test starts processes, some several.
vi.setConfig({ testTimeout: 2 * patience })

interface Subcommands {
  readonly name: string
  readonly subcommands: ReadonlyArray<{ readonly commands: ReadonlyArray<Subcommands> }>
}

/** Every command that does something, by the words that call it. */
const callable = ({ name, subcommands }: Subcommands): ReadonlyArray<string> => {
  const below = subcommands.flatMap(({ commands }) => commands.flatMap(callable))
  return below.length === 0 ? [name] : below.map((words) => `${name} ${words}`)
}
const commands = callable(tree([])).map((words) => words.replace(/^postern /, ""))

const config = {
  issuer: "http://127.0.0.1:8080",
  development: true,
  listen: { port: 0 },
  audit: { store: true },
  mutual_tls: { proxy_check: true },
  resources: [{ identifier: "https://api.example", scopes: ["api"] }],
  clients: [{ client_id: "robot", client_secret: "secret", grant_types: ["client_credentials"], response_types: [], scope: "api" }],
  users: [{ username: "alice", password: "correct horse battery" }],
}
const machine = {
  client_id: "imported",
  client_secret: "imported secret",
  grant_types: ["client_credentials"],
  response_types: [],
  scope: "api",
}

/** A folder outside of the workspace with a configuration, and the command in it. */
interface Place {
  readonly cwd: string
  readonly file: string
  /** Runs it in a process of its own; whatever does not end with 0 fails the test. */
  readonly run: (line: string, input?: string) => Promise<Ran>
  /** Runs the packed code in the process that all such lines share: for what comes before or after the call that a test is of. Whatever does not end with 0 fails the test. */
  readonly line: (line: string, input?: string) => Promise<Ran>
  /** Runs it as `line` does, whatever it ends with. */
  readonly tells: (line: string, ...words: ReadonlyArray<string>) => Promise<Ran>
  /** Writes a value in the form of the configuration. */
  readonly write: (name: string, value: unknown) => string
}

const inFormat = (file: string, value: unknown): string => (/\.ya?ml$/.test(file) ? stringify(value) : JSON.stringify(value))

const placeIn = (cwd: string, file: string): Place => {
  const write: Place["write"] = (name, value) => {
    writeFileSync(join(cwd, name), inFormat(file, value))
    return name
  }
  write(file, config)
  const by =
    (command: typeof postern): Place["run"] =>
    async (line, input = "") => {
      const ran = await command(line.split(" "), { cwd, input })
      expect({ line, ...ran }).toEqual({ line, code: 0, out: expect.any(String), err: expect.any(String) })
      return ran
    }
  const tells: Place["tells"] = (line, ...words) => posternLine([...line.split(" "), ...words], { cwd })
  return { cwd, file, run: by(postern), line: by(posternLine), tells, write }
}

/** Makes something for a form of the configuration when a test first asks for it. */
const once = <A>(make: (file: string) => Promise<A>): ((file: string) => Promise<A>) => {
  const made = new Map<string, Promise<A>>()
  return (file) => {
    const its = made.get(file) ?? make(file)
    made.set(file, its)
    return its
  }
}

const ends: Array<() => unknown> = []
afterAll(async () => {
  for (const end of ends.reverse()) await end()
})

/** A place that stays until all tests are done. */
const lasting = (file: string): Place => {
  const { cwd, remove } = folder(null)
  ends.push(remove)
  return placeIn(cwd, file)
}

/** A place whose database has a client and a person more than the configuration. */
const prepared = once(async (file) => {
  const at = lasting(file)
  await at.line("client add late --grant-type client_credentials --scope api --secret-stdin", "later")
  await at.line("user add bob --claim name=Bob", "a password of bob's")
  return at
})

/** A place of the test's own with a copy of that database, which no other process has open. */
const place = async (file: string): Promise<Place> => {
  const { cwd, remove } = folder(null)
  onTestFinished(remove)
  cpSync(join((await prepared(file)).cwd, "data"), join(cwd, "data"), { recursive: true })
  return placeIn(cwd, file)
}

/** Shows that a command refuses, before it does anything, a report that it could not write; and leaves no file behind. */
const losesNoReport = async (call: string, { cwd, tells }: Place): Promise<void> => {
  const refusal = async (more: string) => {
    const { code, out, err } = await tells(`${call} ${more}`)
    return [code, out, err]
  }
  expect(await refusal("--out lost.tap")).toEqual([2, "", expect.stringMatching(/lost\.tap would hold no report[^]*give --format too/)])
  expect(await refusal("--format tap --out nowhere/lost.tap")).toEqual([
    1,
    "",
    expect.stringMatching(/^[^]{0,20}nowhere\/lost\.tap cannot be written: ENOENT/),
  ])
  expect(existsSync(join(cwd, "lost.tap"))).toBe(false)
}

const token = (url: string, client: string, secret: string): Promise<Response> =>
  fetch(`${url}/connect/token`, {
    method: "POST",
    headers: { authorization: `Basic ${btoa(`${client}:${secret}`)}` },
    body: new URLSearchParams({ grant_type: "client_credentials" }),
  })

/** Asks a server for a token by a right and by a wrong secret; answers with the id of the refused request. */
const asked = async (url: string): Promise<string> => {
  const [issued, refused] = [await token(url, "robot", "secret"), await token(url, "robot", "robot's wrong secret")]
  expect([issued.status, refused.status]).toEqual([200, 401])
  return refused.headers.get("x-request-id") ?? ""
}

/** A server that has answered a client and refused another: one for all commands that are run beside a server and leave it as it is, or change what no other looks at. */
const busy = once(async (file) => {
  const at = lasting(file)
  cpSync(join((await prepared(file)).cwd, "data"), join(at.cwd, "data"), { recursive: true })
  const server = await running(["serve", "--config", registering(at)], at, /^Ready\.$/m, (end) => ends.push(end))
  const url = listening(server)
  return { ...at, url, refused: await asked(url) }
})

/** A place where a token that was issued and one that was refused were recorded. */
const recorded = once(async (file) => {
  const at = lasting(file)
  const server = await running(["record", "--out", "requests.recording"], at, /Ready\./, (end) => ends.push(end))
  const url = /listening +(\S+)/.exec(server.said.err)?.[1] ?? ""
  await asked(url)
  expect(await server.stop("SIGINT")).toBe(0)
  return { ...at, url }
})

/** A configuration whose client may no longer ask for tokens of its own. */
const withoutGrant = ({ write, file }: Place): string =>
  write(`next-${file}`, {
    ...config,
    clients: config.clients.map((client) => ({ ...client, grant_types: ["refresh_token"] })),
  })

/** A configuration whose clients may register themselves. */
const registering = ({ write, file }: Place): string => write(`registering-${file}`, { ...config, registration: {} })

/** For each command a call that does its work, and what shows that it was done. */
const rows: Readonly<Record<string, (place: Place) => Promise<void>>> = {
  serve: async (at) => {
    // The first start makes the database.
    rmSync(join(at.cwd, "data"), { recursive: true })
    const server = await serve(at)
    const url = listening(server)
    await asked(url)
    expect(await (await fetch(`${url}/login`)).text()).toContain("<form")
    // Time stands still for tests alone.
    const time = { method: "POST", headers: { "content-type": "application/json" }, body: '{"advance":"1d"}' }
    expect((await fetch(`${url}/_test/time`, time)).status).toBe(404)
    expect(await server.stop("SIGTERM")).toBe(0)
  },
  demo: async ({ cwd }) => {
    const demo = await running(["demo", "--port", "0"], { cwd }, /Stop it with Ctrl-C/)
    const issuer = /issuer +(\S+)$/m.exec(demo.said.out)?.[1] ?? ""
    expect((await token(issuer, "demo-machine", "demo-machine-secret")).status).toBe(200)
    expect(await demo.stop("SIGINT")).toBe(0)
  },
  init: async ({ run, line, file }) => {
    expect((await run(`init --yes --force ${file}`)).out).toContain(`wrote ${file}`)
    expect((await line(`check-config ${file}`)).out).toContain(`${file} is fine`)
  },
  "check-config": async (at) => {
    expect((await at.run(`check-config ${at.file}`)).out).toContain(`${at.file} is fine`)
    const wrong = at.write(`wrong-${at.file}`, { ...config, trial: "all" })
    const { code, out } = await at.tells(`check-config ${wrong}`)
    expect([code, out]).toEqual([1, expect.stringMatching(/^wrong-\S+:\d+:\d+ trial is not a known key\n {4}did you mean trail\?$/m)])
  },
  "client add": async ({ file }) => {
    const at = await busy(file)
    await at.run("client add later --grant-type client_credentials --scope api --secret-stdin", "latest")
    // The server knows it at once, and one that was added before the start too.
    expect((await token(at.url, "later", "latest")).status).toBe(200)
    expect((await token(at.url, "late", "later")).status).toBe(200)
    const add = "client add more --redirect-uri https://more.example/cb --metadata"
    await at.line(`${add} require_pkce=false --metadata client_uri=https://more.example --metadata default_acr_values=["a"]`)
    const stated = { require_pkce: false, client_uri: "https://more.example", default_acr_values: ["a"] }
    expect(JSON.parse((await at.line("client show more --json")).out)).toMatchObject(stated)
    const { code, err } = await at.tells(`${add} requir_pkce=true`)
    expect([code, err]).toEqual([1, expect.stringContaining("did you mean require_pkce?")])
  },
  "client list": async (at) => {
    expect((await at.run("client list")).out).toMatch(/^late +machine +command line$/m)
  },
  "client show": async (at) => {
    expect((await at.run("client show late")).out).toContain("late")
  },
  "client readiness": async (at) => {
    expect((await at.run("client readiness late --profile oauth2.1")).out).toContain("every code needs PKCE")
    const { code, err } = await at.tells("client readiness late --profile fapi2-security")
    expect([code, err]).toEqual([1, expect.stringContaining("client_secret_basic is refused by the profile fapi2-security")])
    const asJson = await at.tells("client readiness late --profile fapi2-security --json")
    expect([asJson.code, (JSON.parse(asJson.out) as { readonly ready: boolean }).ready]).toEqual([1, false])
  },
  "client remove": async (at) => {
    await at.run("client remove late")
    expect((await at.tells("client show late")).code).toBe(1)
  },
  "client import": async ({ file }) => {
    const at = await busy(file)
    await at.run(`client import ${at.write(`clients-${file}`, [machine])}`)
    expect((await token(at.url, machine.client_id, machine.client_secret)).status).toBe(200)
  },
  "registration tokens add": async ({ file }) => {
    const at = await busy(file)
    const limits = "--uses 1 --days 1 --redirect-host app.example --scope openid"
    const here = `--config ${registering(at)}`
    const made = JSON.parse((await at.run(`registration tokens add partners ${here} ${limits} --json`)).out) as Record<string, unknown>
    expect(made).toMatchObject({ name: "partners", most_uses: 1, policy: { redirectHosts: ["app.example"], scope: ["openid"] } })
    let id = ""
    const register = async (host: string) => {
      const headers = { authorization: `Bearer ${String(made["initial_access_token"])}`, "content-type": "application/json" }
      const body = JSON.stringify({ redirect_uris: [`https://${host}/cb`], client_name: "A partner" })
      const answer = await fetch(`${at.url}/connect/register`, { method: "POST", headers, body })
      if (answer.status === 201) id = ((await answer.json()) as { readonly client_id: string }).client_id
      return answer.status
    }
    expect([await register("other.example"), await register("app.example"), await register("app.example")]).toEqual([400, 201, 401])
    expect((await at.line(`client list ${here}`)).out).toMatch(new RegExp(`^${id} +A partner +confidential +registered itself$`, "m"))
    expect(JSON.parse((await at.line(`client list --json ${here}`)).out)).toContainEqual(
      expect.objectContaining({ client_id: id, client_name: "A partner", origin: "registration", has_secret: true }),
    )
    expect((await at.line(`client show ${id} ${here}`)).out).toMatch(/registered +.*, by itself$/m)
    await at.line(`client remove ${id} ${here}`)
    expect((await at.line(`client list ${here}`)).out).not.toContain(id)
    expect((await at.tells(`client remove ${id} ${here}`)).code).toBe(1)
    expect((await at.tells("registration tokens add x")).err).toContain("clients cannot register themselves here")
    const wrong = await at.tells(`registration tokens add x ${here} --metadata require_consnt=true`)
    expect([wrong.code, wrong.err]).toEqual([
      2,
      expect.stringMatching(
        /require_consnt is not client metadata of this provider: every registration would be refused[^]*require_consent/,
      ),
    ])
    expect(await at.tells(`registration tokens add x ${here} --metadata require_consent=1`)).toMatchObject({ code: 2 })
  },
  "registration tokens list": async (at) => {
    const file = registering(at)
    await at.line(`registration tokens add partners --config ${file}`)
    expect((await at.run(`registration tokens list --config ${file}`)).out).toMatch(/^\w{16} +partners +0 +good$/m)
  },
  "registration tokens revoke": async (at) => {
    const file = registering(at)
    const { id } = JSON.parse((await at.line(`registration tokens add partners --config ${file} --json`)).out) as { readonly id: string }
    await at.run(`registration tokens revoke ${id} --config ${file}`)
    expect((await at.line(`registration tokens list --config ${file}`)).out).toContain("revoked")
  },
  "registration policy": async (at) => {
    const file = registering(at)
    expect((await at.run(`registration policy --config ${file}`)).out).toContain("register.redirect-hosts")
    const judged = async (metadata: object): Promise<string> => {
      writeFileSync(join(at.cwd, "client.json"), JSON.stringify(metadata))
      return (await at.line(`registration policy --metadata client.json --config ${file}`)).out
    }
    expect(await judged({ redirect_uris: ["http://app.example/cb"] })).toContain("refused by registration.redirect-uris (")
    expect(await judged({ redirect_uris: ["https://app.example/cb"] })).toContain("would be registered as")
  },
  "registration clean": async (at) => {
    const file = registering(at)
    expect((await at.run(`registration clean --dry-run --config ${file}`)).out).toContain("0 clients would be removed.")
    expect(JSON.parse((await at.line(`registration clean --json --config ${file}`)).out)).toEqual({ removed: 0, over: [], unused: [] })
  },
  "user add": async (at) => {
    expect((await at.run("user add eve --claim name=Eve", "six green chairs on a roof")).err).toBe("")
    expect((await at.line("user list")).out).toContain("eve")
    // As check-config does for a declared person (NIST SP 800-63B §3.1.1.2).
    const { out, err } = await at.line("user add mia --json", "short")
    expect(JSON.parse(out)).toMatchObject({ username: "mia" })
    expect(err).toContain("the password is shorter than 8 characters; let the person choose a longer one: postern user passwd mia")
  },
  "user list": async (at) => {
    expect(JSON.parse((await at.run("user list --json")).out)).toMatchObject([{ username: "bob" }])
  },
  "user show": async (at) => {
    expect((await at.run("user show bob")).out).toContain("Bob")
  },
  "user disable": async (at) => {
    await at.run("user disable bob")
    expect(JSON.parse((await at.line("user show bob --json")).out)).toMatchObject({ disabled: true })
  },
  "user enable": async (at) => {
    await at.line("user disable bob")
    await at.run("user enable bob")
    expect(JSON.parse((await at.line("user show bob --json")).out)).toMatchObject({ disabled: false })
  },
  "user passwd": async (at) => {
    const { out, err } = await at.run("user passwd bob", "another password of bob's")
    expect(out).toContain("bob has a new password")
    expect(err).toContain("the password contains the username")
  },
  "keys list": async ({ file }) => {
    expect((await (await busy(file)).run("keys list")).out).toContain("RS256")
  },
  "keys rotate": async ({ file }) => {
    const at = await busy(file)
    const before = JSON.parse((await at.line("keys list --json")).out) as ReadonlyArray<unknown>
    await at.run("keys rotate")
    expect(JSON.parse((await at.line("keys list --json")).out)).toHaveLength(2 * before.length)
  },
  explain: async ({ file }) => {
    const at = await busy(file)
    // The trail is written a moment after the answer.
    await vi.waitFor(async () => expect((await postern(["explain", at.refused], at)).out).toContain("client   robot"), {
      timeout: patience,
    })
  },
  audit: async ({ file }) => {
    const at = await busy(file)
    await vi.waitFor(async () => expect((await at.run("audit --client robot")).out).toContain("token_issued"), { timeout: patience })
  },
  "logout status": async ({ file }) => {
    const at = await busy(file)
    expect((await at.run("logout status")).out).toBe("All logout tokens are delivered.\n")
    expect((await at.line("logout status --clients")).out).toContain("No logout tokens.\n")
  },
  "logout replay": async ({ file }) => {
    expect(JSON.parse((await (await busy(file)).run("logout replay --json")).out)).toEqual({ replayed: 0 })
  },
  doctor: async (at) => {
    expect((await at.run("doctor")).out).toContain(at.file)
  },
  "mcp doctor": async (at) => {
    const { code, out, err } = await at.tells("mcp doctor claude-code")
    expect([code, out, err]).toEqual([
      1,
      expect.stringContaining("✗ Claude Code: refused by mcp.client-known (Client ID Metadata Document §5; RFC 7591 §3; "),
      expect.stringContaining("a client is refused: claude-code"),
    ])
    const open = at.write(`mcp-${at.file}`, {
      ...config,
      profile: "mcp",
      registration: { open: true, policy: { scope: ["api", "offline_access"] } },
    })
    const told = (await at.run(`mcp doctor claude-code --config ${open}`)).out
    expect(told).toContain("issuer    http://127.0.0.1:8080\nresource  https://api.example\n✓ Claude Code: known by its document\n")
    const asJson = JSON.parse((await at.line(`mcp doctor mcporter --json --config ${open}`)).out) as Record<string, unknown>
    expect(asJson).toMatchObject({ refused: [], clients: [{ name: "mcporter", known_by: "registration", refused: null }] })
    // The server says that it is another one than was asked.
    const other = await at.tells(`mcp doctor ${(await busy(at.file)).url}`)
    expect([other.code, other.out]).toEqual([1, expect.stringContaining("✗ every client is refused by mcp.issuer-same (RFC 8414 §3.3)")])
    const port = await freePort()
    const named = { ...config, issuer: `http://127.0.0.1:${port}`, listen: { port }, registration: { open: true } }
    const there = await serve(at, "--config", at.write(`named-${at.file}`, named))
    expect((await at.line(`mcp doctor ${listening(there)} --client mcporter`)).out).toContain("? mcporter: not tried: it would register\n")
    expect((await at.tells("mcp doctor nobody")).err).toContain("nobody is neither a URL nor a client")
    expect((await at.tells("mcp doctor http://127.0.0.1:1/")).code).toBe(3)
  },
  "cimd serve": async (at) => {
    const metadata = { client_name: "App", redirect_uris: ["http://127.0.0.1/cb"], token_endpoint_auth_method: "none" }
    const file = at.write(`app-${at.file}`, metadata)
    const documents = await running(["cimd", "serve", file, "--port", "0"], at, /Stop it with Ctrl-C/)
    const clientId = /client_id +(\S+)$/m.exec(documents.said.out)?.[1] ?? ""
    expect(documents.said.out).toContain(`✓ ${file} is a client`)
    expect(await (await fetch(clientId)).json()).toEqual({ ...metadata, client_id: clientId })
    const server = await serve(at, "--config", at.write(`documents-${at.file}`, { ...config, profile: "mcp" }))
    const ask = async (redirectUri: string): Promise<number> => {
      const params = {
        response_type: "code",
        client_id: clientId,
        redirect_uri: redirectUri,
        scope: "openid",
        code_challenge: "c".repeat(43),
      }
      const query = new URLSearchParams({ ...params, code_challenge_method: "S256" }).toString()
      return (await fetch(`${listening(server)}/connect/authorize?${query}`, { redirect: "manual" })).status
    }
    expect([await ask("http://127.0.0.1:4711/cb"), await ask("http://127.0.0.1:4711/other")]).toEqual([303, 400])
    // The file is read again for each fetch.
    at.write(file, { ...metadata, client_secret: "s" })
    const withSecret = await fetch(clientId)
    expect([withSecret.status, await withSecret.json()]).toEqual([
      500,
      { error: "holds_secret", error_description: "it holds client_secret" },
    ])
    await documents.says(/is refused by document\.no-secret/)
    expect(documents.said.err).toContain("is not served: it holds client_secret, which anyone could read")
    writeFileSync(join(at.cwd, file), "[]")
    expect((await fetch(clientId)).status).toBe(500)
    expect((await fetch(new URL("/other.json", clientId))).status).toBe(404)
    expect(await documents.stop("SIGINT")).toBe(0)
    expect((await at.tells("cimd serve nowhere.json --port 0")).err).toContain("nowhere.json cannot be read: ENOENT")
    expect((await at.tells(`cimd serve ${file} --url http://example.com`)).code).toBe(2)
  },
  "proxy-check": async ({ file }) => {
    const at = await busy(file)
    expect(await postern(["proxy-check", at.url], at)).toMatchObject({
      code: 0,
      out: expect.stringContaining("forged certificate: not believed"),
    })
  },
  backup: async (at) => {
    await at.run("backup kept.backup")
    expect(readdirSync(at.cwd)).toContain("kept.backup")
  },
  restore: async (at) => {
    await at.line("backup kept.backup")
    await at.line("user disable bob")
    await at.run("restore kept.backup --force")
    expect(JSON.parse((await at.line("user show bob --json")).out)).toMatchObject({ disabled: false })
  },
  conform: async (at) => {
    const { run, line, write, file } = at
    expect((await run("conform --in-process --only code")).err).toMatch(/in process, all: \d+ pass in/)
    const known = write(`known-${file}`, [{ id: "code.once", reason: "an example", until: "2999-01-01" }])
    expect((await line(`conform --in-process --only code.once --expected ${known}`)).err).toContain("code.once is met")
    await losesNoReport("conform --in-process --only code.once", at)
  },
  "test-provider": async (at) => {
    const clients = at.write(`tested-${at.file}`, [
      { client_id: "web", client_secret: "s", redirect_uris: ["http://localhost:3000/cb"], scope: "openid", require_consent: false },
    ])
    const op = await running(
      ["test-provider", "--port", "0", "--any-user", "--at", "2026-11-22T20:00:00Z", "--client-file", clients],
      at,
      /Stop it with Ctrl-C/,
    )
    const issuer = /issuer +(\S+)$/m.exec(op.said.out)?.[1] ?? ""
    const call = async (name: string, body: object): Promise<unknown> =>
      (
        await fetch(`${issuer}/_test/${name}`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(body),
        })
      ).json()
    expect(await call("sign-in", { subject: "anybody" })).toMatchObject({ claims: { iss: issuer, sub: "anybody", aud: "web" } })
    expect(await call("time", { advance: "30d" })).toEqual({ now: Date.parse("2026-12-22T20:00:00Z") / 1000, frozen: true })
    expect(await op.stop("SIGINT")).toBe(0)
    const { code, err } = await at.tells("test-provider --at noon")
    expect([code, err]).toEqual([2, expect.stringContaining("noon is no time")])
    for (const time of ["-5", "999999999999", "2026-11-22T20:00:00"])
      expect(await at.tells(`test-provider --port 0 --at ${time}`)).toMatchObject({
        code: 2,
        err: expect.stringContaining(`${time} is no time`) as unknown,
      })
    expect(await at.tells("test-provider --port 0 --host nope.invalid")).toMatchObject({
      code: 1,
      err: expect.stringContaining("name another with --host") as unknown,
    })
  },
  record: async ({ file }) => {
    const at = await recorded(file)
    expect(at.url).toContain("http://127.0.0.1:")
    const text = readFileSync(join(at.cwd, "requests.recording"), "utf8")
    expect(text.trimEnd().split("\n").at(-1)).toBe('{"requests":2,"left_out":0}')
    expect(text).not.toMatch(/robot's|robot:/)
    const { code, err } = await at.tells("record --out requests.recording")
    expect([code, err]).toEqual([1, expect.stringContaining("requests.recording already exists")])
    // A start that fails leaves nothing in the way of the next one.
    const busy = createServer().listen(0, "127.0.0.1")
    await new Promise((listening) => busy.once("listening", () => listening(undefined)))
    const { port } = busy.address() as AddressInfo
    for (let times = 0; times < 2; times++)
      expect(await at.tells(`record --out late.recording --port ${port}`)).toEqual({
        code: 1,
        out: "",
        err: expect.stringMatching(/^postern: port \d+ of 127\.0\.0\.1 is in use\n/) as unknown,
      })
    expect(existsSync(join(at.cwd, "late.recording"))).toBe(false)
    busy.close()
  },
  "import oidc-provider": async (at) => {
    const peer = {
      clients: [{ client_id: "robot", client_secret: "secret", grant_types: ["client_credentials"], response_types: [] }],
      jwks: {},
    }
    writeFileSync(join(at.cwd, "peer.json"), JSON.stringify(peer))
    const { out } = await at.run("import oidc-provider peer.json --issuer http://127.0.0.1:8080")
    expect(out).toContain("//   jwks: the provider makes, keeps and rotates its keys")
    expect(out).toContain('"client_id": "robot"')
    writeFileSync(join(at.cwd, "imported.jsonc"), out)
    expect((await at.line("check-config imported.jsonc")).out).toContain("imported.jsonc is fine")
    writeFileSync(join(at.cwd, "peer.mjs"), "export default { clients: [], findAccount() {} }")
    const module = JSON.parse((await at.line("import oidc-provider peer.mjs --json --issuer https://id.example.com")).out) as {
      readonly notes: ReadonlyArray<unknown>
    }
    expect(module.notes).toMatchObject([{ option: "findAccount" }])
    const missing = await at.tells("import oidc-provider nowhere.json --issuer https://id.example.com")
    expect([missing.code, missing.err]).toEqual([1, expect.stringContaining("nowhere.json cannot be read: ENOENT")])
    writeFileSync(join(at.cwd, "list.json"), "[]")
    const list = await at.tells("import oidc-provider list.json --issuer https://id.example.com")
    expect([list.code, list.err]).toEqual([1, expect.stringContaining("list.json has no configuration")])
  },
  replay: async ({ file }) => {
    const at = await recorded(file)
    expect((await at.run("replay requests.recording")).out).toBe("2 requests, decided as they were\n")
    const { code, out } = await at.tells(`replay requests.recording --config ${withoutGrant(at)}`)
    expect([code, out]).toEqual([
      4,
      expect.stringContaining("refused now by  token.grant-type-allowed (RFC 6749 §5.2) unauthorized_client"),
    ])
    writeFileSync(join(at.cwd, "damaged.recording"), `${readFileSync(join(at.cwd, "requests.recording"), "utf8").split("\n")[0]}\n{\n`)
    const damaged = await at.tells("replay damaged.recording")
    expect([damaged.code, damaged.out, damaged.err]).toEqual([
      1,
      "",
      expect.stringContaining("damaged.recording cannot be used: line 2: is no JSON"),
    ])
  },
  "config diff": async ({ file }) => {
    const at = await recorded(file)
    const next = withoutGrant(at)
    expect((await at.line(`config diff ${at.file} ${at.file}`)).out).toBe("nothing differs\n")
    const { code, out } = await postern(["config", "diff", at.file, next, "--against", "requests.recording"], at)
    expect(code).toBe(4)
    expect(out).toContain("1 client loses the client_credentials grant: robot\n")
    expect(out).toContain("1 request would be refused by token.grant-type-allowed (RFC 6749 §5.2)\n")
    expect(out).toContain("1 of 2 recorded requests would be decided as before\n")
  },
  misbehave: async (at) => {
    expect((await at.run("misbehave --list")).out).toMatch(/^id-token\.nonce-wrong +MUST +notice +OpenID Connect Core §3\.1\.3\.7\.11/m)
    const tried = at.write(`tried-${at.file}`, [{ client_id: "app", client_secret: "secret", redirect_uris: ["https://app.example/cb"] }])
    const call = `misbehave --port 0 --faults metadata.issuer-slash --client-file ${tried} --format json --out report.json`
    const op = await running(call.split(" "), at, /Stop it with Ctrl-C/)
    const issuer = /issuer +(\S+):/.exec(op.said.out)?.[1] ?? ""
    expect(await (await fetch(`${issuer}/.well-known/openid-configuration`)).json()).toMatchObject({ issuer: `${issuer}/` })
    expect(await (await fetch(issuer)).text()).toContain("<code>metadata.issuer-slash</code>")
    expect(await op.stop("SIGINT")).toBe(0)
    expect(JSON.parse(readFileSync(join(at.cwd, "report.json"), "utf8"))).toMatchObject({ set: "misbehave", counts: { skip: 1 } })
    const { code, err } = await at.tells(`misbehave --faults no-such --client-file ${tried}`)
    expect([code, err]).toEqual([2, expect.stringContaining('there is no fault "no-such"')])
    for (const [call, why] of [
      ["--client nobody=token.empty", 'has no client "nobody"'],
      ["--seed 7", "a seed only applies to the preset chaos"],
      ["--faults mcp --seed 7", "a seed only applies to the preset chaos"],
    ] as const)
      expect(await at.tells(`misbehave --port 0 ${call} --client-file ${tried}`)).toMatchObject({
        code: 2,
        err: expect.stringContaining(why) as unknown,
      })
    await losesNoReport(`misbehave --port 0 --client-file ${tried}`, at)
    mkdirSync(join(at.cwd, "kept"))
    const late = await running(`misbehave --port 0 --client-file ${tried} --format tap --out kept/late.tap`.split(" "), at, /Stop it/)
    rmSync(join(at.cwd, "kept"), { recursive: true })
    expect([await late.stop("SIGINT"), late.said.err]).toEqual([1, expect.stringContaining("kept/late.tap cannot be written: ENOENT")])
    const script = at.write(`script-${at.file}`, [{ on: "refresh", nth: 2, fault: "refresh.answer-lost" }])
    const chaos = await running(
      `misbehave --port 0 --faults chaos --seed 7 --script ${script} --client-file ${tried}`.split(" "),
      at,
      /Stop it/,
    )
    expect(chaos.said.out).toContain("--seed 7")
    expect(await chaos.stop("SIGINT")).toBe(0)
    const unread = at.write(`unread-${at.file}`, [{ on: "refresh", nth: 2, fault: "token.empty" }])
    const strange = at.write(`strange-${at.file}`, [{ on: "refresh", nth: 2, fault: "refresh.answer-lost", client: "nobody" }])
    expect(await at.tells(`misbehave --port 0 --script ${strange} --client-file ${tried}`)).toMatchObject({
      code: 1,
      err: expect.stringContaining('the client "nobody"') as unknown,
    })
    const misread = await at.tells(`misbehave --script ${unread} --client-file ${tried}`)
    expect([misread.code, misread.err]).toEqual([1, expect.stringContaining("token.empty, which is of token, not of refresh")])
    const wrong = at.write(`wrong-${at.file}`, [
      { client_id: "app", client_secret: "secret", redirect_uris: ["http://app.example/cb#top"], grant_types: ["authorization_code"] },
    ])
    const refused = await at.tells(`misbehave --client-file ${wrong}`)
    expect([refused.code, refused.err]).toEqual([1, expect.stringMatching(/client "app" is refused/)])
    expect(refused.err).not.toContain("\uFFFD")
  },
}

describe("the packed command", () => {
  it("holds what it is made of and nothing else", () => {
    expect(readdirSync(join(dirname(command), "..")).sort()).toEqual(["LICENSE", "README.md", "dist", "package.json", "schema"])
  })

  it("has a row here for every command there is", () => {
    expect(Object.keys(rows).sort()).toEqual([...commands].sort())
  })

  it("explains every command", async () => {
    const { cwd, remove } = folder(null)
    onTestFinished(remove)
    for (const words of commands) {
      const { code, out, err } = await posternLine([...words.split(" "), "--help"], { cwd })
      expect([words, code, err, out]).toEqual([words, 0, "", expect.stringContaining(`postern ${words}`)])
    }
  })

  describe.for([["postern.jsonc"], ["postern.yaml"]] as const)("configured by %s", ([file]) => {
    // One function reads both forms: the commands that take a file of their own are run with each, and so is every second one of the others.
    const takesFile = (name: string): boolean => /^(?:init|check-config|serve|client import)$/.test(name)
    for (const [at, [name, does]] of Object.entries(rows).entries())
      it.runIf(takesFile(name) || file === "postern.jsonc" || at % 2 === 1)(`does ${name}`, async () => does(await place(file)))
  })
})
