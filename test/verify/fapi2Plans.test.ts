import { type ChildProcess, spawn } from "node:child_process"
import { type IncomingHttpHeaders, createServer } from "node:http"
import { join } from "node:path"
import { SignJWT, importJWK } from "jose"
import * as oauth from "oauth4webapi"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { pem } from "../cli/pem.ts"
import { type Plan, type PlanServer, approveFile, ended, planText, said, servePlans } from "../support/fapi2Plans.ts"
import { freePort } from "../support/server.ts"
import { Surfer } from "../support/surfer.ts"
import { tlsFetch } from "../support/tlsFetch.ts"

const message = ["message-signing", "message-signing-mtls", "message-signing-mtls-dpop", "signed-requests", "signed-responses"] as const
const ciba = ["ciba-poll", "ciba-poll-mtls", "ciba-ping", "ciba-ping-mtls"] as const
const suite = "https://localhost.emobix.co.uk:8443"
const endpoint = "/test/a/postern-fapi2/ciba-notification-endpoint"
interface Registered {
  readonly client_id: string
  readonly redirect_uris?: ReadonlyArray<string>
  readonly scope: string
  readonly jwks: { readonly keys: ReadonlyArray<Readonly<Record<string, unknown>>> }
  readonly backchannel_client_notification_endpoint?: string
}
const configured = JSON.parse(planText("postern.json")) as {
  readonly issuer: string
  readonly clients: ReadonlyArray<Registered>
  readonly users: ReadonlyArray<{ readonly username: string }>
}
const registeredOf = (id: string): Registered => {
  const found = configured.clients.find(({ client_id }) => client_id === id)
  if (found === undefined) throw new Error(`no client ${id}`)
  return found
}
const planOf = (name: string): Plan => JSON.parse(planText(`${name}.json`)) as Plan

test.each([...message, ...ciba])(
  "%s: every client, key, scope, certificate, address and person of the plan is in the configuration",
  (name) => {
    const plan = planOf(name)
    expect(plan.server.discoveryUrl).toBe(`${configured.issuer}/.well-known/openid-configuration`)
    for (const [own, { cert }] of [
      [plan.client, plan.mtls],
      [plan.client2, plan.mtls2],
    ] as const) {
      const { redirect_uris = [], scope, jwks, backchannel_client_notification_endpoint: told } = registeredOf(own.client_id)
      expect(own.jwks.keys).not.toHaveLength(0)
      for (const { d: _, ...key } of own.jwks.keys) expect(jwks.keys).toContainEqual(key)
      expect(scope.split(" ")).toEqual(expect.arrayContaining(own.scope.split(" ")))
      expect([redirect_uris.length > 0, told !== undefined]).toEqual([!name.startsWith("ciba"), name.startsWith("ciba-ping")])
      for (const uri of [...redirect_uris, ...(told === undefined ? [] : [told])])
        expect(uri.startsWith(`${suite}/test/a/${plan.alias}/`)).toBe(true)
      const der = cert.replace(/-----[^-]+-----|\s/g, "")
      if (name.includes("-mtls")) expect(jwks.keys.map(({ x5c }) => x5c)).toContainEqual([der])
      if (name.startsWith("ciba")) expect(configured.users.map(({ username }) => username)).toContain(own.hint_value)
    }
  },
)

let server: PlanServer | undefined
const approving: Array<ChildProcess> = []
let approval = ""
const notices: Array<{ readonly headers: IncomingHttpHeaders; readonly body: string; readonly url: string }> = []
const receiver = createServer((incoming, answer) => {
  const chunks: Array<Buffer> = []
  incoming.on("data", (chunk: Buffer) => chunks.push(chunk))
  incoming.on("end", () => {
    notices.push({ headers: incoming.headers, body: Buffer.concat(chunks).toString(), url: incoming.url ?? "" })
    answer.writeHead(204).end()
  })
})
beforeAll(async () => {
  const [notified, approved] = [await freePort(), await freePort()]
  await new Promise<void>((resolve) => receiver.listen(notified, "127.0.0.1", resolve))
  server = await servePlans((text) => text.replaceAll(suite + endpoint, `http://127.0.0.1:${notified}${endpoint}`))
  approval = `http://127.0.0.1:${approved}`
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: join(server.folder, "cert.pem") }
  const args = [approveFile, join(server.folder, "postern.json"), String(approved)]
  const answering = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "pipe"] })
  approving.push(answering)
  await said(answering, "answers for alice")
}, 60_000)
afterAll(async () => {
  receiver.close()
  for (const child of approving) await ended(child)
  await server?.stop()
})

