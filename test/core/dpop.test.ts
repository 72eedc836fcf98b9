import { joseJwts } from "@postern/core/jose"
import { memoryTokenStore } from "@postern/core/memory"
import { type ClientMetadata, type Json, type Trail, compose, rowKindsOf, secretOf } from "@postern/core"
import { revokeGrant } from "@postern/core/model"
import * as Effect from "effect/Effect"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { byProof } from "../../packages/core/src/features/dpop/index.ts"
import { normalAddress, publicKey } from "../../packages/core/src/features/dpop/proof.ts"
import { endpointsOf } from "../../packages/core/src/provider/composition.ts"
import { Jwts, atOnce } from "../../packages/core/src/ports/index.ts"
import { Decided } from "../../packages/core/src/settle/stage.ts"
import { inquiryOf } from "../settle/inquiry.ts"
import { tokenExchangeGrantType } from "@postern/core/grants"
import { lastRefusal } from "../cases/case.ts"
import { world as exchanging } from "../cases/tokenExchange.ts"
import { askedClaims, asking, cibaGrant, tills } from "../support/asking.ts"
import { assertionOf, carrying, signingClients } from "../support/assertions.ts"
import { basic, codeFor, post, redeem, request, signedIn, verifier } from "../support/flows.ts"
import { type ProofParts, atOnceWith, digest, otherKey, ownKey, part, present, proof, prove, thumbprint } from "../support/proofs.ts"
import { signed } from "../support/requestObjects.ts"
import { said } from "../support/visitor.ts"
import { type World, clients, issuer, password, world } from "../support/world.ts"

const jwk = {
  kty: "EC",
  x: "l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs",
  y: "9VE4jf_Ok_o64zbTTlcuNJajHmt6v9TDVrU0CdvGRDA",
  crv: "P-256",
}
const header = part({ typ: "dpop+jwt", alg: "ES256", jwk })
const accessToken = "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU"
const jkt = "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"

/** The proofs of RFC 9449, figures 2 and 13. Each was signed over its claims in just this form. */
const atToken = `${header}.${part({ jti: "-BwC3ESc6acc2lTc", htm: "POST", htu: "https://server.example.com/token", iat: 1_562_262_616 })}.2-GxA6T8lP4vfrg8v-FdWP0A0zdrj8igiMLvqRMUvwnQg4PtFLbdLXiOSsX0x7NVY-FNyJK70nfbV37xRZT3Lg`
const atResource = `${header}.${part({ jti: "e1j3V_bKic8-LAEB", htm: "GET", htu: "https://resource.example.org/protectedresource", iat: 1_562_262_618, ath: digest(accessToken) })}.2oW9RP35yRqzhrtNP86L-Ey71EOptxRimPPToA1plemAgR6pxHF8y6-yqyVnmcw6Fy1dqd-jfxSYoMxhAJpLjA`

const proved = async (dpop: string, origin: string, method: string, path: string, now: number, token?: string) => {
  const ports = { settings: { issuer: origin, members: {} }, jwts: Jwts.from(joseJwts, atOnce) }
  const message = { method, path, query: "", headers: { dpop }, body: "" }
  // No rule looks at more of the client.
  const end = await Effect.runPromise(
    byProof.prove.run({ message, client: { profile: undefined } as never, accessToken: token }, inquiryOf(ports, { now })),
  )
  if (!(end instanceof Decided)) return end.confirmation
  return "refusal" in end.decision ? end.decision.refusal.description : end.decision._tag
}

test("architecture law 1: a request asks for the digest of its key however often the key was proved before, so that its record alone decides it again", async () => {
  const asked: Array<string> = []
  const sha256 = (content: string | Uint8Array): string => {
    asked.push(String(content))
    return digest(String(content))
  }
  const w = await world({ more: { digest: { sha256, sha512: () => "" } } })
  const counts: Array<number> = []
  for (let time = 0; time < 3; time++) {
    asked.length = 0
    expect((await prove(w, "/connect/token", "web", { grant_type: "client_credentials", scope: "api.read" })).status).toBe(200)
    counts.push(asked.filter((content) => digest(content) === ownKey.jkt).length)
  }
  expect(counts).toEqual([1, 1, 1])
})

