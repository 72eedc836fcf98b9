import { type Server, type ServerResponse, createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { mcpDoctor } from "../../packages/cli/src/actions/mcpDoctor.ts"
import type { Failed, Misused } from "../../packages/cli/src/failure.ts"
import { clientOfDocument, namedClients } from "../../packages/cli/src/mcp/clients.ts"
import { serverRefusals, verdictOn } from "../../packages/cli/src/mcp/diagnosis.ts"
import { secretIn } from "../../packages/cli/src/mcp/documents.ts"
import { reachFrom } from "../../packages/cli/src/mcp/reach.ts"
import { sendTo } from "../../packages/cli/src/mcp/send.ts"
import { foundAt } from "../../packages/cli/src/mcp/remote.ts"
import { remarksOn } from "../../packages/cli/src/mcp/rules.ts"
import type { Server as Found } from "../../packages/cli/src/mcp/server.ts"

type Answer = {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
  readonly send?: (response: ServerResponse) => void
}
type Site = Readonly<Record<string, (url: URL, origin: string, method: string) => Answer>>

let server: Server
let origin = ""
let site: Site = {}
const asked: Array<string> = []
const queries: Array<URLSearchParams> = []

beforeAll(async () => {
  server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", origin)
    asked.push(`${request.method} ${url.pathname}`)
    if (request.method === "GET") queries.push(url.searchParams)
    const { status = 404, headers = {}, json = {}, send } = site[url.pathname]?.(url, origin, request.method ?? "") ?? {}
    if (send !== undefined) return send(response)
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(json))
  })
  await new Promise<void>((listens) => server.listen(0, "127.0.0.1", listens))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.close()
  server.closeAllConnections()
})

const good = (_: URL, at: string): Answer => ({
  status: 200,
  json: {
    issuer: at,
    authorization_endpoint: `${at}/authorize`,
    token_endpoint: `${at}/token`,
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    scopes_supported: ["offline_access"],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  },
})
const changed =
  (change: (metadata: Record<string, unknown>) => object) =>
  (url: URL, at: string): Answer => ({ status: 200, json: change(good(url, at).json as Record<string, unknown>) })

const places = ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"]
const authorized: Site = {
  "/authorize": () => ({ status: 303, headers: { location: "/login" } }),
  "/token": () => ({ status: 400, json: { error: "invalid_grant" } }),
}
const everywhere = (metadata: Site[string]): Site => ({ ...authorized, ...Object.fromEntries(places.map((place) => [place, metadata])) })

const serverFor = async (given: Site, path = ""): Promise<Found> => {
  site = given
  onTestFinished(() => void (site = {}))
  asked.length = 0
  queries.length = 0
  const found = await foundAt(origin + path)
  if (found._tag !== "Server") throw new Error("a document was found")
  return found.server
}
const refusals = async (given: Site, path = "") => serverRefusals(await serverFor(given, path)).map(({ rule }) => rule)
const [claudeCode] = namedClients