/** One client of a plan, as the suite would act for it. */
const actingFor = async (name: string, bound: "dpop" | "mtls", second: boolean) => {
  if (server === undefined) throw new Error("no server")
  const { port, placed } = server
  const plan = JSON.parse(placed(planText(`${name}.json`))) as Plan
  const [own, certificate] = second ? [plan.client2, plan.mtls2] : [plan.client, plan.mtls]
  const shows = name.includes("-mtls") || bound === "mtls"
  const fetch = tlsFetch({ ca: pem.cert, ...(shows && certificate) })
  const custom = { [oauth.customFetch]: fetch as never }
  const issuer = new URL(`https://localhost:${port}`)
  const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, custom))
  const client: oauth.Client = { client_id: own.client_id, use_mtls_endpoint_aliases: shows, authorization_signed_response_alg: "ES256" }
  const [jwk] = own.jwks.keys
  const key = (await importJWK(jwk ?? {}, "ES256")) as CryptoKey
  const auth = name.includes("-mtls") ? oauth.TlsClientAuth() : oauth.PrivateKeyJwt({ key, kid: jwk?.kid ?? "" })
  const DPoP = bound === "dpop" ? oauth.DPoP(client, await oauth.generateKeyPair("ES256")) : undefined
  const options = { ...custom, ...(DPoP && { DPoP }) }
  const signed = (claims: Readonly<Record<string, unknown>>, alg = "ES256", by: CryptoKey = key) =>
    new SignJWT({ iss: own.client_id, aud: as.issuer, nbf: now(), exp: now() + 300, iat: now(), jti: crypto.randomUUID(), ...claims })
      .setProtectedHeader({ alg, kid: jwk?.kid ?? "" })
      .sign(by)
  return {
    plan,
    own,
    as,
    client,
    auth,
    options,
    fetch,
    signed,
    place: plan.resource.resourceUrl,
    redirect: registeredOf(own.client_id).redirect_uris?.[0] ?? "",
  }
}
type Acting = Awaited<ReturnType<typeof actingFor>>
const now = (): number => Math.floor(Date.now() / 1000)
const asked = ({ own, redirect }: Acting, challenge: string, jarm: boolean) => ({
  client_id: own.client_id,
  response_type: "code",
  redirect_uri: redirect,
  scope: own.scope,
  state: "s".repeat(128),
  nonce: "n".repeat(64),
  code_challenge: challenge,
  code_challenge_method: "S256",
  ...(jarm && { response_mode: "jwt" }),
})
const letIn = async ({ fetch, options, place }: Acting, token: string): Promise<number> =>
  (
    await oauth.protectedResourceRequest(token, "GET", new URL(place), new Headers(), null, {
      ...options,
      [oauth.customFetch]: fetch as never,
    })
  ).status

/** The answer to a token that somebody shows without the key or certificate it is bound to. */
const stolen = async ({ place }: Acting, token: string): Promise<number> =>
  (await tlsFetch({ ca: pem.cert })(place, { headers: { authorization: `Bearer ${token}` } })).status

