import { secretOf } from "@postern/core"
import { joseJwts } from "@postern/core/jose"
import { CompactSign, compactDecrypt, decodeProtectedHeader, exportJWK, generateKeyPair } from "jose"
import { beforeAll, describe, expect, test } from "vitest"

interface Pair {
  readonly signBytes: (payload: Uint8Array, header?: Readonly<Record<string, unknown>>) => Promise<string>
  readonly sign: (payload: string, header?: Readonly<Record<string, unknown>>) => Promise<string>
  readonly open: (jwe: string) => Promise<string>
  readonly jwk: Readonly<Record<string, string>>
}

const pairOf = async (alg: string, options: Parameters<typeof generateKeyPair>[1] = {}): Promise<Pair> => {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true, ...options })
  const signBytes: Pair["signBytes"] = (payload, header = {}) =>
    new CompactSign(payload).setProtectedHeader({ alg, ...header }).sign(privateKey)
  return {
    signBytes,
    sign: (payload, header) => signBytes(new TextEncoder().encode(payload), header),
    open: async (jwe) => new TextDecoder().decode((await compactDecrypt(jwe, privateKey)).plaintext),
    // A public key is an object of texts.
    jwk: (await exportJWK(publicKey)) as Readonly<Record<string, string>>,
  }
}

let [one, two, stranger]: ReadonlyArray<Pair> = []
const pair = (which: Pair | undefined): Pair => which as Pair
beforeAll(async () => {
  ;[one, two, stranger] = await Promise.all([pairOf("ES256"), pairOf("ES256"), pairOf("ES256")])
})

describe("JWTs under keys of others", () => {
  const keysOf = () => ({ keys: [pair(one).jwk, pair(two).jwk] })
  const named = () => ({
    keys: [
      { ...pair(one).jwk, kid: "one" },
      { ...pair(two).jwk, kid: "two" },
    ],
  })

  test("RFC 7515 §4.1.4: the key that a JWT names verifies it, and header and claims are told", async () => {
    const jwt = await pair(two).sign('{"sub":"ann","n":[1]}', { kid: "two", typ: "at+jwt" })
    expect(await joseJwts.verify(jwt, named(), ["ES256"])).toEqual({
      _tag: "Verified",
      header: { alg: "ES256", kid: "two", typ: "at+jwt" },
      claims: { sub: "ann", n: [1] },
    })
  })

  test("OpenID Connect Core §10.1: of a set with several keys any verifies a JWT that names none", async () => {
    for (const signer of [one, two])
      expect(await joseJwts.verify(await pair(signer).sign('{"sub":"ann"}'), keysOf(), ["ES256"])).toEqual({
        _tag: "Verified",
        header: { alg: "ES256" },
        claims: { sub: "ann" },
      })
  })

  test("a JWT of a key that is not in the set has no key: the set may have changed since", async () => {
    const nameless = await pair(stranger).sign('{"sub":"ann"}')
    const unknown = await pair(stranger).sign('{"sub":"ann"}', { kid: "three" })
    expect((await joseJwts.verify(nameless, keysOf(), ["ES256"]))._tag).toBe("NoKey")
    expect((await joseJwts.verify(unknown, named(), ["ES256"]))._tag).toBe("NoKey")
  })

  test("RFC 7515 §5.2: a foreign signature under a known kid, or nonsense, is invalid, and no reason to read the set again", async () => {
    const forged = await pair(stranger).sign('{"sub":"ann"}', { kid: "one" })
    for (const jwt of [forged, "", "a.b.c", `${forged}.more`])
      expect((await joseJwts.verify(jwt, named(), ["ES256"]))._tag, jwt).toBe("Invalid")
  })

  test.each([" ", "\n", "\t", "=", "+", "\u00a0"])(
    "RFC 7515 §5.2: base64url has no %j in it: neither in a JWS, nor in one of a shared secret",
    async (sign) => {
      const jwt = await pair(one).sign('{"sub":"ann"}', { kid: "one" })
      const secret = "a shared secret of 32 characters"
      const shared = await new CompactSign(new TextEncoder().encode("{}"))
        .setProtectedHeader({ alg: "HS256" })
        .sign(new TextEncoder().encode(secret))
      expect((await joseJwts.verifySecret(shared, secretOf(secret), ["HS256"]))._tag).toBe("Verified")
      for (const change of [(text: string) => text + sign, (text: string) => text.slice(0, -9) + sign + text.slice(-9)]) {
        expect((await joseJwts.verify(change(jwt), named(), ["ES256"]))._tag).toBe("Invalid")
        expect((await joseJwts.verifySecret(change(shared), secretOf(secret), ["HS256"]))._tag).toBe("Invalid")
      }
    },
  )

  test("RFC 7519 §7.2 (10): a payload that is no UTF-8 is no claims set", async () => {
    const bytes = Buffer.from('{"sub":"\u00ff"}', "latin1")
    expect((await joseJwts.verify(await pair(one).signBytes(bytes, { kid: "one" }), named(), ["ES256"]))._tag).toBe("Invalid")
  })

  test("RFC 8725 §3.1: an algorithm that is not expected is refused, whether the JWT names its key or not", async () => {
    for (const header of [{}, { kid: "one" }])
      for (const keys of [keysOf(), named()])
        expect((await joseJwts.verify(await pair(one).sign('{"sub":"ann"}', header), keys, ["RS256"]))._tag).toBe("Invalid")
  })

  test.each(["5", '"text"', "null", "true", "[]", '[{"sub":"ann"}]', "{", ""])(
    "RFC 7519 §7.2: a signed %s is no claims set",
    async (payload) => {
      expect((await joseJwts.verify(await pair(one).sign(payload, { kid: "one" }), named(), ["ES256"]))._tag).toBe("Invalid")
      expect((await joseJwts.verify(await pair(one).sign(payload), keysOf(), ["ES256"]))._tag).toBe("Invalid")
    },
  )
})

