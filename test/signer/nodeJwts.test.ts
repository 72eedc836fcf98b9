import { generateKeyPairSync, type KeyObject, sign } from "node:crypto"
import { nodeJwts } from "@postern/adapter-http"
import { joseJwts } from "@postern/core/jose"
import type { JsonObject, JwkSet } from "@postern/core/model"
import { describe, expect, it } from "vitest"

const pair = (curve = "P-256") => generateKeyPairSync("ec", { namedCurve: curve })
const [own, other, large] = [pair(), pair(), pair("P-384")]
const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 })

const jwkOf = (key: KeyObject, more: JsonObject = {}): JsonObject => {
  const jwk: unknown = key.export({ format: "jwk" })
  // A JWK is JSON, which its type does not say.
  return { ...(jwk as JsonObject), kid: "one", ...more }
}
const good = jwkOf(own.publicKey)
const part = (value: unknown): string => Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url")

interface Made {
  readonly header?: JsonObject
  readonly payload?: unknown
  readonly key?: KeyObject
  readonly change?: (jwt: string) => string
}

const made = ({ header = {}, payload = { sub: "a" }, key = own.privateKey, change = (jwt) => jwt }: Made = {}): string => {
  const input = `${part({ alg: "ES256", kid: "one", ...header })}.${part(payload)}`
  const signature = sign("sha256", Buffer.from(input), { key, dsaEncoding: "ieee-p1363" })
  return change(`${input}.${signature.toString("base64url")}`)
}

const set = (...keys: ReadonlyArray<JsonObject>): JwkSet => ({ keys })

const cases: Readonly<Record<string, readonly [jwt: string, keys: JwkSet, algorithms?: ReadonlyArray<string>]>> = {
  "a good one": [made(), set(good)],
  "a good one beside other keys": [made(), set(jwkOf(other.publicKey, { kid: "two" }), good)],
  "one signed by another key": [made({ key: other.privateKey }), set(good)],
  "one whose payload was changed": [made({ change: (jwt) => jwt.replace(part({ sub: "a" }), part({ sub: "b" })) }), set(good)],
  "one without a signature": [made({ change: (jwt) => jwt.replace(/[^.]*$/, "") }), set(good)],
  "one with half a signature": [made({ change: (jwt) => jwt.slice(0, -43) }), set(good)],
  "one whose algorithm is not among these": [made(), set(good), ["RS256"]],
  "one that claims no algorithm": [made({ header: { alg: "none" } }), set(good)],
  "one that claims HS256": [made({ header: { alg: "HS256" } }), set(good), ["HS256", "ES256"]],
  "one that names no key": [made({ header: { kid: "three" } }), set(good)],
  "one without a name, of one key": [made({ header: { kid: 1 } }), set(good)],
  "one that names two keys": [made(), set(jwkOf(other.publicKey), good)],
  "an unknown critical header (RFC 7515 §4.1.11)": [made({ header: { crit: ["exp"], exp: 1 } }), set(good)],
  "b64 that is not encoded (RFC 7797 §3)": [made({ header: { b64: false, crit: ["b64"] } }), set(good)],
  "a key for encryption (RFC 7517 §4.2)": [made(), set({ ...good, use: "enc" })],
  "a key that may only sign (RFC 7517 §4.3)": [made(), set({ ...good, key_ops: ["sign"] })],
  "a key of another algorithm (RFC 7517 §4.4)": [made(), set({ ...good, alg: "ES384" })],
  "a key of another curve": [made(), set(jwkOf(large.publicKey))],
  "a key of another kind": [made(), set(jwkOf(rsa.publicKey))],
  "a private key": [made(), set(jwkOf(own.privateKey))],
  "a point that is not on the curve": [made(), set({ ...good, x: part("x".repeat(32)) })],
  "a payload that is a list": [made({ payload: [1] }), set(good)],
  "a payload that is no JSON": [made({ payload: "x" }), set(good)],
  "a header that is a list": [made({ change: (jwt) => jwt.replace(/^[^.]*/, part(["ES256"])) }), set(good)],
  "five parts": [made({ change: (jwt) => `${jwt}.a.b` }), set(good)],
  "no JWT": ["a.b.c", set(good)],
  padding: [made({ change: (jwt) => `${jwt}==` }), set(good)],
}

describe("JWTs of others by node:crypto (RFC 7515 §5.2)", () => {
  it.each(Object.entries(cases))("the verdict on %s is that of jose", async (_, [jwt, keys, algorithms = ["ES256"]]) => {
    const verdict = await nodeJwts.verify(jwt, keys, algorithms)
    expect(verdict).toEqual(await joseJwts.verify(jwt, keys, algorithms))
    // The second time the keys were imported before.
    expect(await nodeJwts.verify(jwt, keys, algorithms)).toEqual(verdict)
  })

  it("verifies ES256 with a named key at once, without a turn of the event loop", () =>
    expect(nodeJwts.verify(made(), set(good), ["ES256"])).toEqual({
      _tag: "Verified",
      header: { alg: "ES256", kid: "one" },
      claims: { sub: "a" },
    }))
})
