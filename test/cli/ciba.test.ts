import { exportJWK, generateKeyPair, SignJWT } from "jose"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, onTestFinished, test, vi } from "vitest"
import { Surfer } from "../support/surfer.ts"
import { folder, patience } from "./run.ts"
import { listening, serve } from "./running.ts"

vi.setConfig({ testTimeout: 2 * patience })

interface Taken {
  readonly path: string
  readonly authorization: string | undefined
  readonly body: Record<string, unknown>
}

/** A server that takes JSON: the client's notification endpoint, and the operator's services that tell people and know their codes. */
const listener = async () => {
  const taken: Array<Taken> = []
  const waiting: Array<() => void> = []
  const server = createServer((request, response) => {
    let body = ""
    request.setEncoding("utf8").on("data", (text: string) => (body += text))
    request.on("end", () => {
      taken.push({
        path: request.url ?? "",
        authorization: request.headers.authorization,
        body: JSON.parse(body) as Record<string, unknown>,
      })
      response.writeHead(statusOf(taken.at(-1))).end()
      for (const woken of waiting.splice(0)) woken()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const at = async (path: string): Promise<Taken> => {
    for (;;) {
      const found = taken.find((each) => each.path === path)
      if (found !== undefined) return found
      await new Promise<void>((resolve) => void waiting.push(resolve))
    }
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, at, taken }
}

/** The service of codes knows one of them, and breaks at another. */
const statusOf = (sent: Taken | undefined): number => {
  if (sent?.path !== "/code" || sent.body["user_code"] === "1234") return 204
  return sent.body["user_code"] === "broken" ? 500 : 403
}

const secret = "a secret of 256 random bits, or so we say"
const grant_type = "urn:openid:params:grant-type:ciba"

/** The issuer of tokens that name people, and one of them about Alice, made out to the provider. */
const directory = async () => {
  const { privateKey, publicKey } = await generateKeyPair("ES256")
  const now = Math.floor(Date.now() / 1000)
  const token = (exp: number) =>
    new SignJWT({ iss: "https://directory.example", sub: "a1", aud: issuer, iat: exp - 60, exp })
      .setProtectedHeader({ alg: "ES256" })
      .sign(privateKey)
  const keys = [{ ...(await exportJWK(publicKey)), alg: "ES256" }]
  return {
    declared: { issuer: "https://directory.example", jwks: { keys }, subjects: { a1: "sub-alice" } },
    fresh: await token(now + 60),
    stale: await token(now - 1),
  }
}

const issuer = "http://127.0.0.1:8080"

const officeOf = async (more: { readonly ciba?: object; readonly [member: string]: unknown } = {}) => {
  const other = await listener()
  const client = { client_secret: secret, grant_types: [grant_type], response_types: [], scope: "openid" }
  const { cwd, remove } = folder({
    ...more,
    issuer,
    development: true,
    listen: { port: 0 },
    audit: { store: true },
    ciba: {
      notification: { endpoint: `${other.url}/tell`, token: "token-of-the-channel" },
      user_code: { endpoint: `${other.url}/code`, token: "token-of-the-codes" },
      ...more.ciba,
    },
    users: [{ username: "alice", subject: "sub-alice", password: "correct horse battery" }],
    clients: [
      { ...client, client_id: "till", backchannel_token_delivery_mode: "poll" },
      {
        ...client,
        client_id: "coded",
        backchannel_token_delivery_mode: "poll",
        backchannel_user_code_parameter: true,
      },
      {
        ...client,
        client_id: "pushed",
        backchannel_token_delivery_mode: "push",
        backchannel_client_notification_endpoint: `${other.url}/notify`,
      },
    ],
  })
  onTestFinished(remove)
  const server = await serve({ cwd })
  const url = listening(server)
  const send = async (path: string, client_id: string, fields: Record<string, string>) => {
    const answer = await fetch(url + path, {
      method: "POST",
      headers: { authorization: `Basic ${Buffer.from(`${client_id}:${encodeURIComponent(secret)}`).toString("base64")}` },
      body: new URLSearchParams(fields),
    })
    return { status: answer.status, json: (await answer.json()) as Record<string, unknown> }
  }
  const ask = async (client_id: string, more: Record<string, string> = {}) =>
    send("/connect/ciba", client_id, { scope: "openid", login_hint: "Alice", binding_message: "W4SCT <1>", ...more })
  return { other, url, send, ask }
}

/** Opens the address that the channel was told, signs in, and answers. */
const answer = async (url: string, approval: string, decision: string): Promise<string> => {
  const browser = new Surfer()
  const { pathname, search } = new URL(approval)
  const login = await browser.follow(url + pathname + search)
  const page = await browser.submit(await login.response.text(), login.url, { username: "alice", password: "correct horse battery" })
  const shown = await page.response.text()
  expect(shown).toContain("W4SCT &lt;1&gt;")
  return (await browser.submit(shown, page.url, { decision })).response.text()
}

test("CIBA Core §7 to §10.1: a person who is told by the operator's channel signs in and allows; the client that polls gets tokens once", async () => {
  const { other, url, send, ask } = await officeOf()
  const asked = await ask("till")
  expect(asked).toMatchObject({ status: 200, json: { expires_in: 300, interval: 5 } })
  const { authorization, body } = await other.at("/tell")
  expect([authorization, body["client_id"], body["binding_message"]]).toEqual(["Bearer token-of-the-channel", "till", "W4SCT <1>"])
  expect(await answer(url, String(body["approval_uri"]), "allow")).toContain('id="approval-approved"')
  const redeem = () => send("/connect/token", "till", { grant_type, auth_req_id: String(asked.json["auth_req_id"]) })
  expect(await redeem()).toMatchObject({ status: 200, json: { token_type: "Bearer", scope: "openid" } })
  expect(await redeem()).toMatchObject({ status: 400, json: { error: "invalid_grant" } })
})

test("CIBA Core §10.3: tokens are pushed to the client once its person has allowed it", async () => {
  const { other, url, ask } = await officeOf()
  const asked = await ask("pushed", { client_notification_token: "bearer-of-the-client" })
  const { body } = await other.at("/tell")
  await answer(url, String(body["approval_uri"]), "allow")
  const pushed = await other.at("/notify")
  expect(pushed.authorization).toBe("Bearer bearer-of-the-client")
  expect(pushed.body).toMatchObject({ auth_req_id: asked.json["auth_req_id"], token_type: "Bearer", id_token: expect.any(String) })
  const userinfo = await fetch(`${url}/connect/userinfo`, { headers: { authorization: `Bearer ${String(pushed.body["access_token"])}` } })
  expect(userinfo.status).toBe(200)
})

test("CIBA Core §7.1, §13: the operator's service judges the codes of people, and discovery says that there are codes", async () => {
  const { other, url, ask } = await officeOf()
  const discovery = (await (await fetch(`${url}/.well-known/openid-configuration`)).json()) as Record<string, unknown>
  expect(discovery["backchannel_user_code_parameter_supported"]).toBe(true)
  expect(await ask("coded")).toMatchObject({ status: 400, json: { error: "missing_user_code" } })
  expect(await ask("coded", { user_code: "4321" })).toMatchObject({ status: 400, json: { error: "invalid_user_code" } })
  expect(await ask("coded", { user_code: "broken" })).toMatchObject({ status: 503, json: { error: "temporarily_unavailable" } })
  expect(await ask("coded", { user_code: "1234" })).toMatchObject({ status: 200, json: { expires_in: 300 } })
  const { authorization, body } = await other.at("/code")
  expect([authorization, body]).toEqual(["Bearer token-of-the-codes", { subject: "sub-alice", user_code: "4321" }])
})

test("CIBA Core §7.1, §13: an issuer that the file trusts names the person by a login_hint_token, until that expires", async () => {
  const { declared, fresh, stale } = await directory()
  const { other, ask } = await officeOf({ ciba: { login_hint_token_issuers: [declared] } })
  // An empty parameter counts as absent (RFC 6749 §3.1).
  const hinted = (login_hint_token: string) => ask("till", { login_hint: "", login_hint_token })
  expect(await hinted(stale)).toMatchObject({ status: 400, json: { error: "expired_login_hint_token" } })
  expect(await hinted("x.y.z")).toMatchObject({ status: 400, json: { error: "invalid_request" } })
  expect(await hinted(fresh)).toMatchObject({ status: 200 })
  expect((await other.at("/tell")).body["subject"]).toBe("sub-alice")
})

test("OpenID Connect Discovery §3, RFC 9470 §5: contexts of the file are stated, and above the session's they mean signing in again before the person is asked", async () => {
  const high = "urn:example:high"
  const corp = {
    name: "corp",
    display_name: "Corporation",
    issuer: "https://corp.example",
    client_id: "postern",
    acr_values: { [high]: "2" },
  }
  const { other, url, ask } = await officeOf({ identity_providers: [corp], acr_values_supported: [high] })
  const discovery = (await (await fetch(`${url}/.well-known/openid-configuration`)).json()) as Record<string, unknown>
  expect(discovery["acr_values_supported"]).toEqual(["urn:postern:password", "urn:postern:upstream", high])
  const browser = new Surfer()
  const login = await browser.follow(`${url}/login`)
  await browser.submit(await login.response.text(), login.url, { username: "alice", password: "correct horse battery" })
  await ask("till", { acr_values: high })
  const { pathname, search } = new URL(String((await other.at("/tell")).body["approval_uri"]))
  const sent = await browser.follow(url + pathname + search)
  expect(new URL(sent.url).pathname).toBe("/login")
  const page = await browser.submit(await sent.response.text(), sent.url, { username: "alice", password: "correct horse battery" })
  expect(new URL(page.url).pathname).toBe("/approve")
})