// A client that authenticates with a certificate owes a proof only where all its tokens must be bound to a key.
const bindings = message.flatMap((name) =>
  (["dpop", "mtls"] as const)
    .filter((bound) => !name.includes("-mtls") || name.endsWith("-dpop") === (bound === "dpop"))
    .map((bound) => [name, bound] as const),
)
describe.each(bindings)("fapi2-message-signing-final-test-plan, %s, bound by %s", (name, bound) => {
  const [signs, jarm] = [name !== "signed-responses", name !== "signed-requests"]

  test("happy-flow: both clients push, sign in, read the response, and are let in with what their tokens are bound to", async () => {
    for (const second of [false, true]) {
      const acting = await actingFor(name, bound, second)
      const { as, client, auth, options, signed, redirect } = acting
      const verifier = oauth.generateRandomCodeVerifier()
      const plain = asked(acting, await oauth.calculatePKCECodeChallenge(verifier), jarm)
      const sent = signs ? { request: await signed(plain) } : plain
      const pushed = await oauth.pushedAuthorizationRequest(as, client, auth, sent, options)
      expect(pushed.status).toBe(201)
      const { request_uri } = await oauth.processPushedAuthorizationResponse(as, client, pushed)
      const url = `${as.authorization_endpoint}?${new URLSearchParams({ client_id: client.client_id, request_uri }).toString()}`
      const back = await new Surfer(tlsFetch({ ca: pem.cert })).authorize(url, "alice", "certified horse battery")
      if (jarm) expect([...back.searchParams.keys()].filter((each) => !each.startsWith("dummy"))).toEqual(["response"])
      const read = jarm
        ? await oauth.validateJwtAuthResponse(as, client, back, plain.state, { [oauth.customFetch]: options[oauth.customFetch] })
        : oauth.validateAuthResponse(as, client, back, plain.state)
      const answer = await oauth.authorizationCodeGrantRequest(as, client, auth, read, redirect, verifier, options)
      const tokens = await oauth.processAuthorizationCodeResponse(as, client, answer, { expectedNonce: plain.nonce, requireIdToken: true })
      expect([await letIn(acting, tokens.access_token), await stolen(acting, tokens.access_token)]).toEqual([200, 401])
    }
  })

  test.runIf(signs)("a request object is refused where it is unsigned, unbounded, out of date, for another, or not alone", async () => {
    const acting = await actingFor(name, bound, false)
    const other = await actingFor(name, bound, true)
    const { as, client, auth, options, signed } = acting
    const plain = asked(acting, "c".repeat(43), jarm)
    const push = async (fields: Readonly<Record<string, string>>) => {
      const answer = await oauth.pushedAuthorizationRequest(as, client, auth, fields, options)
      return [answer.status, ((await answer.json()) as { readonly error?: string }).error]
    }
    const rsa = (await oauth.generateKeyPair("RS256")).privateKey
    const encoded = (part: unknown): string => Buffer.from(JSON.stringify(part)).toString("base64url")
    const objects: Readonly<Record<string, string>> = {
      "no exp": await signed({ ...plain, exp: undefined }),
      "no nbf": await signed({ ...plain, nbf: undefined }),
      "no aud": await signed({ ...plain, aud: undefined }),
      expired: await signed({ ...plain, exp: now() - 5 }),
      "wrong aud": await signed({ ...plain, aud: "https://other.example" }),
      "exp in 70 min": await signed({ ...plain, exp: now() + 4200 }),
      "nbf 70 min ago": await signed({ ...plain, nbf: now() - 4200 }),
      RS256: await signed(plain, "RS256", rsa),
      none: `${encoded({ alg: "none" })}.${encoded({ ...plain, iss: plain.client_id, aud: as.issuer, nbf: now(), exp: now() + 300 })}.`,
      "of the other client": await other.signed({ ...plain, iss: plain.client_id }),
      "request_uri inside": await signed({ ...plain, request_uri: "urn:x" }),
    }
    for (const [title, request] of Object.entries(objects)) expect(await push({ request }), title).toEqual([400, "invalid_request_object"])
    expect(await push({ request: await signed(plain), scope: "openid" })).toEqual([400, "invalid_request_object"])
    expect(await push(plain)).toEqual([400, "invalid_request"])
    expect(await push({ request: await signed({ ...plain, aud: [as.issuer, "https://other.example"], nbf: now() + 8 }) })).toEqual([
      201,
      undefined,
    ])
  })
})

