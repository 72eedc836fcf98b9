import { CompactEncrypt, type CompactJWEHeaderParameters, decodeProtectedHeader } from "jose"
import { describe, expect, it } from "vitest"
import {
  defaultKeyPolicy,
  generateKey,
  isSealed,
  joseSigner,
  type KeyCare,
  keyEncryption,
  KeysContended,
  KeyUnreadable,
  listKeys,
  rotateKeys,
  tendKeys,
} from "@postern/core/jose"
import { memorySigningKeyStore } from "@postern/core/memory"
import { sampleTime } from "@postern/core/testing"

const day = 86_400
const kek = "A".repeat(43)
const otherKek = "B".repeat(42) + "A"
const times = { createdAt: sampleTime, activeAt: sampleTime }

const world = (told: Partial<KeyCare> = {}) => {
  let at = sampleTime
  const care: KeyCare = {
    store: memorySigningKeyStore(),
    algorithms: ["ES256"],
    policy: defaultKeyPolicy,
    encryption: undefined,
    now: () => at,
    ...told,
  }
  return { care, forward: (seconds: number) => (at += seconds) }
}

describe("tending keys", () => {
  it("the first start makes a key for each algorithm, the second makes none", async () => {
    const { care } = world({ algorithms: ["ES256", "EdDSA"] })
    expect((await tendKeys(care)).map(({ alg, activeAt }) => [alg, activeAt])).toEqual([
      ["ES256", sampleTime],
      ["EdDSA", sampleTime],
    ])
    expect(await tendKeys(care)).toEqual([])
  })

  it("over two years of daily care there always is a published key that was published 14 days before it signed, and old ones leave", async () => {
    const { care, forward } = world()
    await tendKeys(care)
    let signing = ""
    for (let today = 0; today < 730; today++) {
      const ring = await listKeys(care)
      const active = ring.filter(({ state }) => state === "active")
      expect(active.length).toBe(1)
      expect(ring.length).toBeLessThanOrEqual(3)
      const [now] = active
      if (now !== undefined && signing !== "" && now.key.kid !== signing) {
        expect(now.key.activeAt - now.key.createdAt).toBeGreaterThanOrEqual(14 * day - day)
        expect(ring.find(({ key }) => key.kid === signing)?.state).toBe("retired")
      }
      signing = now?.key.kid ?? ""
      forward(day)
      await tendKeys(care)
    }
  })

  it("when others keep changing the keys it gives up after five tries, and has added nothing", async () => {
    const { care } = world()
    let tries = 0
    const contended = world({ store: { ...care.store, add: () => (++tries > 0 ? "Conflict" : "Committed") } })
    await expect(tendKeys(contended.care)).rejects.toThrow(KeysContended)
    await expect(tendKeys(contended.care)).rejects.toMatchObject({ name: "KeysContended" })
    expect(tries).toBe(10)
  })

  it("where nothing is due nothing is written", async () => {
    const { care } = world()
    await tendKeys(care)
    const forbidden = () => {
      throw new Error("written")
    }
    expect(await tendKeys({ ...care, store: { ...care.store, add: forbidden, remove: forbidden } })).toEqual([])
  })
})

describe("rotating off schedule", () => {
  it("a new key is published at once and signs after the propagation time; the old one stays published (R8)", async () => {
    const { care, forward } = world()
    const [first] = await tendKeys(care)
    const signer = joseSigner({ keys: care.store.list, now: care.now })
    const [second] = await rotateKeys(care, { atOnce: false })
    expect((await listKeys(care)).map(({ key, state }) => [key.kid, state])).toEqual([
      [first?.kid, "active"],
      [second?.kid, "upcoming"],
    ])
    expect((await signer.keys()).map(({ kid }) => kid)).toEqual([first?.kid, second?.kid])
    forward(defaultKeyPolicy.propagation)
    await signer.refresh()
    expect(decodeProtectedHeader(await signer.sign({ alg: "ES256", typ: "JWT", claims: {} })).kid).toBe(second?.kid)
    expect((await signer.keys()).length).toBe(2)
    forward(14 * day)
    await tendKeys(care)
    await signer.refresh()
    expect((await signer.keys()).map(({ kid }) => kid)).toEqual([second?.kid])
  })

  it.each([1, 0])("at once, %i s after the key before it was made: the new key signs within the second", async (after) => {
    const { care, forward } = world()
    await tendKeys(care)
    forward(after)
    const [second] = await rotateKeys(care, { atOnce: true })
    forward(1 - after)
    const active = (await listKeys(care)).filter(({ state }) => state === "active")
    expect(active.map(({ key }) => key.kid)).toEqual([second?.kid])
  })

  it("without a key there was none to wait for: the first one is published for the propagation time all the same", async () => {
    const { care } = world()
    const [only] = await rotateKeys(care, { atOnce: false })
    expect(only?.activeAt).toBe(sampleTime + defaultKeyPolicy.propagation)
  })

  it("a key that is made in the second of another, with no propagation time, still comes after it", async () => {
    const { care } = world({ policy: { ...defaultKeyPolicy, propagation: 0 } })
    await tendKeys(care)
    const [second] = await rotateKeys(care, { atOnce: false })
    expect(second?.activeAt).toBe(sampleTime + 1)
  })

  it("twenty rotations in a row leave one key that signs and every key it replaced in the set", async () => {
    const { care, forward } = world()
    await tendKeys(care)
    for (let each = 0; each < 20; each++) {
      await rotateKeys(care, { atOnce: true })
      forward(15)
    }
    const ring = await listKeys(care)
    expect(new Set(ring.map(({ key }) => key.kid)).size).toBe(21)
    expect(ring.filter(({ state }) => state === "active").length).toBe(1)
    expect(ring.filter(({ state }) => state === "retired").length).toBe(20)
  })
})

