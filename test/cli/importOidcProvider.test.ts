import { readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { createRequire } from "node:module"
import { join } from "node:path"
import { exportJWK, generateKeyPair } from "jose"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { importOidcProvider, lifetimes } from "../../packages/cli/src/import/oidcProvider.ts"
import { peerOptions } from "../../packages/cli/src/import/options.ts"
import { freePort } from "../support/ports.ts"
import { faultsOf, world } from "./config.ts"
import { posternLine } from "./lines.ts"
import { folder, patience } from "./run.ts"
import { serve } from "./running.ts"

vi.setConfig({ testTimeout: 2 * patience, hookTimeout: 2 * patience })

interface Peer {
  readonly callback: () => Parameters<typeof createServer>[1]
}
const require = createRequire(import.meta.url)

const secret = "a secret of the web client, long enough to be strong"

/** A configuration as people have it. */
const configuration = {
  clients: [
    {
      client_id: "web",
      client_secret: secret,
      redirect_uris: ["https://web.example/cb"],
      grant_types: ["authorization_code", "refresh_token"],
      post_logout_redirect_uris: ["https://web.example/"],
    },
    {
      client_id: "app",
      application_type: "native",
      token_endpoint_auth_method: "none",
      redirect_uris: ["com.example.app:/cb"],
      require_signed_request_object: false,
    },
    {
      client_id: "machine",
      client_secret: `${secret} too`,
      grant_types: ["client_credentials"],
      response_types: [],
      redirect_uris: [],
      scope: "jobs.run",
    },
    {
      client_id: "tv",
      application_type: "native",
      token_endpoint_auth_method: "none",
      grant_types: ["urn:ietf:params:oauth:grant-type:device_code", "refresh_token"],
      response_types: [],
      redirect_uris: [],
    },
  ],
  scopes: ["openid", "offline_access", "jobs.run"],
  claims: { openid: ["sub"], email: ["email", "email_verified"], employment: ["department"] },
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    deviceFlow: { enabled: true },
    introspection: { enabled: true },
    revocation: { enabled: true },
    resourceIndicators: { enabled: false },
    claimsParameter: { enabled: true },
  },
  ttl: { AccessToken: 900, ClientCredentials: 300, Session: (): number => 5 },
  findAccount: (_: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id }) }),
  renderError: (ctx: { body: string }, out: { error: string }) => void (ctx.body = out.error),
  interactions: { url: () => "/interaction" },
}

