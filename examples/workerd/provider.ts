import { type Page, type PageContext, type Provider, type ProviderOptions, createProvider, defineClient, deliveriesOf } from "@postern/core"
import { type KeyCare, defaultKeyPolicy, joseSigner, tendKeys } from "@postern/core/jose"
import { type Maintained, maintain } from "@postern/core/maintain"
import { memoryAuthenticator, memoryClientStore, memorySigningKeyStore, memoryTokenStore } from "@postern/core/memory"

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

/** The least a page can be: put your own HTML here, or `liquidPages` of `@postern/adapter-http/pages` where there is Node. */
const render = (page: Page, { basePath }: PageContext): string => {
  if (page._tag !== "Login") return `<!doctype html><html lang="en"><title>${page._tag}</title><p>${page._tag}</html>`
  const hidden = page.form.hidden.map(([name, value]) => `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`).join("")
  return `<!doctype html><html lang="en"><title>Sign in</title><form method="post" action="${basePath}${page.form.action}">${hidden}
    <label>Username <input name="username" value="${escaped(page.username)}"></label>
    <label>Password <input name="password" type="password"></label>
    <button id="login-submit">Sign in</button></form></html>`
}

const now = (): number => Math.floor(Date.now() / 1000)

/** A provider, and the work that it needs between requests. */
export interface Example {
  readonly provider: Provider
  /** Makes keys that are due, delivers messages and sweeps what has expired: once, and within bounds. */
  readonly work: () => Promise<Maintained>
}

/** A provider in memory. Keys, people and tokens are gone with the process: give it stores of your own. */
export const example = async (issuer: string): Promise<Example> => {
  const keys: KeyCare = { store: memorySigningKeyStore(), algorithms: ["ES256"], policy: defaultKeyPolicy, now }
  await tendKeys(keys)
  const app = defineClient(
    {
      client_id: "app",
      application_type: "native",
      token_endpoint_auth_method: "none",
      redirect_uris: ["http://127.0.0.1:4200/callback"],
      id_token_signed_response_alg: "ES256",
      access_token_signed_response_alg: "ES256",
      scope: "openid profile",
      require_consent: false,
    },
    { issuer },
  )
  const tokens = memoryTokenStore()
  const options: ProviderOptions = { issuer }
  const clients = memoryClientStore([app])
  const signer = joseSigner({ keys: keys.store.list, now })
  const provider = createProvider({
    ...options,
    pages: { render },
    clients,
    authenticator: memoryAuthenticator([
      { person: { subject: "1", username: "alice", active: true, claims: { name: "Alice Ant" } }, password: "wonderland" },
    ]),
    tokens,
    signer,
  })
  const handlers = deliveriesOf(options, { issuer, clients, signer, tokens, now })
  return { provider, work: () => maintain({ tokens, sweep: tokens.sweep, handlers, keys, now }) }
}
