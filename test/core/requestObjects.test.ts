import { readHandle } from "@postern/core"
import type { ClientStorePort } from "@postern/core/ports"
import { expect, test } from "vitest"
import { request, signedIn } from "../support/flows.ts"
import { claimsFor, decrypting, objectClients, publishing, sealed, setOf, signed, unsecured } from "../support/requestObjects.ts"
import { said } from "../support/visitor.ts"
import { type World, type WorldOptions, world } from "../support/world.ts"

const setting = (options: WorldOptions = {}): Promise<World> => world({ clients: objectClients, signer: decrypting, ...options })

const lastReason = (w: World): string | undefined =>
  w.trails
    .at(-1)
    ?.steps.map(({ refused }) => refused?.reason)
    .find((reason) => reason !== undefined)

test("RFC 9101 §6.3: a page is in the language that the object names, or else the browser, never in one that only the query names", async () => {
  const w = await setting()
  const asked = async (claims: Readonly<Record<string, unknown>>) => {
    const object = await signed(claimsFor("signs", { redirect_uri: "https://evil.example/cb", ...claims }))
    const visitor = w.visitor({ "accept-language": "fr" })
    return (await visitor.get("/connect/authorize", { client_id: "signs", request: object, ui_locales: "de" })).page
  }
  expect(await asked({})).toMatchObject({ trouble: "redirect_uri_invalid", locales: ["fr"] })
  expect(await asked({ ui_locales: "es" })).toMatchObject({ trouble: "redirect_uri_invalid", locales: ["es", "fr"] })
})

test("RFC 9101 §6.3: a request that waits keeps what its object says, and neither the object nor what only the query said", async () => {
  const w = await setting()
  const object = await signed(
    claimsFor("signs", { resource: ["https://api.example"], scope: "openid api.read", max_age: 600, nonce: "half \ud800" }),
  )
  const query = { client_id: "signs", request: object, state: "outer", login_hint: "mallory", nonce: "outer" }
  const asked = await w.visitor().get("/connect/authorize", query)
  const handle = readHandle("i", asked.params["interaction"])
  const kept = handle === undefined ? undefined : await w.tokens.findInteraction(handle.locator)
  expect(Object.fromEntries(kept?.kind === "authorization" ? kept.params : [])).toEqual({
    ...request("signs", { scope: "openid api.read" }),
    resource: "https://api.example",
    max_age: "600",
    // Half a character is what it would be in a query.
    nonce: "half \ufffd",
  })
})

test("RFC 9101 §5.2.3: a request_uri is fetched by its types, once in a minute", async () => {
  const outbound = publishing({ "https://client.example/r": () => signed(claimsFor("refers")) })
  const w = await setting({ more: { outbound } })
  const visitor = await signedIn(w)
  const ask = () => visitor.get("/connect/authorize", { client_id: "refers", request_uri: "https://client.example/r" })
  for (let time = 0; time < 3; time++) expect((await ask()).params["state"]).toBe("st")
  const fetched = ["https://client.example/r", "application/oauth-authz-req+jwt, application/jwt"]
  expect(outbound.fetched).toEqual([fetched])
  w.pass(60)
  expect((await ask()).params["state"]).toBe("st")
  expect(outbound.fetched).toEqual([fetched, fetched])
})

test.each([
  ["no-store", 0, 2],
  ["no-cache", 0, 2],
  ["private", 0, 2],
  ["max-age=0", 0, 2],
  ["max-age=20", 19, 1],
  ["max-age=20", 20, 2],
  ["public, max-age=3600", 59, 1],
  ["public, max-age=3600", 60, 2],
])(
  "OpenID Connect Core §6.2, RFC 9111 §5.2.2: a request_uri with Cache-Control %s is used again after %d s with %d fetches",
  async (...row) => {
    const [cacheControl, seconds, times] = row
    const outbound = publishing({ "https://client.example/r": () => signed(claimsFor("refers")) }, { cacheControl })
    const w = await setting({ more: { outbound } })
    const visitor = await signedIn(w)
    const ask = () => visitor.get("/connect/authorize", { client_id: "refers", request_uri: "https://client.example/r" })
    expect((await ask()).params["state"]).toBe("st")
    w.pass(seconds)
    expect((await ask()).params["state"]).toBe("st")
    expect(outbound.fetched).toHaveLength(times)
  },
)

