import { cibaDesigns } from "@postern/adapter-http/ciba"
import { nodeDigest, nodeEntropy } from "@postern/adapter-http/node"
import { liquidPages } from "@postern/adapter-http/pages"
import {
  type Client,
  type JsonObject,
  type Person as Somebody,
  type ProviderOptions,
  type ProviderPorts,
  type Trail,
  ciba,
  createProvider,
  defaultFeatures,
  defaultLifetimes,
  deliveriesOf,
  idJag,
  metadataDocuments,
  registration,
  rowKindsOf,
  secretOf,
  sessionManagement,
} from "@postern/core"
import { type SigningKey, generateKey, joseSigner } from "@postern/core/jose"
import { tokenExchange } from "@postern/core/grants"
import type { OutboundPort, OutboxPort } from "@postern/core/ports"
import { memoryAuthenticator, memoryClientStore, memoryTokenStore } from "@postern/core/memory"
import { outbox } from "@postern/core/model"
import { registeredClient } from "@postern/core/registered"
import { type JWK, exportJWK, generateKeyPair } from "jose"
import { everyClaim } from "./everyClaim.ts"
import { ownPages } from "./recipe.ts"
import type { Received, Sent } from "../exchange/exchange.ts"
import { ownDetailDeclaration, ownDetailType, ownDetails } from "./details.ts"
import { logoutTokens } from "./receiver.ts"
import { type RoleClient, type RoleName, historicRoles, roleNames, roles, signingRoles } from "./roles.ts"
import type { Opening, Target } from "./target.ts"
import type { Posted, Published, Publisher } from "./web.ts"

const issuer = "https://op.conformance.test"

/** The other authorization server and the other identity provider of ID-JAGs. */
const [audience, asserting] = ["https://as.conformance.test", "https://idp.conformance.test"]

/** Enables open registration, metadata documents and CIBA, so that their requirements can be tried. */
const featuresWith = ({ d: _d, ...key }: JWK) => [
  ...defaultFeatures,
  registration({ open: true }),
  sessionManagement(),
  ciba({ checkUserCode: (_, code) => code.reveal() === person.user_code }),
  metadataDocuments(),
  idJag({
    authorizationServers: [{ issuer: audience, scope: ["other.read"], clients: { crossing: { clientId: "crossing-there" } } }],
    identityProviders: [{ issuer: asserting, jwks: { keys: [key as JsonObject] } }],
  }),
]

/** The key of the keyed hashes that seal stored data of CIBA requests. */
const accountKey = secretOf("the account key of a test, of 32 letters")

/** A change to our own provider, which is a fault to detect. */
export interface Alteration {
  /** Changes the provider's options and ports. */
  readonly options?: (options: ProviderOptions & ProviderPorts) => ProviderOptions & ProviderPorts
  /** Changes requests before they are handled. */
  readonly request?: (sent: Sent) => Sent
  /** Changes responses. */
  readonly answer?: (answer: Response, request: Request) => Response | Promise<Response>
}

const person = { username: "alice", password: "correct horse battery staple", user_code: "2580" }

const people: ReadonlyArray<{ readonly person: Somebody; readonly password: string }> = [
  {
    person: { subject: "subject of alice", username: person.username, active: true, claims: everyClaim, tenant: null },
    password: person.password,
  },
]

const resources = [
  {
    identifier: "https://api.conformance.test",
    title: "The API",
    scopes: [
      { name: "conformance.read", required: false, title: "Read", description: undefined },
      { name: "conformance.write", required: false, title: "Write", description: undefined },
    ],
  },
]

/** The parts that all in-process providers share, because they are slow to create. */
const made = async () => {
  const at = Math.floor(Date.now() / 1000)
  const [rsa, ec, pair] = await Promise.all([
    generateKey("RS256", { createdAt: at - 1000, activeAt: at - 1000 }),
    generateKey("ES256", { createdAt: at - 1000, activeAt: at - 1000 }),
    generateKeyPair("ES256", { extractable: true }),
  ])
  const own: JWK = { ...(await exportJWK(pair.privateKey)), kid: "conformance", alg: "ES256", use: "sig" }
  const keys: ReadonlyArray<SigningKey> = [rsa, ec]
  const features = featuresWith(own)
  return {
    keys,
    features,
    grants: [tokenExchange()],
    kinds: rowKindsOf({ features }),
    pages: liquidPages({ pages: cibaDesigns }),
    clients: registered(own),
  }
}
let parts: ReturnType<typeof made> | undefined

