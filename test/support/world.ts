import {
  type Answer,
  type Client,
  type CommonPorts,
  type ClientMetadata,
  type Json,
  type Message,
  type Person,
  type Provider,
  type ProviderOptions,
  type ReportedFault,
  type Trail,
  catalog,
  createProvider,
  defaultLifetimes,
  rowKindsOf,
  standardScopes,
} from "@postern/core"
import { type SigningKey, generateKey, joseSigner } from "@postern/core/jose"
import { memoryClientStore, memoryTokenStore } from "@postern/core/memory"
import type { AuthenticatorPort, ClientStorePort, PagesPort, SignerPort, TokenStorePort } from "@postern/core/ports"
import { registeredClient } from "@postern/core/registered"
import { nodeDigest } from "../../packages/adapter-http/src/ports.ts"
import { Visitor } from "./visitor.ts"

/** Time at which every world begins: 2026-11-21T00:00:00Z. */
export const beginning = 1_795_219_200

export const issuer = "https://op.example"

export const resources = [
  {
    identifier: "https://api.example",
    title: "The API",
    scopes: [
      { name: "api.read", required: false, title: "Read things", description: undefined },
      { name: "api.write", required: false, title: undefined, description: undefined },
    ],
  },
  {
    identifier: "https://billing.example",
    title: undefined,
    scopes: [{ name: "billing", required: true, title: undefined, description: undefined }],
  },
]

const all = "openid profile email address phone offline_access api.read api.write billing"
const code = {
  grant_types: ["authorization_code", "refresh_token"],
  redirect_uris: ["https://app.example/cb", "https://app.example/cb?tab=1"],
  post_logout_redirect_uris: ["https://app.example/out"],
  scope: all,
}

/** The clients of every world. Each secret is `secret of ` and the client_id. */
export const clients: ReadonlyArray<ClientMetadata> = [
  {
    client_id: "web",
    client_name: "Web App",
    client_secret: "secret of web",
    ...code,
    require_consent: false,
    grant_types: ["authorization_code", "refresh_token", "client_credentials"],
  },
  { client_id: "other", client_secret: "secret of other", ...code, require_consent: false },
  { client_id: "asks", client_name: "Asking App", client_secret: "secret of asks", ...code, consent_lifetime: 1000 },
  { client_id: "spa", token_endpoint_auth_method: "none", ...code, require_consent: false },
  {
    client_id: "opaque",
    client_secret: "secret of opaque",
    ...code,
    require_consent: false,
    access_token_format: "reference",
    grant_types: ["authorization_code", "refresh_token", "client_credentials"],
  },
  { client_id: "old", client_secret: "secret of old", ...code, require_consent: false, require_pkce: false, allow_plain_pkce: true },
  { client_id: "strict-age", client_secret: "secret of strict-age", ...code, require_consent: false, default_max_age: 600 },
  { client_id: "endless", client_secret: "secret of endless", ...code, require_consent: false, refresh_token_absolute_lifetime: 0 },
  {
    client_id: "native",
    application_type: "native",
    token_endpoint_auth_method: "none",
    ...code,
    redirect_uris: ["http://127.0.0.1/cb", "com.example.app:/cb"],
    require_consent: false,
  },
  {
    client_id: "hybrid",
    client_secret: "secret of hybrid",
    ...code,
    grant_types: ["authorization_code", "refresh_token", "implicit"],
    response_types: ["code", "code id_token", "code token", "token id_token code", "id_token", "id_token token", "token"],
    require_consent: false,
  },
  {
    client_id: "ropc",
    client_secret: "secret of ropc",
    grant_types: ["password", "refresh_token"],
    scope: "openid email offline_access api.read",
  },
  {
    client_id: "tv",
    client_name: "Television",
    token_endpoint_auth_method: "none",
    grant_types: ["urn:ietf:params:oauth:grant-type:device_code", "refresh_token"],
    response_types: [],
    scope: "openid email offline_access api.read",
  },
  {
    client_id: "screen",
    client_secret: "secret of screen",
    grant_types: ["urn:ietf:params:oauth:grant-type:device_code"],
    response_types: [],
    scope: "openid offline_access",
  },
  {
    client_id: "machine",
    client_secret: "secret of machine",
    grant_types: ["client_credentials"],
    response_types: [],
    scope: "api.read api.write",
  },
  {
    client_id: "scopeless",
    client_secret: "secret of scopeless",
    grant_types: ["client_credentials"],
    response_types: [],
    scope: "openid",
  },
  {
    client_id: "api",
    client_secret: "secret of api",
    grant_types: [],
    response_types: [],
    introspection_resources: ["https://api.example"],
  },
  { client_id: "disabled", client_secret: "secret of disabled", ...code, disabled: true },
  { client_id: "spicy", client_secret: "s:e%c+r &t=ü", grant_types: ["client_credentials"], response_types: [], scope: "api.read" },
  { client_id: "dave", client_secret: "secret of dave", grant_types: ["client_credentials"], response_types: [], scope: "api.read" },
]

const claims = {
  name: "Alice Ant",
  given_name: "Alice",
  family_name: "Ant",
  preferred_username: "alice",
  email: "alice@example.com",
  email_verified: true,
  phone_number: "+1 555 0100",
  middle_name: "",
}

export const password = "correct horse"

const person = (subject: string, username: string, more: Record<string, Json> = {}): Person => ({
  subject,
  username,
  active: true,
  claims: more,
  tenant: null,
})

