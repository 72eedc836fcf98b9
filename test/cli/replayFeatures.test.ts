import { readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { exportJWK, generateKeyPair, SignJWT } from "jose"
import { expect, onTestFinished, test, vi } from "vitest"
import { join } from "node:path"
import { posternLine } from "./lines.ts"
import { folder, patience } from "./run.ts"
import { running } from "./running.ts"

vi.setConfig({ testTimeout: 4 * patience })

const issuer = "http://127.0.0.1:8080"
const ciba = "urn:openid:params:grant-type:ciba"
const bearer = "urn:ietf:params:oauth:grant-type:jwt-bearer"
const secret = "a secret of 256 random bits, or so we say"

/** The operator's service that knows codes, and a client that is known by its document, on one server. */
const beside = async () => {
  const codes: Array<string> = []
  const server = createServer((request, response) => {
    const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    if (request.method === "GET") {
      const document = {
        client_id: `${at}/client.json`,
        client_name: "Agent",
        redirect_uris: [`${at}/cb`],
        token_endpoint_auth_method: "none",
      }
      return void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(document))
    }
    let body = ""
    request.setEncoding("utf8").on("data", (text: string) => (body += text))
    request.on("end", () => {
      codes.push(String((JSON.parse(body) as { readonly user_code: unknown }).user_code))
      response.writeHead(codes.at(-1) === "1234" ? 204 : 403).end()
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, codes }
}

test("CIBA Core §7.1: a recording has the answers about codes, and replays as it was with documents of clients, ID-JAGs and CIBA; nobody is asked again", async () => {
  const other = await beside()
  const { privateKey, publicKey } = await generateKeyPair("ES256")
  const common = { client_secret: secret, response_types: [], scope: "openid api" }
  const config = {
    issuer,
    development: true,
    listen: { port: 0 },
    metadata_documents: {},
    session_management: true,
    registration: { open: true, policy: { scope: ["openid"] } },
    resources: [{ identifier: "https://api.example", scopes: ["api"] }],
    grants: {
      id_jag: {
        identity_providers: [{ issuer: "https://idp.example", jwks: { keys: [{ ...(await exportJWK(publicKey)), alg: "ES256" }] } }],
      },
    },
    ciba: { request_lifetime: 120, user_code: { endpoint: `${other.url}/code`, token: "token-of-the-codes" } },
    users: [{ username: "alice", subject: "sub-alice", password: "correct horse battery" }],
    clients: [
      {
        ...common,
        client_id: "coded",
        grant_types: [ciba],
        backchannel_token_delivery_mode: "poll",
        backchannel_user_code_parameter: true,
      },
      { ...common, client_id: "crossing", grant_types: [bearer] },
    ],
  }
  const { cwd, remove } = folder(config)
  onTestFinished(remove)
  const server = await running(["record", "--out", "all.recording"], { cwd }, /Ready\./)
  const url = /listening +(\S+)/.exec(server.said.err)?.[1] ?? ""
  const send = async (path: string, client: string, fields: Record<string, string>) => {
    const headers = { authorization: `Basic ${btoa(`${client}:${encodeURIComponent(secret)}`)}` }
    const answer = await fetch(`${url}${path}`, { method: "POST", headers, body: new URLSearchParams(fields) })
    return [answer.status, ((await answer.json()) as { readonly error?: string }).error]
  }
  const asked = (user_code: string) => send("/connect/ciba", "coded", { scope: "openid", login_hint: "alice", user_code })
  expect(await asked("1234")).toEqual([200, undefined])
  expect(await asked("9999")).toEqual([400, "invalid_user_code"])
  const now = Math.floor(Date.now() / 1000)
  const claims = {
    iss: "https://idp.example",
    sub: "sub-alice",
    aud: issuer,
    client_id: "crossing",
    jti: "j-1",
    iat: now,
    exp: now + 60,
    scope: "api",
  }
  const assertion = await new SignJWT(claims).setProtectedHeader({ alg: "ES256", typ: "oauth-id-jag+jwt" }).sign(privateKey)
  expect(await send("/connect/token", "crossing", { grant_type: bearer, assertion })).toEqual([200, undefined])
  const query = { client_id: `${other.url}/client.json`, redirect_uri: `${other.url}/cb`, response_type: "code", scope: "openid" }
  const challenge = { code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", code_challenge_method: "S256" }
  const page = await fetch(`${url}/connect/authorize?${new URLSearchParams({ ...query, ...challenge }).toString()}`, { redirect: "manual" })
  expect(page.status).toBeLessThan(400)
  expect(await server.stop("SIGINT")).toBe(0)
  expect(server.said.err).toContain("all.recording: 4 requests")
  expect(other.codes).toEqual(["1234", "9999"])

  const same = await posternLine(["replay", "all.recording"], { cwd })
  expect([same.code, same.out]).toEqual([0, "4 requests, decided as they were\n"])
  const stated = JSON.parse(readFileSync(join(cwd, "postern.json"), "utf8")) as typeof config
  writeFileSync(join(cwd, "next.json"), JSON.stringify({ ...stated, ciba: { ...config.ciba, request_lifetime: 90 } }))
  const diff = await posternLine(["config", "diff", "postern.json", "next.json", "--against", "all.recording"], { cwd })
  expect([diff.code, diff.out]).toEqual([4, expect.stringContaining("3 of 4 recorded requests would be decided as before")])
  // Neither decided a request by asking the service.
  expect(other.codes).toEqual(["1234", "9999"])
  expect(diff.out).not.toContain("ciba.user-code")
})
