import { cibaDesigns } from "@postern/adapter-http/ciba"
import { nodeDigest, nodeEntropy } from "@postern/adapter-http/node"
import { type LiquidPages, liquidPages } from "@postern/adapter-http/pages"
import {
  type Client,
  type ClientDefinition,
  ciba,
  createProvider,
  defaultFeatures,
  defineClient,
  deliveriesOf,
  idJag,
  rowKindsOf,
  secretOf,
} from "@postern/core"
import { type SigningKey, joseSigner } from "@postern/core/jose"
import { scopeWords } from "@postern/core/model"
import type { OutboundPort, OutboxPort } from "@postern/core/ports"
import { memoryAuthenticator, memoryClientStore, memoryTokenStore } from "@postern/core/memory"

/** Authorization servers that clients get ID-JAGs for, and the resources that requests may name. */
export interface Crossing {
  /** Their issuer identifiers. At each, a client has the same client_id as here. */
  readonly audiences: ReadonlyArray<string>
  /** The resources there; none by default. */
  readonly resources?: ReadonlyArray<string> | undefined
}

/** Lets clients use CIBA, and get ID-JAGs with the scopes that they have here. */
const featuresOf = (clients: ReadonlyArray<TriedClient>, { audiences, resources }: Crossing) => {
  // A client without scopes here would have none there, and a server has no clients without one.
  const all = clients
    .map(({ client_id, scope = "openid" }) => [client_id, { clientId: client_id, scope: scopeWords(scope) }] as const)
    .filter(([, each]) => each.scope.length > 0)
  const scope = [...new Set(all.flatMap(([, each]) => each.scope))]
  const servers = (all.length === 0 ? [] : audiences).map((issuer) => ({ issuer, scope, resources, clients: Object.fromEntries(all) }))
  // A frozen list is processed once for all providers that share it.
  return Object.freeze([...defaultFeatures, ciba(), idJag({ authorizationServers: servers })])
}

/** A client under test: its metadata (RFC 7591 §2) with its secret. */
export type TriedClient = ClientDefinition & { readonly client_id: string; readonly client_secret?: string }

/** The clients and the person of a site. */
export interface SiteOptions {
  readonly clients: ReadonlyArray<TriedClient>
  readonly person?: { readonly username: string; readonly password: string } | undefined
  /** The servers that ID-JAGs are issued for; none by default. */
  readonly crossing?: Crossing | undefined
}

const now = (): number => Math.floor(Date.now() / 1000)

const noOutbound: OutboundPort = { fetch: () => ({ _tag: "Unfetched", reason: "nothing is fetched here" }) }

/** Delivers the notices of CIBA requests when they are due. Logout tokens are sent by the scoreboard's buttons. */
const delivered = (messages: Parameters<OutboxPort["written"]>[0], handlers: ReturnType<typeof deliveriesOf>): void => {
  for (const message of messages) {
    if (!message.kind.startsWith("ciba.")) continue
    const deliver = () => void handlers[message.kind]?.(message, new AbortController().signal).catch(() => undefined)
    if (message.dueAt <= now()) deliver()
    else setTimeout(deliver, (message.dueAt - now()) * 1000).unref()
  }
}

/** The pages that all sites of a process share, because sites have no names, colors or templates of their own. */
let shownPages: LiquidPages | undefined

/** Creates providers of one site. They share clients, people and keys, but each has its own stores. Throws as `defineClient` does. */
export const openSite = (
  origin: string,
  keys: ReadonlyArray<SigningKey>,
  { clients, person = { username: "alice", password: "alice" }, crossing = { audiences: [] } }: SiteOptions,
) => {
  const features = featuresOf(clients, crossing)
  const pages = (shownPages ??= liquidPages({ pages: cibaDesigns }))
  const defined: ReadonlyArray<Client> = clients.map(({ client_secret: _secret, ...metadata }) =>
    defineClient(metadata, { issuer: origin, features }),
  )
  const secrets = Object.fromEntries(
    clients.flatMap(({ client_id, client_secret: secret }) => (secret === undefined ? [] : [[client_id, secret]])),
  )
  const claims = { name: "Alice Ant", email: "alice@example.com", email_verified: true }
  const people = [
    { person: { subject: "alice-1", username: person.username, active: true, claims, tenant: null }, password: person.password },
  ]
  return {
    assets: pages.assets,
    /** Creates a provider that sends its CIBA notices with `post`. */
    provider: (issuer: string, post: NonNullable<OutboundPort["post"]>) => {
      const parts = {
        issuer,
        clients: memoryClientStore(defined, secrets),
        tokens: memoryTokenStore(rowKindsOf({ features })),
        accountKey: secretOf("the account key of a test, of 32 letters"),
        signer: joseSigner({ keys: () => keys, now }),
      }
      const handlers = deliveriesOf({ features }, { ...parts, outbound: { ...noOutbound, post }, now })
      const outbox: OutboxPort = { written: (messages) => delivered(messages, handlers) }
      return createProvider({
        ...parts,
        pages,
        features,
        outbox,
        authenticator: memoryAuthenticator(people),
        digest: nodeDigest,
        entropy: nodeEntropy,
      })
    },
  }
}
