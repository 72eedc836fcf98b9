import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type JWK, importJWK } from "jose"
import * as oauth from "oauth4webapi"
import * as openid from "openid-client"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { pem } from "../cli/pem.ts"
import { command, freePort } from "../support/server.ts"
import { Surfer } from "../support/surfer.ts"
import { tlsFetch } from "../support/tlsFetch.ts"

interface Suite {
  readonly client: { readonly client_id: string; readonly scope: string; readonly jwks: { readonly keys: ReadonlyArray<JWK> } }
  readonly client2: Suite["client"]
  readonly mtls: { readonly cert: string; readonly key: string }
  readonly mtls2: Suite["mtls"]
  readonly resource: { readonly resourceUrl: string }
}

const files = new URL("../certification/fapi2/", import.meta.url)
const textOf = (name: string): string => readFileSync(new URL(name, files), "utf8")
const folder = mkdtempSync(join(tmpdir(), "postern-fapi2-"))
const write = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}

let [port, mutual] = [0, 0]
let server: ChildProcess
/** A file of the plan, at the ports of this run. */
const placed = (text: string): string =>
  text.replaceAll("localhost:9443", `localhost:${port}`).replaceAll("localhost:9444", `localhost:${mutual}`)

beforeAll(async () => {
  ;[port, mutual] = [await freePort(), await freePort()]
  const config = JSON.parse(placed(textOf("postern.json"))) as Record<string, unknown>
  const file = write(
    "postern.json",
    JSON.stringify({
      ...config,
      listen: { host: "127.0.0.1", port },
      tls: { key_file: write("key.pem", pem.key), cert_file: write("cert.pem", pem.cert) },
      mutual_tls: { listen: { host: "127.0.0.1", port: mutual } },
      data: join(folder, "data"),
    }),
  )
  server = spawn(process.execPath, [command, "serve", "--config", file], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] })
  let output = ""
  await new Promise<void>((resolve, reject) => {
    for (const stream of [server.stdout, server.stderr])
      stream?.on("data", (chunk: Buffer) => {
        output += chunk.toString()
        if (output.includes('"mutual_tls":"https://127.0.0.1:')) resolve()
      })
    server.once("exit", () => reject(new Error(output)))
  })
}, 60_000)
afterAll(async () => {
  const ended = new Promise((resolve) => server.once("exit", resolve))
  server.kill("SIGTERM")
  await ended
  rmSync(folder, { recursive: true, force: true })
})

/** A client of the plan, with the way it authenticates and what its tokens are bound to. */
const clientOf = async (file: "private-key-jwt" | "mtls" | "mtls-dpop", bound: "dpop" | "mtls", second = false) => {
  const suite = JSON.parse(placed(textOf(`${file}.json`))) as Suite
  const [own, certificate] = second ? [suite.client2, suite.mtls2] : [suite.client, suite.mtls]
  const shows = file !== "private-key-jwt" || bound === "mtls"
  const fetch = tlsFetch({ ca: pem.cert, ...(shows && certificate) })
  const options = { [oauth.customFetch]: fetch as never }
  const issuer = new URL(`https://localhost:${port}`)
  const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { ...options, algorithm: "oauth2" }))
  const client: oauth.Client = { client_id: own.client_id, use_mtls_endpoint_aliases: shows }
  const [jwk] = own.jwks.keys
  const key = (await importJWK(jwk ?? {}, "ES256")) as CryptoKey
  const auth = file !== "private-key-jwt" ? oauth.TlsClientAuth() : oauth.PrivateKeyJwt({ key, kid: jwk?.kid ?? "" })
  const DPoP = bound === "dpop" ? oauth.DPoP(client, await oauth.generateKeyPair("ES256")) : undefined
  const redirect = String(
    JSON.parse(textOf("postern.json")).clients.find((each: { client_id: string }) => each.client_id === own.client_id).redirect_uris[0],
  )
  return {
    as,
    client,
    auth,
    DPoP,
    options: { ...options, ...(DPoP && { DPoP }) },
    fetch,
    own: { key, kid: jwk?.kid ?? "" },
    scope: own.scope,
    redirect,
    place: suite.resource.resourceUrl,
  }
}
type Setting = Awaited<ReturnType<typeof clientOf>>