describe("the rules of a server", () => {
  test("RFC 8414 §3.1, OpenID Connect Discovery §4: all three places are tried, each that is missing is a remark", async () => {
    const found = await serverFor(
      { ...authorized, "/tenant/.well-known/openid-configuration": changed((m) => ({ ...m, issuer: `${origin}/tenant` })) },
      "/tenant",
    )
    expect(serverRefusals(found)).toEqual([])
    expect(found.looked.map(({ url, found: metadata }) => [url.slice(origin.length), metadata !== undefined])).toEqual([
      ["/.well-known/oauth-authorization-server/tenant", false],
      ["/.well-known/openid-configuration/tenant", false],
      ["/tenant/.well-known/openid-configuration", true],
    ])
    expect(remarksOn(found)).toHaveLength(2)
  })

  const broken: ReadonlyArray<readonly [string, string, Site]> = [
    ["RFC 8414 §3.1: metadata is found", "mcp.metadata-found", {}],
    [
      "RFC 8414 §3.3: the issuer is the one that was asked",
      "mcp.issuer-same",
      everywhere(changed((m) => ({ ...m, issuer: "https://other.example" }))),
    ],
    ["RFC 8414 §2: there is a token endpoint", "mcp.endpoints", everywhere(changed(({ token_endpoint: _, ...m }) => m))],
    [
      "RFC 8414 §2: endpoints are https or of this machine",
      "mcp.endpoints",
      everywhere(changed((m) => ({ ...m, token_endpoint: "http://op.example/token" }))),
    ],
    [
      "RFC 7636 §4.2: challenges by S256 are announced",
      "mcp.challenge-s256",
      everywhere(changed(({ code_challenge_methods_supported: _, ...m }) => m)),
    ],
    ["RFC 6749 §4.1: there are codes", "mcp.code", everywhere(changed((m) => ({ ...m, response_types_supported: ["token"] })))],
    [
      "RFC 9728 §3.1: the resource that challenges has metadata",
      "mcp.resource-described",
      {
        "/": (_, at) => ({ status: 401, headers: { "www-authenticate": `Bearer resource_metadata="${at}/nowhere"` } }),
      },
    ],
    [
      "RFC 9728 §3.3: the metadata is of the resource that was asked",
      "mcp.resource-same",
      {
        ...everywhere(good),
        "/": (_, at) => ({ status: 401, headers: { "www-authenticate": `Bearer resource_metadata="${at}/described"` } }),
        "/described": (_, at) => ({ status: 200, json: { resource: "https://other.example", authorization_servers: [at] } }),
      },
    ],
    [
      "RFC 9728 §2: a server is named by a URL that can be asked",
      "mcp.resource-server",
      {
        "/.well-known/oauth-protected-resource": (_, at) => ({
          status: 200,
          json: { resource: at, authorization_servers: ["login.example.com:443"] },
        }),
      },
    ],
    [
      "RFC 8414 §2: a server on a private network is not asked for one on loopback",
      "mcp.metadata-found",
      {
        "/.well-known/oauth-protected-resource": (_, at) => ({
          status: 200,
          json: { resource: at, authorization_servers: ["https://169.254.169.254"] },
        }),
      },
    ],
    [
      "RFC 8414 §2: endpoints on a private network are not asked for a server on loopback",
      "mcp.endpoints",
      everywhere(changed((m) => ({ ...m, token_endpoint: "https://10.0.0.1/token" }))),
    ],
    [
      "RFC 9728 §5.1: a challenge that is no URL leads nowhere",
      "mcp.resource-described",
      { "/": () => ({ status: 401, headers: { "www-authenticate": 'Bearer resource_metadata="login.example.com:443"' } }) },
    ],
    [
      "RFC 9728 §2: the resource names its server",
      "mcp.resource-server",
      {
        "/.well-known/oauth-protected-resource": (_, at) => ({ status: 200, json: { resource: at } }),
      },
    ],
  ]
  test.for(broken)("%s", async ([, rule, given]) => {
    expect(await refusals(given)).toContain(rule)
  })

  test("RFC 9728 §3.1: a provider that serves the metadata of a resource at another host is no resource", async () => {
    const other: Site = { "/.well-known/oauth-protected-resource": () => ({ status: 200, json: { resource: "https://other.example" } }) }
    expect((await serverFor({ ...everywhere(good), ...other })).resource).toBeUndefined()
  })

  test("RFC 8414 §3.1: a place that does not answer, or with more than is read, is one without metadata", async () => {
    const cut: Answer = { send: (response) => void response.destroy() }
    const tooLong: Answer = { status: 200, json: { issuer: origin, more: "x".repeat(65_536) } }
    const [first = "", second = ""] = places
    for (const other of [cut, tooLong]) {
      expect(await refusals({ ...authorized, [first]: () => other, [second]: good })).toEqual([])
      expect(await refusals({ [first]: () => other })).toContain("mcp.metadata-found")
    }
  })

  test("a stream of events is not waited for", async () => {
    const stream: Answer = {
      send: (response) => void response.writeHead(200, { "content-type": "text/event-stream" }).write(": open\n\n"),
    }
    expect(await refusals({ ...everywhere(good), "/": (_, __, method) => (method === "GET" ? stream : {}) })).toEqual([])
  })

  test("a server that keeps all of them refuses nobody", async () => {
    expect(await refusals(everywhere(good))).toEqual([])
    expect(remarksOn(await serverFor(everywhere(good)))).toEqual([])
  })
})