describe("importOidcProvider", () => {
  const issuer = "https://id.example.com"

  it("writes clients, scopes and lifetimes, and tells the rest", () => {
    const { config, notes } = importOidcProvider(issuer, configuration)
    expect(config).toEqual({
      issuer,
      data: "./data",
      lifetimes: {
        access_token_lifetime: 900,
        id_token_lifetime: 3600,
        authorization_code_lifetime: 60,
        refresh_token_sliding_lifetime: 1_209_600,
        refresh_token_absolute_lifetime: 31_536_000,
        device_code_lifetime: 600,
        session_lifetime: 1_209_600,
        consent_lifetime: 1_209_600,
      },
      scopes: [
        { name: "email", claims: ["email", "email_verified"] },
        { name: "employment", claims: ["department"] },
      ],
      resources: [{ identifier: `${issuer}/api`, scopes: ["jobs.run"] }],
      clients: [
        {
          ...configuration.clients[0],
          id_token_signed_response_alg: "RS256",
          response_types: ["code"],
          token_endpoint_auth_method: "client_secret_basic",
          scope: "openid offline_access email employment jobs.run",
          require_pkce: false,
          access_token_format: "reference",
        },
        {
          ...configuration.clients[1],
          grant_types: ["authorization_code"],
          id_token_signed_response_alg: "RS256",
          response_types: ["code"],
          scope: "openid email employment jobs.run",
          require_pkce: true,
          access_token_format: "reference",
        },
        {
          ...configuration.clients[2],
          id_token_signed_response_alg: "RS256",
          token_endpoint_auth_method: "client_secret_basic",
          access_token_format: "reference",
          access_token_lifetime: 300,
        },
        {
          ...configuration.clients[3],
          id_token_signed_response_alg: "RS256",
          scope: "openid offline_access email employment jobs.run",
          access_token_format: "reference",
        },
      ],
    })
    expect(notes.map(({ option }) => option)).toEqual([
      "ttl.Session",
      "scopes",
      "findAccount",
      "renderError",
      "interactions",
      "features.clientCredentials",
      "features.deviceFlow",
      "features.introspection",
      "features.revocation",
      "features.claimsParameter",
    ])
  })

  it.each([
    ["an option that there is none of", { nonsense: 1 }, "nonsense", "is no option of oidc-provider 9"],
    [
      "a feature that there is none of",
      { features: { nonsense: { enabled: true } } },
      "features.nonsense",
      "is no feature of oidc-provider 9",
    ],
    [
      "a feature that cannot be turned off",
      { features: { revocation: { enabled: false } } },
      "features.revocation",
      "cannot be turned off here",
    ],
    [
      "a lifetime out of bounds",
      { ttl: { AuthorizationCode: 3600 } },
      "ttl.AuthorizationCode",
      "authorization_code_lifetime is 600, of 1 to 600",
    ],
    ["a lifetime that has no equal", { ttl: { Interaction: 60 } }, "ttl.Interaction", "has no lifetime of its own here"],
    ["metadata that there is none of", { clients: [{ client_id: "a", colour: "red" }] }, "clients a: colour", "is no client metadata here"],
    [
      "a function that says who must send a challenge",
      { clients: [{ client_id: "a" }], pkce: { required: () => false } },
      "clients a: require_pkce",
      "every client must send a challenge",
    ],
    ["pairwise subjects", { subjectTypes: ["public", "pairwise"] }, "subjectTypes", "POSTERN_PAIRWISE_SALT"],
    [
      "a feature without an equal",
      { features: { attestClientAuth: { enabled: true } } },
      "features.attestClientAuth",
      "attestation-based client authentication is a draft",
    ],
  ])("tells %s", (_, given, option, text) => {
    expect(importOidcProvider(issuer, given).notes).toContainEqual({ option, text: expect.stringContaining(text) })
  })

  it("takes the defaults of clients, and settings of features", () => {
    const { config } = importOidcProvider("http://127.0.0.1:4100", {
      clientDefaults: { token_endpoint_auth_method: "private_key_jwt", scope: "openid" },
      clients: [{ client_id: "a", jwks_uri: "https://a.example/jwks", redirect_uris: ["https://a.example/cb"] }],
      features: { pushedAuthorizationRequests: { requirePushedAuthorizationRequests: true } },
    })
    expect(config).toMatchObject({
      development: true,
      // The server answers where its issuer says that it does.
      listen: { port: 4100 },
      require_pushed_authorization_requests: true,
      clients: [{ token_endpoint_auth_method: "private_key_jwt", scope: "openid", grant_types: ["authorization_code"] }],
    })
  })

  it("leaves the listening address alone behind a proxy, and where the issuer names no port", () => {
    for (const issuer of ["https://op.example.com:8443", "http://localhost"])
      expect(importOidcProvider(issuer, { clients: [] }).config).not.toHaveProperty("listen")
  })

  it("keeps lifetimes within the bounds of the configuration", () => {
    const schema = JSON.parse(readFileSync(new URL("../../packages/cli/schema/postern.schema.json", import.meta.url), "utf8")) as {
      readonly $defs: {
        readonly Lifetimes: { readonly properties: Record<string, { readonly minimum: number; readonly maximum: number }> }
      }
    }
    const { properties } = schema.$defs.Lifetimes
    expect(lifetimes.map(([, setting, , least, most]) => [setting, least, most])).toEqual(
      lifetimes.map(([, setting]) => [setting, properties[setting]?.minimum, properties[setting]?.maximum]),
    )
  })
})

describe("docs/from-oidc-provider.md", () => {
  it("has a row for every option of oidc-provider 9 and for no other", async () => {
    const { default: defaults } = (await import(join(peerHome(), "lib/helpers/defaults.js"))) as { readonly default: unknown }
    const own = (typeof defaults === "function" ? (defaults as () => unknown)() : defaults) as Record<string, unknown>
    const features = Object.keys(own["features"] as object).map((name) => `features.${name}`)
    const names = [...Object.keys(own).filter((name) => name !== "features" && name !== "pkce"), "pkce.required", ...features]
    expect(peerOptions.map(({ option }) => option).toSorted()).toEqual(names.toSorted())
    const page = readFileSync(new URL("../../docs/from-oidc-provider.md", import.meta.url), "utf8")
    for (const { option, how, here } of peerOptions) expect(page).toContain(`| \`${option}\` | ${how} | ${here} |`)
  })
})

const peerHome = (): string => join(require.resolve("oidc-provider"), "..", "..")

