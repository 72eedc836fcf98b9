/**
 * Postern in a runtime of your own: `fetch` below is all that Node, Bun, Deno or a Worker needs.
 *
 *   Bun, Deno, Workers:  export default { fetch }
 *   Node:                turn each request into a message for `provider.handle`, as `@postern/adapter-http` does
 *
 * Everything is in memory here. Put your own stores, authenticator and pages behind the same ports.
 */
import { type Page, type PagesPort, createProvider, defineClient } from "@postern/core"
import { generateKey, joseSigner } from "@postern/core/jose"
import { memoryAuthenticator, memoryClientStore, memoryTokenStore } from "@postern/core/memory"

const issuer = "http://127.0.0.1:4100"

const clients = memoryClientStore([
  defineClient(
    {
      client_id: "app",
      token_endpoint_auth_method: "none",
      redirect_uris: ["http://127.0.0.1:4200/callback"],
      scope: "openid profile",
      application_type: "native",
      require_consent: false,
    },
    { issuer },
  ),
])

const authenticator = memoryAuthenticator([
  { person: { subject: "1", username: "alice", active: true, claims: { name: "Alice Ant" } }, password: "wonderland" },
])

const now = (): number => Math.floor(Date.now() / 1000)
const keys = [await generateKey("RS256", { createdAt: now(), activeAt: now() })]

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

/** The least a page can be. Real ones come from `@postern/adapter-http/pages`, or from you. */
const render = (page: Page): string => {
  if (page._tag === "Login") {
    const hidden = page.form.hidden
      .map(([name, value]) => `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`)
      .join("")
    return `<!doctype html><html lang="en"><title>Sign in</title><form method="post" action="${page.form.action}">${hidden}
      <label>Username <input name="username" value="${escaped(page.username)}"></label>
      <label>Password <input name="password" type="password"></label>
      <button id="login-submit">Sign in</button></form></html>`
  }
  return `<!doctype html><html lang="en"><title>${page._tag}</title><p>${page._tag}</html>`
}
const pages: PagesPort = { render }

export const provider = createProvider({
  issuer,
  clients,
  authenticator,
  pages,
  tokens: memoryTokenStore(),
  signer: joseSigner({ keys: () => keys, now }),
})

export const fetch = provider.fetch

export default { fetch }
