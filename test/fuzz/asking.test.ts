import { type Json, type JsonObject, defaultProfile } from "@postern/core"
import type { TrustedIssuer } from "@postern/core/grants"
import fc from "fast-check"
import { expect, test } from "vitest"
import { statedClaims } from "../../packages/core/src/extension/jwt.ts"
import { issuerOf } from "../../packages/core/src/extension/trustedIssuer.ts"
import { tokenRules } from "../../packages/core/src/features/ciba/hintToken.ts"
import { requestRules } from "../../packages/core/src/features/ciba/rules.ts"
import { readSubjectId } from "../../packages/core/src/features/ciba/subjectId.ts"
import { paramsIn, verifiedRules } from "../../packages/core/src/features/ciba/signed.ts"
import { readDetails } from "../../packages/core/src/rules/details/known.ts"
import { judge, tracing } from "../../packages/core/src/rules/rule.ts"
import { askedScope } from "../../packages/core/src/rules/scope.ts"
import { patient } from "../properties/arbitraries.ts"
import { codePoint } from "../properties/codePoint.ts"
import { asking } from "../support/asking.ts"
import { part } from "../support/proofs.ts"
import { world } from "../support/world.ts"
import { runs } from "../tiers/tier.ts"

const now = 1_800_000_000
const { provider, clients } = await world(asking())
const { settings } = provider
const client = clients.get("may-sign")
if (client === undefined) throw new Error("no client")

