import { type Profile, defaultProfile } from "@postern/core"
import fc from "fast-check"
import { expect, test } from "vitest"
import { normalAddress, proofAlgorithms, publicKey } from "../../packages/core/src/features/dpop/proof.ts"
import { proofRules } from "../../packages/core/src/features/dpop/rules.ts"
import { judge, tracing } from "../../packages/core/src/rules/rule.ts"
import { patient } from "../properties/arbitraries.ts"
import { codePoint } from "../properties/codePoint.ts"
import { otherKey, ownKey, part } from "../support/proofs.ts"
import { runs } from "../tiers/tier.ts"

const now = 1_800_000_000
const address = "https://op.example/connect/token"
const header = { typ: "dpop+jwt", alg: "ES256", jwk: ownKey.jwk }
const claims = { jti: "jti", htm: "POST", htu: address, iat: now }

/** A value that a member of a proof may have instead of its own. */
const anything = fc.oneof(
  { weight: 3, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  {
    weight: 2,
    arbitrary: fc.constantFrom<unknown>(
      "",
      "none",
      "HS256",
      "ES384",
      ownKey.jwk,
      otherKey.jwk,
      [ownKey.jwk],
      null,
      -1,
      1e308,
      "GET",
      "post",
    ),
  },
  fc.webUrl({ withQueryParameters: true, withFragments: true }),
  fc.string({ unit: codePoint, maxLength: 300 }),
)

/** An object with some members changed, left out or added. */
const spoilt = (sound: Readonly<Record<string, unknown>>) =>
  fc
    .tuple(
      fc.dictionary(fc.constantFrom(...Object.keys(sound), "kid", "nbf", "exp", "nonce", "ath", "__proto__", "toString"), anything, {
        maxKeys: 3,
      }),
      fc.subarray(Object.keys(sound), { maxLength: 1 }),
    )
    .map(([changes, missing]) => Object.fromEntries(Object.entries({ ...sound, ...changes }).filter(([name]) => !missing.includes(name))))

const proofs = fc.oneof(
  fc
    .tuple(spoilt(header), spoilt(claims), fc.constantFrom("", "c2ln", "=", "c2ln.more"))
    .map(([head, body, end]) => `${part(head)}.${part(body)}.${end}`),
  fc.string({ unit: codePoint, maxLength: 2000 }),
  fc.tuple(spoilt(header), spoilt(claims), fc.nat(), fc.string({ unit: codePoint, maxLength: 3 })).map(([head, body, at, more]) => {
    const whole = `${part(head)}.${part(body)}.c2ln`
    return whole.slice(0, at % whole.length) + more + whole.slice((at % whole.length) + more.length)
  }),
)

test("RFC 9449 §4.3: whatever comes as a proof is judged without a throw, and passes only with all that a proof must say", patient, () => {
  let passed = 0
  fc.assert(
    fc.property(proofs, (sent) => {
      const seen: Readonly<Record<string, unknown>> & {
        readonly sent: string
        readonly method: string
        readonly addresses: ReadonlyArray<string>
        readonly now: number
        readonly profile: Profile
      } = { sent, method: "POST", addresses: [address], now, profile: defaultProfile }
      const refusal = judge(tracing(new Set()), proofRules, seen)
      if (refusal !== undefined) return refusal.error === "invalid_dpop_proof" && /^[ -~]+$/.test(refusal.description)
      passed++
      const [head, body] = sent
        .split(".")
        .slice(0, 2)
        .map((each) => JSON.parse(Buffer.from(each, "base64url").toString() || "null") as Readonly<Record<string, unknown>>)
      expect(proofAlgorithms).toContain(head?.["alg"])
      expect(String(head?.["typ"]).toLowerCase()).toMatch(/^(?:application\/)?dpop\+jwt$/)
      expect([body?.["htm"], normalAddress(String(body?.["htu"])), typeof body?.["iat"], typeof body?.["jti"]]).toEqual([
        "POST",
        address,
        "number",
        "string",
      ])
      const key = publicKey(head?.["jwk"] as never, String(head?.["alg"]))
      expect(seen["key"]).toEqual(key)
      expect(Object.keys(key ?? {}).toSorted()).toEqual(Object.keys(key ?? {}))
      return Object.values(key ?? {}).every((each) => typeof each === "string")
    }),
    { numRuns: runs(100_000) },
  )
  // A fuzzer of refusals alone has fuzzed the door.
  expect(passed).toBeGreaterThan(runs(1000))
})
