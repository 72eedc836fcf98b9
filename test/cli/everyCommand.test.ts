import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { postern as tree } from "../../packages/cli/src/commands/postern.ts"
import { stringify } from "../../packages/cli/src/config/yaml.ts"
import { command } from "../support/packed.ts"
import { freePort } from "../support/server.ts"
import { full, sample } from "../tiers/tier.ts"
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
  resources: [{ identifier: "https://api.example", scopes: ["api"] }],
  clients: [{ client_id: "robot", client_secret: "secret", grant_types: ["client_credentials"], response_types: [], scope: "api" }],
  users: [{ username: "alice", password: "correct horse battery" }],
}
const machine = { client_id: "late", client_secret: "later", grant_types: ["client_credentials"], response_types: [], scope: "api" }

/** A folder outside of the workspace with a configuration, and the command in it. */
interface Place {
  readonly cwd: string
  readonly file: string
  /** Runs it; whatever does not end with 0 fails the test. */
  readonly run: (line: string, input?: string) => Promise<Ran>
  /** Writes a value in the form of the configuration. */
  readonly write: (name: string, value: unknown) => string
}

const inFormat = (file: string, value: unknown): string => (/\.ya?ml$/.test(file) ? stringify(value) : JSON.stringify(value))

const place = (file: string): Place => {
  const { cwd, remove } = folder(null)
  onTestFinished(remove)
  const write: Place["write"] = (name, value) => {
    writeFileSync(join(cwd, name), inFormat(file, value))
    return name
  }
  write(file, config)
  const run: Place["run"] = async (line, input = "") => {
    const ran = await postern(line.split(" "), { cwd, input })
    expect({ line, ...ran }).toEqual({ line, code: 0, out: expect.any(String), err: expect.any(String) })
    return ran
  }
  return { cwd, file, run, write }
}