test.each(["no-store", "no-cache", "private", "max-age=0", undefined])(
  "RFC 9111 §4.2.4: with Cache-Control %s an object that was fetched before does not stand for one that cannot be fetched",
  async (cacheControl) => {
    const documents: Record<string, () => Promise<string>> = { "https://client.example/r": () => signed(claimsFor("refers")) }
    const w = await setting({ more: { outbound: publishing(documents, { cacheControl }) } })
    const visitor = await signedIn(w)
    const ask = () => visitor.get("/connect/authorize", { client_id: "refers", request_uri: "https://client.example/r" })
    expect((await ask()).params["state"]).toBe("st")
    delete documents["https://client.example/r"]
    w.pass(cacheControl === undefined ? 60 : 0)
    expect((await ask()).page).toMatchObject({ _tag: "Error", trouble: "request_invalid" })
  },
)

test("RFC 9101 §10.4.1: nothing is fetched that is not registered, and for no client that is not set up", async () => {
  const outbound = publishing({})
  const w = await setting({ more: { outbound } })
  for (const [client_id, request_uri] of [
    ["refers", "https://client.example/other"],
    ["keyless", "https://client.example/r"],
    ["nobody", "https://client.example/r"],
  ] as const)
    await w.visitor().get("/connect/authorize", { ...request(client_id), client_id, request_uri })
  expect(outbound.fetched).toEqual([])
})

test("RFC 7517 §5: a key the client's published set did not hold is looked for once more", async () => {
  const sets = [setOf("p256"), setOf("p256", "rsa")]
  const outbound = publishing({ "https://client.example/jwks": () => Promise.resolve(JSON.stringify(sets.shift())) })
  const w = await setting({ more: { outbound } })
  const visitor = await signedIn(w)
  const ask = async (alg: string) =>
    visitor.get("/connect/authorize", { client_id: "publishes", request: await signed(claimsFor("publishes"), { alg }) })
  expect((await ask("ES256")).params["state"]).toBe("st")
  w.pass(10)
  expect((await ask("RS256")).params["state"]).toBe("st")
  expect(outbound.fetched).toHaveLength(2)
})

test.for([
  [
    "the algorithm it came with",
    "signs-es256",
    () => signed(claimsFor("signs-es256"), { alg: "RS256" }),
    "signed with RS256; the client's may be signed with ES256",
  ],
  [
    "the key that is missing",
    "signs",
    () => signed(claimsFor("signs"), { key: "stray" }),
    "signed with ES256, and not verified: the set has no key that it names",
  ],
  [
    "its typ",
    "signs",
    () => signed(claimsFor("signs"), { header: { typ: "at+jwt" } }),
    /^its typ is \(not shown\), not oauth-authz-req\+jwt/,
  ],
  ["the claim that failed", "signs", () => signed(claimsFor("signs", { iss: "other" })), "its iss is not the client_id"],
  ["how long ago it expired", "signs", () => signed(claimsFor("signs", { exp: 1_795_219_190 })), "expired 10 s ago"],
  [
    "how it was encrypted",
    "seals",
    async () => sealed(await signed(claimsFor("seals")), "RSA-OAEP-256", "A256GCM"),
    "encrypted with RSA-OAEP-256 and A256GCM, not with the client's ECDH-ES and A128GCM",
  ],
] as const)("explain: a request object that is refused is explained by %s", async ([, clientId, object, reason]) => {
  const w = await setting()
  const sent = await object()
  const answer = await w.visitor().get("/connect/authorize", { client_id: clientId, request: sent })
  expect([answer.to, answer.params["error"]]).toEqual(["https://app.example/cb", "invalid_request_object"])
  if (typeof reason === "string") expect(lastReason(w)).toBe(reason)
  else expect(lastReason(w)).toMatch(reason)
  expect(JSON.stringify(w.trails.at(-1))).not.toContain(sent.split(".")[1])
})