describe("keys sealed with a key-encryption key", () => {
  it("are stored as a JWE (RFC 7516) and sign as others do", async () => {
    const { care } = world({ encryption: keyEncryption(kek) })
    const [key] = await tendKeys(care)
    expect(isSealed(key?.privateJwk ?? "")).toBe(true)
    expect(decodeProtectedHeader(key?.privateJwk ?? "")).toEqual({ alg: "dir", enc: "A256GCM", kid: key?.kid })
    expect(JSON.stringify(await care.store.list())).not.toContain('"d"')
    const signer = joseSigner({ keys: care.store.list, now: care.now, encryption: keyEncryption(kek) })
    await signer.refresh()
    const jwt = await signer.sign({ alg: "ES256", typ: "JWT", claims: { sub: "ann" } })
    expect(await signer.verify(jwt, "JWT")).toEqual({ sub: "ann" })
  })

  it("stop the start when no key-encryption key is configured, or another one, with a text that says which", async () => {
    const { care } = world({ encryption: keyEncryption(kek) })
    const [key] = await tendKeys(care)
    await expect(tendKeys({ ...care, encryption: undefined })).rejects.toThrow(
      new KeyUnreadable(key?.kid ?? "", "is sealed with a key-encryption key, and none is configured"),
    )
    const wrong = { ...care, encryption: keyEncryption(otherKek) }
    await expect(tendKeys(wrong)).rejects.toThrow(/cannot be opened with the configured key-encryption key/)
    await expect(joseSigner({ keys: care.store.list, now: care.now }).refresh()).rejects.toThrow(KeyUnreadable)
    expect((await care.store.list()).length).toBe(1)
  })

  it("plain keys go on signing once a key-encryption key is configured; new ones are sealed", async () => {
    const { care } = world()
    await tendKeys(care)
    const sealed = { ...care, encryption: keyEncryption(kek) }
    expect(await tendKeys(sealed)).toEqual([])
    const [next] = await rotateKeys(sealed, { atOnce: false })
    expect(isSealed(next?.privateJwk ?? "")).toBe(true)
  })

  it("open by nothing but the way they were sealed (RFC 8725 §3.1)", async () => {
    const bytes = new Uint8Array(32)
    const jwe = (header: CompactJWEHeaderParameters) =>
      new CompactEncrypt(new TextEncoder().encode("{}")).setProtectedHeader({ ...header, kid: "k" }).encrypt(bytes)
    const { open, seal } = keyEncryption(kek)
    expect(await open("k", await seal("k", "{}"))).toBe("{}")
    for (const header of [
      { alg: "dir", enc: "A128CBC-HS256" },
      { alg: "A256KW", enc: "A256GCM" },
      { alg: "A256GCMKW", enc: "A256GCM" },
    ])
      await expect(open("k", await jwe(header))).rejects.toMatchObject({ name: "KeyUnreadable", kid: "k" })
  })

  it("cannot be moved to another row, and a damaged or exchanged private key is noticed", async () => {
    const encryption = keyEncryption(kek)
    const [one, two] = [await generateKey("ES256", times, encryption), await generateKey("ES256", times, encryption)]
    const bare = await generateKey("ES256", times, undefined)
    for (const [row, text] of [
      [{ ...one, privateJwk: two.privateJwk }, /holds the sealed key of another row/],
      [{ ...one, privateJwk: bare.privateJwk }, /is damaged/],
      [{ ...one, privateJwk: "{" }, /is damaged/],
      [{ ...one, privateJwk: `${one.privateJwk.slice(0, -4)}AAAA` }, /cannot be opened/],
    ] as const) {
      const { care } = world({ store: memorySigningKeyStore([row]), encryption })
      await expect(tendKeys(care)).rejects.toThrow(text)
    }
  })

  it.each(["", "short", "A".repeat(42), "A".repeat(44), `${"A".repeat(42)}=`, "é".repeat(43)])(
    "a key-encryption key of %j is refused",
    (text) => {
      expect(() => keyEncryption(text)).toThrow(/32 bytes in base64url/)
    },
  )
})