describe("RFC 9449, the proofs of its figures", () => {
  test("§4.2, §6.1: that of figure 2 is taken at its time, and proves the key of its thumbprint", async () => {
    const ask = (now: number) => proved(atToken, "https://server.example.com", "POST", "/token", now)
    expect([thumbprint(jwk), await ask(1_562_262_616), await ask(1_562_262_676)]).toEqual([jkt, { jkt }, { jkt }])
    for (const now of [1_562_262_677, 1_562_262_605]) expect(await ask(now)).toContain("iat")
  })

  test("§7.1: that of figure 13 is taken with its token, and with no other", async () => {
    const ask = (token: string) => proved(atResource, "https://resource.example.org", "GET", "/protectedresource", 1_562_262_618, token)
    expect(digest(accessToken)).toBe("fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo")
    expect([await ask(accessToken), await ask("another")]).toEqual([
      { jkt },
      "The ath of the DPoP proof is not the hash of the access token.",
    ])
  })

  test("RFC 8037 appendix A.3: the thumbprint of an Ed25519 key", () => {
    const key = { x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo", kty: "OKP", crv: "Ed25519", use: "sig" }
    expect(digest(JSON.stringify(publicKey(key, "EdDSA")))).toBe("kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k")
  })
})

test("RFC 3986 §6.2.2, §6.2.3: addresses are equal by syntax and scheme, and by nothing that a URL parser forgives", () => {
  const same = [
    "https://a.example/b",
    "HTTPS://A.EXAMPLE:443/b",
    "https://a.example/./c/../b",
    "https://a.example/%62",
    "https://a.example/b?c#d",
  ]
  for (const each of same) expect([each, normalAddress(each)]).toEqual([each, "https://a.example/b"])
  expect([normalAddress("https://a.example"), normalAddress("https://a.example/%2f")]).toEqual([
    "https://a.example/",
    "https://a.example/%2F",
  ])
  const none = [
    "https:/a.example/b",
    "https:a.example",
    "https://a.example\\b",
    "https://x@a.example/b",
    "https://a.exam\tple/b",
    "ftp://a.example/b",
    "",
  ]
  for (const each of none) expect([each, normalAddress(each)]).toEqual([each, undefined])
})

const machine = { grant_type: "client_credentials", scope: "api.read" }
const path = "/connect/token"

test("explain: the trail has what a proof was compared with, and neither the proof nor the token", async () => {
  const w = await world()
  const { json } = await prove(w, path, "web", {
    grant_type: "authorization_code",
    code: await codeFor(w),
    redirect_uri: "https://app.example/cb",
    code_verifier: verifier,
  })
  const token = String(json?.["access_token"])
  await present(w, token, { claims: { iat: w.now() - 30 } })
  const facts = {
    "dpop alg": "ES256",
    "dpop htm": "GET",
    "dpop htu": `${issuer}/connect/userinfo`,
    "dpop jkt": ownKey.jkt,
    "dpop ath": digest(token),
    "dpop age": "30",
    "dpop window": "60",
  }
  expect(w.trails.at(-1)).toMatchObject({ endpoint: "userinfo", facts })
  expect(JSON.stringify(w.trails)).not.toContain(token)
  await prove(w, path, "web", machine, { claims: { htm: "GET" } })
  const client = { "client authentication": "client_secret_basic" }
  expect((w.trails.at(-1) as Trail).facts).toEqual({ ...client, "dpop alg": "ES256", "dpop htm": "POST", "dpop htu": `${issuer}${path}` })
  await redeem(w, await codeFor(w))
  expect(w.trails.at(-1)?.facts).toEqual({ ...client, "tokens bound to": "nothing" })
})

/** Requests that use something up, each with what it needs; the same again is what a client sends that was asked for a nonce. */
const usingUp: Readonly<
  Record<
    string,
    (w: World) => Promise<{ readonly at: string; readonly as: string | undefined; readonly fields: Readonly<Record<string, string>> }>
  >
> = {
  "a code": async (w) => ({
    at: path,
    as: "web",
    fields: { grant_type: "authorization_code", code: await codeFor(w), redirect_uri: "https://app.example/cb", code_verifier: verifier },
  }),
  "a refresh token": async (w) => {
    const { json } = await redeem(w, await codeFor(w, "spa", { scope: "openid offline_access" }), "spa")
    return { at: path, as: "spa", fields: { grant_type: "refresh_token", refresh_token: String(json?.["refresh_token"]) } }
  },
  "a device code": async (w) => {
    const { json } = await post(w, "/connect/deviceauthorization", "tv", { scope: "openid" })
    const visitor = await signedIn(w)
    await visitor.submit((await visitor.get(`/device?user_code=${String(json?.["user_code"])}`)).page, [["decision", "allow"]])
    return {
      at: path,
      as: "tv",
      fields: { grant_type: "urn:ietf:params:oauth:grant-type:device_code", device_code: String(json?.["device_code"]) },
    }
  },
  "an auth_req_id": async (w) => {
    const { json } = await post(w, "/connect/ciba", "till", { scope: "openid", login_hint: "sub-alice" })
    const visitor = await signedIn(w)
    const { page: asks } = await visitor.get(`/approve?request=${String(json?.["auth_req_id"]).slice(2, 18)}`)
    await visitor.submit(asks?.["model"] as Record<string, unknown>, [["decision", "allow"]])
    return { at: path, as: "till", fields: { grant_type: cibaGrant, auth_req_id: String(json?.["auth_req_id"]) } }
  },
  "a signed backchannel request": async (w) => ({
    at: "/connect/ciba",
    as: "signs-requests",
    fields: { request: await signed(askedClaims("signs-requests", { jti: `j${w.now()}` })) },
  }),
  "an assertion": async (w) => ({ at: path, as: undefined, fields: { ...machine, ...carrying(await assertionOf(w, "signs")) } }),
  "an assertion, pushed": async (w) => ({
    at: "/connect/par",
    as: undefined,
    fields: { ...request("pushes"), ...carrying(await assertionOf(w, "pushes")) },
  }),
  "a revoked token": async (w) => {
    const nonce = (await prove(w, path, "web", machine)).header("dpop-nonce")
    const code = await codeFor(w, "spa", { scope: "openid offline_access" })
    const fields = { grant_type: "authorization_code", code, redirect_uri: "https://app.example/cb", code_verifier: verifier }
    const { json } = await prove(w, path, "spa", fields, { claims: { nonce } })
    return { at: "/connect/revocation", as: "spa", fields: { token: String(json?.["refresh_token"]) } }
  },
}

/** Requests that give something for nothing: they must leave nothing behind where they are refused. */
const givingAgain: typeof usingUp = {
  "client credentials": async () => ({ at: path, as: "web", fields: machine }),
  "a password": async () => ({ at: path, as: "ropc", fields: { grant_type: "password", username: "alice", password, scope: "openid" } }),
  "a backchannel request": async () => ({ at: "/connect/ciba", as: "till", fields: { scope: "openid", login_hint: "sub-alice" } }),
  "a device request": async () => ({ at: "/connect/deviceauthorization", as: "tv", fields: { scope: "openid" } }),
  "a pushed request": async () => ({
    at: "/connect/par",
    as: "web",
    fields: Object.fromEntries(Object.entries(request("web")).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))),
  }),
}

