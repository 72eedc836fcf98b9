import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
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

describe("the strength of a client secret (NIST SP 800-63B §3.1.2.2)", () => {
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

  it("takes a text for language by how many pairs of letters are frequent ones, in disguise too, and for more of them where other digits stand", () => {
    const isLanguage = (secret: string): boolean => secretBits(secret) <= language * secret.length
    expect(["thereisnothinginit", "7h3r31sn07h1ng1n1t", "zqxjkvbpwmzvxkqjbw", "x y", "1734501734"].map(isLanguage)).toEqual([
      true,
      true,
      false,
      true,
      false,
    ])
    // Twenty pairs, so many of them frequent.
    const frequent = "to co no ro fo ho lo po mo so he re ce te de le ve ne me ke"
    const rare = "xo jo zo qo ye fe we xe je ze qe bo do ko vo wo yo go ue oe"
    const pairs = (count: number, shape: (text: string) => string): string =>
      shape([...frequent.split(" ").slice(0, count), ...rare.split(" ").slice(0, 20 - count)].join("-"))
    const inDisguise = (text: string): string => text.replaceAll("o", "0").replaceAll("e", "3")
    const least = (shape: (text: string) => string): number =>
      Array.from({ length: 21 }, (_, count) => count).find((count) => isLanguage(pairs(count, shape))) ?? 21
    expect([least((text) => text), least((text) => `${text}-2`), least(inDisguise), least((text) => `${inDisguise(text)}-2`)]).toEqual([
      9, 9, 9, 11,
    ])
  })

  it("takes a text for drawn from the smallest alphabet that contains it, without the separators of its groups", () => {
    const drawn = (text: string, each: number): void => expect(secretBits(text) / each).toBeCloseTo(text.replaceAll(/[-:]/g, "").length)
    drawn("9f2c81d7e0b64a35", 4)
    drawn("9F2C-81D7-E0B6-4A35", 4)
    drawn("kx4qz7wvbj2hgdym", 5)
    drawn("KX4Q:Z7WV:BJ2H:GDYM", 5)
    drawn("kx9qz8wvbj1hgdym", Math.log2(36))
    drawn("qbxjvzkwpghy", Math.log2(26))
    drawn("qbXjvZkwPgHy", Math.log2(52))
    drawn("qb8jvZk3PgHy", Math.log2(62))
    expect(secretBits("qb8j_Zk3PgHy") / 12).toBe(6)
    // Signs count as often as they differ, and all of them as no more than those of base64.
    expect(secretBits("qbxjvz#kwpgh%") / 13).toBeCloseTo(Math.log2(28))
    expect(secretBits("#######") + secretBits("-------")).toBe(0)
  })

  const alphabet = { lower: "abcdefghijklmnopqrstuvwxyz", digits: "0123456789" }
  it.each([
    ["hexadecimal digits", "0123456789abcdef"],
    ["hexadecimal digits in capitals", "0123456789ABCDEF"],
    ["base32", "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"],
    ["base32 in small letters", "abcdefghijklmnopqrstuvwxyz234567"],
    ["base32 of Crockford", "0123456789abcdefghjkmnpqrstvwxyz"],
    ["small letters", alphabet.lower],
    ["capitals", alphabet.lower.toUpperCase()],
    ["letters", alphabet.lower + alphabet.lower.toUpperCase()],
    ["small letters and digits", alphabet.lower + alphabet.digits],
    ["letters and digits", alphabet.lower + alphabet.lower.toUpperCase() + alphabet.digits],
    ["base58", "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"],
    ["base64", `${alphabet.lower}${alphabet.lower.toUpperCase()}${alphabet.digits}-_`],
  ])("whatever its length from 140 bits on, one drawn from %s is strong, all but one in a hundred", (_, letters) => {
    const fewest = Math.ceil(140 / Math.log2(letters.length))
    expect(weakShare((seed) => from(letters, fewest + (Number(seed) % 60))(seed))).toBeLessThan(0.01)
  })

  it.each(["de", "fr", "es", "pt"])(
    "made of the words of another language (%s), six of them in disguise: weak, all but three in a hundred",
    (language) => {
      const texts = JSON.parse(
        readFileSync(new URL(`../../packages/adapter-http/locales/${language}.json`, import.meta.url), "utf8"),
      ) as object
      const spoken = Object.values(texts)
        .join(" ")
        .replaceAll(/\{[^}]*\}/g, " ")
        .normalize("NFD")
        .replaceAll(/\p{M}/gu, "")
        .toLowerCase()
      const found = [...new Set(spoken.match(/\b[a-z]{2,}\b/g))]
      const joined = (seed: string) =>
        Array.from({ length: 6 }, (_, at) => capital(disguise(found[bytes(`${seed} ${at}`, 2).readUInt16BE() % found.length] ?? ""))).join(
          "",
        )
      expect(weakShare(joined)).toBeGreaterThan(0.97)
    },
  )

  it("the longest that is accepted is estimated in less than 20 ms", () => {
    const longest = bytes("longest", 768).toString("base64")
    secretBits(longest)
    const before = process.cpuUsage()
    for (let each = 0; each < 10; each++) expect(isWeakSecret(longest)).toBe(false)
    const { user, system } = process.cpuUsage(before)
    expect((user + system) / 10).toBeLessThan(20_000)
  })
})