describe("an MCP server", () => {
  const resource = (at: string): Answer => ({
    status: 200,
    json: { resource: `${at}/mcp`, authorization_servers: [at], scopes_supported: ["notes.read"] },
  })

  test("RFC 9728 §5.1: the challenge leads to its metadata, and that to the provider and the scopes", async () => {
    const found = await serverFor(
      {
        ...everywhere(good),
        "/mcp": (_, at) => ({ status: 401, headers: { "www-authenticate": `Bearer resource_metadata="${at}/described"` } }),
        "/described": (_, at) => resource(at),
      },
      "/mcp",
    )
    expect(serverRefusals(found)).toEqual([])
    expect([found.issuer, found.identifier, found.scope]).toEqual([origin, `${origin}/mcp`, "notes.read offline_access"])
  })

  test("RFC 9728 §3.1: without a challenge the metadata is found at its own place, with a remark", async () => {
    const found = await serverFor({ ...everywhere(good), "/.well-known/oauth-protected-resource/mcp": (_, at) => resource(at) }, "/mcp")
    expect(serverRefusals(found)).toEqual([])
    expect(remarksOn(found)).toEqual([expect.stringContaining("without resource_metadata in WWW-Authenticate (RFC 9728 §5.1)")])
  })

  test("Model Context Protocol, Protected Resource Metadata Discovery: the place of the host comes after that of the path", async () => {
    const found = await serverFor({ ...everywhere(good), "/.well-known/oauth-protected-resource": (_, at) => resource(at) }, "/mcp")
    expect(serverRefusals(found)).toEqual([])
    expect([found.issuer, found.identifier]).toEqual([origin, `${origin}/mcp`])
  })

  test("Model Context Protocol: one that challenges the first message alone is found by it, and its challenge names the scope (RFC 6750 §3)", async () => {
    const challenge = `Bearer scope="notes.write", resource_metadata="${origin}/described"`
    const found = await serverFor(
      {
        ...everywhere(good),
        "/mcp": (_, __, method) => (method === "POST" ? { status: 401, headers: { "www-authenticate": challenge } } : { status: 405 }),
        "/described": (_, at) => resource(at),
      },
      "/mcp",
    )
    expect(serverRefusals(found)).toEqual([])
    expect([found.resource?.challenge, found.scope]).toEqual([`${origin}/described`, "notes.write offline_access"])
  })

  test("RFC 8707 §2: the resource is named as its metadata spells it; a host alone also the other way", async () => {
    const namedAt = async (path: string): Promise<ReadonlyArray<string | null>> => {
      const described = (_: URL, at: string): Answer => ({ status: 200, json: { resource: at + path, authorization_servers: [at] } })
      const found = await serverFor({ ...everywhere(good), [`/.well-known/oauth-protected-resource${path}`]: described }, path)
      queries.length = 0
      if (claudeCode !== undefined) await verdictOn({ ...claudeCode, callbacks: ["http://localhost:54545/callback"] }, found)
      return queries.map((each) => each.get("resource"))
    }
    expect(await namedAt("/mcp")).toEqual([`${origin}/mcp`])
    expect(await namedAt("")).toEqual([origin, `${origin}/`])
  })
})