const asks = asking({ mostWaiting: 20, mostPrompts: 100 })

const everybody = [
  ...clients,
  ...tills.filter(({ client_id }) => client_id === "till"),
  ...tills
    .filter(({ client_id }) => client_id === "signs")
    .map((each) => ({ ...each, client_id: "signs-requests", client_secret: "secret of signs-requests" })),
  ...signingClients,
  ...signingClients.slice(0, 1).map((each) => ({
    ...each,
    client_id: "pushes",
    redirect_uris: ["https://app.example/cb"],
    grant_types: ["authorization_code"],
    response_types: ["code"],
    scope: "openid",
  })),
]

/** A store that tells every change. */
const noting = () => {
  const store = memoryTokenStore(rowKindsOf({ features: asks.more?.features ?? [] }))
  const changes: Array<string> = []
  const tokens: typeof store = {
    ...store,
    commit: (commands) => {
      changes.push(...commands.map(({ event }) => event))
      return store.commit(commands)
    },
  }
  return { tokens, changes }
}

/** Wrong proofs, by what is wrong with them. */
const wrong: ReadonlyArray<(nonce: string) => ProofParts> = [
  () => ({}),
  (nonce) => ({ claims: { nonce: `${nonce}x` } }),
  (nonce) => ({ claims: { nonce, htm: "GET" } }),
  (nonce) => ({ claims: { nonce, htu: "https://other.example" } }),
  (nonce) => ({ claims: { nonce, jti: 1 } }),
  (nonce) => ({ claims: { nonce, iat: 1_795_219_200 + 86_400 } }),
  (nonce) => ({ claims: { nonce, exp: 1 } }),
  (nonce) => ({ claims: { nonce }, header: { typ: "JWT" } }),
  (nonce) => ({ claims: { nonce }, header: { jwk: otherKey.jwk } }),
]

