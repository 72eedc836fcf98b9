import {
  type Page,
  type PageContext,
  type PagesPort,
  type Provider,
  type ProviderOptions,
  createProvider,
  defineClient,
} from "@postern/core"
import { generateKey, joseSigner } from "@postern/core/jose"
import { memoryAuthenticator, memoryClientStore, memoryTokenStore } from "@postern/core/memory"

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

/** A provider in memory. Keys, people and tokens are gone with the process: give it stores of your own. */
export const exampleProvider = async (
  issuer: string,
  more: Partial<ProviderOptions> & { readonly pages?: PagesPort } = {},
): Promise<Provider> => {
  const keys = [await generateKey("ES256", { createdAt: now(), activeAt: now() })]
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
    pages: { render },
    ...more,
    issuer,
    clients: memoryClientStore([app]),
    authenticator: memoryAuthenticator([
      { person: { subject: "1", username: "alice", active: true, claims: { name: "Alice Ant" } }, password: "wonderland" },
    ]),
    tokens: memoryTokenStore(),
    signer: joseSigner({ keys: () => keys, now }),
  })
}
