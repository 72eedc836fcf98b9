import { spawn } from "node:child_process"
import { type IncomingMessage, type ServerResponse, createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { posternLine } from "../cli/lines.ts"
import { folder } from "../cli/run.ts"

vi.setConfig({ testTimeout: 60_000 })

type Json = Readonly<Record<string, unknown>>
type Answer = readonly [status: number, body?: unknown]

const served = async (answer: (request: IncomingMessage, path: string, body: string) => Answer): Promise<string> => {
  const reply = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = ""
    for await (const chunk of request.setEncoding("utf8")) body += String(chunk)
    const [status, value] = answer(request, request.url ?? "", body)
    response.writeHead(status, { "content-type": "application/json" }).end(value === undefined ? undefined : JSON.stringify(value))
  }
  const server = createServer((request, response) => void reply(request, response)).listen(0, "127.0.0.1")
  onTestFinished(() => void server.close())
  await new Promise((resolve) => server.once("listening", resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A folder with the clients of every role and the script of a provider. */
const prepared = async (provider: string) => {
  const { cwd, remove } = folder(null)
  onTestFinished(remove)
  const { code, out } = await posternLine(["conform", "--prepare", ".", "--for", provider], { cwd })
  expect([code, out]).toEqual([0, expect.stringContaining(`${provider}.mjs`)])
  const { clients } = JSON.parse(readFileSync(join(cwd, "clients.json"), "utf8")) as { readonly clients: ReadonlyArray<Json> }
  const run = async (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) => {
    const child = spawn(process.execPath, [`${provider}.mjs`, ...args], { cwd, env: { ...process.env, ...env } })
    let text = ""
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
    const status = await new Promise((resolve) => child.once("close", resolve))
    return { status, text }
  }
  return { clients, run, cwd }
}

/** Members of Keycloak's ClientRepresentation that it knows, of those that a script may send: it refuses any other with 400. */
const known = new Set(
  "clientId name protocol secret publicClient clientAuthenticatorType redirectUris standardFlowEnabled frontchannelLogout implicitFlowEnabled directAccessGrantsEnabled serviceAccountsEnabled defaultClientScopes optionalClientScopes attributes protocolMappers".split(
    " ",
  ),
)

/** The part of Keycloak's admin API that the script uses, as Keycloak 26.4.0 answered it. */
const keycloak = () => {
  const realms = new Map<string, { clients: Array<Json>; users: Array<Json>; scopes: Array<Json> }>()
  let made = 0
  const url = served(({ method, headers }, path, body): Answer => {
    if (path === "/realms/master/protocol/openid-connect/token") {
      const form = new URLSearchParams(body)
      return form.get("password") === "of the admin" ? [200, { access_token: "of the admin" }] : [401, { error: "invalid_grant" }]
    }
    if (headers.authorization !== "Bearer of the admin") return [401, { error: "HTTP 401 Unauthorized" }]
    const value = body === "" ? {} : (JSON.parse(body) as Json)
    const [, , , name = "", list = "", id] = new URL(path, "http://a").pathname.split("/")
    if (name === "") {
      if (realms.has(String(value["realm"]))) return [409, { errorMessage: "Conflict detected. See logs for details" }]
      realms.set(String(value["realm"]), { clients: [], users: [], scopes: [] })
      return [201]
    }
    const realm = realms.get(name)
    if (realm === undefined) return [404, { error: "Realm not found." }]
    const rows = list === "clients" ? realm.clients : list === "users" ? realm.users : realm.scopes
    const key = list === "clients" ? "clientId" : list === "users" ? "username" : "name"
    if (method === "GET") {
      const wanted = new URL(path, "http://a").searchParams.get(key)
      return [200, rows.filter((each) => wanted === null || each[key] === wanted)]
    }
    if (method === "DELETE") {
      const at = rows.findIndex((each) => each["id"] === id)
      return at < 0 ? [404, { error: "Could not find it" }] : (rows.splice(at, 1), [204])
    }
    const strange = list === "clients" ? Object.keys(value).find((each) => !known.has(each)) : undefined
    if (strange !== undefined) return [400, { error: `Unrecognized field "${strange}"` }]
    if (rows.some((each) => each[key] === value[key])) return [409, { errorMessage: "It already exists" }]
    rows.push({ ...value, id: `id-${made++}` })
    return [201]
  })
  return { realms, url }
}

describe("the admin script for Keycloak", () => {
  it("makes every client that --prepare describes, replaces them, and removes everything again", async () => {
    const { clients, run } = await prepared("keycloak")
    const { realms, url } = keycloak()
    const env = { KEYCLOAK_PASSWORD: "of the admin", CONFORMANCE_PASSWORD: "of alice" }
    const call = [await url, "tests", "clients.json", "--create-realm", "--person", "alice"]
    const first = await run(call, env)
    expect([first.status, first.text]).toEqual([0, expect.stringContaining("made the realm tests")])
    const again = await run(call, env)
    expect([again.status, again.text]).toEqual([0, expect.stringContaining("replaced conformance-web")])
    const realm = realms.get("tests")
    expect(realm?.clients.map(({ clientId }) => clientId)).toEqual(clients.map(({ client_id }) => client_id))
    expect(realm?.clients.find(({ clientId }) => clientId === "conformance-signing")).toMatchObject({
      clientAuthenticatorType: "client-jwt",
      attributes: { "use.jwks.string": "true", "pkce.code.challenge.method": "S256" },
    })
    expect(realm?.users).toMatchObject([{ username: "alice", credentials: [{ value: "of alice", temporary: false }] }])
    const removed = await run([await url, "tests", "clients.json", "--person", "alice", "--remove"], env)
    expect([removed.status, realm?.clients, realm?.users, realm?.scopes]).toEqual([0, [], [], []])
  })

  it.for([
    ["person", { users: [{ id: "real", username: "alice", email: "alice@example.com" }], scopes: [] }],
    ["scope", { users: [], scopes: [{ id: "real", name: "conformance.read", attributes: {} }] }],
  ] as const)("leaves a %s alone that it did not make, and changes nothing", async ([thing, had]) => {
    const { run } = await prepared("keycloak")
    const { realms, url } = keycloak()
    const realm = { clients: [], users: [...had.users], scopes: [...had.scopes] }
    realms.set("tests", realm)
    for (const more of [[], ["--remove"]]) {
      const ran = await run([await url, "tests", "clients.json", "--person", "alice", ...more], {
        KEYCLOAK_PASSWORD: "of the admin",
        CONFORMANCE_PASSWORD: "of alice",
      })
      expect(ran).toEqual({ status: 1, text: expect.stringMatching(new RegExp(`^the ${thing} \\S+ exists already, .*left alone\\n$`)) })
      expect(realm).toEqual({ clients: [], ...had })
    }
  })

  it("says what is wrong in one line: a password, a realm, a server that is not there, a call", async () => {
    const { run } = await prepared("keycloak")
    const { url } = keycloak()
    const wrong = await run([await url, "tests", "clients.json"], { KEYCLOAK_PASSWORD: "another" })
    expect(wrong).toEqual({ status: 1, text: "no sign-in as admin: status 401\n" })
    const nowhere = await run([await url, "tests", "clients.json"], { KEYCLOAK_PASSWORD: "of the admin" })
    expect([nowhere.status, nowhere.text]).toEqual([
      1,
      expect.stringMatching(/^GET \/tests\/client-scopes: status 404: .*Realm not found.*\n$/),
    ])
    expect(await run(["http://127.0.0.1:1", "tests", "clients.json"], { KEYCLOAK_PASSWORD: "a" })).toMatchObject({ status: 1 })
    expect((await run([], {})).status).toBe(2)
  })
})

describe("the admin script for Hydra", () => {
  /** The part of Hydra's admin API that the script uses, as its documentation describes it. */
  const hydra = () => {
    const clients = new Map<string, Json>()
    const url = served(({ method }, path, body): Answer => {
      const id = decodeURIComponent(path.slice("/admin/clients/".length))
      if (method === "DELETE") return clients.delete(id) ? [204] : [404, { error: "Not Found" }]
      const value = JSON.parse(body) as Json
      const ways = ["client_secret_basic", "client_secret_post", "private_key_jwt", "none"]
      if (!ways.includes(String(value["token_endpoint_auth_method"]))) return [400, { error: "invalid_client_metadata" }]
      if (method === "POST" && clients.has(String(value["client_id"]))) return [409, { error: "Unable to insert or update resource" }]
      if (method === "PUT" && !clients.has(id)) return [404, { error: "Not Found" }]
      clients.set(String(value["client_id"]), value)
      return [method === "POST" ? 201 : 200, value]
    })
    return { clients, url }
  }

  it("makes every client but the one that Hydra cannot have, replaces them, and removes them again", async () => {
    const { clients, run } = await prepared("hydra")
    const { clients: known, url } = hydra()
    const first = await run([await url, "clients.json"])
    expect([first.status, first.text]).toEqual([0, expect.stringContaining("left out conformance-mac: Hydra has no client_secret_jwt")])
    expect([...known.keys()]).toEqual(clients.map(({ client_id }) => client_id).filter((id) => id !== "conformance-mac"))
    expect((await run([await url, "clients.json"])).text).toContain("replaced conformance-web")
    expect([(await run([await url, "clients.json", "--remove"])).status, known.size]).toEqual([0, 0])
  })
})

it("a provider that no script is shipped for is named, with those that have one", async () => {
  const { cwd, remove } = folder(null)
  onTestFinished(remove)
  const { code, err } = await posternLine(["conform", "--prepare", ".", "--for", "other"], { cwd })
  expect([code, err]).toEqual([2, expect.stringContaining("there are keycloak and hydra")])
})

it("--prepare writes all of its files or none, says which one exists, and where no file can be", async () => {
  const { cwd, remove } = folder(null)
  onTestFinished(remove)
  const prepare = (...args: ReadonlyArray<string>) => posternLine(["conform", "--prepare", ...args], { cwd })
  // The last file of all.
  writeFileSync(join(cwd, "hydra.mjs"), "mine")
  expect(await prepare(".", "--for", "hydra")).toEqual({
    code: 1,
    out: "",
    err: "postern: hydra.mjs already exists; nothing was written\n  its secrets may be in use: remove it first, or name another folder\n",
  })
  expect(readdirSync(cwd)).toEqual(["hydra.mjs"])
  expect(await prepare("nowhere")).toEqual({
    code: 1,
    out: "",
    err: "postern: nowhere/clients.json cannot be written: ENOENT\n  its folder does not exist: create it, or name another\n",
  })
  mkdirSync(join(cwd, "a folder"))
  expect((await prepare("a folder")).out).toContain("`postern client import 'a folder/clients.json'`")
})
