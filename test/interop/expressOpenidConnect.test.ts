import express from "express"
import openid from "express-openid-connect"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type RunningServer, serve } from "../support/server.ts"
import { users } from "./people.ts"
import { type Site, openSite } from "./site.ts"
import { Visitor } from "./visitor.ts"

const secret = "express-openid-connect+secret/="

/** The library's three ways to sign in. Its default is `id_token` by `form_post`, and needs no secret. */
const kinds = {
  default: { settings: {}, response_types: ["id_token"], grant_types: ["implicit"], scope: "openid profile email" },
  code: {
    settings: { clientSecret: secret, authorizationParams: { response_type: "code", scope: "openid profile email offline_access" } },
    response_types: ["code"],
    grant_types: ["authorization_code", "refresh_token"],
    scope: "openid profile email offline_access",
  },
  hybrid: {
    settings: { clientSecret: secret, authorizationParams: { response_type: "code id_token", scope: "openid profile email" } },
    response_types: ["code id_token"],
    grant_types: ["authorization_code", "implicit"],
    scope: "openid profile email",
  },
} as const
type Kind = keyof typeof kinds

const application = (issuerBaseURL: string, baseURL: string, kind: Kind) => {
  const app = express()
  app.use(
    openid.auth({
      issuerBaseURL,
      baseURL,
      clientID: kind,
      secret: "the site's own secret, long enough for it",
      idpLogout: true,
      authRequired: false,
      ...kinds[kind].settings,
    } as Parameters<typeof openid.auth>[0]),
  )
  app.get("/", (request, response) => void response.json(request.oidc.user ?? null))
  app.get("/userinfo", openid.requiresAuth(), async (request, response) => void response.json(await request.oidc.fetchUserInfo()))
  app.get("/refresh", openid.requiresAuth(), async (request, response) => {
    const before = request.oidc.accessToken
    const after = await before?.refresh()
    response.json({ renewed: after !== undefined && after.access_token !== before?.access_token, expires_in: after?.expires_in })
  })
  app.use(
    ((error: Error, _request, response, _next) => void response.status(500).send(error.message)) satisfies express.ErrorRequestHandler,
  )
  return app
}

describe("express-openid-connect against the running server", () => {
  const sites: Partial<Record<Kind, Site>> = {}
  let server: RunningServer
  const at = (kind: Kind, path: string): string => `${sites[kind]?.url}${path}`

  beforeAll(async () => {
    for (const kind of Object.keys(kinds) as Array<Kind>) sites[kind] = await openSite()
    server = await serve({
      users,
      clients: Object.entries(kinds).map(([client_id, { settings, ...metadata }]) => ({
        client_id,
        ...metadata,
        ...("clientSecret" in settings ? { client_secret: secret } : { token_endpoint_auth_method: "none" }),
        redirect_uris: [at(client_id as Kind, "/callback")],
        post_logout_redirect_uris: [at(client_id as Kind, "")],
      })),
    })
    for (const [kind, site] of Object.entries(sites)) site.answerWith(application(server.url, site.url, kind as Kind))
  })
  afterAll(async () => {
    for (const site of Object.values(sites)) await site.close()
    await server?.stop()
    server?.remove()
  })

  test("Form Post Response Mode, Core §3.2.2.10: id_token by form_post carries the user's claims; sign-out comes back", async () => {
    const alice = new Visitor()
    const { url, text, way } = await alice.visit(at("default", "/login"))
    expect(new URL(url).pathname).toBe("/")
    expect(way.find((step) => step.includes("/connect/authorize"))).toMatch(/response_type=id_token&.*response_mode=form_post/)
    expect(JSON.parse(text)).toMatchObject({ sub: "alice-1", name: "Alice Ant", email: "alice@example.com" })
    const out = await alice.visit(at("default", "/logout"))
    expect(out.way.some((step) => step.startsWith(`${server.url}/connect/endsession`))).toBe(true)
    expect(new URL(out.url).origin).toBe(at("default", ""))
    expect(out.text).toBe("null")
    // The provider's session is over as well.
    const again = new URL((await alice.go(at("default", "/login"))).headers.get("location") ?? "")
    again.searchParams.set("prompt", "none")
    expect(await (await alice.go(again.href)).text()).toContain('name="error" value="login_required"')
  })

  test("Core §3.1, RFC 6749 §6: code by query with PKCE, userinfo, refresh", async () => {
    const alice = new Visitor()
    const { url, text, way } = await alice.visit(at("code", "/login"))
    expect(new URL(url).pathname).toBe("/")
    expect(way.find((step) => step.includes("/connect/authorize"))).toContain("code_challenge_method=S256")
    expect(JSON.parse(text)).toMatchObject({ sub: "alice-1" })
    expect(JSON.parse((await alice.visit(at("code", "/userinfo"))).text)).toMatchObject({ name: "Alice Ant", email_verified: true })
    expect(JSON.parse((await alice.visit(at("code", "/refresh"))).text)).toEqual({ renewed: true, expires_in: 3600 })
  })

  test("Core §3.3: code id_token by form_post, the code checked by c_hash and both ID tokens alike", async () => {
    const alice = new Visitor()
    const { url, text } = await alice.visit(at("hybrid", "/login"))
    expect(new URL(url).pathname).toBe("/")
    expect(JSON.parse(text)).toMatchObject({ sub: "alice-1" })
    expect(JSON.parse((await alice.visit(at("hybrid", "/userinfo"))).text)).toMatchObject({ name: "Alice Ant" })
  })
})
