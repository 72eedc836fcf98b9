import { Readable } from "node:stream"
import type { RequestListener } from "node:http"
import { Auth, type AuthConfig } from "@auth/core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type RunningServer, serve } from "../support/server.ts"
import { users } from "./people.ts"
import { recipe } from "./recipes/recipe.ts"
import { type Site, openSite } from "./site.ts"
import { Visitor } from "./visitor.ts"

const secret = "Auth.js: 100% & more"

/** Auth.js speaks Fetch; the site speaks Node. */
const application =
  (config: AuthConfig, url: string): RequestListener =>
  async (request, response) => {
    const body = request.method === "POST" ? { body: await new Response(Readable.toWeb(request) as ReadableStream).text() } : {}
    const headers = Object.entries(request.headers).flatMap(([name, value]) => (typeof value === "string" ? [[name, value] as const] : []))
    const { pathname, search } = new URL(request.url ?? "/", url)
    if (!pathname.startsWith("/auth")) return void response.end("home")
    const answer = await Auth(
      new Request(`${url}${pathname}${search}`, {
        method: request.method ?? "GET",
        headers: [...headers] as Array<[string, string]>,
        ...body,
      }),
      config,
    )
    response.writeHead(answer.status, [...answer.headers].flat())
    response.end(await answer.text())
  }

describe("Auth.js against the running server", () => {
  let server: RunningServer
  let site: Site
  beforeAll(async () => {
    site = await openSite()
    const client = { client_secret: secret, scope: "openid profile email" }
    server = await serve({
      users,
      clients: [
        // Its default reads the ID token and never asks userinfo.
        ...recipe("Auth.js", site.url, secret).clients,
        { ...client, client_id: "by-userinfo", redirect_uris: [`${site.url}/auth/callback/by-userinfo`] },
      ],
    })
    const provider = {
      type: "oidc" as const,
      name: "Postern",
      issuer: server.url,
      clientSecret: secret,
      checks: ["pkce" as const, "state" as const, "nonce" as const],
    }
    const config: AuthConfig = {
      basePath: "/auth",
      secret: "the site's own",
      trustHost: true,
      providers: [
        { ...provider, id: "postern", clientId: "authjs" },
        { ...provider, id: "by-userinfo", clientId: "by-userinfo", idToken: false },
      ],
    }
    site.answerWith(application(config, site.url))
  })
  afterAll(async () => {
    await site?.close()
    await server?.stop()
    server?.remove()
  })

  /** Action of its sign-in button. */
  const signIn = async (alice: Visitor, provider: string, prompt = "", decision: "allow" | "deny" = "allow") => {
    const { csrfToken } = (await (await alice.go(`${site.url}/auth/csrf`)).json()) as { readonly csrfToken: string }
    const body = new URLSearchParams({ csrfToken, callbackUrl: `${site.url}/` })
    const sent = await alice.go(`${site.url}/auth/signin/${provider}?prompt=${prompt}`, { method: "POST", body })
    return alice.visit(sent.headers.get("location") ?? "", decision)
  }

  const session = async (alice: Visitor): Promise<unknown> => (await alice.go(`${site.url}/auth/session`)).json()

  test.each(["postern", "by-userinfo"])("Core §3.1, RFC 7636, RFC 9207: %s, with PKCE, state and nonce", async (provider) => {
    const alice = new Visitor()
    expect(await session(alice)).toBeNull()
    const { url, way } = await signIn(alice, provider)
    expect(url).toBe(`${site.url}/`)
    const asked = new URL(way.find((step) => step.includes("/connect/authorize")) ?? "").searchParams
    for (const name of ["state", "nonce", "code_challenge"]) expect(asked.get(name)).toMatch(/.{20}/)
    expect(await session(alice)).toMatchObject({ user: { name: "Alice Ant", email: "alice@example.com" } })
  })

  test("RFC 6749 §4.1.2.1: denied, the person is sent to its error page and is not signed in", async () => {
    const alice = new Visitor()
    const { url } = await signIn(alice, "by-userinfo", "consent", "deny")
    expect(new URL(url).searchParams.get("error")).toBe("OAuthCallbackError")
    expect(await session(alice)).toBeNull()
  })
})