/** A request, and the parts of its answer that both must have alike. */
interface Asked {
  readonly name: string
  readonly endpoint: string
  readonly init?: RequestInit
  readonly query?: Readonly<Record<string, string>>
  /** Set where the answers differ on purpose: the difference, as the page tells it. */
  readonly differs?: string
}

const basic = (id: string, key: string): Record<string, string> => ({
  authorization: `Basic ${btoa(`${encodeURIComponent(id)}:${encodeURIComponent(key)}`)}`,
})
const form = (fields: Readonly<Record<string, string>>, headers: Record<string, string> = {}): RequestInit => ({
  method: "POST",
  headers,
  body: new URLSearchParams(fields),
})
const web = basic("web", secret)
const machine = basic("machine", `${secret} too`)
const challenge = { code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", code_challenge_method: "S256" }
const authorization = { client_id: "web", response_type: "code", redirect_uri: "https://web.example/cb", scope: "openid", state: "s t" }

const requests: ReadonlyArray<Asked> = [
  { name: "client credentials", endpoint: "token_endpoint", init: form({ grant_type: "client_credentials", scope: "jobs.run" }, machine) },
  { name: "a wrong secret", endpoint: "token_endpoint", init: form({ grant_type: "client_credentials" }, basic("machine", "wrong")) },
  {
    name: "a client that there is none of",
    endpoint: "token_endpoint",
    init: form({ grant_type: "client_credentials" }, basic("nobody", "x")),
  },
  { name: "a grant that there is none of", endpoint: "token_endpoint", init: form({ grant_type: "nonsense" }, web) },
  {
    name: "a grant that the client does not have",
    differs: "`unauthorized_client` in place of `invalid_request` (RFC 6749 §5.2)",
    endpoint: "token_endpoint",
    init: form({ grant_type: "client_credentials" }, web),
  },
  { name: "no grant", endpoint: "token_endpoint", init: form({}, web) },
  {
    name: "a code that there is none of",
    endpoint: "token_endpoint",
    init: form({ grant_type: "authorization_code", code: "x", redirect_uri: "https://web.example/cb" }, web),
  },
  {
    name: "a refresh token that there is none of",
    endpoint: "token_endpoint",
    init: form({ grant_type: "refresh_token", refresh_token: "x" }, web),
  },
  {
    name: "a device code that there is none of",
    endpoint: "token_endpoint",
    init: form({ grant_type: "urn:ietf:params:oauth:grant-type:device_code", device_code: "x", client_id: "tv" }),
  },
  { name: "userinfo without a token", endpoint: "userinfo_endpoint" },
  { name: "userinfo with a token that there is none of", endpoint: "userinfo_endpoint", init: { headers: { authorization: "Bearer x" } } },
  { name: "introspection of a token that there is none of", endpoint: "introspection_endpoint", init: form({ token: "x" }, web) },
  {
    name: "introspection without a client",
    differs: "`invalid_client` (401) in place of `invalid_request` (400), with a challenge (RFC 7662 §2.3, RFC 6749 §5.2)",
    endpoint: "introspection_endpoint",
    init: form({ token: "x" }),
  },
  { name: "revocation of a token that there is none of", endpoint: "revocation_endpoint", init: form({ token: "x" }, web) },
  {
    name: "a device asks for a code",
    differs: "`interval` is told (RFC 8628 §3.2)",
    endpoint: "device_authorization_endpoint",
    init: form({ client_id: "tv", scope: "openid" }),
  },
  { name: "nobody is signed in, and nobody may be asked", endpoint: "authorization_endpoint", query: { ...authorization, prompt: "none" } },
  {
    name: "a response type that there is none of",
    endpoint: "authorization_endpoint",
    query: { ...authorization, response_type: "nonsense" },
  },
  { name: "prompt=none beside another", endpoint: "authorization_endpoint", query: { ...authorization, prompt: "none login" } },
  {
    name: "a public client without a challenge",
    endpoint: "authorization_endpoint",
    query: { ...authorization, client_id: "app", redirect_uri: "com.example.app:/cb" },
  },
  {
    name: "a challenge by a method that there is none of",
    endpoint: "authorization_endpoint",
    query: { ...authorization, ...challenge, code_challenge_method: "S512" },
  },
  {
    name: "a redirect URI of somebody else's",
    endpoint: "authorization_endpoint",
    query: { ...authorization, redirect_uri: "https://evil.example/" },
  },
  {
    name: "a client that there is none of asks for a sign-in",
    endpoint: "authorization_endpoint",
    query: { ...authorization, client_id: "nobody" },
  },
  { name: "a pushed request", endpoint: "pushed_authorization_request_endpoint", init: form({ ...authorization, ...challenge }, web) },
  {
    name: "a pushed request of another's redirect URI",
    endpoint: "pushed_authorization_request_endpoint",
    init: form({ ...authorization, redirect_uri: "https://evil.example/" }, web),
  },
]

type Metadata = Readonly<Record<string, string>>

/** An answer as a client depends on it: status, error, the names of its members, their lifetimes, and where a browser goes. */
const answerOf = async (metadata: Metadata, { endpoint, init = {}, query }: Asked) => {
  const url = new URL(metadata[endpoint] ?? "")
  for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value)
  const response = await fetch(url, { ...init, redirect: "manual" })
  const location = response.headers.get("location")
  const to = location === null ? undefined : new URL(location, url)
  const isBack = to !== undefined && to.origin !== url.origin
  const isJson = response.headers.get("content-type")?.startsWith("application/json") === true
  const text = await response.text()
  const body = isJson && text !== "" ? (JSON.parse(text) as Record<string, unknown>) : {}
  return {
    status: Math.floor(response.status / 100) === 3 ? "3xx" : response.status,
    error: body["error"],
    members: Object.keys(body)
      .filter((name) => !["error", "error_description"].includes(name))
      .toSorted(),
    values: Object.fromEntries(Object.entries(body).filter(([name]) => ["expires_in", "token_type", "scope", "active"].includes(name))),
    challenge: response.headers.get("www-authenticate")?.split(" ")[0],
    caching: response.headers.get("cache-control")?.includes("no-store") === true || !isJson,
    back: isBack
      ? {
          to: `${to.protocol}//${to.host}${to.pathname}`,
          error: to.searchParams.get("error"),
          state: to.searchParams.get("state"),
          iss: to.searchParams.has("iss"),
        }
      : undefined,
  }
}

