import { explain } from "@postern/verify"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { patient } from "../properties/arbitraries.ts"
import { codePoint } from "../properties/codePoint.ts"
import { ownKey, proofKey } from "../support/proofs.ts"
import { runs } from "../tiers/tier.ts"
import { cases } from "./cases.ts"
import { bearing, bound, judged, proofFor, proving, request, serverOf, token } from "./setting.ts"

const place = 'resource_metadata="https://api.example/.well-known/oauth-protected-resource/v1"'

describe("RFC 6750 §3, RFC 9449 §7.1, RFC 9470 §3, RFC 9728 §5.1: challenges", () => {
  test.each([
    [
      "a request without a token",
      request({}),
      {},
      [/^Bearer resource_metadata="[^"]+"$/, /^DPoP algs="ES256 [^"]+", resource_metadata="[^"]+"$/],
    ],
    ["one of a scope", request({}), { scope: "read" }, [/, scope="read"$/, /, scope="read"$/]],
    [
      "a bad token",
      bearing("x.y.z"),
      {},
      [/^Bearer error="invalid_token", error_description="The access token is not valid.", resource_metadata=/],
    ],
    ["a bound token as a bearer token", bearing(bound()), {}, [/^DPoP error="invalid_token", .*algs="ES256 /]],
    ["an unbound token by DPoP", proving(token()), {}, [/^DPoP error="invalid_token"/]],
    ["a bad proof", proving(bound(), { claims: { htm: "PUT" } }), {}, [/^DPoP error="invalid_dpop_proof", .*algs=/]],
    [
      "a scope that is missing",
      bearing(token()),
      { scope: "read delete" },
      [/^Bearer error="insufficient_scope", .*scope="read delete", resource_metadata=/],
    ],
    [
      "a sign-in that is too weak",
      bearing(token({ acr: "weak" })),
      { acrValues: ["strong", "stronger"], maxAge: 60 },
      [/^Bearer error="insufficient_user_authentication", .*acr_values="strong stronger", max_age="60", resource_metadata=/],
    ],
  ])("of %s", async (_, asked, needs, expected) => {
    const { refused } = await judged(asked, needs)
    expect(refused?.challenges).toEqual(expected.map((each) => expect.stringMatching(each)))
    for (const each of refused?.challenges ?? []) expect(each).toContain(place)
    expect(refused?.answer.headers.filter(([name]) => name === "www-authenticate").map(([, value]) => value)).toEqual(refused?.challenges)
  })

  test("name DPoP alone where every token must be bound to a key, and Bearer alone for certificates", async () => {
    const schemes = async (more: object) => (await judged(request({}), {}, more)).refused?.challenges.map((each) => each.split(" ")[0])
    expect([await schemes({ bound: "dpop" }), await schemes({ bound: "certificate" }), await schemes({ dpop: false })]).toEqual([
      ["DPoP"],
      ["Bearer"],
      ["Bearer"],
    ])
  })

  test.each([
    ["a key", { bound: "dpop" }, "DPoP"],
    ["a certificate", { bound: "certificate" }, "Bearer"],
  ] as const)(
    "RFC 9110 §11.6.1, RFC 9449 §7.1: where every token is bound to %s, no refusal names a scheme that is not taken",
    async (_, more, scheme) => {
      const certified = token({ cnf: { "x5t#S256": "x".repeat(43) } })
      for (const sent of [
        request({}),
        request({ authorization: "Basic eDp5" }),
        request({ authorization: "Bearer " }),
        bearing("x.y.z"),
        bearing(token()),
        bearing(bound()),
        bearing(certified),
        proving(token()),
        proving(bound()),
        proving(certified),
      ]) {
        const { refused } = await judged(sent, { scope: "read delete" }, more)
        expect(refused?.challenges.map((each) => each.split(" ")[0])).toEqual([scheme])
      }
    },
  )

  test("RFC 6750 §3.1: a request without a token is told of no error", async () => {
    const { refused } = await judged(request({}))
    expect([refused?.answer.body, refused?.challenges.join().includes("error")]).toEqual(["{}", false])
  })

  test("RFC 9110 §5.6.4: a value with quotes stays one value", async () => {
    const { refused } = await judged(bearing(token({ acr: "x" })), { acrValues: ['a"b\\c\r\nx: y'] })
    expect(refused?.challenges[0]).toContain(String.raw`acr_values="a\"b\\cx: y"`)
  })
})

describe("the trail", () => {
  test("has every rule that was met, and what a proof was compared with", async () => {
    const verdict = await judged(proving(bound(), { claims: { ath: "wrong" } }))
    const text = explain(verdict)
    for (const line of [
      "refused  401 invalid_dpop_proof",
      "✓ resource.jwt-signature",
      "✗ dpop.access-token  RFC 9449 §4.3 (12)",
      `dpop htu  https://api.example/v1/notes`,
    ])
      expect(text).toContain(line)
    expect(explain(await judged(bearing(token())))).toContain("accepted  client app")
    expect(text).not.toContain(bound().split(".")[2])
  })

  test("is told to whoever notes verdicts; a throw costs nobody's request", async () => {
    const noted: Array<string | undefined> = []
    const server = serverOf({
      noted: ({ refused }) => {
        noted.push(refused?.rule)
        throw new Error("the log is full")
      },
    })
    await server.verify(request({}))
    expect((await server.verify(bearing(token()))).ok?.subject).toBe("alice")
    expect(noted).toEqual(["resource.token-present", undefined])
  })

  test("every refusal is ASCII that a header can carry, with a reason of its own", async () => {
    for (const { request: asked, needs, more } of cases) {
      const { refused } = await judged(asked, needs, more)
      if (refused === undefined) continue
      expect(refused.description).toMatch(/^[\x20-\x7e]+$/)
      expect(refused.description).not.toMatch(/["\\]/)
      for (const [, value] of refused.answer.headers) expect(value).toMatch(/^[\x20-\x7e]*$/)
    }
  })
})

/** Texts that a stranger may send as a header. */
const texts = fc.oneof(
  fc.string({ unit: codePoint, maxLength: 200 }),
  fc.constantFrom("", " ", "Bearer", "Bearer ", "DPoP", "Bearer  x", "Bearer x y", "Bearer x,", "Basic eDp5", ","),
  fc
    .tuple(
      fc.constantFrom("Bearer", "bearer", "DPoP", "dpop", "Token", ""),
      fc.constantFrom(" ", "  ", "\t", ""),
      fc.string({ unit: codePoint, maxLength: 60 }),
    )
    .map((parts) => parts.join("")),
)

describe("fuzz: headers of strangers", () => {
  const good = token()
  const sealed = bound()
  const sound = proofFor(sealed)
  const spoilt = (text: string) =>
    fc
      .tuple(fc.nat(text.length), fc.nat(6), fc.string({ unit: codePoint, maxLength: 6 }))
      .map(([at, cut, more]) => text.slice(0, at) + more + text.slice(at + cut))
  /** A JWT whose signature has the spelling of its bytes that has no bits left over (RFC 4648 §3.5): those of others say the same. */
  const spelled = (jwt = ""): string => {
    const at = jwt.lastIndexOf(".") + 1
    return jwt.slice(0, at) + Buffer.from(jwt.slice(at), "base64url").toString("base64url")
  }
  const anything = fc.record(
    {
      authorization: fc.oneof(texts, spoilt(`Bearer ${good}`), spoilt(`DPoP ${sealed}`), fc.constant(`DPoP ${sealed}`)),
      dpop: fc.oneof(texts, spoilt(sound), fc.constant(sound)),
      "client-cert": texts,
    },
    { requiredKeys: [] },
  )
  const asked = fc.record({
    headers: anything,
    method: fc.constantFrom("GET", "POST", "get", "PUT"),
    path: fc.oneof(fc.constant("/v1/notes"), fc.webPath(), fc.string({ unit: codePoint, maxLength: 30 })),
    query: fc.oneof(
      fc.constant(""),
      fc.constantFrom("access_token=x", "access_token=", "a=b&access_token=%00"),
      fc.string({ unit: codePoint, maxLength: 30 }),
    ),
  })

  test("RFC 9110 §15.5: none throws, none passes without a token of the issuer, and each answer can be sent", patient, async () => {
    const seen = new Set<string>()
    let passed = 0
    // One that takes no proof twice would hide what a second look at the same bytes says.
    const server = serverOf({ dpop: { uses: { claim: () => true } } })
    await fc.assert(
      fc.asyncProperty(asked, async (sent) => {
        const { ok, refused } = await server.verify(sent)
        if (ok !== undefined) {
          passed++
          const value = sent.headers.authorization?.replace(/^\S+ +/, "").trim()
          return ok.confirmation === undefined ? spelled(value) === good : value === sealed && spelled(sent.headers.dpop) === sound
        }
        seen.add(refused.rule)
        for (const [, value] of refused.answer.headers) if (!/^[\x20-\x7e]*$/.test(value)) return false
        return [400, 401].includes(refused.status) && JSON.parse(refused.answer.body) !== undefined
      }),
      { numRuns: runs(100_000) },
    )
    // A fuzzer of the door alone has fuzzed the door.
    expect(seen.size).toBeGreaterThan(runs(12, 9))
    expect(passed).toBeGreaterThan(0)
  })
})

test("property: no request gets in with a token that is bound to what it has not proved", patient, async () => {
  const keys = [ownKey, proofKey(), proofKey()]
  const server = serverOf()
  await fc.assert(
    fc.asyncProperty(fc.nat(2), fc.nat(2), fc.constantFrom("Bearer", "DPoP"), fc.boolean(), async (owner, prover, scheme, proved) => {
      const value = bound({}, keys[owner])
      const key = keys[prover]
      const { authorization = "", dpop = "" } = proving(value, key === undefined ? {} : { key }, scheme).headers
      const { ok } = await server.verify(request({ authorization, ...(proved ? { dpop } : {}) }))
      return (ok !== undefined) === (owner === prover && scheme === "DPoP" && proved)
    }),
    { numRuns: runs(1_000) },
  )
})
