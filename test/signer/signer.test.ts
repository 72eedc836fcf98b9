import { CompactEncrypt, CompactSign, decodeProtectedHeader, generateSecret, importJWK, jwtVerify, SignJWT, UnsecuredJWT } from "jose"
import { beforeAll, describe, expect, it } from "vitest"
import { nodeJws } from "@postern/adapter-http"
import {
  generateKey,
  joseJws,
  joseSigner,
  type JoseSigner,
  type JwsPrimitives,
  NoSigningKey,
  signingAlgorithms,
  type SigningKey,
} from "@postern/core/jose"
import { memorySigningKeyStore } from "@postern/core/memory"
import type { SigningAlgorithm } from "@postern/core/model"
import { sampleTime } from "@postern/core/testing"

const now = (): number => sampleTime
const claims = { iss: "https://issuer.example", sub: "ann", exp: sampleTime - 1000, nested: { list: [1, "two", null] } }

const keys = new Map<SigningAlgorithm, SigningKey>()
const keyOf = (alg: SigningAlgorithm): SigningKey => {
  const key = keys.get(alg)
  if (key === undefined) throw new Error(`no ${alg} key`)
  return key
}
const signer = (jws?: JwsPrimitives) => joseSigner({ keys: () => [...keys.values()], now, ...(jws === undefined ? {} : { jws }) })
const primitives = [
  ["jose", joseJws],
  ["node:crypto", nodeJws],
] as const

beforeAll(async () => {
  for (const alg of signingAlgorithms) keys.set(alg, await generateKey(alg, { createdAt: sampleTime, activeAt: sampleTime }, undefined))
})

describe.each(primitives)("signing by %s", (_, jws) => {
  it.each(signingAlgorithms)("%s: a JWT that jose verifies with the published key, and that the signer knows again", async (alg) => {
    const jwt = await signer(jws).sign({ alg, typ: "at+jwt", claims })
    const jwk = (await signer(jws).keys()).find((each) => each.kid === decodeProtectedHeader(jwt).kid) ?? {}
    expect(decodeProtectedHeader(jwt)).toEqual({ alg, kid: keyOf(alg).kid, typ: "at+jwt" })
    const verified = await jwtVerify(jwt, await importJWK(jwk, alg), { currentDate: new Date(0) })
    expect(verified.payload).toEqual(claims)
    expect(await signer(jws).verify(jwt, "at+jwt")).toEqual(claims)
  })

  it("an algorithm without a key fails, and is not offered", async () => {
    const alone = joseSigner({ keys: () => [keyOf("ES256")], now, jws })
    await expect(async () => alone.sign({ alg: "RS256", typ: "JWT", claims })).rejects.toThrow(NoSigningKey)
    await expect(async () => alone.sign({ alg: "RS256", typ: "JWT", claims })).rejects.toMatchObject({ name: "NoSigningKey" })
    expect(await alone.algorithms()).toEqual(["ES256"])
    expect(await signer(jws).algorithms()).toEqual(["RS256", "ES256", "PS256", "EdDSA"])
  })
})

describe("the published keys (RFC 7517 §5)", () => {
  it("each has kid, alg and use, no kid twice, and no private member", async () => {
    const published = await signer().keys()
    expect(published.length).toBe(4)
    expect(new Set(published.map(({ kid }) => kid)).size).toBe(4)
    for (const jwk of published) {
      expect(jwk).toMatchObject({ kid: expect.any(String), alg: expect.any(String), use: "sig" })
      for (const member of ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]) expect(jwk).not.toHaveProperty(member)
    }
  })

  it("RSA keys have 2048 bits", async () => {
    const rsa = (await signer().keys()).filter(({ kty }) => kty === "RSA")
    expect(rsa.map(({ n }) => JSON.stringify(n).length)).toEqual([344, 344])
  })
})

