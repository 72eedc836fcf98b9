import { generateKeyPairSync } from "node:crypto"
import { joseJwts } from "@postern/core/jose"
import { type JsonObject, contentEncryptionAlgorithms, fitsAlgorithm, keyEncryptionAlgorithms, peerAlgorithms } from "@postern/core/model"
import { CompactSign, importPKCS8 } from "jose"
import { describe, expect, test } from "vitest"

const made = [
  ["RSA of 1024 bits", generateKeyPairSync("rsa", { modulusLength: 1024 })],
  ["RSA of 2048 bits", generateKeyPairSync("rsa", { modulusLength: 2048 })],
  ["RSA of 3072 bits", generateKeyPairSync("rsa", { modulusLength: 3072 })],
  ...["P-256", "P-384", "P-521", "secp256k1"].map((namedCurve) => [namedCurve, generateKeyPairSync("ec", { namedCurve })] as const),
  ["Ed25519", generateKeyPairSync("ed25519")],
  ["Ed448", generateKeyPairSync("ed448")],
  ["X25519", generateKeyPairSync("x25519")],
  ["X448", generateKeyPairSync("x448")],
] as const
const keys = made.map(([name, { publicKey, privateKey }]) => ({ name, jwk: publicKey.export({ format: "jwk" }) as JsonObject, privateKey }))

// A key that rules take and the port refuses would make each response of a client fail; one that they refuse and the port takes, none.
describe("a key that fits an algorithm by the rules of registration is one that works", () => {
  test.each(keyEncryptionAlgorithms)("OpenID Connect Core §10.2: to encrypt by %s", async (alg) => {
    for (const { name, jwk } of keys)
      for (const enc of contentEncryptionAlgorithms) {
        const sealed = await joseJwts.encrypt("text", "JWT", { alg, enc }, { keys: [jwk] })
        expect([name, sealed !== undefined]).toEqual([name, fitsAlgorithm(jwk, alg)])
      }
    expect(keys.filter(({ jwk }) => fitsAlgorithm(jwk, alg)).length).toBeGreaterThan(1)
  })

  test.each(peerAlgorithms)("OpenID Connect Core §9: to verify by %s", async (alg) => {
    for (const { name, jwk, privateKey } of keys) {
      const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString()
      const signed = await importPKCS8(pem, alg)
        .then((key) => new CompactSign(new TextEncoder().encode("{}")).setProtectedHeader({ alg }).sign(key))
        .catch(() => undefined)
      const verdict = signed === undefined ? undefined : await joseJwts.verify(signed, { keys: [jwk] }, [alg])
      expect([name, verdict?._tag === "Verified"]).toEqual([name, fitsAlgorithm(jwk, alg)])
    }
    expect(keys.some(({ jwk }) => fitsAlgorithm(jwk, alg))).toBe(true)
  })
})
