import { readJwt, readJwtHeader, readJwtPart } from "@postern/core/wire"
import { expect, test } from "vitest"
import { publicKey, proofKeys } from "../../packages/core/src/features/dpop/proof.ts"

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url")

test("RFC 7515 §7.1: a header that was read lately is the same object, and each text has its own; what is no header stays none", () => {
  const [one, other] = [encoded({ alg: "ES256", kid: "1" }), encoded({ alg: "ES256", kid: "2" })]
  const claims = ["a", "b"].map((jti) => readJwt(`${one}.${encoded({ jti })}.c2ln`)?.claims)
  expect(claims).toEqual([{ jti: "a" }, { jti: "b" }])
  expect(readJwt(`${one}.${encoded({})}.c2ln`)?.header).toBe(readJwtHeader(one))
  for (let again = 0; again < 2; again++) {
    expect([readJwtHeader(one), readJwtHeader(other)]).toEqual([readJwtPart(one), readJwtPart(other)])
    for (const text of [undefined, "", "e30=", "W10", encoded("text"), `${one}!`]) expect(readJwtHeader(text)).toBeUndefined()
  }
})

test("headers are forgotten when there are many, and a long one is read each time", () => {
  const first = encoded({ alg: "ES256", kid: "first" })
  const known = readJwtHeader(first)
  for (let number = 0; number < 1000; number++) readJwtHeader(encoded({ alg: "ES256", number }))
  expect(readJwtHeader(first)).toEqual(known)
  expect(readJwtHeader(first)).not.toBe(known)
  const long = encoded({ alg: "ES256", x5c: ["a".repeat(2048)] })
  expect(readJwtHeader(long)).not.toBe(readJwtHeader(long))
})

test("RFC 9449 §4.3 (6): a key is read for its algorithm each time, and a set has the kid that stands beside the key", () => {
  const jwk = { kty: "OKP", crv: "Ed25519", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" }
  const key = publicKey(jwk, "EdDSA") ?? {}
  expect(key).toEqual(jwk)
  expect([publicKey(jwk, "EdDSA"), publicKey(jwk, "ES256"), publicKey(jwk, "ES256")]).toEqual([key, undefined, undefined])
  expect([proofKeys(key, undefined), proofKeys(key, "1"), proofKeys(key, "2")].map(({ keys }) => keys)).toEqual([
    [key],
    [{ ...key, kid: "1" }],
    [{ ...key, kid: "2" }],
  ])
  expect(proofKeys(key, "2")).toBe(proofKeys(key, "2"))
})

test("RFC 7515 §5.2 (3), RFC 7519 §7.2: a part that is no UTF-8 is no JSON", () => {
  const part = (latin1: string): string => Buffer.from(latin1, "latin1").toString("base64url")
  expect(readJwtPart(part('{"sub":"\u00c3\u00bc"}'))).toEqual({ sub: "ü" })
  expect(readJwtPart(part('{"sub":"\u00fc"}'))).toBeUndefined()
  expect(readJwtHeader(part('{"kid":"\u00fc"}'))).toBeUndefined()
})