describe.each(primitives)("verifying by %s", (_, jws) => {
  it("another typ is another kind of token: undefined (RFC 8725 §3.11)", async () => {
    const jwt = await signer(jws).sign({ alg: "ES256", typ: "at+jwt", claims })
    for (const typ of ["JWT", "AT+JWT", "application/at+jwt", ""]) expect(await signer(jws).verify(jwt, typ)).toBeUndefined()
  })

  it("alg none is never accepted (RFC 8725 §3.2)", async () => {
    const { kid } = keyOf("ES256")
    const bare = new UnsecuredJWT({ sub: "ann" }).encode()
    const dressed = `${Buffer.from(JSON.stringify({ alg: "none", typ: "JWT", kid })).toString("base64url")}.${bare.split(".")[1] ?? ""}.`
    for (const jwt of [bare, dressed]) expect(await signer(jws).verify(jwt, "JWT")).toBeUndefined()
  })

  it("an alg other than the key's own is not accepted: no HMAC with a public key, no PS256 with an RS256 key (RFC 8725 §3.1)", async () => {
    const { kid, publicJwk, privateJwk } = keyOf("RS256")
    const hmac = await new SignJWT({})
      .setProtectedHeader({ alg: "HS256", typ: "JWT", kid })
      .sign(new TextEncoder().encode(JSON.stringify(publicJwk)))
    const secret = await generateSecret("HS256", { extractable: true })
    const other = await new SignJWT({}).setProtectedHeader({ alg: "HS256", typ: "JWT", kid }).sign(secret)
    const privateKey = await importJWK(JSON.parse(privateJwk), "PS256")
    const pss = await new SignJWT({}).setProtectedHeader({ alg: "PS256", typ: "JWT", kid }).sign(privateKey)
    for (const jwt of [hmac, other, pss]) expect(await signer(jws).verify(jwt, "JWT")).toBeUndefined()
  })

  it("a foreign key under our kid, a changed payload, a changed signature, a missing or unknown kid: undefined", async () => {
    const { kid } = keyOf("ES256")
    const foreign = await generateKey("ES256", { createdAt: sampleTime, activeAt: sampleTime }, undefined)
    const forged = await new SignJWT({})
      .setProtectedHeader({ alg: "ES256", typ: "JWT", kid })
      .sign(await importJWK(JSON.parse(foreign.privateJwk), "ES256"))
    const own = await importJWK(JSON.parse(keyOf("ES256").privateJwk), "ES256")
    const nameless = await new SignJWT({}).setProtectedHeader({ alg: "ES256", typ: "JWT" }).sign(own)
    const strange = await new SignJWT({}).setProtectedHeader({ alg: "ES256", typ: "JWT", kid: "strange" }).sign(own)
    const [header = "", , signature = ""] = (await signer(jws).sign({ alg: "ES256", typ: "JWT", claims })).split(".")
    const changed = `${header}.${Buffer.from('{"sub":"bob"}').toString("base64url")}.${signature}`
    for (const jwt of [forged, nameless, strange, changed, `${header}..${signature}`])
      expect(await signer(jws).verify(jwt, "JWT")).toBeUndefined()
  })

  it("a key brought along in the header is not looked at (RFC 8725 §3.10)", async () => {
    const foreign = await generateKey("ES256", { createdAt: sampleTime, activeAt: sampleTime }, undefined)
    const { kid, alg: _alg, use: _use, ...jwk } = foreign.publicJwk
    const jwt = await new SignJWT({})
      .setProtectedHeader({ alg: "ES256", typ: "JWT", kid, jwk })
      .sign(await importJWK(JSON.parse(foreign.privateJwk), "ES256"))
    expect(await signer(jws).verify(jwt, "JWT")).toBeUndefined()
  })

  it("a signed payload that is no JSON object is no claims set (RFC 7519 §7.2)", async () => {
    const own = await importJWK(JSON.parse(keyOf("ES256").privateJwk), "ES256")
    for (const payload of ["5", '"text"', "null", "[]", "{", ""]) {
      const jwt = await new CompactSign(new TextEncoder().encode(payload))
        .setProtectedHeader({ alg: "ES256", typ: "JWT", kid: keyOf("ES256").kid })
        .sign(own)
      expect(await signer(jws).verify(jwt, "JWT"), payload).toBeUndefined()
    }
  })

  it.each(["", "a", "a.b", "a.b.c", "..", "eyJ9.e30.", "x".repeat(10_000), "é.é.é", "null.null.null", "bnVsbA.e30.AA"])(
    "rubbish (%j) is undefined, never a failure",
    async (jwt) => {
      expect(await signer(jws).verify(jwt, "JWT")).toBeUndefined()
    },
  )

  it("extensions that must be understood are not: undefined (RFC 7515 §4.1.11)", async () => {
    const own = await importJWK(JSON.parse(keyOf("ES256").privateJwk), "ES256")
    const header = { alg: "ES256", typ: "JWT", kid: keyOf("ES256").kid, crit: ["b64"], b64: true }
    const jwt = await new SignJWT({}).setProtectedHeader(header).sign(own)
    expect(await signer(jws).verify(jwt, "JWT")).toBeUndefined()
  })
})

