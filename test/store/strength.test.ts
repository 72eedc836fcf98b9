import { createHash } from "node:crypto"
import { generateClientSecret, isWeakSecret, secretBits } from "@postern/stores"
import { describe, expect, it } from "vitest"

const count = 2_000

/** Bytes drawn by chance, the same at every run. */
const bytes = (seed: string, length: number): Buffer =>
  Buffer.concat(
    Array.from({ length: Math.ceil(length / 32) }, (_, block) => createHash("sha256").update(`${seed} ${block}`).digest()),
  ).subarray(0, length)

/** The share of weak ones among texts made of chance. */
const weakShare = (make: (seed: string) => string): number =>
  Array.from({ length: count }, (_, at) => make(String(at))).filter(isWeakSecret).length / count

const from =
  (alphabet: string, length: number) =>
  (seed: string): string =>
    [...bytes(seed, 2 * length)].map((byte, at) => (at % 2 === 0 ? alphabet[byte % alphabet.length] : "")).join("")

const words =
  "the of and to in is you that he was for on are with they at be this have from one had word but not what all were we when your can said there use an each which she do how their if will up other about out many then them these so some her would make like him into time has look two more write go see number way people than first water been call who oil now find long down day did get come made may part secret password server client production database login admin company internal service token access system change please summer winter dragon monkey football sunshine princess".split(
    " ",
  )
const disguise = (word: string): string => word.replaceAll("o", "0").replaceAll("e", "3").replaceAll("a", "@")
const capital = (word: string): string => (word[0] ?? "").toUpperCase() + word.slice(1)
const phrase =
  (length: number, between: string, shape: (word: string) => string) =>
  (seed: string): string =>
    [...bytes(seed, length)].map((byte) => shape(words[byte % words.length] ?? "")).join(between)

describe("the strength of a client secret (NIST SP 800-63B §5.1.2.2)", () => {
  it("each that we make is strong", () => {
    for (let each = 0; each < count; each++) expect(isWeakSecret(generateClientSecret())).toBe(false)
  })

  it.each([
    ["32 bytes in base64url", (seed: string) => bytes(seed, 32).toString("base64url")],
    ["32 bytes in base64, of openssl rand", (seed: string) => bytes(seed, 32).toString("base64")],
    ["16 bytes in hexadecimal digits, of openssl rand", (seed: string) => bytes(seed, 16).toString("hex")],
    ["32 bytes in hexadecimal digits", (seed: string) => bytes(seed, 32).toString("hex")],
    ["40 letters and digits", from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", 40)],
  ])("drawn by chance, %s: strong, all but one in a hundred", (_, make) => {
    expect(weakShare(make)).toBeLessThan(0.01)
  })

  it.each([
    ["seven with dashes", phrase(7, "-", (word) => word)],
    ["eight with capitals", phrase(8, "", capital)],
    ["seven in capitals", phrase(7, "_", (word) => word.toUpperCase())],
    ["six in disguise", phrase(6, "", (word) => capital(disguise(word)))],
  ])("made of words, %s: weak, all but one in a hundred", (_, make) => {
    expect(weakShare(make)).toBeGreaterThan(0.99)
  })

  it.each([
    "secret",
    "correct horse battery staple",
    "ThisIsMyVerySecretPasswordForTheServer1234!",
    "S3cr3tP@ssw0rd!2024#Pr0duct10n$K3y",
    "my-super-secret-client-secret-for-production-2024",
    "a".repeat(1_000),
    "0123456789abcdef0123456789abcdef",
    "deadbeef".repeat(8),
    "qwertyuiopasdfghjklzxcvbnm1234567890",
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
    "1234567890".repeat(6),
    // 122 bits: a UUID of version 4 has six that are no chance.
    "f47ac10b-58cc-4372-a567-0e02b2c3d479",
    "",
  ])("weak: %s", (secret) => {
    expect(isWeakSecret(secret)).toBe(true)
  })

  it("the longest that is accepted is estimated in less than 20 ms", () => {
    const longest = bytes("longest", 768).toString("base64")
    secretBits(longest)
    const before = process.cpuUsage()
    for (let each = 0; each < 10; each++) expect(isWeakSecret(longest)).toBe(false)
    const { user, system } = process.cpuUsage(before)
    expect((user + system) / 10).toBeLessThan(20_000)
  })
})