/** Pushes, signs in, and redeems: the path that all modules of the plan have in common. */
const signedIn = async ({ as, client, auth, options, scope, redirect }: Setting, more: Readonly<Record<string, string>> = {}) => {
  const verifier = oauth.generateRandomCodeVerifier()
  const state = oauth.generateRandomState()
  const parameters = {
    response_type: "code",
    redirect_uri: redirect,
    scope,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    ...more,
  }
  const pushed = await oauth.pushedAuthorizationRequest(as, client, auth, parameters, options)
  expect(pushed.status).toBe(201)
  const { request_uri } = await oauth.processPushedAuthorizationResponse(as, client, pushed)
  const url = `${as.authorization_endpoint}?${new URLSearchParams({ client_id: client.client_id, request_uri }).toString()}`
  const back = await new Surfer(tlsFetch({ ca: pem.cert })).authorize(url, "alice", "certified horse battery")
  const answer = oauth.validateAuthResponse(as, client, back, state)
  const redeem = () => oauth.authorizationCodeGrantRequest(as, client, auth, answer, redirect, verifier, options)
  const tokens = await oauth.processAuthorizationCodeResponse(as, client, await redeem(), { requireIdToken: true })
  return { tokens, redeem, back }
}

const asking = ({ fetch, DPoP, place }: Setting, token: string, url = place, headers = new Headers()) =>
  oauth.protectedResourceRequest(token, "GET", new URL(url), headers, null, {
    [oauth.customFetch]: fetch as never,
    ...(DPoP && { DPoP }),
  } as oauth.ProtectedResourceRequestOptions)

const variants = [
  ["private_key_jwt", "dpop"],
  ["private_key_jwt", "mtls"],
  ["mtls", "dpop"],
  ["mtls", "mtls"],
] as const
const fileOf = (method: (typeof variants)[number][0], bound: "dpop" | "mtls") => {
  if (method === "private_key_jwt") return "private-key-jwt"
  return bound === "dpop" ? "mtls-dpop" : "mtls"
}

describe.each(variants)("fapi2-security-profile-final-test-plan, %s and %s, over TLS on two listeners", (method, bound) => {
  test("happy-flow: both clients push, sign in, and are let in with what their tokens are bound to", async () => {
    for (const second of [false, true]) {
      const setting = await clientOf(fileOf(method, bound), bound, second)
      const { tokens, back } = await signedIn(setting)
      expect(tokens.token_type).toBe(bound === "dpop" ? "dpop" : "bearer")
      // The parameters of the registered URI come back with the others.
      if (second) expect([back.searchParams.get("dummy1"), back.searchParams.get("dummy2")]).toEqual(["lorem", "ipsum"])
      const headers = new Headers({ "x-fapi-interaction-id": "c770aef3-6784-41f7-8e0e-ff5f97bddb3a", accept: "application/json" })
      const answer = await asking(setting, tokens.access_token, setting.place, headers)
      expect([answer.status, answer.headers.get("x-fapi-interaction-id"), answer.headers.has("date")]).toEqual([
        200,
        "c770aef3-6784-41f7-8e0e-ff5f97bddb3a",
        true,
      ])
      expect(await answer.json()).toMatchObject({ client_id: setting.client.client_id, scope: setting.scope })
    }
  })

  test("the same token is refused in the URL, without what it is bound to, and with what another has", async () => {
    const setting = await clientOf(fileOf(method, bound), bound)
    const other = await clientOf(fileOf(method, bound), bound, true)
    const { tokens } = await signedIn(setting)
    const { access_token: token } = tokens
    const statusOf = (response: Promise<Response>) =>
      response.then(
        ({ status }) => status,
        (error: { status?: number }) => error.status,
      )
    expect(await statusOf(setting.fetch(`${setting.place}?access_token=${token}`))).toBe(400)
    expect(await statusOf(asking(other, token))).toBe(401)
    const plain = tlsFetch({ ca: pem.cert })
    expect(await statusOf(plain(setting.place, { headers: { authorization: `Bearer ${token}` } }))).toBe(401)
    // The other listener asks for no certificate: a bound token fails there, a proof does not.
    const elsewhere = setting.place.replace(String(mutual), String(port))
    expect(await statusOf(asking(setting, token, elsewhere))).toBe(bound === "dpop" ? 200 : 401)
    expect(await statusOf(asking(setting, token))).toBe(200)
  })

  test("attempt-reuse-authorization-code-after-one-second: the second use is refused, and the first token dies with it", async () => {
    const setting = await clientOf(fileOf(method, bound), bound)
    const { tokens, redeem } = await signedIn(setting)
    expect((await asking(setting, tokens.access_token)).status).toBe(200)
    const again = await redeem()
    expect([again.status, ((await again.json()) as { error: string }).error]).toEqual([400, "invalid_grant"])
    await expect(asking(setting, tokens.access_token)).rejects.toMatchObject({ status: 401 })
  })

  // The suite adds prompt=consent where the scope of the plan has offline_access, and skips the module with a warning where no refresh token comes.
  test("refresh-token: a new key is taken and the token stays good; unauthenticated, unproved, or of another client it is not", async () => {
    const setting = await clientOf(fileOf(method, bound), bound)
    const { as, client, auth, fetch, scope } = setting
    const { tokens } = await signedIn(setting, { prompt: "consent" })
    const { refresh_token: token = "" } = tokens
    expect(token).not.toBe("")
    const refresh = (by: Setting, more: object = {}) =>
      oauth.refreshTokenGrantRequest(as, by.client, by.auth, token, { ...by.options, additionalParameters: { scope }, ...more })
    for (let time = 0; time < 2; time++) {
      const fresh = bound === "dpop" ? { DPoP: oauth.DPoP(client, await oauth.generateKeyPair("ES256")) } : {}
      const answer = await refresh(setting, fresh)
      expect(answer.headers.get("cache-control")).toBe("no-store")
      const next = await oauth.processRefreshTokenResponse(as, client, answer)
      expect([next.scope, next.refresh_token ?? token]).toEqual([scope, token])
      expect((await asking({ ...setting, ...fresh } as Setting, next.access_token)).status).toBe(200)
    }
    const refused = async (asked: Promise<Response>) => {
      const answer = await asked
      return [answer.status, ((await answer.json()) as { error: string }).error]
    }
    const body = new URLSearchParams({ grant_type: "refresh_token", refresh_token: token, scope })
    const place = String((client.use_mtls_endpoint_aliases ? as.mtls_endpoint_aliases : as)?.token_endpoint)
    expect(await refused(tlsFetch({ ca: pem.cert })(place, { method: "POST", body }))).toEqual([401, "invalid_client"])
    const bare = { [oauth.customFetch]: (method === "mtls" ? fetch : tlsFetch({ ca: pem.cert })) as never }
    // A client that authenticates with the certificate to which its tokens are bound has no other proof to leave out.
    if (method !== "mtls" || bound !== "mtls")
      expect(await refused(oauth.refreshTokenGrantRequest(as, client, auth, token, bare))).toEqual([400, "invalid_request"])
    expect(await refused(refresh(await clientOf(fileOf(method, bound), bound, true)))).toEqual([400, "invalid_grant"])
  })
})