describe("rotation while running", () => {
  const rotating = async () => {
    let at = sampleTime
    let reads = 0
    let broken = false
    const store = memorySigningKeyStore([keyOf("ES256")])
    const running = joseSigner({
      keys: () => {
        reads++
        if (broken) throw new Error("the store is locked")
        return store.list()
      },
      now: () => at,
    })
    await running.refresh()
    const rotate = async () => {
      at++
      const next = await generateKey("ES256", { createdAt: at, activeAt: at }, undefined)
      await store.add(
        [next],
        (await store.list()).map(({ kid }) => kid),
      )
      return next
    }
    return {
      running,
      store,
      rotate,
      reads: () => reads,
      forward: (seconds: number) => (at += seconds),
      break: (is: boolean) => (broken = is),
    }
  }
  const kidOf = async (running: Awaited<ReturnType<typeof rotating>>["running"]) =>
    decodeProtectedHeader(await running.sign({ alg: "ES256", typ: "JWT", claims })).kid

  it("a new key signs within seconds, without a restart, and tokens of the old one still verify", async () => {
    const { running, rotate, forward } = await rotating()
    const old = await running.sign({ alg: "ES256", typ: "JWT", claims })
    const next = await rotate()
    forward(5)
    await kidOf(running)
    await running.refresh()
    expect(await kidOf(running)).toBe(next.kid)
    expect(await running.verify(old, "JWT")).toEqual(claims)
    expect((await running.keys()).map(({ kid }) => kid).sort()).toEqual([keyOf("ES256").kid, next.kid].sort())
  })

  it.each([10, 45, 86_400])("keys read %d seconds ago are used for nothing: the first answer after idling is of today's", async (idle) => {
    const first = async (ask: (running: JoseSigner) => unknown): Promise<readonly [unknown, string]> => {
      const { running, rotate, forward } = await rotating()
      const { kid } = await rotate()
      forward(idle - 1)
      return [await ask(running), kid]
    }
    const [jwks, published] = await first(({ keys }) => keys())
    expect(jwks).toContainEqual(expect.objectContaining({ kid: published }))
    const [jwt, signing] = await first(({ sign }) => sign({ alg: "ES256", typ: "JWT", claims }))
    expect(decodeProtectedHeader(String(jwt)).kid).toBe(signing)
  })

  it("a signer that is asked often reads its keys again before they are old, and lets nobody wait", async () => {
    const { running, reads, forward } = await rotating()
    for (let second = 0; second < 60; second++) {
      forward(1)
      expect(running.keys()).not.toBeInstanceOf(Promise)
      await Promise.resolve()
    }
    expect(reads()).toBe(13)
  })

  it("a clock that was put back makes it read its keys again", async () => {
    const { running, rotate, forward } = await rotating()
    const next = await rotate()
    forward(-3_600)
    expect((await running.keys()).map(({ kid }) => kid)).toContain(next.kid)
  })

  it("a token of a key that another process just made verifies at once", async () => {
    const { running, store, rotate, forward } = await rotating()
    forward(3)
    await rotate()
    const elsewhere = joseSigner({ keys: store.list, now: () => sampleTime + 4 })
    expect(await running.verify(await elsewhere.sign({ alg: "ES256", typ: "JWT", claims }), "JWT")).toEqual(claims)
  })

  it("a kid that is unknown makes it read its keys after two seconds, no sooner; where the store fails, the token is unknown", async () => {
    const own = await importJWK(JSON.parse(keyOf("ES256").privateJwk), "ES256")
    const jwt = await new SignJWT({}).setProtectedHeader({ alg: "ES256", typ: "JWT", kid: "made up" }).sign(own)
    for (const broken of [false, true]) {
      const { running, reads, forward, break: breakStore } = await rotating()
      breakStore(broken)
      forward(1)
      expect(await running.verify(jwt, "JWT")).toBeUndefined()
      expect(reads()).toBe(1)
      forward(1)
      expect(await running.verify(jwt, "JWT")).toBeUndefined()
      expect(reads()).toBe(2)
    }
  })

  it("lists are the same objects until they say something else, so that what is made of them can be kept", async () => {
    const { running, rotate, forward } = await rotating()
    const [jwks, algorithms] = [await running.keys(), await running.algorithms()]
    forward(1)
    expect(await running.keys()).toBe(jwks)
    await running.refresh()
    expect([await running.keys(), await running.algorithms()].every((each) => each === jwks || each === algorithms)).toBe(true)
    expect(await running.encryptionAlgorithms()).toEqual([])
    await rotate()
    await running.refresh()
    expect(await running.keys()).toHaveLength(2)
    expect(await running.algorithms()).toBe(algorithms)
  })

  it("another set of as many keys is another list", async () => {
    let rows = [keyOf("ES256"), keyOf("RS256")]
    const running = joseSigner({ keys: () => rows, now })
    await running.refresh()
    const kids = async () => (await running.keys()).map(({ kid }) => kid)
    expect([await kids(), await running.algorithms()]).toEqual([rows.map(({ kid }) => kid), ["RS256", "ES256"]])
    rows = [keyOf("ES256"), keyOf("EdDSA")]
    await running.refresh()
    expect([await kids(), await running.algorithms()]).toEqual([rows.map(({ kid }) => kid), ["ES256", "EdDSA"]])
  })

  it("each key is imported once for all tokens, and again once it has gone and come back", async () => {
    const made = { signing: 0, verifying: 0 }
    const jws: JwsPrimitives = {
      signing: (half, header) => (made.signing++, joseJws.signing(half, header)),
      verifying: (half, alg) => (made.verifying++, joseJws.verifying(half, alg)),
    }
    let rows = [keyOf("ES256")]
    const running = joseSigner({ keys: () => rows, now, jws })
    const pass = async () => {
      const jwt = await running.sign({ alg: "ES256", typ: "JWT", claims })
      expect(await running.verify(jwt, "JWT")).toEqual(claims)
    }
    for (let each = 0; each < 3; each++) await pass()
    expect(made).toEqual({ signing: 1, verifying: 1 })
    await running.sign({ alg: "ES256", typ: "at+jwt", claims })
    expect(made).toEqual({ signing: 2, verifying: 1 })
    rows = []
    await running.refresh()
    rows = [keyOf("ES256")]
    await running.refresh()
    await pass()
    expect(made).toEqual({ signing: 3, verifying: 2 })
  })

  it("made-up kids do not make it read its keys each time", async () => {
    const { running, reads, forward } = await rotating()
    const own = await importJWK(JSON.parse(keyOf("ES256").privateJwk), "ES256")
    forward(5)
    for (let each = 0; each < 50; each++) {
      const jwt = await new SignJWT({}).setProtectedHeader({ alg: "ES256", typ: "JWT", kid: `made up ${each}` }).sign(own)
      expect(await running.verify(jwt, "JWT")).toBeUndefined()
    }
    expect(reads()).toBe(2)
  })

  it("a store that fails stops neither signing nor verifying once keys were read, and is not asked with every token", async () => {
    const { running, reads, forward, break: breakStore } = await rotating()
    breakStore(true)
    forward(60)
    for (let each = 0; each < 20; each++) {
      const jwt = await running.sign({ alg: "ES256", typ: "JWT", claims })
      expect(await running.verify(jwt, "JWT")).toEqual(claims)
    }
    expect(reads()).toBe(2)
    expect((await running.keys()).length).toBe(1)
  })

  it("a store that fails before any key was read fails signing, and is tried again", async () => {
    let broken = true
    const late = joseSigner({
      keys: () => {
        if (broken) throw new Error("the store is locked")
        return [keyOf("ES256")]
      },
      now,
    })
    await expect(async () => late.sign({ alg: "ES256", typ: "JWT", claims })).rejects.toThrow("the store is locked")
    broken = false
    expect(await late.sign({ alg: "ES256", typ: "JWT", claims })).toMatch(/^ey/)
  })

  it("a key out of the set verifies nothing", async () => {
    const { running, store, rotate, forward } = await rotating()
    const old = await running.sign({ alg: "ES256", typ: "JWT", claims })
    await rotate()
    forward(14 * 86_400)
    await running.refresh()
    expect(await running.verify(old, "JWT")).toBeUndefined()
    await store.remove([keyOf("ES256").kid])
    await running.refresh()
    expect(await running.verify(old, "JWT")).toBeUndefined()
  })
})

