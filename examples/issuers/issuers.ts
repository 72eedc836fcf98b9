import { type FoundIssuer, type Page, type PageContext, type Providers, createProviders, defineClient } from "@postern/core"
import { type SigningKeyStore, defaultKeyPolicy, joseSigner, partitionedKeys, tendKeys } from "@postern/core/jose"
import { type Maintained, maintain } from "@postern/core/maintain"
import { memoryAuthenticator, memoryClientStore, memorySigningKeyStore, memoryTokenStore } from "@postern/core/memory"

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

/** The pages of one tenant: the shipped ones of `@postern/adapter-http/pages` would be another value of this kind. */
const pagesOf = (title: string) => ({
  render: (page: Page, { basePath }: PageContext): string => {
    if (page._tag !== "Login") return `<!doctype html><html lang="en"><title>${page._tag}</title><p>${page._tag}</html>`
    const hidden = page.form.hidden.map(([name, value]) => `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`)
    return `<!doctype html><html lang="en"><title>${escaped(title)}</title><form method="post" action="${basePath}${page.form.action}">${hidden.join("")}
    <label>Username <input name="username" value="${escaped(page.username)}"></label>
    <label>Password <input name="password" type="password"></label>
    <button id="login-submit">Sign in</button></form></html>`
  },
})

const now = (): number => Math.floor(Date.now() / 1000)

/** The issuers of a process, and the work that they need between requests. */
export interface Tenants {
  readonly providers: Providers
  readonly work: () => Promise<Maintained>
}

/** Tenants of a table of your own, by name. Here a list, and everything in memory: give it stores that outlive the process. */
const tenants: Readonly<Record<string, string>> = { acme: "Acme", globex: "Globex" }

/** Makes the issuers `ORIGIN/acme` and `ORIGIN/globex`, which share clients and people, and have keys and pages of their own. */
export const exampleIssuers = async (origin: string): Promise<Tenants> => {
  const tokens = memoryTokenStore()
  const keysOf = partitionedKeys(memorySigningKeyStore(), { now })
  const care = (store: SigningKeyStore) => ({ store, algorithms: ["ES256"], policy: defaultKeyPolicy, now }) as const
  const app = defineClient({
    client_id: "app",
    application_type: "native",
    token_endpoint_auth_method: "none",
    redirect_uris: ["http://127.0.0.1:4200/callback"],
    id_token_signed_response_alg: "ES256",
    access_token_signed_response_alg: "ES256",
    scope: "openid profile",
    require_consent: false,
  })
  const find = async (sought: { readonly issuer: string } | { readonly name: string }): Promise<FoundIssuer | undefined> => {
    const name = "name" in sought ? sought.name : sought.issuer.slice(origin.length + 1)
    const title = Object.hasOwn(tenants, name) ? tenants[name] : undefined
    if (title === undefined) return undefined
    const keys = keysOf(name)
    await tendKeys(care(keys))
    return { name, issuer: `${origin}/${name}`, signer: joseSigner({ keys: keys.list, now }), pages: pagesOf(title) }
  }
  const providers = createProviders({
    tokens,
    clients: memoryClientStore([app]),
    authenticator: memoryAuthenticator([
      { person: { subject: "1", username: "alice", active: true, claims: { name: "Alice Ant" } }, password: "wonderland" },
    ]),
    find,
    form: { scheme: origin.startsWith("http:") ? "http" : "https", segments: 1 },
  })
  const work = (): Promise<Maintained> =>
    maintain({
      tokens,
      sweep: tokens.sweep,
      handlers: providers.deliveries,
      keys: Object.keys(tenants).map((name) => care(keysOf(name))),
      now,
    })
  return { providers, work }
}