describe.each(Object.entries({ ...usingUp, ...givingAgain }))(
  "RFC 9449 §5, §8: no refusal of a proof leaves anything behind: %s",
  (_, prepare) => {
    test("whatever is wrong, in any order and however often: nothing is written, and the request succeeds after all", async () => {
      const { tokens, changes } = noting()
      const w = await world({ tokens, clients: everybody, more: { ...asks.more, settings: { require_dpop_nonces: true } } })
      const { at, as, fields } = await prepare(w)
      const nonce = (await prove(w, at, as, fields)).header("dpop-nonce") ?? ""
      await fc.assert(
        fc.asyncProperty(fc.array(fc.constantFrom(...wrong), { minLength: 1, maxLength: 4 }), async (tried) => {
          changes.length = 0
          for (const parts of tried) {
            const made = parts(nonce)
            // A refusal that is the client's own fault uses up its assertion (RFC 7523 §3): only a nonce that is asked for does not.
            if ("client_assertion" in fields && made.claims?.["nonce"] === nonce) continue
            const { status, json } = await prove(w, at, as, fields, made)
            expect([status, ["use_dpop_nonce", "invalid_dpop_proof"].includes(String(json?.["error"]))]).toEqual([400, true])
          }
          expect(changes).toEqual([])
        }),
        { numRuns: 20 },
      )
      expect([200, 201]).toContain((await prove(w, at, as, fields, { claims: { nonce } })).status)
    })
  },
)

test("RFC 9449 §5, §7: these endpoints judge the proof of whatever request has one; others of those that need it", async () => {
  const w = await world({ ...asks, clients: everybody })
  const judging: Array<string> = []
  for (const { path: at, methods, audience } of endpointsOf(compose({ features: asks.more?.features ?? [] }))) {
    if (audience !== "programs") continue
    for (const method of methods) {
      const fields = { ...machine, client_id: "tv", token: "nonsense", scope: "openid" }
      const headers = { "content-type": "application/x-www-form-urlencoded", authorization: basic("web"), dpop: "no proof" }
      const bearer = { ...headers, authorization: `DPoP ${String((await prove(w, path, "web", machine)).json?.["access_token"])}` }
      for (const each of [headers, bearer]) {
        const { json } = said(
          await w.send({ path: at, method, headers: each, body: new URLSearchParams({ ...fields, client_id: "" }).toString() }),
        )
        if (json?.["error"] === "invalid_dpop_proof") judging.push(at)
      }
      const asTv = { "content-type": "application/x-www-form-urlencoded", dpop: "no proof" }
      const { json } = said(await w.send({ path: at, method, headers: asTv, body: new URLSearchParams(fields).toString() }))
      if (json?.["error"] === "invalid_dpop_proof") judging.push(at)
    }
  }
  expect([...new Set(judging)].toSorted()).toEqual(["/connect/ciba", "/connect/deviceauthorization", "/connect/token", "/connect/userinfo"])
})

describe.each(Object.entries(usingUp))("RFC 9449 §8: no answer that asks for a nonce uses up %s", (_, prepare) => {
  test("nor does any refusal of a proof: the same request succeeds after all of them", async () => {
    const w = await world({ clients: everybody, more: { ...asks.more, settings: { require_dpop_nonces: true } } })
    const { at, as, fields } = await prepare(w)
    const asked = await prove(w, at, as, fields)
    const nonce = asked.header("dpop-nonce")
    expect([asked.status, asked.json?.["error"], typeof nonce]).toEqual([400, "use_dpop_nonce", "string"])
    expect((await prove(w, at, as, fields, { claims: { nonce: `${nonce}x` } })).json?.["error"]).toBe("use_dpop_nonce")
    // A refusal that is the client's own fault uses up its assertion, as any other does (RFC 7523 §3), and nothing else.
    if (!("client_assertion" in fields))
      for (const claims of [{ htm: "GET" }, { htu: "https://other.example" }, { jti: 1 }])
        expect((await prove(w, at, as, fields, { claims: { nonce, ...claims } })).json?.["error"]).toBe("invalid_dpop_proof")
    const used = proof(w.now(), "POST", at, { claims: { nonce } })
    expect([200, 201]).toContain((await post(w, at, as, fields, { dpop: used })).status)
    await post(w, at, as, fields, { dpop: used })
    expect(["dpop.unused", "assertion.unused"]).toContain(lastRefusal(w))
  })
})

test("RFC 9449 §11.1: of 16 requests with one proof at once, one gets tokens", async () => {
  expect(await atOnceWith(memoryTokenStore())).toEqual(["200", ...Array.from({ length: 15 }, () => "dpop.unused")])
})