describe("decrypting (OpenID Connect Core §6.1, §10.2)", () => {
  const times = { createdAt: sampleTime, activeAt: sampleTime }
  const [rsa, curve] = [generateKey("RSA-OAEP-256", times), generateKey("ECDH-ES", times)]
  const opening = async () => {
    const rows = [await rsa, await curve, keyOf("ES256"), keyOf("RS256")]
    return joseSigner({ keys: () => rows, now })
  }
  const sealed = async (key: SigningKey, header: Readonly<Record<string, unknown>> = {}) =>
    new CompactEncrypt(new TextEncoder().encode("text"))
      .setProtectedHeader({ alg: key.alg, enc: "A256GCM", ...header })
      .encrypt(await importJWK({ ...key.publicJwk, alg: key.alg }, key.alg))

  it("what is encrypted to a published key opens, whether its kid is named or not", async () => {
    for (const key of [await rsa, await curve])
      for (const header of [{}, { kid: key.kid }]) expect(await (await opening()).decrypt(await sealed(key, header))).toBe("text")
  })

  it("of several keys of an algorithm the one it was encrypted to opens it; a kid that is another's does not", async () => {
    const other = await generateKey("ECDH-ES", { createdAt: sampleTime, activeAt: sampleTime + 1 })
    const rows = [await curve, other]
    const both = joseSigner({ keys: () => rows, now })
    for (const key of rows) {
      expect(await both.decrypt(await sealed(key))).toBe("text")
      expect(await both.decrypt(await sealed(key, { kid: "unknown" }))).toBeUndefined()
    }
  })

  it("a published key says what it is for (RFC 7517 §4.2)", async () => {
    for (const [alg, use] of [
      ["ECDH-ES", "enc"],
      ["ES256", "sig"],
    ] as const)
      expect((await generateKey(alg, times)).publicJwk).toMatchObject({ alg, use })
    expect(await (await opening()).encryptionAlgorithms()).toEqual(["RSA-OAEP-256", "ECDH-ES"])
  })

  it("compressed content is refused (RFC 8725 §3.6), and so is an algorithm or a key that is not ours, and nonsense", async () => {
    const running = await opening()
    const zipped = await sealed(await rsa, { zip: "DEF" }).catch(() => "")
    const stranger = await generateKey("RSA-OAEP-256", times)
    const weaker = await new CompactEncrypt(new TextEncoder().encode("text"))
      .setProtectedHeader({ alg: "RSA-OAEP", enc: "A256GCM" })
      .encrypt(await importJWK({ ...(await rsa).publicJwk, alg: "RSA-OAEP" }, "RSA-OAEP"))
    const cbc = await sealed(await rsa, { enc: "A192CBC-HS384" })
    for (const jwe of [zipped, await sealed(stranger), weaker, cbc, "", "a.b.c.d.e", "e30.e30.e30.e30.e30"])
      expect(await running.decrypt(jwe), jwe.slice(0, 60)).toBeUndefined()
  })
})
