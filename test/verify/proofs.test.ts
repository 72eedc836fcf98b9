import { type ProofUses, memoryUses, resourceServer } from "@postern/verify"
import { joseJwts } from "@postern/core/jose"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { memoryTokenStore } from "@postern/core/memory"
import { judgedProof } from "../../packages/verify/src/proofs.ts"
import { tracing } from "@postern/core/verify"
import { webDigest } from "@postern/core/webcrypto"
import { digest, otherKey, ownKey, part } from "../support/proofs.ts"
import { bound, issuer, jwks, now, proving, resource, ruleOf, serverOf, token, showing, own, x5t } from "./setting.ts"

describe("RFC 9449, the vectors of §4 and §7 at their time", () => {
  const jwk = {
    kty: "EC",
    x: "l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs",
    y: "9VE4jf_Ok_o64zbTTlcuNJajHmt6v9TDVrU0CdvGRDA",
    crv: "P-256",
  }
  const accessToken = "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU"
  const header = part({ typ: "dpop+jwt", alg: "ES256", jwk })
  const sent = `${header}.${part({ jti: "e1j3V_bKic8-LAEB", htm: "GET", htu: "https://resource.example.org/protectedresource", iat: 1_562_262_618, ath: digest(accessToken) })}.2oW9RP35yRqzhrtNP86L-Ey71EOptxRimPPToA1plemAgR6pxHF8y6-yqyVnmcw6Fy1dqd-jfxSYoMxhAJpLjA`
  const jkt = "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"

  test("§7.1, figure 13: the request with a bound token of figure 12 passes, when its issuer answers for the token", async () => {
    const fetch = async () =>
      Response.json({
        active: true,
        sub: "someone@example.com",
        aud: "https://resource.example.org",
        nbf: 1_562_262_611,
        exp: 1_562_266_216,
        cnf: { jkt },
      })
    const ask = async (time: number, more: object = {}) => {
      const api = resourceServer({
        issuer: "https://server.example.com",
        resource: "https://resource.example.org",
        clock: () => time * 1000,
        introspection: { clientId: "rs", clientSecret: "secret", endpoint: "https://server.example.com/introspect" },
        fetch,
      })
      const headers = { authorization: `DPoP ${accessToken}`, dpop: sent }
      return api.verify({ method: "GET", path: "/protectedresource", query: "", headers, ...more })
    }
    const { ok, trail } = await ask(1_562_262_618)
    expect(ok).toMatchObject({ subject: "someone@example.com", confirmation: { jkt } })
    expect(trail.facts).toMatchObject({ "dpop jkt": jkt, "dpop ath": "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo", "dpop age": "0" })
    expect(ruleOf(await ask(1_562_262_679))).toBe("dpop.fresh")
    expect(ruleOf(await ask(1_562_262_618, { method: "POST" }))).toBe("dpop.method")
    expect(ruleOf(await ask(1_562_262_618, { path: "/other" }))).toBe("dpop.address")
  })

  test("§4.2, figure 2: the proof itself, with another token", async () => {
    const means = { digest: webDigest, jwts: joseJwts, lifetime: 60, nonceKey: undefined, algorithms: ["ES256"] }
    const proof = {
      sent,
      method: "GET",
      addresses: ["https://resource.example.org/protectedresource"],
      accessToken: "other",
      now: 1_562_262_618,
    }
    const judged = await judgedProof(tracing(new Set()), proof, means)
    expect([judged.proved, judged.refusal?.description]).toEqual([
      undefined,
      "The ath of the DPoP proof is not the hash of the access token.",
    ])
  })
})

