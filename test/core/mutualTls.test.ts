import { createHash, generateKeyPairSync } from "node:crypto"
import { describe, expect, test } from "vitest"
import { longestCertificate, readCertificate } from "../../packages/core/src/features/mutual-tls/certificate.ts"
import { readDistinguishedName, sameName } from "../../packages/core/src/features/mutual-tls/distinguishedName.ts"
import { addressBytes } from "../../packages/core/src/features/mutual-tls/ipAddress.ts"
import { makeCertificate, ofRfc8705 } from "../support/certificates.ts"
import { runs } from "../tiers/tier.ts"

const same = (left: string, right: string): boolean => {
  const [one, other] = [readDistinguishedName(left), readDistinguishedName(right)]
  return one !== undefined && other !== undefined && sameName(one, other)
}

/** A sequence of numbers that is the same in every run. */
const chance = (seed: number) => () => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
  return seed
}

describe("certificates", () => {
  test("RFC 8705 appendix A: the certificate, its thumbprint and its subject", () => {
    expect(createHash("sha256").update(ofRfc8705.der).digest("base64url")).toBe(ofRfc8705.thumbprint)
    expect(readCertificate(ofRfc8705.der)).toMatchObject({
      subject: [[{ type: "2.5.4.3", text: "mtls" }]],
      dns: [],
      key: { kty: "EC", crv: "P-256", x: "1yfLHCpXqFjxCeHHHMVDTcLscpb07KUxudBmOMn8C7Q" },
    })
  })

  test.each([
    ["RSA", generateKeyPairSync("rsa", { modulusLength: 2048 })],
    ["P-256", generateKeyPairSync("ec", { namedCurve: "P-256" })],
    ["P-384", generateKeyPairSync("ec", { namedCurve: "P-384" })],
    ["P-521", generateKeyPairSync("ec", { namedCurve: "P-521" })],
    ["Ed25519", generateKeyPairSync("ed25519")],
  ])("RFC 7518 §6, RFC 8037 §2: the key of a certificate is its JWK (%s)", (_, keys) => {
    expect(readCertificate(makeCertificate({ keys }).der)?.key).toEqual(keys.publicKey.export({ format: "jwk" }))
  })

  test("RFC 5280 §4.1.2.4: names in every kind of string are texts", () => {
    const subject = [
      ["2.5.4.3", Buffer.from("\u0000G\u0000r\u0000\u00fc\u0000n", "latin1"), 30],
      ["2.5.4.10", Buffer.from("Gr\u00fcn", "latin1"), 20],
      ["2.5.4.11", Buffer.from("\u0000\u0000\u0000G", "latin1"), 28],
      ["2.5.4.6", "DE", 19],
    ] as const
    expect(readCertificate(makeCertificate({ subject }).der)?.subject.map(([each]) => each?.text)).toEqual(["Grün", "Grün", "G", "DE"])
  })

  test("RFC 5280 §4.2.1.6: a name with a control character in it is nobody's, and no other name stands for it", () => {
    const { der } = makeCertificate({ names: [[2, "app.example\u0000.evil.example"]] })
    expect(readCertificate(der)?.dns).toEqual([])
    expect(same("CN=app\\00", "CN=app")).toBe(false)
  })

  test("X.690 §8.1: what is cut, too long or not the shortest form is no certificate", () => {
    const { der } = makeCertificate({ names: [[2, "app.example"]] })
    for (let length = 0; length < der.length; length++) expect(readCertificate(der.subarray(0, length))).toBe(undefined)
    expect(readCertificate(Buffer.concat([der, Buffer.from([0])]))).toBe(undefined)
    expect(readCertificate(Buffer.alloc(longestCertificate + 1))).toBe(undefined)
  })

  test("whatever is done to the bytes of a certificate, it is read or it is none: nothing throws", { timeout: 60_000 }, () => {
    const next = chance(7)
    const { der } = makeCertificate({
      subject: [[["2.5.4.3", "app"]]],
      names: [
        [2, "app.example"],
        [7, Uint8Array.of(1, 2, 3, 4)],
      ],
    })
    for (let run = 0; run < runs(100_000); run++) {
      const bytes = Buffer.from(der)
      for (let change = next() % 4; change >= 0; change--) bytes[next() % bytes.length] = next() >>> 24
      const cut = next() % 3 === 0 ? bytes.subarray(0, next() % bytes.length) : bytes
      expect(() => readCertificate(cut)).not.toThrow()
    }
  })
})

