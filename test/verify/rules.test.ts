import { resourceTables } from "@postern/verify"
import { describe, expect, test } from "vitest"
import { type Case, active, cases, introspecting, whole } from "./cases.ts"
import {
  bearing,
  bound,
  issuer,
  judged,
  now,
  own,
  path,
  proving,
  request,
  ruleOf,
  serverOf,
  showing,
  signedAnswer,
  token,
  x5t,
} from "./setting.ts"
import { otherKey, ownKey, proofKey } from "../support/proofs.ts"

/** The rule that refuses a case, by its verdict and by its trail. */
const outcome = async ({ request: asked, needs, more, twice }: Case, off?: ReadonlySet<string>) => {
  const server = serverOf(more, off)
  if (twice === true) await server.verify(asked, needs)
  const { refused, trail } = await server.verify(asked, needs)
  return { rule: refused?.rule, answer: [refused?.status, refused?.error], last: trail.steps.at(-1)?.refused?.rule }
}

describe("every request that is refused", () => {
  test.each(cases.map((each) => [each.rule, each.title, each] as const))("%s: %s", async (rule, _, each) => {
    expect(await outcome(each)).toEqual({ rule, answer: [...each.answer], last: rule })
  })
})

describe("knock-out: without a rule, some case ends otherwise", () => {
  const rules = [...new Set(resourceTables.flatMap((table) => table.rules.map(({ id }) => id)))]

  test("each rule has a case, and each case a rule", () => {
    // This one proves what the tables before it were made sure of, and refuses nothing.
    const reading = ["resource.jwt-read", "resource.introspection-read"]
    expect(rules.filter((id) => !cases.some(({ rule }) => rule === id) && !reading.includes(id))).toEqual([])
    expect(cases.filter(({ rule }) => !rules.includes(rule))).toEqual([])
  })

  test.each(rules.filter((id) => cases.some(({ rule }) => rule === id)))("%s", async (id) => {
    const own = cases.filter(({ rule }) => rule === id)
    const noticed = await Promise.all(
      own.map(async (each) => {
        const found = await outcome(each, new Set([id])).catch(() => undefined)
        return found === undefined || found.rule !== id
      }),
    )
    expect(noticed).toContain(true)
  })
})

describe("every request that passes", () => {
  test("RFC 6750 §2.1: a bearer token, whatever the case of its scheme", async () => {
    for (const scheme of ["Bearer", "bearer", "BEARER"])
      expect((await judged(request({ authorization: `${scheme} ${token()}` }))).ok).toMatchObject({ subject: "alice", clientId: "app" })
  })

  test("RFC 9068 §2.1: a typ with its prefix, and an aud among several", async () => {
    const asked = bearing(token({ aud: ["https://other.example", "https://api.example/v1"] }, { typ: "application/at+JWT" }))
    expect((await judged(asked)).ok?.scope).toEqual(["read", "write"])
  })

  test("RFC 9449 §7.1: a bound token with its proof, whatever the case of its scheme", async () => {
    for (const scheme of ["DPoP", "dpop", "DPOP"])
      expect((await judged(proving(bound(), {}, scheme))).ok?.confirmation).toEqual({ jkt: ownKey.jkt })
  })

  test.each(["ES384", "ES512", "EdDSA", "Ed25519", "PS256", "RS256"])("a proof by %s", async (alg) => {
    const key = proofKey(alg)
    expect(ruleOf(await judged(proving(bound({}, key), { key })))).toBeUndefined()
  })

  test("RFC 9449 §4.3 (9), RFC 3986 §6.2.2: an htu with query, fragment, upper case or port", async () => {
    const place = `api.example${path}`
    for (const htu of [`https://${place}?a=b`, `https://${place}#c`, `HTTPS://API.EXAMPLE${path}`, `https://api.example:443${path}`])
      expect([htu, ruleOf(await judged(proving(bound(), { claims: { htu } })))]).toEqual([htu, undefined])
  })

  test("FAPI 2.0 Security Profile §5.3.2.1 (13): proofs of ten seconds ahead, unknown claims, nbf and exp", async () => {
    for (const claims of [{ iat: now + 10 }, { iat: now - 10 }, { other: 1 }, { nbf: now - 5, exp: now + 60 }])
      expect(ruleOf(await judged(proving(bound(), { claims })))).toBeUndefined()
  })

  test("RFC 8705 §3: a token of the certificate that is shown", async () => {
    expect((await judged(showing(token({ cnf: { "x5t#S256": x5t(own) } }), own))).ok?.confirmation).toEqual({ "x5t#S256": x5t(own) })
  })

  test.each(["any", "dpop"] as const)("RFC 9728 §2: a resource that demands tokens bound to %s takes one", async (demanded) => {
    expect(ruleOf(await judged(proving(bound()), {}, { bound: demanded }))).toBeUndefined()
  })

  test("RFC 9470 §3: a sign-in that is strong and recent enough", async () => {
    const asked = bearing(token({ acr: "strong", auth_time: now - 300 }))
    expect(ruleOf(await judged(asked, { scope: ["read", "write"], acrValues: ["weak", "strong"], maxAge: 300 }))).toBeUndefined()
  })

  test("RFC 7662 §2.2, RFC 9701 §5: a token that its issuer answers for, plainly and signed", async () => {
    const opaque = bearing("opaque-token")
    expect((await judged(opaque, { scope: "read" }, introspecting(active))).ok).toMatchObject({ subject: "alice", issuer })
    expect((await judged(opaque, {}, introspecting({ ...active, exp: undefined } as never))).ok?.expiresAt).toBe(Infinity)
    const introspection = { clientId: "api", clientSecret: "secret", endpoint: `${issuer}/introspect`, signed: true }
    const fetch = async () =>
      new Response(signedAnswer(whole), { headers: { "content-type": "application/token-introspection+jwt; charset=utf-8" } })
    expect((await judged(opaque, {}, { introspection, fetch })).ok?.subject).toBe("alice")
  })

  test("RFC 9449 §4.2: the jti of another key is another", async () => {
    const server = serverOf()
    const claims = { jti: "the same" }
    for (const key of [ownKey, otherKey]) expect(ruleOf(await server.verify(proving(bound({}, key), { key, claims })))).toBeUndefined()
  })
})