/** Shows that a command refuses, before it does anything, a report that it could not write; and leaves no file behind. */
const losesNoReport = async (call: string, { cwd }: Place): Promise<void> => {
  const refusal = async (more: string) => {
    const { code, out, err } = await postern(`${call} ${more}`.split(" "), { cwd })
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

/** A server that has answered a client and refused another. */
const served = async ({ cwd }: Place) => {
  const server = await serve({ cwd })
  const url = listening(server)
  const [issued, refused] = [await token(url, "robot", "secret"), await token(url, "robot", "wrong")]
  expect([issued.status, refused.status]).toEqual([200, 401])
  return { server, url, refused: refused.headers.get("x-request-id") ?? "" }
}

/** Records a token that was issued and one that was refused. */
const recording = async (at: Place) => {
  const server = await running(["record", "--out", "requests.recording"], at, /Ready\./)
  const url = /listening +(\S+)/.exec(server.said.err)?.[1] ?? ""
  const [issued, refused] = [await token(url, "robot", "secret"), await token(url, "robot", "robot's wrong secret")]
  expect([issued.status, refused.status]).toEqual([200, 401])
  expect(await server.stop("SIGINT")).toBe(0)
  return { url }
}

/** A configuration whose client may no longer ask for tokens of its own. */
const withoutGrant = ({ write, file }: Place): string =>
  write(`next-${file}`, {
    ...config,
    clients: config.clients.map((client) => ({ ...client, grant_types: ["refresh_token"] })),
  })

const addLate = ({ run }: Place): Promise<Ran> => run("client add late --grant-type client_credentials --scope api --secret-stdin", "later")
const addBob = ({ run }: Place): Promise<Ran> => run("user add bob --claim name=Bob", "a password of bob's")

/** A configuration whose clients may register themselves. */
const registering = ({ cwd }: Place): string => {
  writeFileSync(join(cwd, "registering.json"), JSON.stringify({ ...config, registration: {} }))
  return "registering.json"
}

/** For each command a call that does its work, and what shows that it was done. */
const rows: Readonly<Record<string, (place: Place) => Promise<void>>> = {
  serve: async (at) => {
    const { server, url } = await served(at)
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
  init: async ({ run, file }) => {
    expect((await run(`init --yes --force ${file}`)).out).toContain(`wrote ${file}`)
    expect((await run(`check-config ${file}`)).out).toContain(`${file} is fine`)
  },
  "check-config": async (at) => {
    expect((await at.run(`check-config ${at.file}`)).out).toContain(`${at.file} is fine`)
    const wrong = at.write(`wrong-${at.file}`, { ...config, trial: "all" })
    const { code, out } = await postern(["check-config", wrong], at)
    expect([code, out]).toEqual([1, expect.stringMatching(/^wrong-\S+:\d+:\d+ trial is not a known key\n {4}did you mean trail\?$/m)])
  },
  "client add": async (at) => {
    await addLate(at)
    const server = await serve(at)
    expect((await token(listening(server), "late", "later")).status).toBe(200)
    const add = "client add more --redirect-uri https://more.example/cb --metadata"
    await at.run(`${add} require_pkce=false --metadata client_uri=https://more.example --metadata default_acr_values=["a"]`)
    const stated = { require_pkce: false, client_uri: "https://more.example", default_acr_values: ["a"] }
    expect(JSON.parse((await at.run("client show more --json")).out)).toMatchObject(stated)
    const { code, err } = await postern([...add.split(" "), "requir_pkce=true"], at)
    expect([code, err]).toEqual([1, expect.stringContaining("did you mean require_pkce?")])
  },
  "client list": async (at) => {
    await addLate(at)
    expect((await at.run("client list")).out).toMatch(/^late +machine +command line$/m)
  },
  "client show": async (at) => {
    await addLate(at)
    expect((await at.run("client show late")).out).toContain("late")
  },
  "client readiness": async (at) => {
    await addLate(at)
    expect((await at.run("client readiness late --profile oauth2.1")).out).toContain("every code needs PKCE")
    const { code, err } = await postern(["client", "readiness", "late", "--profile", "fapi2-security"], at)
    expect([code, err]).toEqual([1, expect.stringContaining("client_secret_basic is refused by the profile fapi2-security")])
    const asJson = await postern(["client", "readiness", "late", "--profile", "fapi2-security", "--json"], at)
    expect([asJson.code, (JSON.parse(asJson.out) as { readonly ready: boolean }).ready]).toEqual([1, false])
  },
  "client remove": async (at) => {
    await addLate(at)
    await at.run("client remove late")
    expect((await postern(["client", "show", "late"], at)).code).toBe(1)
  },
  "client import": async (at) => {
    await at.run(`client import ${at.write(`clients-${at.file}`, [machine])}`)
    const server = await serve(at)
    expect((await token(listening(server), "late", "later")).status).toBe(200)
  },
  "registration tokens add": async (at) => {
    const [make, limits] = ["registration tokens add partners --config", "--uses 1 --days 1 --redirect-host app.example --scope openid"]
    const made = JSON.parse((await at.run(`${make} ${registering(at)} ${limits} --json`)).out) as Record<string, unknown>
    expect(made).toMatchObject({ name: "partners", most_uses: 1, policy: { redirectHosts: ["app.example"], scope: ["openid"] } })
    const server = await serve(at, "--config", "registering.json")
    let id = ""
    const register = async (host: string) => {
      const headers = { authorization: `Bearer ${String(made["initial_access_token"])}`, "content-type": "application/json" }
      const body = JSON.stringify({ redirect_uris: [`https://${host}/cb`], client_name: "A partner" })
      const answer = await fetch(`${listening(server)}/connect/register`, { method: "POST", headers, body })
      if (answer.status === 201) id = ((await answer.json()) as { readonly client_id: string }).client_id
      return answer.status
    }
    expect([await register("other.example"), await register("app.example"), await register("app.example")]).toEqual([400, 201, 401])
    const here = "--config registering.json"
    expect((await at.run(`client list ${here}`)).out).toMatch(new RegExp(`^${id} +A partner +confidential +registered itself$`, "m"))
    expect(JSON.parse((await at.run(`client list --json ${here}`)).out)).toContainEqual(
      expect.objectContaining({ client_id: id, client_name: "A partner", origin: "registration", has_secret: true }),
    )
    expect((await at.run(`client show ${id} ${here}`)).out).toMatch(/registered +.*, by itself$/m)
    await at.run(`client remove ${id} ${here}`)
    expect((await at.run(`client list ${here}`)).out).not.toContain(id)
    expect((await postern(["client", "remove", id, "--config", "registering.json"], at)).code).toBe(1)
    expect((await postern(["registration", "tokens", "add", "x"], at)).err).toContain("clients cannot register themselves here")
    const wrong = await postern(
      ["registration", "tokens", "add", "x", "--config", registering(at), "--metadata", "require_consnt=true"],
      at,
    )
    expect([wrong.code, wrong.err]).toEqual([
      2,
      expect.stringMatching(
        /require_consnt is not client metadata of this provider: every registration would be refused[^]*require_consent/,
      ),
    ])
    expect(
      await postern(["registration", "tokens", "add", "x", "--config", registering(at), "--metadata", "require_consent=1"], at),
    ).toMatchObject({ code: 2 })
  },
  "registration tokens list": async (at) => {
    const file = registering(at)
    await at.run(`registration tokens add partners --config ${file}`)
    expect((await at.run(`registration tokens list --config ${file}`)).out).toMatch(/^\w{16} +partners +0 +good$/m)
  },
  "registration tokens revoke": async (at) => {
    const file = registering(at)
    const { id } = JSON.parse((await at.run(`registration tokens add partners --config ${file} --json`)).out) as { readonly id: string }
    await at.run(`registration tokens revoke ${id} --config ${file}`)
    expect((await at.run(`registration tokens list --config ${file}`)).out).toContain("revoked")
  },
  "registration policy": async (at) => {
    const file = registering(at)
    expect((await at.run(`registration policy --config ${file}`)).out).toContain("register.redirect-hosts")
    const judged = async (metadata: object): Promise<string> => {
      writeFileSync(join(at.cwd, "client.json"), JSON.stringify(metadata))
      return (await at.run(`registration policy --metadata client.json --config ${file}`)).out
    }
    expect(await judged({ redirect_uris: ["http://app.example/cb"] })).toContain("refused by registration.redirect-uris (")
    expect(await judged({ redirect_uris: ["https://app.example/cb"] })).toContain("would be registered as")
  },
  "registration clean": async (at) => {
    const file = registering(at)
    expect((await at.run(`registration clean --dry-run --config ${file}`)).out).toContain("0 clients would be removed.")
    expect(JSON.parse((await at.run(`registration clean --json --config ${file}`)).out)).toEqual({ removed: 0, over: [], unused: [] })
  },
  "user add": async (at) => {
    await addBob(at)
    expect((await at.run("user list")).out).toContain("bob")
  },
  "user list": async (at) => {
    await addBob(at)
    expect(JSON.parse((await at.run("user list --json")).out)).toMatchObject([{ username: "bob" }])
  },
  "user show": async (at) => {
    await addBob(at)
    expect((await at.run("user show bob")).out).toContain("Bob")
  },
  "user disable": async (at) => {
    await addBob(at)
    await at.run("user disable bob")
    expect(JSON.parse((await at.run("user show bob --json")).out)).toMatchObject({ disabled: true })
  },
  "user enable": async (at) => {
    await addBob(at)
    await at.run("user disable bob")
    await at.run("user enable bob")
    expect(JSON.parse((await at.run("user show bob --json")).out)).toMatchObject({ disabled: false })
  },
  "user passwd": async (at) => {
    await addBob(at)
    expect((await at.run("user passwd bob", "another password of bob's")).out).toContain("bob")
  },
  "keys list": async (at) => {
    await served(at)
    expect((await at.run("keys list")).out).toContain("RS256")
  },
  "keys rotate": async (at) => {
    await served(at)
    const before = JSON.parse((await at.run("keys list --json")).out) as ReadonlyArray<unknown>
    await at.run("keys rotate")
    expect(JSON.parse((await at.run("keys list --json")).out)).toHaveLength(2 * before.length)
  },
  explain: async (at) => {
    const { refused } = await served(at)
    // The trail is written a moment after the answer.
    await vi.waitFor(async () => expect((await postern(["explain", refused], at)).out).toContain("client   robot"), { timeout: patience })
  },
  audit: async (at) => {
    await served(at)
    await vi.waitFor(async () => expect((await at.run("audit --client robot")).out).toContain("token_issued"), { timeout: patience })
  },
  "logout status": async (at) => {
    await served(at)
    expect((await at.run("logout status")).out).toBe("All logout tokens are delivered.\n")
    expect((await at.run("logout status --clients")).out).toContain("No logout tokens.\n")
  },
  "logout replay": async (at) => {
    await served(at)
    expect(JSON.parse((await at.run("logout replay --json")).out)).toEqual({ replayed: 0 })
  },
  doctor: async (at) => {
    await addBob(at)
    expect((await at.run("doctor")).out).toContain(at.file)
  },
  "mcp doctor": async (at) => {
    const { code, out, err } = await postern(["mcp", "doctor", "claude-code"], at)
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
    const asJson = JSON.parse((await at.run(`mcp doctor mcporter --json --config ${open}`)).out) as Record<string, unknown>
    expect(asJson).toMatchObject({ refused: [], clients: [{ name: "mcporter", known_by: "registration", refused: null }] })
    // The server says that it is another one than was asked.
    const server = await serve(at, "--config", open)
    const other = await postern(["mcp", "doctor", listening(server)], at)
    expect([other.code, other.out]).toEqual([1, expect.stringContaining("✗ every client is refused by mcp.issuer-same (RFC 8414 §3.3)")])
    expect(await server.stop("SIGTERM")).toBe(0)
    const port = await freePort()
    const named = { ...config, issuer: `http://127.0.0.1:${port}`, listen: { port }, registration: { open: true } }
    const there = await serve(at, "--config", at.write(`named-${at.file}`, named))
    expect((await at.run(`mcp doctor ${listening(there)} --client mcporter`)).out).toContain("? mcporter: not tried: it would register\n")
    expect((await postern(["mcp", "doctor", "nobody"], at)).err).toContain("nobody is neither a URL nor a client")
    expect((await postern(["mcp", "doctor", "http://127.0.0.1:1/"], at)).code).toBe(3)
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
    expect((await postern(["cimd", "serve", "nowhere.json", "--port", "0"], at)).err).toContain("nowhere.json cannot be read: ENOENT")
    expect((await postern(["cimd", "serve", file, "--url", "http://example.com"], at)).code).toBe(2)
  },
  "proxy-check": async (at) => {
    at.write(at.file, { ...config, mutual_tls: { proxy_check: true } })
    const { url } = await served(at)
    expect(await postern(["proxy-check", url], at)).toMatchObject({
      code: 0,
      out: expect.stringContaining("forged certificate: not believed"),
    })
  },
  backup: async (at) => {
    await addBob(at)
    await at.run("backup kept.backup")
    expect(readdirSync(at.cwd)).toContain("kept.backup")
  },
  restore: async (at) => {
    await addBob(at)
    await at.run("backup kept.backup")
    await at.run("user disable bob")
    await at.run("restore kept.backup --force")
    expect(JSON.parse((await at.run("user show bob --json")).out)).toMatchObject({ disabled: false })
  },
  conform: async (at) => {
    const { run, write, file } = at
    expect((await run("conform --in-process --only code")).err).toMatch(/in process, all: \d+ pass in/)
    const known = write(`known-${file}`, [{ id: "code.once", reason: "an example", until: "2999-01-01" }])
    expect((await run(`conform --in-process --only code.once --expected ${known}`)).err).toContain("code.once is met")
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
    const { code, err } = await postern(["test-provider", "--at", "noon"], at)
    expect([code, err]).toEqual([2, expect.stringContaining("noon is no time")])
    for (const time of ["-5", "999999999999", "2026-11-22T20:00:00"])
      expect(await postern(["test-provider", "--port", "0", "--at", time], at)).toMatchObject({
        code: 2,
        err: expect.stringContaining(`${time} is no time`) as unknown,
      })
    expect(await postern(["test-provider", "--port", "0", "--host", "nope.invalid"], at)).toMatchObject({
      code: 1,
      err: expect.stringContaining("name another with --host") as unknown,
    })
  },
  record: async (at) => {
    const { url } = await recording(at)
    expect(url).toContain("http://127.0.0.1:")
    const text = readFileSync(join(at.cwd, "requests.recording"), "utf8")
    expect(text.trimEnd().split("\n").at(-1)).toBe('{"requests":2,"left_out":0}')
    expect(text).not.toMatch(/robot's|robot:/)
    const { code, err } = await postern(["record", "--out", "requests.recording"], at)
    expect([code, err]).toEqual([1, expect.stringContaining("requests.recording already exists")])
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
    expect((await at.run("check-config imported.jsonc")).out).toContain("imported.jsonc is fine")
    writeFileSync(join(at.cwd, "peer.mjs"), "export default { clients: [], findAccount() {} }")
    const module = JSON.parse((await at.run("import oidc-provider peer.mjs --json --issuer https://id.example.com")).out) as {
      readonly notes: ReadonlyArray<unknown>
    }
    expect(module.notes).toMatchObject([{ option: "findAccount" }])
    const missing = await postern(["import", "oidc-provider", "nowhere.json", "--issuer", "https://id.example.com"], at)
    expect([missing.code, missing.err]).toEqual([1, expect.stringContaining("nowhere.json cannot be read: ENOENT")])
    writeFileSync(join(at.cwd, "list.json"), "[]")
    const list = await postern(["import", "oidc-provider", "list.json", "--issuer", "https://id.example.com"], at)
    expect([list.code, list.err]).toEqual([1, expect.stringContaining("list.json has no configuration")])
  },
  replay: async (at) => {
    await recording(at)
    expect((await at.run("replay requests.recording")).out).toBe("2 requests, decided as they were\n")
    const { code, out } = await postern(["replay", "requests.recording", "--config", withoutGrant(at)], at)
    expect([code, out]).toEqual([
      4,
      expect.stringContaining("refused now by  token.grant-type-allowed (RFC 6749 §5.2) unauthorized_client"),
    ])
    writeFileSync(join(at.cwd, "damaged.recording"), `${readFileSync(join(at.cwd, "requests.recording"), "utf8").split("\n")[0]}\n{\n`)
    const damaged = await postern(["replay", "damaged.recording"], at)
    expect([damaged.code, damaged.out, damaged.err]).toEqual([
      1,
      "",
      expect.stringContaining("damaged.recording cannot be used: line 2: is no JSON"),
    ])
  },
  "config diff": async (at) => {
    await recording(at)
    const next = withoutGrant(at)
    expect((await at.run(`config diff ${at.file} ${at.file}`)).out).toBe("nothing differs\n")
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
    const { code, err } = await postern(["misbehave", "--faults", "no-such", "--client-file", tried], at)
    expect([code, err]).toEqual([2, expect.stringContaining('there is no fault "no-such"')])
    for (const [call, why] of [
      ["--client nobody=token.empty", 'has no client "nobody"'],
      ["--seed 7", "a seed only applies to the preset chaos"],
      ["--faults mcp --seed 7", "a seed only applies to the preset chaos"],
    ] as const)
      expect(await postern(`misbehave --port 0 ${call} --client-file ${tried}`.split(" "), at)).toMatchObject({
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
    expect(await postern(["misbehave", "--port", "0", "--script", strange, "--client-file", tried], at)).toMatchObject({
      code: 1,
      err: expect.stringContaining('the client "nobody"') as unknown,
    })
    const misread = await postern(["misbehave", "--script", unread, "--client-file", tried], at)
    expect([misread.code, misread.err]).toEqual([1, expect.stringContaining("token.empty, which is of token, not of refresh")])
    const wrong = at.write(`wrong-${at.file}`, [
      { client_id: "app", client_secret: "secret", redirect_uris: ["http://app.example/cb#top"], grant_types: ["authorization_code"] },
    ])
    const refused = await postern(["misbehave", "--client-file", wrong], at)
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
    for (const words of sample(commands, 4)) {
      const { code, out, err } = await postern([...words.split(" "), "--help"], { cwd })
      expect([words, code, err, out]).toEqual([words, 0, "", expect.stringContaining(`postern ${words}`)])
    }
  })

  describe.for([["postern.jsonc"], ["postern.yaml"]] as const)("configured by %s", ([file]) => {
    // One function reads both forms: commands that take a file of their own are run with each, and of the others, in the full tier, every second one with the second form too.
    const takesFile = (name: string): boolean => /^(?:serve|init|check-config|client import)$/.test(name)
    for (const [at, [name, does]] of Object.entries(rows).entries())
      it.runIf(takesFile(name) || file === "postern.jsonc" || (full && at % 2 === 1))(`does ${name}`, () => does(place(file)))
  })
})
