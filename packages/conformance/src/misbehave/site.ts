import { cibaDesigns } from "@postern/adapter-http/ciba"
import { liquidPages } from "@postern/adapter-http/pages"
import {
  type Client,
  type ClientDefinition,
  ciba,
  createProvider,
  defaultFeatures,
  defineClient,
  rowKindsOf,
  secretOf,
} from "@postern/core"
import { type SigningKey, joseSigner } from "@postern/core/jose"
import { memoryAuthenticator, memoryClientStore, memoryTokenStore } from "@postern/core/memory"

/** Clients may ask people on their own devices, too. */
const features = [...defaultFeatures, ciba()]

/** A client to try: its metadata as RFC 7591 §2 names it, with its secret. */
export type TriedClient = ClientDefinition & { readonly client_id: string; readonly client_secret?: string }

/** The clients and the person of a site. */
export interface SiteOptions {
  readonly clients: ReadonlyArray<TriedClient>
  readonly person?: { readonly username: string; readonly password: string } | undefined
}

/** Makes providers of one site: they have the same clients, people and keys, and stores of their own. Throws as `defineClient` does. */
export const openSite = (
  origin: string,
  keys: ReadonlyArray<SigningKey>,
  { clients, person = { username: "alice", password: "alice" } }: SiteOptions,
) => {
  const pages = liquidPages({ pages: cibaDesigns })
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
    provider: (issuer: string) =>
      createProvider({
        issuer,
        pages,
        clients: memoryClientStore(defined, secrets),
        tokens: memoryTokenStore(rowKindsOf({ features })),
        features,
        accountKey: secretOf("the account key of a test, of 32 letters"),
        signer: joseSigner({ keys: () => keys, now: () => Math.floor(Date.now() / 1000) }),
        authenticator: memoryAuthenticator(people),
      }),
  }
}
