import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { readJwt } from "@postern/core/wire"
import { askWith, assertionOf, signingClients } from "../support/assertions.ts"
import { beginning, issuer } from "../support/world.ts"
import { runs } from "../tiers/tier.ts"
import { anyText, character, many, patient } from "./arbitraries.ts"
import { quickWorld } from "./quickWorld.ts"

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url")
const bytesOf = (jwt: string): string =>
  jwt
    .split(".")
    .map((each) => Buffer.from(each, "base64url").toString("hex"))
    .join(".")
const claims = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 5 })

describe("taking a JWT apart", () => {
  test("RFC 7515 §7.1: what was written is read, whatever the signature", () => {
    fc.assert(
      fc.property(claims, claims, fc.base64String(), (header, payload, signature) => {
        const read = readJwt(`${part(header)}.${part(payload)}.${signature}`)
        expect(JSON.stringify(read)).toBe(JSON.stringify({ header, claims: payload }))
      }),
      many,
    )
  })

  test("RFC 7515 §7.1: any text is read as a JWT or as none, and never throws", () => {
    const pieces = fc.array(
      fc.oneof(
        anyText,
        fc.base64String(),
        fc.json().map((json) => Buffer.from(json).toString("base64url")),
      ),
      {
        maxLength: 5,
      },
    )
    fc.assert(
      fc.property(pieces, (parts) => {
        const read = readJwt(parts.join("."))
        if (read === undefined) return
        for (const each of [read.header, read.claims]) expect(Object.prototype.toString.call(each)).toBe("[object Object]")
      }),
      many,
    )
  })
})

/** For each member: values that are right, and values that are wrong. */
const members: Readonly<Record<string, readonly [right: ReadonlyArray<unknown>, wrong: ReadonlyArray<unknown>]>> = {
  iss: [["hmac"], ["signs", "", undefined, 7, ["hmac"], null]],
  sub: [["hmac"], ["", undefined, ["hmac"], null]],
  aud: [
    [issuer, `${issuer}/connect/token`, ["https://elsewhere.example", issuer]],
    ["https://elsewhere.example", `${issuer}/`, issuer.toUpperCase(), [], [[issuer]], undefined, null, 7, { [issuer]: 1 }],
  ],
  exp: [
    [beginning + 1, beginning + 60, beginning + 3600, beginning + 0.5],
    [beginning, beginning - 1, beginning + 3631, 0, -1, 1e308, undefined, null, "soon", true],
  ],
  nbf: [
    [undefined, beginning, beginning + 30, 0],
    [beginning + 31, null, "now"],
  ],
  iat: [
    [undefined, beginning, beginning + 30, 0],
    [beginning + 31, null, "now"],
  ],
  jti: [
    ["a", " ", "\u0000", "x".repeat(2000)],
    ["", undefined, null, 7, ["a"]],
  ],
  typ: [
    [undefined, "JWT", "jwt", "client-authentication+jwt"],
    ["at+jwt", "dpop+jwt", "", null, 7],
  ],
}

/** A member's name, a value for it, and whether that is right: most are, so that each wrong one stands alone often. */
const chosen = fc.record(
  Object.fromEntries(
    Object.entries(members).map(([name, [right, wrong]]) => [
      name,
      fc.oneof(
        { weight: 12, arbitrary: fc.constantFrom(...right).map((value) => ({ value, right: true })) },
        { weight: 1, arbitrary: fc.constantFrom(...wrong).map((value) => ({ value, right: false })) },
      ),
    ]),
  ),
)

describe("assertions", () => {
  test(
    "RFC 7523 §3: of assertions that the client signed, those with every member right authenticate it, and no others",
    patient,
    async () => {
      const came = { right: 0, wrong: 0 }
      await fc.assert(
        fc.asyncProperty(chosen, async (choice) => {
          const w = quickWorld({ clients: signingClients })
          const { typ, ...said } = Object.fromEntries(Object.entries(choice).map(([name, { value }]) => [name, value]))
          const assertion = await assertionOf(w, "hmac", { header: { typ }, claims: said })
          const right = Object.values(choice).every((each) => each.right)
          const { status, json } = await askWith(w, assertion, { client_id: "hmac" })
          expect([status, json?.["error"]]).toEqual(right ? [200, undefined] : [401, "invalid_client"])
          if (right) came.right++
          else came.wrong++
          expect((await askWith(w, assertion, { client_id: "hmac" })).status).toBe(401)
        }),
        { numRuns: runs(2000) },
      )
      expect(came.right).toBeGreaterThan(runs(300))
      expect(came.wrong).toBeGreaterThan(runs(300))
    },
  )

  test("RFC 7515 §5.2: an assertion changed in one place authenticates nobody", patient, async () => {
    const one = character("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=")
    await fc.assert(
      fc.asyncProperty(fc.nat(10_000), one, async (place, put) => {
        const w = quickWorld({ clients: signingClients })
        const assertion = await assertionOf(w, "hmac")
        const at = place % assertion.length
        const changed = `${assertion.slice(0, at)}${put}${assertion.slice(at + 1)}`
        // The last character of a signature holds bits that stand for nothing.
        fc.pre(bytesOf(changed) !== bytesOf(assertion))
        const { status } = await askWith(w, changed, { client_id: "hmac" })
        expect(status).toBe(401)
      }),
      { numRuns: runs(2000) },
    )
  })
})