describe("distinguished names", () => {
  test.each([
    ["CN=app,O=Example", "cn = APP , o=example", true],
    ["CN=a\\,b,O=x", "CN=a\\2Cb,O=x", true],
    ["CN=\\ a\\ ", "CN=\\20a\\20", true],
    ["CN=a+OU=b", "OU=b+CN=a", true],
    ["CN=a,OU=b", "OU=b,CN=a", false],
    ["CN=a,OU=b", "CN=a+OU=b", false],
    ["CN=#0C0161", "CN=a", true],
    ["2.5.4.3=a", "CN=a", true],
    ["OID.2.5.4.3=a", "CN=a", true],
    ["1.2.3.4=#0500", "1.2.3.4=#0500", true],
    ["1.2.3.4=#020101", "1.2.3.4=#020102", false],
    ["CN=a,CN=b", "CN=a", false],
  ])("RFC 4514 §2, RFC 4517 §4.2.15: %s and %s: %s", (left, right, expected) => {
    expect([same(left, right), same(right, left)]).toEqual([expected, expected])
  })

  test.each([
    "",
    "app",
    "CN",
    "CN=",
    "CN=a,",
    "CN=a+",
    "=a",
    "NOSUCH=a",
    "CN=a\\",
    "CN=a\\q",
    'CN="a"',
    "CN=a;O=b",
    "CN=#0",
    "CN=#0C",
    "CN=\\FF",
    `CN=${"a".repeat(2_000)}`,
  ])("RFC 4514 §3: %s is none", (text) => {
    expect(readDistinguishedName(text)).toBe(undefined)
  })

  test("a text of any characters is read or none: nothing throws", { timeout: 60_000 }, () => {
    const next = chance(11)
    const alphabet = 'CNOU=,+\\#"; 0Aaü\u0000.1<>'
    for (let run = 0; run < runs(100_000); run++) {
      const text = Array.from({ length: next() % 40 }, () => alphabet[next() % alphabet.length]).join("")
      const name = readDistinguishedName(`CN=${text}`)
      if (name !== undefined) expect(sameName(name, name)).toBe(true)
    }
  })
})

describe("IP addresses", () => {
  const bytes = (text: string): string | undefined => {
    const read = addressBytes(text)
    return read === undefined ? undefined : Buffer.from(read, "base64url").toString("hex")
  }

  test.each([
    ["192.0.2.7", "c0000207"],
    ["2001:db8::7", "20010db8000000000000000000000007"],
    ["::", "0".repeat(32)],
    ["::1", `${"0".repeat(31)}1`],
    ["1:2:3:4:5:6:7:8", "00010002000300040005000600070008"],
    ["::ffff:192.0.2.7", "00000000000000000000ffffc0000207"],
    ["64:ff9b::192.0.2.33", "0064ff9b0000000000000000c0000221"],
  ])("RFC 4291 §2.2: %s is %s", (text, hex) => {
    expect(bytes(text)).toBe(hex)
  })

  test.each([
    "",
    "1.2.3",
    "1.2.3.4.5",
    "1.2.3.256",
    "01.2.3.4",
    "1.2.3.4 ",
    ":",
    ":::",
    "1::2::3",
    "1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7:8:9",
    "12345::",
    "::1.2.3",
    "g::",
    "1:2:3:4:5:6:7::8",
  ])("RFC 4291 §2.2: %s is none", (text) => {
    expect(bytes(text)).toBe(undefined)
  })
})
