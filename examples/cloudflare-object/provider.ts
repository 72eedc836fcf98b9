import type { CloudflareStores } from "@postern/adapter-cloudflare"
import { type Page, type PageContext, type Provider, createProvider, defineClient } from "@postern/core"
import { type KeyCare, defaultKeyPolicy, joseSigner, tendKeys } from "@postern/core/jose"
import { type Maintained, maintain } from "@postern/core/maintain"
import { memoryAuthenticator, memoryClientStore } from "@postern/core/memory"

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

/** The least a page can be: put your own HTML here. */
const render = (page: Page, { basePath }: PageContext): string => {
  if (page._tag !== "Login") return `<!doctype html><html lang="en"><title>${page._tag}</title><p>${page._tag}</html>`
  const hidden = page.form.hidden.map(([name, value]) => `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`).join("")
  return `<!doctype html><html lang="en"><title>Sign in</title><form method="post" action="${basePath}${page.form.action}">${hidden}
    <label>Username <input name="username" value="${escaped(page.username)}"></label>
    <label>Password <input name="password" type="password"></label>
    <button id="login-submit">Sign in</button></form></html>`
}

const now = (): number => Math.floor(Date.now() / 1000)

/** The signing keys, which are made when the first of them is needed. Give `tendKeys` a key-encryption key to seal them. */
const keysOf = ({ keys }: CloudflareStores): KeyCare => ({ store: keys, algorithms: ["ES256"], policy: defaultKeyPolicy, now })

/** The work between requests: keys, and rows whose time is over. */
export const exampleWork = (stores: CloudflareStores): Promise<Maintained> =>
  maintain({ tokens: stores.tokens, sweep: stores.sweep, keys: keysOf(stores), now })

/** A provider whose keys and rows are in a database of Cloudflare's. People and clients are in memory: put your own in their place. */
export const exampleProvider = async (issuer: string, stores: CloudflareStores): Promise<Provider> => {
  await tendKeys(keysOf(stores))
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
  return createProvider({
    issuer,
    pages: { render },
    clients: memoryClientStore([app]),
    authenticator: memoryAuthenticator([
      { person: { subject: "1", username: "alice", active: true, claims: { name: "Alice Ant" } }, password: "wonderland" },
    ]),
    tokens: stores.tokens,
    signer: joseSigner({ keys: stores.keys.list, now }),
  })
}
