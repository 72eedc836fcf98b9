import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { browserOfProcess, browserThere } from "../../pages/browser.ts"
import { type RunningServer, freePort, serve } from "../../support/server.ts"
import { sample } from "../../tiers/tier.ts"
import { alice, users } from "../people.ts"
import { recipe } from "../recipes/recipe.ts"
import { type Apache, type RelyingParty, type ResourceServer, apacheThere, startApache } from "./apache.ts"

const api = "https://api.example"
const secret = 'Apache: 100% & "more"'

/** Every response type the module's documentation lists, each in its default response mode, and two of them by form_post. */
const kinds = [
  { responseType: "code", responseMode: undefined },
  { responseType: "id_token", responseMode: undefined },
  { responseType: "id_token token", responseMode: undefined },
  { responseType: "code id_token", responseMode: undefined },
  { responseType: "code token", responseMode: undefined },
  { responseType: "code id_token token", responseMode: undefined },
  { responseType: "code", responseMode: "form_post" },
  { responseType: "id_token", responseMode: "form_post" },
] as const

const grantTypes = (responseType: string): ReadonlyArray<string> => [
  ...(responseType.includes("code") ? ["authorization_code"] : []),
  ...(responseType.includes("token") ? ["implicit"] : []),
]

describe.skipIf(!apacheThere || !browserThere)("Apache with mod_auth_openidc against the running server", { timeout: 60_000 }, () => {
  let server: RunningServer
  let apache: Apache
  let browser: Browser
  let resourceServer: ResourceServer
  const relyingParties: Array<RelyingParty> = []

  beforeAll(async () => {
    const ports = new Set<number>()
    while (ports.size <= kinds.length) ports.add(await freePort())
    const [apiPort = 0, ...sitePorts] = ports
    for (const [index, kind] of kinds.entries()) {
      const ofSecret = kind.responseType.includes("code") ? secret : undefined
      relyingParties.push({ ...kind, port: sitePorts[index] ?? 0, clientId: index === 0 ? "apache" : `apache-${index}`, secret: ofSecret })
    }
    server = await serve({
      users,
      resources: [{ identifier: api, scopes: ["api.read"] }],
      clients: [
        { client_id: "lookup", client_secret: secret, grant_types: [], response_types: [], introspection_resources: [api] },
        ...["jwt", "reference"].map((access_token_format) => ({
          client_id: access_token_format,
          client_secret: secret,
          grant_types: ["client_credentials"],
          response_types: [],
          scope: "api.read",
          access_token_format,
        })),
        ...recipe("mod_auth_openidc", `http://127.0.0.1:${sitePorts[0]}`, secret).clients.map((client) => ({
          ...client,
          post_logout_redirect_uris: [`http://127.0.0.1:${sitePorts[0]}/bye.html`],
        })),
        ...relyingParties.slice(1).map(({ port, clientId, responseType, secret: client_secret }) => ({
          client_id: clientId,
          ...(client_secret === undefined ? { token_endpoint_auth_method: "none" } : { client_secret }),
          grant_types: grantTypes(responseType),
          response_types: [responseType],
          redirect_uris: [`http://127.0.0.1:${port}/secure/back`],
          post_logout_redirect_uris: [`http://127.0.0.1:${port}/bye.html`],
          scope: "openid profile email",
        })),
      ],
    })
    resourceServer = { port: apiPort, clientId: "lookup", secret }
    apache = await startApache(server.url, relyingParties, resourceServer)
    browser = await browserOfProcess()
  }, 60_000)
  afterAll(async () => {
    await browser?.close()
    await apache?.stop()
    await server?.stop()
    server?.remove()
  })

  const claims = async (tab: Page): Promise<Readonly<Record<string, string>>> => {
    const text = (await tab.textContent("#claims")) ?? ""
    return Object.fromEntries(text.split("\n").map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]))
  }

  test.each(sample(kinds, 3).map((kind) => ({ ...kind, index: kinds.indexOf(kind), mode: kind.responseMode ?? "its default mode" })))(
    "Core §3: $responseType in $mode: a protected page shows the claims, and signing out ends at the site",
    async ({ responseType, index }) => {
      const { port, clientId } = relyingParties[index] ?? { port: 0, clientId: "" }
      const context = await browser.newContext()
      context.setDefaultTimeout(20_000)
      const tab = await context.newPage()
      const asked: Array<string> = []
      tab.on("request", (request) => asked.push(request.url()))
      await tab.goto(`http://127.0.0.1:${port}/secure/`)
      await tab.fill("input[name=username]", alice[0])
      await tab.fill("input[name=password]", alice[1])
      await tab.click("#login-submit")
      await tab.click("#consent-allow")
      await tab.waitForSelector("#claims").catch((error: unknown) => {
        throw new Error(`${String(error)}\n${apache.log()}`)
      })
      expect(tab.url()).toBe(`http://127.0.0.1:${port}/secure/`)
      const request = new URL(asked.find((url) => url.includes("/connect/authorize")) ?? "").searchParams
      expect(request.get("response_type")).toBe(responseType)
      expect(await claims(tab)).toMatchObject({
        REMOTE_USER: "alice-1",
        OIDC_CLAIM_iss: server.url,
        OIDC_CLAIM_aud: clientId,
        OIDC_CLAIM_name: "Alice Ant",
        OIDC_CLAIM_email: "alice@example.com",
        OIDC_CLAIM_email_verified: "1",
      })

      await tab.goto(`http://127.0.0.1:${port}/secure/back?logout=${encodeURIComponent(`http://127.0.0.1:${port}/bye.html`)}`)
      await tab.waitForSelector("#bye")
      expect(asked.some((url) => url.startsWith(`${server.url}/connect/endsession?id_token_hint=`))).toBe(true)
      await tab.goto(`http://127.0.0.1:${port}/secure/`)
      await tab.waitForSelector("#login-submit")
      await context.close()
    },
  )

  const accessToken = async (clientId: string): Promise<string> => {
    const basic = [clientId, secret].map((text) => encodeURIComponent(text)).join(":")
    const response = await fetch(`${server.url}/connect/token`, {
      method: "POST",
      headers: { authorization: `Basic ${Buffer.from(basic).toString("base64")}` },
      body: new URLSearchParams({ grant_type: "client_credentials" }),
    })
    return ((await response.json()) as { readonly access_token: string }).access_token
  }

  const call = async (token: string): Promise<readonly [status: number, text: string]> => {
    const response = await fetch(`http://127.0.0.1:${resourceServer.port}/secure/`, { headers: { authorization: `Bearer ${token}` } })
    return [response.status, await response.text()]
  }

  test.each(["reference", "jwt"])(
    "RFC 7662: guarding an API, it looks a %s access token up, and refuses one that is spoiled",
    async (format) => {
      const token = await accessToken(format)
      const [status, text] = await call(token)
      expect(status).toBe(200)
      for (const claim of [`client_id=${format}`, "scope=api.read", `aud=${api}`]) expect(text).toContain(`OIDC_CLAIM_${claim}`)
      expect((await call(`${token.slice(0, -8)}AAAAAAAA`))[0]).toBe(401)
    },
  )
})