describe("a client at a server", () => {
  const verdict = async (given: Site, at = claudeCode) => {
    const found = await serverFor(given)
    if (at === undefined) throw new Error("no client")
    const { knownBy, isTried, refused, request } = await verdictOn(at, found)
    return { knownBy, isTried, rule: refused?.rule, reason: refused?.reason, request }
  }

  test("one that may come is known by its document, and has asked for each of its redirect URIs and for a token", async () => {
    expect(await verdict(everywhere(good))).toEqual({ knownBy: "document", isTried: true })
    expect(asked.filter((each) => /authorize|token$/.test(each))).toEqual(["GET /authorize", "GET /authorize", "POST /token"])
  })

  test("Client ID Metadata Document §4.2: where none is not offered it registers itself, and is refused where it cannot", async () => {
    const secretsAlone = (more: object = {}) =>
      everywhere(changed(({ token_endpoint_auth_methods_supported: _, ...m }) => ({ ...m, ...more })))
    expect(await verdict(secretsAlone())).toMatchObject({ rule: "mcp.client-method" })
    expect(await verdict(secretsAlone({ registration_endpoint: `${origin}/register` }))).toEqual({ isTried: false })
    expect(asked).not.toContain("POST /register")
  })

  test("RFC 7591 §3: one without a document, or whose document is not read, needs registration", async () => {
    const withoutDocuments = everywhere(changed(({ client_id_metadata_document_supported: _, ...m }) => m))
    expect(await verdict(withoutDocuments)).toMatchObject({ rule: "mcp.client-known" })
    expect(
      await verdict(
        everywhere(good),
        namedClients.find(({ name }) => name === "mcporter"),
      ),
    ).toMatchObject({ rule: "mcp.client-known" })
  })

  test("RFC 6749 §4.1.2.1: an authorization request that is refused, by a page or by a redirect", async () => {
    expect(
      await verdict({
        ...everywhere(good),
        "/authorize": () => ({ status: 400, headers: { "x-request-id": "abc" }, json: { error: "invalid_client" } }),
      }),
    ).toEqual({
      knownBy: "document",
      isTried: true,
      rule: "mcp.authorization-request",
      reason: "answered with status 400, invalid_client; x-request-id abc, which `postern explain` takes where the server is Postern",
      request: "authorization with redirect_uri http://localhost:54545/callback",
    })
    const back = (url: URL): Answer => ({
      status: 303,
      headers: { location: `${url.searchParams.get("redirect_uri")}?error=invalid_scope&error_description=No` },
    })
    expect(await verdict({ ...everywhere(good), "/authorize": back })).toMatchObject({
      rule: "mcp.authorization-request",
      reason: "answered with status 303, invalid_scope: No",
    })
  })

  test("RFC 6749 §5.2: a token endpoint that does not know the client", async () => {
    expect(await verdict({ ...everywhere(good), "/token": () => ({ status: 401, json: { error: "invalid_client" } }) })).toEqual({
      knownBy: "document",
      isTried: true,
      rule: "mcp.token-request",
      reason: "answered with status 401, invalid_client",
      request: "token",
    })
  })

  test("RFC 6749 §4.1.3: a token endpoint that takes a made-up code refuses by a rule of its own", async () => {
    expect(await verdict({ ...everywhere(good), "/token": () => ({ status: 200, json: { access_token: "t" } }) })).toMatchObject({
      rule: "mcp.code-checked",
      request: "token",
    })
  })

  test("RFC 6749 §3.1.2.2: a document without redirect URIs is refused, and nothing is sent", async () => {
    const document = { client_id: "https://app.example/client.json", redirect_uris: [], token_endpoint_auth_method: "private_key_jwt" }
    const methods = { token_endpoint_auth_methods_supported: ["private_key_jwt"] }
    const client = clientOfDocument(document.client_id, document)
    expect(await verdict(everywhere(changed((m) => ({ ...m, ...methods }))), client)).toMatchObject({ rule: "mcp.client-redirects" })
  })
})

test("Client ID Metadata Document §4: a URL with the document of a client is one", async () => {
  site = { "/client.json": (_, at) => ({ status: 200, json: { client_id: `${at}/client.json`, redirect_uris: [] } }) }
  expect(await foundAt(`${origin}/client.json`)).toMatchObject({ _tag: "Document", document: { client_id: `${origin}/client.json` } })
})

