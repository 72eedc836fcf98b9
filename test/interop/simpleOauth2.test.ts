import { createHash, randomBytes } from "node:crypto"
import { AuthorizationCode, ClientCredentials, ResourceOwnerPassword } from "simple-oauth2"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type RunningServer, serve } from "../support/server.ts"
import { alice, users } from "./people.ts"
import { Visitor } from "./visitor.ts"

/** The library takes ASCII alone. */
const id = "a client: +%"
const secret = "s p:a+c%e& ~*()'!"
const redirect_uri = "https://app.example/cb?of=simple"

describe("simple-oauth2 5 against the running server", () => {
  let server: RunningServer
  beforeAll(async () => {
    server = await serve({
      users,
      resources: [{ identifier: "https://api.example", scopes: ["api.read", "api.write"] }],
      clients: [
        {
          client_id: id,
          client_secret: secret,
          grant_types: ["authorization_code", "refresh_token", "client_credentials", "password"],
          redirect_uris: [redirect_uri],
          scope: "openid offline_access api.read api.write",
        },
        {
          client_id: "in body",
          client_secret: secret,
          token_endpoint_auth_method: "client_secret_post",
          grant_types: ["client_credentials"],
          response_types: [],
          scope: "api.read",
        },
      ],
    })
  })
  afterAll(async () => {
    await server?.stop()
    server?.remove()
  })

  const settings = (client = { id, secret }) => ({
    client,
    auth: { tokenHost: server.url, tokenPath: "/connect/token", revokePath: "/connect/revocation" },
  })

  test("RFC 6749 §2.3.1: id and secret with every awkward character, form-encoded in the Basic header", async () => {
    const { token } = await new ClientCredentials(settings()).getToken({ scope: ["api.read", "api.write"] })
    expect(token).toMatchObject({ token_type: "Bearer", scope: "api.read api.write", expires_in: 3600 })
    await expect(new ClientCredentials(settings({ id, secret: `${secret} ` })).getToken({})).rejects.toMatchObject({
      output: { statusCode: 401 },
      data: { payload: { error: "invalid_client" } },
    })
  })

  test("RFC 6749 §2.3.1: the same secret in the body", async () => {
    const client = new ClientCredentials({ ...settings({ id: "in body", secret }), options: { authorizationMethod: "body" } })
    expect((await client.getToken({})).token).toMatchObject({ scope: "api.read" })
  })

  test("RFC 6749 §4.1, §6, RFC 7009: code with a PKCE challenge of its own, refresh, revoked with all its tokens", async () => {
    const client = new AuthorizationCode<"code_challenge" | "code_challenge_method">({
      client: { id, secret },
      auth: { ...settings().auth, authorizePath: "/connect/authorize" },
    })
    const code_verifier = randomBytes(32).toString("base64url")
    const url = client.authorizeURL({
      redirect_uri,
      scope: "openid offline_access api.read",
      state: "a state with + and %",
      code_challenge: createHash("sha256").update(code_verifier).digest("base64url"),
      code_challenge_method: "S256",
    } as Parameters<typeof client.authorizeURL>[0])
    const back = await new Visitor().authorize(url, ...alice)
    expect(back.searchParams.get("of")).toBe("simple")
    expect(back.searchParams.get("state")).toBe("a state with + and %")
    const code = back.searchParams.get("code") ?? ""
    const token = await client.getToken({ code, redirect_uri, code_verifier } as Parameters<typeof client.getToken>[0])
    expect(token.expired()).toBe(false)
    const next = await token.refresh()
    expect(next.token["refresh_token"]).not.toBe(token.token["refresh_token"])
    // RFC 7009 §2.2: clients ignore the content; this one parses it as JSON all the same.
    await next.revoke("refresh_token")
    await expect(next.refresh()).rejects.toMatchObject({ data: { payload: { error: "invalid_grant" } } })
  })

  test("RFC 6749 §4.3: the password grant, for a client that was given it", async () => {
    const { tokenHost, tokenPath } = settings().auth
    const client = new ResourceOwnerPassword({ client: { id, secret }, auth: { tokenHost, tokenPath } })
    const [username, password] = alice
    expect((await client.getToken({ username, password, scope: "api.read" })).token).toMatchObject({ scope: "api.read" })
    await expect(client.getToken({ username, password: "wrong", scope: "api.read" })).rejects.toMatchObject({
      data: { payload: { error: "invalid_grant" } },
    })
  })
})