const secretFor = (role: RoleName): string => `secret of ${role}, which is long enough to sign with`

const registered = (own: JWK): ReadonlyArray<readonly [RoleName, Client, RoleClient]> =>
  roleNames.map((role) => {
    const metadata = roles[role]
    const method = metadata.token_endpoint_auth_method
    const { d: _d, ...publicKey } = own
    const signs = signingRoles.includes(role)
    const takes = toldRoles.includes(role) ? { backchannel_logout_uri: logoutAt(role) } : {}
    const given = {
      ...metadata,
      ...takes,
      client_id: role,
      client_name: `The ${role} client`,
      ...(signs ? { jwks: { keys: [publicKey] } } : {}),
      ...(historicRoles.includes(role) ? { profile: "oauth2.1" } : {}),
    }
    const client = registeredClient(given as unknown as Parameters<typeof registeredClient>[0], defaultLifetimes)
    return [
      role,
      client,
      {
        client_id: role,
        client_secret: method === "none" || method === "private_key_jwt" ? undefined : secretFor(role),
        token_endpoint_auth_method: method,
        redirect_uris: "redirect_uris" in metadata ? metadata.redirect_uris : [],
        post_logout_redirect_uris: "post_logout_redirect_uris" in metadata ? metadata.post_logout_redirect_uris : [],
        ...takes,
        ...("frontchannel_logout_uri" in metadata ? { frontchannel_logout_uri: metadata.frontchannel_logout_uri } : {}),
        ...("backchannel_client_notification_endpoint" in metadata
          ? { backchannel_client_notification_endpoint: metadata.backchannel_client_notification_endpoint }
          : {}),
        ...("authorization_details_types" in metadata ? { authorization_details: ownDetails } : {}),
        scope: metadata.scope,
        key: signs || role === "crossing" ? { ...own } : undefined,
        ...(role === "crossing" ? { id_jag_audience: audience, id_jag_issuer: asserting } : {}),
      },
    ] as const
  })

/** The roles whose clients receive logout tokens. */
const toldRoles: ReadonlyArray<RoleName> = ["web", "other"]

const logoutAt = (role: string): string => `https://client.conformance.test/backchannel-logout/${role}`

/** The web as the provider sees it: the documents that clients publish, and the messages that it sends to clients. */
const web = () => {
  const origin = "https://documents.conformance.test"
  const published = new Map<string, Published>()
  const received = new Map<string, ReadonlyArray<Posted>>()
  const publisher: Publisher = { origin, publish: (path, answer) => void published.set(`${origin}${path}`, answer) }
  const outbound: OutboundPort = {
    fetch: (url) => {
      const { origin: at, pathname, search } = new URL(url)
      const found = published.get(`${at}${pathname}${search}`)
      // The Outbound port of a server does not follow redirects either.
      if (found === undefined || found.location !== undefined) return { _tag: "Unfetched", reason: "nothing is published there" }
      return { _tag: "Fetched", ...found, caching: { cacheControl: "max-age=300" } }
    },
    post: (url, { contentType, text, authorization }) => {
      received.set(url, [...(received.get(url) ?? []), { contentType, authorization: authorization?.reveal(), body: text }])
      return { _tag: "Fetched", status: 204, body: "" }
    },
  }
  return { publisher, outbound, posted: (url = "") => received.get(url) ?? [] }
}