/** Both providers with one configuration, ours by its translation; ends with the test. */
const both = async (): Promise<{ readonly peer: Metadata; readonly ours: Metadata }> => {
  const { Provider } = (await import(require.resolve("oidc-provider"))) as unknown as {
    readonly Provider: new (issuer: string, given: object) => Peer
  }
  const [theirs, own] = [await freePort(), await freePort()]
  const { privateKey } = await generateKeyPair("RS256", { extractable: true })
  const jwks = { keys: [{ ...(await exportJWK(privateKey)), alg: "RS256", use: "sig", kid: "k" }] }
  const peer = createServer(new Provider(`http://127.0.0.1:${theirs}`, { ...configuration, jwks }).callback()).listen(theirs, "127.0.0.1")
  onTestFinished(() => void peer.close())
  const made = folder(null)
  onTestFinished(made.remove)
  writeFileSync(join(made.cwd, "configuration.json"), JSON.stringify(configuration))
  const { code, out } = await posternLine(["import", "oidc-provider", "configuration.json", "--issuer", `http://127.0.0.1:${own}`], made)
  expect(code).toBe(0)
  writeFileSync(join(made.cwd, "postern.jsonc"), out)
  expect((await posternLine(["check-config", "postern.jsonc"], made)).code).toBe(0)
  await serve(made, "--port", String(own))
  const read = async (port: number): Promise<Metadata> =>
    (await (await fetch(`http://127.0.0.1:${port}/.well-known/openid-configuration`)).json()) as Metadata
  return { peer: await read(theirs), ours: await read(own) }
}

describe("oidc-provider 9 and Postern by the translated configuration", () => {
  it("answer the same requests alike, but for what the page tells", async () => {
    const { peer, ours } = await both()
    const page = readFileSync(new URL("../../docs/from-oidc-provider.md", import.meta.url), "utf8")
    const [theirs, own]: [Record<string, unknown>, Record<string, unknown>] = [{}, {}]
    for (const asked of requests) {
      const [first, second] = [await answerOf(peer, asked), await answerOf(ours, asked)]
      if (asked.differs === undefined) [theirs[asked.name], own[asked.name]] = [first, second]
      else {
        expect(second, asked.name).not.toEqual(first)
        expect(page).toContain(`| ${asked.name} | ${asked.differs} |`)
      }
    }
    expect(own).toEqual(theirs)
    expect(page).toContain(`The other ${Object.keys(own).length} are answered alike`)
  })

  it("check-config finds nothing wrong with it", async () => {
    const { config } = importOidcProvider("https://id.example.com", configuration)
    expect(await faultsOf(config, world())).toEqual([])
  })
})
