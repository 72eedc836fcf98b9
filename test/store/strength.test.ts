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
    "a1b2c3d4e5f6g7h8i9j0k1l2m3n4o5p6",
    // No generator draws letters beyond ASCII.
    "Кириллица и пробелы в секрете",
    "密码很长但是不安全密码很长但是不安全一二三四五六七八九",
    // 122 bits: a UUID of version 4 has six that are no chance.
    "f47ac10b-58cc-4372-a567-0e02b2c3d479",
    "",
  ])("weak: %s", (secret) => {
    expect(isWeakSecret(secret)).toBe(true)
  })

  const bitsOf = (secret: string, drawn: number): number => secretBits(secret) / drawn
  const language = 1.5

  it("counts the characters that those before do not foretell, and forgives one in eight", () => {
    const letters = "qbxjvzkwpghy"
    // Each twelve of these hold no three that repeat, follow or lie beside.
    expect(bitsOf(`${letters}${letters.toUpperCase().split("").toReversed().join("")}`, Math.log2(52))).toBeCloseTo(24)
    const told = (secret: string) => secret.length - bitsOf(secret, Math.log2(26))
    // Threes that were there before: two of sixteen characters are forgiven, three count.
    expect(["qbxjvzkwpghyqbxj", "qbxjvzkwpghqbxjv"].map(told).map(Math.round)).toEqual([0, 3])
    // One of eight is forgiven. What follows in the alphabet, or repeats, counts; steps of two and steps that change do not.
    expect(["jvabcqxz", "jvabcdxz", "jvdcbaxz", "jvaaaaxz", "jvacegik", "jvabdqxz"].map(told).map(Math.round)).toEqual([0, 2, 2, 2, 0, 0])
    expect(["jvqwertz", "xqwejvzk", "jvzkxqwe"].map(told).map(Math.round)).toEqual([4, 0, 0])
    // The last three count as any others, and two at the end are no three.
    expect(["abcjvkqwe", "abcjvkxqw"].map(told).map(Math.round)).toEqual([2, 0])
  })

  it("takes a text for language by how frequent its letters are, in disguise too, and for less so where its kinds change often", () => {
    const share = (secret: string): number => secretBits(secret) / secret.length
    expect(share("etaoinshr")).toBe(language)
    expect(share("3740!n$hr-")).toBe(language)
    expect(
      [share("@3!0$"), share("173450")].map((each) => each > language),
      "digits alone are digits",
    ).toEqual([false, true])
    expect(share("zqxjkvbpzqxjkvbpw") > language).toBe(true)
    expect(share("#%&*()=?") > language, "no letter at all").toBe(true)
    // Letters of 4.9 bits on average: language where they are of one kind, chance where every other one is a capital.
    const middling = "dlucdwulcmdfludcwldmuclfdwcuuldmcdlwfucldudmlcwdlfucmd".slice(0, 50)
    const changing = (changes: number): string => {
      let capital = false
      return Array.from(middling, (letter, at) => {
        if (at > 0 && at <= changes) capital = !capital
        return capital ? letter.toUpperCase() : letter
      }).join("")
    }
    const isLanguage = (secret: string): boolean => secretBits(secret) <= language * secret.length
    expect([0, 10, 20, 21, 22, 40].map((changes) => isLanguage(changing(changes)))).toEqual([true, true, true, false, false, false])
    const rarer = "ywgpfybwgpmyfwgbpywfgmpbyw"
    expect([isLanguage(rarer), isLanguage("etaoinshrdlu")]).toEqual([false, true])
    // A digit and a sign are kinds of their own.
    const pieces = (one: string, two: string): string =>
      Array.from({ length: 24 }, (_, at) => (at % 2 === 0 ? middling[at] : at % 4 === 1 ? one : two)).join("")
    expect([pieces("2", "6"), pieces("-", "_"), pieces("D", "L")].map(isLanguage)).toEqual([false, false, false])
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
