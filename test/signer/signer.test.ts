import { decodeProtectedHeader, generateSecret, importJWK, jwtVerify, SignJWT, UnsecuredJWT } from "jose"
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

  it.each([10, 45, 86_400])("keys of %d seconds ago are used for nothing: the first answer after idling is of today's", async (idle) => {
    const first = async (ask: (running: JoseSigner) => unknown): Promise<readonly [unknown, string]> => {
      const { running, rotate, forward } = await rotating()
      const { kid } = await rotate()
      forward(idle)
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