/** Delivers a provider's messages when they are written, and delayed ones when they are due. */
const delivering = (
  options: Pick<ProviderOptions & ProviderPorts, "issuer" | "clients" | "signer" | "outbound" | "features" | "tokens">,
  now: () => number,
) => {
  const handlers = deliveriesOf({ features: options.features ?? [] }, { ...options, now, accountKey })
  const delivered = new Set<string>()
  const written: OutboxPort["written"] = async (messages) => {
    for (const message of messages) {
      delivered.add(message.locator)
      await handlers[message.kind]?.(message, new AbortController().signal)
    }
  }
  const due = async (): Promise<void> => {
    const messages = await options.tokens.list(outbox, "due", { now: now() })
    await written(messages.filter(({ locator }) => !delivered.has(locator)))
  }
  return { written, due }
}

/** Opens our own provider in this process, with everything in memory and a clock that stands still until it is advanced. */
const open = async ({
  options: alter = (same) => same,
  request: reread = (same) => same,
  answer = (same) => same,
}: Alteration): Promise<Target> => {
  const { keys, features, grants, kinds, pages, clients } = await (parts ??= made())
  let millis = Date.now()
  const now = () => Math.floor(millis / 1000)
  const { publisher, outbound, posted } = web()
  const trails = new Map<string, Trail>()
  const secrets = clients.flatMap(([role, , { client_secret }]) => (client_secret === undefined ? [] : [[role, client_secret] as const]))
  const altered = alter({
    issuer,
    resources,
    grants,
    pairwiseSalt: secretOf("the salt of the pairwise subjects of a test"),
    clients: memoryClientStore(
      clients.map(([, client]) => client),
      Object.fromEntries(secrets),
    ),
    tokens: memoryTokenStore(kinds),
    features,
    settings: {
      mutual_tls_url: "https://mtls.op.conformance.test",
      authorization_details_types: { [ownDetailType]: ownDetailDeclaration },
    },
    outbound,
    accountKey,
    signer: joseSigner({ keys: () => keys, now }),
    authenticator: memoryAuthenticator(people),
    pages,
    trails: {
      record: (trail) => {
        const recorded = trail()
        trails.set(recorded.requestId, recorded)
      },
    },
    clock: () => millis,
    digest: nodeDigest,
    entropy: nodeEntropy,
    // The response's trail describes a defect.
    report: () => undefined,
  })
  const { written, due } = delivering(altered, now)
  const provider = createProvider({ ...altered, outbox: { written } })
  return {
    issuer,
    clients: Object.fromEntries(clients.map(([role, , client]) => [role, client])),
    person,
    recipe: ownPages,
    send: async (sent) => {
      const { method, url, headers, body } = reread(sent)
      const request = new Request(url, { method, headers, ...(body === undefined ? {} : { body }) })
      const peerCertificate = sent.certificate && { der: sent.certificate.der, verified: false }
      const answered = await answer(await provider.fetch(request, { address: "192.0.2.1", peerCertificate }), request)
      return { status: answered.status, headers: answered.headers, body: await answered.text(), sent }
    },
    now,
    pass: async (seconds) => {
      millis += seconds * 1000
      await due()
    },
    logouts: ({ backchannel_logout_uri: uri }) => logoutTokens(posted(uri)),
    notices: ({ backchannel_client_notification_endpoint: uri }) => posted(uri),
    publisher,
    trail: (received) => trailOf(received, trails),
  }
}

const trailOf = ({ headers }: Received, trails: ReadonlyMap<string, Trail>): string | undefined => {
  const trail = trails.get(headers.get("x-request-id") ?? "")
  const refused = trail?.steps.map((step) => step.refused).find((each) => each !== undefined)
  if (trail === undefined) return undefined
  if (trail.fault !== undefined) return `${trail.endpoint}: a defect of ours: ${trail.fault}`
  const passed = trail.steps.flatMap((step) => step.passed)
  const rules = `${passed.length} rules passed${passed.length === 0 ? "" : `, the last ${passed.at(-1)}`}`
  return refused === undefined
    ? `${trail.endpoint}: ${rules}`
    : `${trail.endpoint}: ${rules}; refused by ${refused.rule} (${refused.cites}): ${refused.reason}`
}

/** Our own provider in this process, with a new instance for each requirement. */
export const inProcess = (alteration: Alteration = {}): Opening => ({
  name: "Postern, in process",
  open: () => open(alteration),
  fresh: true,
})