test("RFC 9449 §11.1: nobody who does not authenticate, and no proof that is not sound, leaves a row", async () => {
  const store = memoryTokenStore()
  const commits: Array<string> = []
  const tokens: typeof store = {
    ...store,
    commit: (commands) => {
      commits.push(...commands.map(({ event }) => event))
      return store.commit(commands)
    },
  }
  const w = await world({ tokens })
  for (let at = 0; at < 50; at++) {
    await post(w, path, undefined, { ...machine, client_id: "nobody" }, { dpop: proof(w.now(), "POST", path) })
    await prove(w, path, "web", machine, { header: { jwk: otherKey.jwk } })
    await present(w, "nonsense")
    expect((await prove(w, "/connect/revocation", "spa", { token: "nonsense" })).status).toBe(200)
  }
  expect(commits).toEqual([])
})

test("RFC 9449 §8: a nonce is good at every machine that has the key, and at none that has another", async () => {
  const settings = { require_dpop_nonces: true }
  const machines = await Promise.all(["a", "a", "b"].map((key) => world({ more: { settings, accountKey: secretOf(key.repeat(32)) } })))
  const [one, two, three] = machines as [World, World, World]
  const nonce = (await prove(one, path, "web", machine)).header("dpop-nonce")
  expect((await prove(two, path, "web", machine, { claims: { nonce } })).status).toBe(200)
  expect((await prove(three, path, "web", machine, { claims: { nonce } })).json?.["error"]).toBe("use_dpop_nonce")
})

/** A world in which `orders` exchanges tokens, and a token of `web` that is bound to its key. */
const boundSubject = async (policy: Readonly<Record<string, Json>>, orders: Partial<ClientMetadata> = {}) => {
  const w = await world(exchanging({ clients: ["web"], impersonation: true, ...policy }, orders))
  const code = await codeFor(w, "web", { scope: "openid api.read" })
  const fields = { grant_type: "authorization_code", code, redirect_uri: "https://app.example/cb", code_verifier: verifier }
  const subject_token = String((await prove(w, path, "web", fields)).json?.["access_token"])
  const subject_token_type = "urn:ietf:params:oauth:token-type:access_token"
  return { w, subject_token, fields: { grant_type: tokenExchangeGrantType, subject_token, subject_token_type } }
}

const notProved = "The subject_token is bound to a key or a certificate that the request does not prove."

test("RFC 8693 §2.1, RFC 9449 §7.1: a bound token is exchanged by who proves its key, and by nobody else", async () => {
  const { w, fields } = await boundSubject({})
  const own = await prove(w, path, "orders", fields)
  const others = [await post(w, path, "orders", fields), await prove(w, path, "orders", fields, { key: otherKey })]
  expect([own.status, own.json?.["token_type"]]).toEqual([200, "DPoP"])
  expect(others.map(({ json: answer }) => [answer?.["error"], answer?.["error_description"]])).toEqual(
    Array.from({ length: 2 }, () => ["invalid_request", notProved]),
  )
  expect(lastRefusal(w)).toBe("token-exchange.subject-proved")
})

test("RFC 8693 §2.1, RFC 9449 §7.1: a resource server that it is meant for may exchange it, where its policy says so", async () => {
  const meant = { introspection_resources: ["https://api.example"] }
  const { w, fields, subject_token } = await boundSubject({ bound_tokens: true }, meant)
  const [plain, bound] = [await post(w, path, "orders", fields), await prove(w, path, "orders", fields, { key: otherKey })]
  expect([plain.status, plain.json?.["token_type"], bound.status, bound.json?.["token_type"]]).toEqual([200, "Bearer", 200, "DPoP"])
  // It is still no token that has ended.
  await post(w, "/connect/revocation", "web", { token: subject_token })
  for (const row of await w.tokens.grantsOf("sub-alice")) await w.tokens.commit([revokeGrant(row.id, w.now())])
  expect((await post(w, path, "orders", fields)).json?.["error_description"]).toBe("The subject_token has been revoked.")
  for (const [policy, orders] of [
    [{ bound_tokens: true }, { introspection_resources: ["https://billing.example"] }],
    [{ bound_tokens: true }, {}],
    [{}, meant],
  ] as const) {
    const other = await boundSubject(policy, orders)
    expect((await post(other.w, path, "orders", other.fields)).json?.["error_description"]).toBe(notProved)
  }
})