describe("JWTs under a secret", () => {
  const signed = (alg: string, secret: string, payload = '{"sub":"ann"}') =>
    new CompactSign(new TextEncoder().encode(payload)).setProtectedHeader({ alg }).sign(new TextEncoder().encode(secret))

  test.each([
    ["HS256", 32],
    ["HS384", 48],
    ["HS512", 64],
  ])("RFC 7518 §3.2: the secret of %s has at least %i bytes", async (alg, length) => {
    const [long, short] = ["s".repeat(length), "s".repeat(length - 1)]
    expect(await joseJwts.verifySecret(await signed(alg, long), secretOf(long), [alg])).toEqual({
      _tag: "Verified",
      header: { alg },
      claims: { sub: "ann" },
    })
    expect((await joseJwts.verifySecret(await signed(alg, short), secretOf(short), [alg]))._tag).toBe("Invalid")
  })

  test("RFC 8725 §3.1: another secret, another algorithm, nonsense: invalid", async () => {
    const secret = "s".repeat(64)
    expect((await joseJwts.verifySecret(await signed("HS256", secret), secretOf("t".repeat(64)), ["HS256"]))._tag).toBe("Invalid")
    expect((await joseJwts.verifySecret(await signed("HS512", secret), secretOf(secret), ["HS256"]))._tag).toBe("Invalid")
    for (const jwt of ["", "a.b.c", "e30.e30."])
      expect((await joseJwts.verifySecret(jwt, secretOf(secret), ["HS256"]))._tag).toBe("Invalid")
  })
})

describe("encryption to keys of others (OpenID Connect Core §10.2)", () => {
  const choice = { alg: "RSA-OAEP-256", enc: "A256GCM" } as const
  const agreed = { alg: "ECDH-ES", enc: "A128GCM" } as const
  let [rsa, curve]: ReadonlyArray<Pair> = []
  beforeAll(async () => {
    ;[rsa, curve] = await Promise.all([pairOf("RSA-OAEP-256"), pairOf("ECDH-ES", { crv: "X25519" })])
  })

  test("RFC 7516 §4.1: header says alg, enc, cty, and kid where the key has one", async () => {
    const jwe = (await joseJwts.encrypt("text", "JWT", choice, { keys: [{ ...pair(rsa).jwk, kid: "r" }] })) ?? ""
    expect(decodeProtectedHeader(jwe)).toEqual({ ...choice, cty: "JWT", kid: "r" })
    expect(await pair(rsa).open(jwe)).toBe("text")
    for (const kid of [undefined, 5]) {
      const keys = [kid === undefined ? pair(rsa).jwk : { ...pair(rsa).jwk, kid }]
      expect(decodeProtectedHeader((await joseJwts.encrypt("text", "JWT", choice, { keys })) ?? "")).toEqual({ ...choice, cty: "JWT" })
    }
  })

  test("RFC 8037 §3.2: an OKP key agrees as an EC key does", async () => {
    const jwe = await joseJwts.encrypt("text", "JWT", agreed, { keys: [pair(curve).jwk] })
    expect(await pair(curve).open(jwe ?? "")).toBe("text")
  })

  test.each([
    ["a key to sign with (RFC 7517 §4.2)", { use: "sig" }, false],
    ["a key to encrypt with", { use: "enc" }, true],
    ["a key of another algorithm (RFC 7517 §4.4)", { alg: "RSA-OAEP" }, false],
    ["a key of this algorithm", { alg: "RSA-OAEP-256" }, true],
    ["a key that may only verify (RFC 7517 §4.3)", { key_ops: ["verify"] }, false],
    ["a key that may do nothing", { key_ops: [] }, false],
    ["a key that may encrypt and wrap", { key_ops: ["encrypt", "wrapKey"] }, true],
    ["a key that may wrap", { key_ops: ["wrapKey"] }, true],
    ["a key that may encrypt", { key_ops: ["encrypt"] }, true],
    ["key_ops that are no list", { key_ops: "wrapKey" }, true],
  ])("%s", async (_title, told, fits) => {
    const jwe = await joseJwts.encrypt("text", "JWT", choice, { keys: [{ ...pair(rsa).jwk, ...told }] })
    expect(jwe !== undefined).toBe(fits)
  })

  test.each([["deriveKey"], ["deriveBits"]])("RFC 7517 §4.3: a key that may %s agrees", async (operation) => {
    const keys = [{ ...pair(curve).jwk, key_ops: [operation] }]
    expect(await joseJwts.encrypt("text", "JWT", agreed, { keys })).toBeDefined()
  })

  test("a key that cannot be used is passed over; without another there is none", async () => {
    const broken = { kty: "RSA", n: "AQAB", e: "AQAB" }
    const wrong = pair(curve).jwk
    const jwe = await joseJwts.encrypt("text", "JWT", choice, { keys: [wrong, broken, pair(rsa).jwk] })
    expect(await pair(rsa).open(jwe ?? "")).toBe("text")
    expect(await joseJwts.encrypt("text", "JWT", choice, { keys: [wrong, broken] })).toBeUndefined()
    expect(await joseJwts.encrypt("text", "JWT", choice, { keys: [] })).toBeUndefined()
  })
})