const begin = async ({ as, client, auth, options, own, signed }: Acting, ping: boolean, more: Readonly<Record<string, unknown>> = {}) => {
  const claims = {
    scope: own.scope,
    [own.hint_type ?? ""]: own.hint_value,
    binding_message: "1234",
    ...(ping && { client_notification_token: "t".repeat(32) }),
  }
  const request = await signed({ ...claims, ...more })
  const answer = await oauth.backchannelAuthenticationRequest(as, client, auth, { request }, options)
  return { status: answer.status, json: (await answer.json()) as Readonly<Record<string, string>> }
}
const poll = async ({ as, client, auth, options }: Acting, id: string) => {
  const answer = await oauth.backchannelAuthenticationGrantRequest(as, client, auth, id, options)
  return { status: answer.status, json: (await answer.json()) as Readonly<Record<string, string>> }
}
const decide = async ({ plan }: Acting, id: string, action: "allow" | "deny"): Promise<number> => {
  const url = (plan.automated_ciba_approval_url ?? "").replace("{auth_req_id}", id).replace("{action}", action)
  return (await fetch(url.replace("http://127.0.0.1:9445", approval), { method: "POST", signal: AbortSignal.timeout(10_000) })).status
}

describe.each(ciba)("fapi-ciba-id1-test-plan, %s", (name) => {
  const ping = name.startsWith("ciba-ping")

  test("both clients ask by a signed request, are told, and are let in with tokens that are bound to their certificate", async () => {
    for (const second of [false, true]) {
      const acting = await actingFor(name, "mtls", second)
      const { status, json } = await begin(acting, ping, { requested_expiry: "60" })
      const id = json["auth_req_id"] ?? ""
      expect([status, (await poll(acting, id)).json["error"]]).toEqual([200, "authorization_pending"])
      const before = notices.length
      expect(await decide(acting, id, "allow")).toBe(200)
      if (ping) {
        await expect.poll(() => notices.length, { timeout: 10_000 }).toBeGreaterThan(before)
        expect(notices.at(-1)).toMatchObject({
          url: endpoint,
          body: JSON.stringify({ auth_req_id: id }),
          headers: { authorization: `Bearer ${"t".repeat(32)}` },
        })
      }
      // The suite asks at once when it is pinged, though it has polled before.
      const told = await poll(acting, id)
      expect(told.status).toBe(200)
      const token = told.json["access_token"] ?? ""
      expect([await letIn(acting, token), await stolen(acting, token)]).toEqual([200, 401])
      expect((await poll(acting, id)).json["error"]).toBe("invalid_grant")
    }
  }, 30_000)

  test("user-rejects-authentication: access_denied; what nobody signed, or signed for too long, is refused", async () => {
    const acting = await actingFor(name, "mtls", false)
    const { json } = await begin(acting, ping)
    expect(await decide(acting, json["auth_req_id"] ?? "", "deny")).toBe(200)
    expect((await poll(acting, json["auth_req_id"] ?? "")).json["error"]).toBe("access_denied")
    const gone = { iss: undefined, aud: undefined, exp: undefined, iat: undefined, nbf: undefined, jti: undefined }
    for (const claim of Object.keys(gone))
      expect((await begin(acting, ping, { [claim]: undefined })).json["error"], claim).toBe("invalid_request")
    expect((await begin(acting, ping, { exp: now() + 4200 })).json["error"]).toBe("invalid_request")
    const plain = { scope: "openid", login_hint: "alice", binding_message: "1234" }
    const unsigned = await oauth.backchannelAuthenticationRequest(acting.as, acting.client, acting.auth, plain, acting.options)
    expect([unsigned.status, ((await unsigned.json()) as { error: string }).error]).toEqual([400, "invalid_request"])
  })
})