describe("RFC 9449 §11.1: the use of a proof", () => {
  test("of 16 requests with one proof at once, one passes, and later none", async () => {
    const server = serverOf()
    const asked = proving(bound())
    const rules = (await Promise.all(Array.from({ length: 16 }, () => server.verify(asked)))).map(ruleOf)
    expect(rules.map(String).toSorted()).toEqual([...Array.from({ length: 15 }, () => "dpop.unused"), "undefined"])
    expect(ruleOf(await server.verify(asked))).toBe("dpop.unused")
  })

  test("counts once for two machines that share their uses, as in the token store of a provider", async () => {
    // Any store with an atomic step will do: here the one that core's own provider uses.
    const store = memoryTokenStore()
    const { useOnce } = await import("@postern/core/model")
    const uses: ProofUses = {
      claim: async (key, until, at) => (await store.commit([useOnce(key, at, until)])) === "Committed",
    }
    const machines = [serverOf({ dpop: { uses } }), serverOf({ dpop: { uses } })]
    const asked = proving(bound())
    const all = Array.from({ length: 8 }, () => machines.map((machine) => machine.verify(asked))).flat()
    const rules = (await Promise.all(all)).map(ruleOf)
    expect(rules.map(String).toSorted()).toEqual([...Array.from({ length: 15 }, () => "dpop.unused"), "undefined"])
  })

  test("leaves no row for who has no good token, and none for a proof that is not sound", async () => {
    const claimed: Array<string> = []
    const uses: ProofUses = { claim: (key) => claimed.push(key) > 0 }
    const server = serverOf({ dpop: { uses } })
    await server.verify(proving("nonsense"))
    await server.verify(proving(token({ cnf: { jkt: ownKey.jkt } }, {}, otherKey)))
    await server.verify(proving(bound(), { header: { jwk: otherKey.jwk } }))
    await server.verify(proving(bound(), { key: otherKey }))
    await server.verify(proving(bound()), { scope: "none of these" })
    expect(claimed).toEqual([])
    await server.verify(proving(bound()))
    expect(claimed).toHaveLength(1)
    expect(claimed[0]).toMatch(/^[\w-]{43}$/)
  })

  test("is remembered as long as the proof would pass, and the second after it is not", () => {
    const uses = memoryUses()
    expect([uses.claim("a", now + 71, now), uses.claim("a", now + 71, now + 70), uses.claim("a", now + 142, now + 71)]).toEqual([
      true,
      false,
      true,
    ])
  })

  test("is bounded: a full memory forgets none, and refuses for now", async () => {
    const uses = memoryUses({ most: 2 })
    expect([uses.claim("a", now + 10, now), uses.claim("b", now + 10, now), uses.claim("c", now + 10, now)]).toEqual([
      true,
      true,
      undefined,
    ])
    expect([uses.claim("a", now + 10, now), uses.claim("c", now + 20, now + 10)]).toEqual([false, true])
    const server = serverOf({ dpop: { uses: memoryUses({ most: 1 }) } })
    await server.verify(proving(bound()))
    const { refused } = await server.verify(proving(bound()))
    expect([refused?.rule, refused?.status]).toEqual(["resource.use-known", 503])
  })

  test("property: whatever the order and the times, no use is claimed twice before its end", () => {
    const claims = fc.array(
      fc.record({ key: fc.constantFrom("a", "b", "c"), life: fc.integer({ min: 1, max: 5 }), pass: fc.integer({ min: 0, max: 3 }) }),
      { maxLength: 60 },
    )
    fc.assert(
      fc.property(claims, (steps) => {
        const uses = memoryUses()
        const ends = new Map<string, number>()
        let time = now
        for (const { key, life, pass } of steps) {
          time += pass
          const isFree = (ends.get(key) ?? 0) <= time
          if (uses.claim(key, time + life, time) !== isFree) return false
          if (isFree) ends.set(key, time + life)
        }
        return true
      }),
    )
  })
})

describe("RFC 9449 §9: nonces of the resource", () => {
  const nonceKey = "a key of thirty-two characters!!"
  const server = (more: object = {}, time = now) => serverOf({ dpop: { nonceKey, ...more }, clock: () => time * 1000 })
  const nonceOf = (headers: ReadonlyArray<readonly [string, string]>) => headers.find(([name]) => name === "dpop-nonce")?.[1]

  test("are demanded with 401 and a nonce, and the same request with it passes, also a proof of another clock", async () => {
    const api = server()
    const { refused, headers } = await api.verify(proving(bound()))
    expect([refused?.status, refused?.challenges[0]]).toEqual([401, expect.stringMatching(/^DPoP error="use_dpop_nonce".*algs="ES256 /)])
    const nonce = nonceOf(headers)
    const passed = await api.verify(proving(bound(), { claims: { nonce, iat: now - 3_000 } }))
    expect([ruleOf(passed), nonceOf(passed.headers)]).toEqual([undefined, nonce])
    // No proof is good without one (RFC 9449 §11.3).
    expect(ruleOf(await api.verify(proving(bound(), { claims: { nonce: undefined } })))).toBe("dpop.nonce")
  })

  test("§8.2: one is good for its period and the next, on every machine that has the key, and on none that has another", async () => {
    const nonce = nonceOf((await server().verify(proving(bound()))).headers)
    const ask = async (time: number, more: object = {}) =>
      ruleOf(await server(more, time).verify(proving(bound(), { claims: { nonce, iat: time } })))
    const begin = now - (now % 60)
    expect([await ask(begin + 119), await ask(begin + 120)]).toEqual([undefined, "dpop.nonce"])
    expect(await ask(now, { nonceKey: `another ${nonceKey}` })).toBe("dpop.nonce")
  })

  test("bearer tokens and certificates get none", async () => {
    expect((await server().verify({ ...proving(token(), {}, "Bearer") })).headers).toEqual([])
    expect((await server().verify(showing(token({ cnf: { "x5t#S256": x5t(own) } }), own))).headers).toEqual([])
  })
})

test("htu: the public URL with what a proxy takes off, and each of several hosts; never Host", async () => {
  const ask = async (url: string | ReadonlyArray<string>, htu: string) => {
    const api = resourceServer({ issuer, resource, keys: jwks, url, clock: () => now * 1000 })
    return ruleOf(await api.verify(proving(bound(), { claims: { htu } })))
  }
  expect(await ask("https://edge.example/api/", "https://edge.example/api/v1/notes")).toBeUndefined()
  expect(await ask("https://edge.example/api", "https://edge.example/v1/notes")).toBe("dpop.address")
  const both = ["https://a.example", "https://mtls.a.example:8443"]
  for (const base of both) expect(await ask(both, `${base}/v1/notes`)).toBeUndefined()
  expect(await ask(both, "https://api.example/v1/notes")).toBe("dpop.address")
})