test.each(variants)(
  "openid-client 6, %s and %s: it pushes, signs in, and is let in by its own functions, with no other key",
  async (method, bound) => {
    const { client, redirect, scope, place, fetch, own } = await clientOf(fileOf(method, bound), bound)
    const auth = method === "mtls" ? openid.TlsClientAuth() : openid.PrivateKeyJwt(own)
    const config = await openid.discovery(new URL(`https://localhost:${port}`), client.client_id, { ...client }, auth, {
      [openid.customFetch]: fetch as never,
    })
    const options = bound === "dpop" ? { DPoP: openid.getDPoPHandle(config, await openid.randomDPoPKeyPair("ES256")) } : {}
    const [pkceCodeVerifier, expectedState] = [openid.randomPKCECodeVerifier(), openid.randomState()]
    const parameters = {
      redirect_uri: redirect,
      scope,
      state: expectedState,
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: "S256",
    }
    const url = await openid.buildAuthorizationUrlWithPAR(config, parameters, options)
    expect([...url.searchParams.keys()].toSorted()).toEqual(["client_id", "request_uri"])
    const back = await new Surfer(tlsFetch({ ca: pem.cert })).authorize(url.href, "alice", "certified horse battery")
    const tokens = await openid.authorizationCodeGrant(
      config,
      back,
      { pkceCodeVerifier, expectedState, idTokenExpected: true },
      undefined,
      options,
    )
    const ask = (token: string) => openid.fetchProtectedResource(config, token, new URL(place), "GET", undefined, undefined, options)
    expect([tokens.token_type, (await ask(tokens.access_token)).status]).toEqual([bound === "dpop" ? "dpop" : "bearer", 200])
    await expect(
      openid.fetchProtectedResource(config, tokens.access_token, new URL(place), "GET", null, new Headers(), {
        DPoP: openid.getDPoPHandle(config, await openid.randomDPoPKeyPair("ES256")),
      }),
    ).rejects.toMatchObject({ status: 401 })
  },
)

test("RFC 9728: the resource has its metadata, on both listeners", async () => {
  for (const at of [port, mutual]) {
    const found = await tlsFetch({ ca: pem.cert })(`https://localhost:${at}/.well-known/oauth-protected-resource/conformance/resource`)
    expect(await found.json()).toMatchObject({
      resource: `https://localhost:${port}/conformance/resource`,
      authorization_servers: [`https://localhost:${port}`],
    })
  }
})