/** A value that a claim may have instead of its own. */
const anything = fc.oneof(
  { weight: 3, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  {
    weight: 2,
    arbitrary: fc.constantFrom<unknown>("", null, -1, 1e308, now, now + 60, [settings.issuer], { a: [] }, "\u0000", "x".repeat(2000)),
  },
  fc.string({ unit: codePoint, maxLength: 300 }),
)

/** An object with some members changed, left out or added. */
const spoilt = (sound: JsonObject) =>
  fc
    .tuple(
      fc.dictionary(fc.constantFrom(...Object.keys(sound), "__proto__", "toString", "request", "acr_values"), anything, { maxKeys: 3 }),
      fc.subarray(Object.keys(sound), { maxLength: 1 }),
    )
    .map(
      ([changes, missing]) =>
        Object.fromEntries(Object.entries({ ...sound, ...changes }).filter(([name]) => !missing.includes(name))) as JsonObject,
    )

const claims = spoilt({
  iss: "may-sign",
  aud: settings.issuer,
  iat: now,
  nbf: now,
  exp: now + 60,
  jti: "j1",
  scope: "openid email",
  login_hint: "sub-alice",
  binding_message: "W4SCT",
  requested_expiry: 60,
  client_notification_token: "token",
  authorization_details: [],
})

const isPlain = (text: string): boolean => /^[ !#-[\]-~]*$/.test(text)

test(
  "CIBA Core §7.1.1: whatever a signed request says is judged without a throw, and what passes has all that it must say",
  patient,
  () => {
    let passed = 0
    fc.assert(
      fc.property(claims, fc.boolean(), (said, used) => {
        const seen = {
          params: paramsIn({}),
          client,
          settings,
          now,
          verdict: { _tag: "Verified" as const, header: {}, claims: said },
          useKey: "key",
          used,
        }
        const refusal = judge(tracing(new Set()), verifiedRules, seen)
        const params = paramsIn(said)
        // Claims about the JWT itself are no parameters.
        if (["iss", "aud", "exp", "iat", "nbf", "jti"].some((name) => params.one(name) !== undefined)) return false
        if (refusal !== undefined) return refusal.error === "invalid_request" && isPlain(refusal.description)
        const [exp, nbf] = [Number(said["exp"]), Number(said["nbf"])]
        expect([said["iss"], used, exp > now, exp - nbf <= 3600]).toEqual(["may-sign", false, true, true])
        const asked = {
          client,
          settings,
          profile: defaultProfile,
          delivery: "ping" as const,
          scope: askedScope(params),
          resources: params.all("resource"),
          details: readDetails(params.one("authorization_details"), settings, client),
          loginHint: params.one("login_hint"),
          loginHintToken: params.one("login_hint_token"),
          idTokenHint: params.one("id_token_hint"),
          bindingMessage: params.one("binding_message"),
          notificationToken: params.one("client_notification_token"),
          requestedExpiry: params.one("requested_expiry"),
        }
        const objection = judge(tracing(new Set()), requestRules, asked)
        if (objection !== undefined) return isPlain(objection.description) && !/sub-alice|W4SCT/.test(objection.description)
        passed++
        const { life } = asked as { readonly life?: number }
        return (asked.scope ?? []).includes("openid") && (life === undefined || (life > 0 && life <= 3600))
      }),
      { numRuns: runs(100_000) },
    )
    // A fuzzer of refusals alone has fuzzed the door: about one in a hundred passes.
    expect(passed).toBeGreaterThan(runs(500))
  },
)

const trusted: TrustedIssuer = { issuer: "https://peer.example", subjects: { them: "sub-alice" } }
const hint: Readonly<Record<string, Json>> = { iss: trusted.issuer, sub: "them", aud: settings.issuer, iat: now, exp: now + 60 }

const tokens = fc.oneof(
  fc
    .tuple(spoilt({ alg: "ES256", typ: "JWT" }), spoilt(hint), fc.constantFrom("", "c2ln", "c2ln.more"))
    .map(([head, body, end]) => `${part(head)}.${part(body)}.${end}`),
  fc.string({ unit: codePoint, maxLength: 2000 }),
)

test(
  "CIBA Core §7.1, §13: whatever comes as a login_hint_token is judged without a throw, and one that passes is of a trusted issuer, in time, and about somebody of ours",
  patient,
  () => {
    let passed = 0
    const codes = new Set<string>()
    fc.assert(
      fc.property(tokens, (jwt) => {
        const issuer = issuerOf(jwt, [trusted])
        const said = statedClaims(jwt) ?? {}
        // As if the signature were right: that is judged by the key, and fuzzed with the other JWTs.
        const issued = issuer && { issuer, verdict: { _tag: "Verified" as const, header: statedHeader(jwt), claims: said } }
        const seen = {
          settings,
          now,
          loginHintToken: jwt,
          isTaken: true,
          tokenEndpoint: `${settings.issuer}/connect/ciba`,
          presented: { issued },
        }
        const refusal = judge(tracing(new Set()), tokenRules, seen)
        if (refusal !== undefined) {
          codes.add(refusal.error)
          return isPlain(refusal.description)
        }
        passed++
        const { jwt: verified } = seen as unknown as { readonly jwt: { readonly subject: string } }
        return (
          verified.subject === "sub-alice" &&
          said["iss"] === trusted.issuer &&
          Number(said["exp"]) > now &&
          Number(said["exp"]) <= now + 3600
        )
      }),
      { numRuns: runs(100_000) },
    )
    expect(passed).toBeGreaterThan(runs(1000))
    expect([...codes].toSorted()).toEqual(["expired_login_hint_token", "invalid_request", "unknown_user_id"])
  },
)

const identifier = fc.oneof(
  spoilt({ format: "email", email: "alice@example.com" }),
  spoilt({ format: "phone_number", phone_number: "+12065550100" }),
  spoilt({ format: "iss_sub", iss: settings.issuer, sub: "sub-alice" }),
  spoilt({ format: "opaque", id: "sub-alice" }),
)

const subjectIds = fc.oneof(
  { weight: 3, arbitrary: identifier },
  { weight: 2, arbitrary: fc.array(identifier, { maxLength: 7 }).chain((identifiers) => spoilt({ format: "aliases", identifiers })) },
  { weight: 1, arbitrary: anything },
)

test(
  "RFC 9493 §3.2: whatever comes as a sub_id is read without a throw, as five identifiers at most, each a claim or a subject of this issuer",
  patient,
  () => {
    let read = 0
    fc.assert(
      fc.property(subjectIds, (id) => {
        const found = readSubjectId(id as Json, settings.issuer)
        read += found.length
        return (
          found.length <= 5 &&
          found.every((each) => {
            if ("subject" in each) return each.subject !== "" && JSON.stringify(id).includes(JSON.stringify(settings.issuer))
            return each.claim === "email" ? each.value !== "" && each.value.length <= 320 : /^\+[1-9][0-9]{1,14}$/.test(each.value)
          })
        )
      }),
      { numRuns: runs(100_000) },
    )
    expect(read).toBeGreaterThan(runs(10_000))
  },
)

const statedHeader = (jwt: string): JsonObject => {
  try {
    const found: unknown = JSON.parse(Buffer.from(jwt.split(".")[0] ?? "", "base64url").toString())
    return typeof found === "object" && found !== null ? (found as JsonObject) : {}
  } catch {
    return {}
  }
}