describe("the URLs that a server may name", () => {
  const rows: ReadonlyArray<readonly [target: string, url: string, isAsked: boolean]> = [
    ["https://192.0.32.8/mcp", "https://192.0.32.9/", true],
    ["https://192.0.32.8/mcp", "http://192.0.32.9/", false],
    ["https://192.0.32.8/mcp", "http://127.0.0.1/", false],
    ["https://192.0.32.8/mcp", "https://127.0.0.1/", false],
    ["https://192.0.32.8/mcp", "https://[::1]/", false],
    ["https://192.0.32.8/mcp", "https://10.0.0.1/", false],
    ["https://192.0.32.8/mcp", "https://169.254.169.254/", false],
    ["https://192.0.32.8/mcp", "https://[fd00::1]/", false],
    ["https://192.0.32.8/mcp", "https://name:password@192.0.32.9/", false],
    ["https://192.0.32.8/mcp", "ftp://192.0.32.9/", false],
    ["https://192.0.32.8/mcp", "login.example.com:443", false],
    ["https://192.168.0.1/mcp", "https://10.0.0.1/", true],
    ["https://192.168.0.1/mcp", "http://127.0.0.1/", false],
    ["http://127.0.0.1/mcp", "http://[::1]:8080/", true],
    ["http://127.0.0.1/mcp", "https://10.0.0.1/", false],
  ]
  test.for(rows)("RFC 9728 §7.7: for %s, %s is asked: %s", async ([target, url, isAsked]) => {
    expect("addresses" in (await (await reachFrom(new URL(target)))(url))).toBe(isAsked)
  })

  test("RFC 9728 §7.7: a name is looked up once, so that no later answer of its server leads elsewhere", async () => {
    const answers = [["192.0.32.8"], ["192.0.32.9"], ["127.0.0.1"]]
    const names: Array<string> = []
    const reach = await reachFrom(new URL("https://mcp.example/mcp"), async (name) => answers[names.push(name) - 1] ?? [])
    for (const path of ["/", "/again"]) {
      expect(await reach(`https://mcp.example${path}`)).toEqual({ addresses: ["192.0.32.8"] })
      expect(await reach(`https://mcp.example:8443${path}`)).toEqual({ addresses: ["192.0.32.8"] })
      expect(await reach(`https://as.example${path}`)).toEqual({ addresses: ["192.0.32.9"] })
      expect(await reach(`https://inside.example${path}`)).toEqual({ barred: "its address is not public" })
    }
    expect(names).toEqual(["mcp.example", "as.example", "inside.example"])
    expect(await reach("https://nowhere.example/")).toEqual({ barred: "its address is not public" })
  })

  test("RFC 9728 §7.7: a request goes to the address that was judged, under the name of its URL", async () => {
    const hosts: Array<string | undefined> = []
    server.once("request", ({ headers }) => void hosts.push(headers.host))
    const { port } = new URL(origin)
    const sent = await sendTo(["127.0.0.1"], new URL(`http://elsewhere.invalid:${port}/`), { method: "GET", headers: {} })
    expect([sent.status, hosts]).toEqual([404, [`elsewhere.invalid:${port}`]])
  })

  test.for(["https://me:hidden@mcp.example/", "ftp://me:hidden@mcp.example", "//me:hidden@mcp.example", "me:hidden@mcp.example"])(
    "RFC 3986 §7.5: a target with a password is misused, and the password is not repeated (%s)",
    async (target) => {
      const call = { target, clients: [], resource: undefined, config: undefined, json: false }
      // A call that is misused starts nothing, so it needs no surroundings.
      const failure = await Effect.runPromise(Effect.flip(mcpDoctor(call) as Effect.Effect<void, Failed | Misused>))
      expect(failure._tag).toBe("Misused")
      expect(JSON.stringify(failure)).not.toContain("hidden")
    },
  )
})

test("Client ID Metadata Document §4.1: a document with a secret or a private key is not served", () => {
  const jwks = (more: object) => ({ jwks: { keys: [{ kty: "RSA", n: "n", e: "AQAB", ...more }] } })
  const told = [{ client_secret: "s" }, jwks({ d: "d" }), jwks({ k: "k" }), jwks({ p: "p" })].map(secretIn)
  expect(told).toEqual(["it holds client_secret", ...["d", "k", "p"].map((name) => `it holds a key with the private member ${name}`)])
  expect(secretIn(jwks({}))).toBeUndefined()
})