/** Made once for all worlds; making RSA keys takes a while. */
const keys: Promise<ReadonlyArray<SigningKey>> = Promise.all(
  (["RS256", "ES256"] as const).map((alg) => generateKey(alg, { createdAt: beginning - 1000, activeAt: beginning - 1000 }, undefined)),
)

/** Clients by their metadata, each read once for all worlds that have it: properties make thousands of worlds. */
const readOnce = new WeakMap<ClientMetadata, Client>()

/** Makes a client of metadata. Each world has objects of its own: some remember by them. */
const registered = (metadata: ClientMetadata): Client => {
  const known = readOnce.get(metadata) ?? registeredClient(metadata, defaultLifetimes)
  readOnce.set(metadata, known)
  return { ...known }
}

/** Changes that a test may make to its world before it begins. */
export interface WorldOptions {
  readonly rulesOff?: ReadonlyArray<string>
  readonly clients?: ReadonlyArray<ClientMetadata>
  readonly tokens?: TokenStorePort
  readonly issuer?: string
  readonly signer?: (signer: SignerPort) => SignerPort
  /** Ports and settings beyond the usual: `outbound`, `identityProviders`, `upstream`, `pairwiseSalt`, … */
  readonly more?: Partial<ProviderOptions & CommonPorts>
  /** Answer of the client store instead of the usual. */
  readonly clientStore?: (store: ClientStorePort) => ClientStorePort
  /** Answer of the authenticator instead of the usual. */
  readonly authenticator?: Partial<AuthenticatorPort>
  /** Makes the provider instead of `createProvider`. */
  readonly create?: typeof createProvider
}

/** A provider with everything in memory, a clock that stands still until told, and everyone who may use it. */
export interface World {
  readonly provider: Provider
  readonly tokens: TokenStorePort
  readonly signer: SignerPort
  readonly trails: Array<Trail>
  readonly reports: Array<ReportedFault>
  readonly people: Map<string, Person>
  readonly clients: Map<string, Client>
  /** Moves the clock on, in seconds. */
  readonly pass: (seconds: number) => void
  readonly now: () => number
  /** A browser with an empty cookie jar. */
  readonly visitor: (headers?: Record<string, string>) => Visitor
  readonly send: (message: Partial<Message> & { readonly path: string }) => Promise<Answer>
}

const pages: PagesPort = {
  render: (page, context) =>
    JSON.stringify({ ...page, locales: context.locales, requestId: context.requestId, languageAddress: context.languageAddress }),
}

/** Builds a world. */
export const world = async (options: WorldOptions = {}): Promise<World> => {
  let millis = beginning * 1000
  const now = () => Math.floor(millis / 1000)
  const rows = await keys
  const plainSigner = joseSigner({ keys: () => rows, now })
  const signer = options.signer?.(plainSigner) ?? plainSigner
  const tokens = options.tokens ?? memoryTokenStore(rowKindsOf(options.more ?? {}))
  const metadata = options.clients ?? clients
  const found = new Map(metadata.map((each) => [each.client_id, registered(each)]))
  const store = memoryClientStore(
    [...found.values()],
    Object.fromEntries(
      metadata.flatMap(({ client_id, client_secret }) => (client_secret === undefined ? [] : [[client_id, client_secret]])),
    ),
  )
  const people = new Map(
    [
      person("sub-alice", "alice", claims),
      person("sub-bob", "bob"),
      person("dave", "dave"),
      { ...person("sub-mallory", "mallory"), active: false },
    ].map((each) => [each.subject, each]),
  )
  const authenticator: AuthenticatorPort = {
    find: (subject) => people.get(subject),
    verify: ({ username, password: given }) => {
      const known = [...people.values()].find((each) => each.username === username)
      if (username === "tired") return { _tag: "Throttled", reason: "too many failures", retryAfter: 7 }
      if (known === undefined || given.reveal() !== password) return { _tag: "Rejected", reason: "unknown person or wrong password" }
      return { _tag: "Verified", person: known, amr: ["pwd"], acr: undefined }
    },
    admit: ({ subject, issuer: from, claims: more, amr, acr }) => {
      const link = `${from} ${subject}`
      const known = people.get(link) ?? person(link, subject, { ...more })
      people.set(known.subject, known)
      return { _tag: "Verified", person: known, amr, acr }
    },
    ...options.authenticator,
  }
  const trails: Array<Trail> = []
  const reports: Array<ReportedFault> = []
  const provider = (options.create ?? createProvider)({
    issuer: options.issuer ?? issuer,
    resources,
    rulesOff: options.rulesOff ?? [],
    clients: (options.clientStore ?? ((plain) => plain))({ ...store, find: (clientId) => found.get(clientId) }),
    tokens,
    signer,
    authenticator,
    pages,
    trails: { record: (trail) => trails.push(trail()) },
    report: (fault) => reports.push(fault),
    clock: () => millis,
    // As a server of Node hashes. By Web Crypto, which is the default, the way to another thread and back is a third of what a test costs.
    digest: nodeDigest,
    ...options.more,
  })
  const send: World["send"] = async (message) =>
    provider.handle({ method: "GET", query: "", headers: {}, body: "", address: "192.0.2.1", ...message })
  return {
    provider,
    tokens,
    signer,
    trails,
    reports,
    people,
    clients: found,
    pass: (seconds) => void (millis += seconds * 1000),
    now,
    visitor: (headers = {}) => new Visitor(send, headers),
    send,
  }
}

/** The catalog of every world. */
export const known = catalog(standardScopes, resources)