test("RFC 8725 §3.1: what a stranger writes into a header does not reach the trail", async () => {
  const w = await setting()
  const object = unsecured(claimsFor("signs"), { alg: "<script>\n", typ: "JWT" })
  await w.visitor().get("/connect/authorize", { client_id: "signs", request: object })
  expect(lastReason(w)).toMatch(/^signed with \(not shown\); the client's may be signed with RS256, /)
})

test("OpenID Connect Discovery §3: metadata states what request objects may be, and encryption only where there is a key", async () => {
  const metadata = async (w: World) => said(await w.send({ path: "/.well-known/openid-configuration" })).json ?? {}
  const plain = await metadata(await world())
  expect(plain["request_object_signing_alg_values_supported"]).toEqual(expect.arrayContaining(["RS256", "PS512", "ES384", "EdDSA"]))
  expect(plain).not.toHaveProperty("request_object_encryption_alg_values_supported")
  expect(plain).not.toHaveProperty("request_object_encryption_enc_values_supported")
  expect(await metadata(await setting())).toMatchObject({
    request_object_encryption_alg_values_supported: ["RSA-OAEP-256", "ECDH-ES"],
    request_object_encryption_enc_values_supported: expect.arrayContaining(["A128CBC-HS256", "A256GCM"]),
  })
})

test("OpenID Connect Discovery §3: none is stated for request objects only where some client that is not disabled is registered for it", async () => {
  const stated = async (options: WorldOptions): Promise<boolean> => {
    const { json } = said(await (await world(options)).send({ path: "/.well-known/openid-configuration" }))
    return ((json?.["request_object_signing_alg_values_supported"] ?? []) as ReadonlyArray<string>).includes("none")
  }
  const unsigned = objectClients.find(({ client_id }) => client_id === "unsigned") ?? { client_id: "unsigned" }
  expect(await stated({ clients: [unsigned] })).toBe(true)
  expect(await stated({ clients: [{ ...unsigned, disabled: true }] })).toBe(false)
  expect(await stated({ clients: objectClients.filter(({ request_object_signing_alg: alg }) => alg !== "none") })).toBe(false)
  // A store that does not tell has none.
  const silent = ({ find, verifySecret, secretOf }: ClientStorePort): ClientStorePort => ({ find, verifySecret, secretOf })
  expect(await stated({ clients: [unsigned], clientStore: silent })).toBe(false)
})

test("OpenID Connect Discovery §4: while the clients cannot be asked the document is as it was", async () => {
  let asked: () => boolean = () => true
  const w = await world({ clientStore: (store) => ({ ...store, unsignedRequestObjects: () => asked() }) })
  const stated = async () => (await w.send({ path: "/.well-known/openid-configuration" })).body.includes('"Ed25519","none"]')
  expect(await stated()).toBe(true)
  asked = () => {
    throw new Error("the database is away")
  }
  w.pass(5)
  expect([await stated(), (await w.send({ path: "/.well-known/openid-configuration" })).status]).toEqual([true, 200])
  asked = () => false
  expect(await stated()).toBe(true)
  w.pass(5)
  expect(await stated()).toBe(false)
})

test("behaviour, decided since: the clients are asked once in five seconds, and a store that never answers holds up the one that asks", async () => {
  let questions = 0
  let answer: () => boolean | Promise<boolean> = () => false
  const w = await world({ clientStore: (store) => ({ ...store, unsignedRequestObjects: () => (questions++, answer()) }) })
  const get = async (): Promise<number> => (await w.send({ path: "/.well-known/openid-configuration" })).status
  expect([await get(), await get(), await get(), questions]).toEqual([200, 200, 200, 1])
  let release = (_: boolean): void => undefined
  answer = () => new Promise((resolve) => (release = resolve))
  w.pass(5)
  const held = get()
  expect([await get(), await get(), questions]).toEqual([200, 200, 2])
  release(true)
  expect(await held).toBe(200)
  expect((await w.send({ path: "/.well-known/openid-configuration" })).body).toContain('"Ed25519","none"]')
})
