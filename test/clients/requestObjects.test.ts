import { createHash, randomUUID } from "node:crypto"
import { type Server, createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { CompactEncrypt, type JWK, SignJWT, exportJWK, generateKeyPair, importJWK } from "jose"
import * as client from "openid-client"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type RunningServer, serve } from "../support/server.ts"
import { Surfer } from "../support/surfer.ts"
import { alice, config } from "./config.ts"

/** Documents that a client publishes: its keys, and a request that waits to be fetched. */
const documents = new Map<string, string>()
let published: Server
let server: RunningServer
let key: CryptoKey

const common = { redirect_uris: ["https://app.example/cb"], scope: "openid profile", require_consent: false }

beforeAll(async () => {
  const pair = await generateKeyPair("ES256", { extractable: true })
  key = pair.privateKey
  const jwk = { ...(await exportJWK(pair.publicKey)), kid: "k1", alg: "ES256", use: "sig" }
  documents.set("/jwks", JSON.stringify({ keys: [jwk] }))
  published = createServer(({ url = "" }, response) => {
    const document = documents.get(url)
    response.writeHead(document === undefined ? 404 : 200).end(document)
  })
  await new Promise<void>((listens) => published.listen(0, "127.0.0.1", listens))
  const base = `http://127.0.0.1:${(published.address() as AddressInfo).port}`
  server = await serve({
    ...config,
    signing: { encryption_algorithms: ["RSA-OAEP-256", "ECDH-ES"] },
    clients: [
      { client_id: "stated", client_secret: "s", ...common, jwks: { keys: [jwk] }, require_signed_request_object: true },
      { client_id: "published", client_secret: "s", ...common, jwks_uri: `${base}/jwks`, request_object_signing_alg: "ES256" },
      { client_id: "fetched", client_secret: "s", ...common, jwks_uri: `${base}/jwks`, request_uris: [`${base}/request`] },
      {
        client_id: "sealed",
        client_secret: "s",
        ...common,
        jwks: { keys: [jwk] },
        request_object_encryption_alg: "ECDH-ES",
        request_object_encryption_enc: "A256GCM",
      },
    ],
  })
})
afterAll(async () => {
  await server?.stop()
  server?.remove()
  published?.closeAllConnections()
  await new Promise((closed) => published?.close(closed))
})

const discover = (id: string) =>
  client.discovery(new URL(server.url), id, "s", client.ClientSecretBasic("s"), { execute: [client.allowInsecureRequests] })

const asked = (verifier: string, nonce: string) => ({
  redirect_uri: "https://app.example/cb",
  response_type: "code",
  scope: "openid profile",
  state: "inside",
  nonce,
  code_challenge: createHash("sha256").update(verifier).digest("base64url"),
  code_challenge_method: "S256",
})

/** Goes where a request leads, and redeems the code. */
const redeemed = async (configuration: client.Configuration, url: URL, verifier: string, nonce: string) => {
  const back = await new Surfer().authorize(url.href, ...alice)
  return client.authorizationCodeGrant(configuration, back, {
    pkceCodeVerifier: verifier,
    expectedState: "inside",
    expectedNonce: nonce,
    idTokenExpected: true,
  })
}

/** A signed request object, made by hand. */
const objectOf = (clientId: string, claims: Readonly<Record<string, unknown>>) =>
  new SignJWT({ ...claims, client_id: clientId })
    .setProtectedHeader({ alg: "ES256", kid: "k1", typ: "oauth-authz-req+jwt" })
    .setIssuer(clientId)
    .setAudience(server.url)
    .setIssuedAt()
    .setExpirationTime("1m")
    .sign(key)

describe("request objects of openid-client 6 against the running server", () => {
  test.for(["stated", "published"])("RFC 9101 §5.1: a signed request of the client with %s keys", async (id) => {
    const configuration = await discover(id)
    const verifier = client.randomPKCECodeVerifier()
    const nonce = client.randomNonce()
    const url = await client.buildAuthorizationUrlWithJAR(configuration, asked(verifier, nonce), { key, kid: "k1" })
    expect([...url.searchParams.keys()].toSorted()).toEqual(["client_id", "request"])
    expect((await redeemed(configuration, url, verifier, nonce)).claims()).toMatchObject({ aud: id, nonce })
  })

  test("RFC 9101 §10.5: a client that must sign cannot ask without", async () => {
    const configuration = await discover("stated")
    const back = await new Surfer().authorize(client.buildAuthorizationUrl(configuration, asked("v".repeat(43), "n")).href, ...alice)
    expect(Object.fromEntries(back.searchParams)).toMatchObject({ error: "invalid_request", state: "inside", iss: server.url })
  })

  test("RFC 9101 §5.2: a request that is fetched from its registered request_uri, over real HTTP", async () => {
    const configuration = await discover("fetched")
    const verifier = client.randomPKCECodeVerifier()
    const nonce = client.randomNonce()
    documents.set("/request", await objectOf("fetched", asked(verifier, nonce)))
    const request_uri = `http://127.0.0.1:${(published.address() as AddressInfo).port}/request`
    const url = new URL(`${server.url}/connect/authorize?${new URLSearchParams({ client_id: "fetched", request_uri }).toString()}`)
    expect((await redeemed(configuration, url, verifier, nonce)).claims()).toMatchObject({ aud: "fetched", nonce })
  })

  test("RFC 9101 §6.1: a request that is signed, then encrypted to the provider's published key", async () => {
    const configuration = await discover("sealed")
    expect(configuration.serverMetadata()).toMatchObject({
      request_object_encryption_alg_values_supported: ["RSA-OAEP-256", "ECDH-ES"],
      require_request_uri_registration: true,
    })
    const { keys } = (await (await fetch(configuration.serverMetadata().jwks_uri ?? "")).json()) as { keys: ReadonlyArray<JWK> }
    const ours = keys.find(({ alg, use }) => alg === "ECDH-ES" && use === "enc") ?? {}
    const verifier = client.randomPKCECodeVerifier()
    const nonce = client.randomNonce()
    const request = await new CompactEncrypt(new TextEncoder().encode(await objectOf("sealed", asked(verifier, nonce))))
      .setProtectedHeader({ alg: "ECDH-ES", enc: "A256GCM", kid: ours.kid ?? "", cty: "JWT" })
      .encrypt(await importJWK(ours, "ECDH-ES"))
    const url = new URL(`${server.url}/connect/authorize?${new URLSearchParams({ client_id: "sealed", request }).toString()}`)
    expect((await redeemed(configuration, url, verifier, nonce)).claims()).toMatchObject({ aud: "sealed", nonce })
    // Plain, the same is refused, and the client is told where the request says.
    const plain = await objectOf("sealed", { ...asked(verifier, nonce), jti: randomUUID() })
    const refused = await fetch(
      `${server.url}/connect/authorize?${new URLSearchParams({ client_id: "sealed", request: plain }).toString()}`,
      { redirect: "manual" },
    )
    expect(new URL(refused.headers.get("location") ?? "").searchParams.get("error")).toBe("invalid_request_object")
  })
})
