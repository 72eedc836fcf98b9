import { defineClient, secretOf } from "@postern/core"
import { decodeBase64Url } from "../../packages/core/src/wire/index.ts"
import type { Client, JsonObject } from "@postern/core/model"
import * as Effect from "effect/Effect"
import { describe, expect, test } from "vitest"
import { bytesOf, findBy, freshAccess, freshHandle, once, sealSecret } from "../../packages/core/src/settle/request.ts"
import { responseParams, signJwt, signResponse, signTokens } from "../../packages/core/src/settle/sign.ts"
import { sectorOf } from "../../packages/core/src/rules/sector.ts"
import { sidFor, subjectFor } from "../../packages/core/src/settle/subject.ts"
import { failureOf, inquiryOf, issuer, now, run, sha256, sha512 } from "./inquiry.ts"

const base = defineClient({ client_id: "app", redirect_uris: ["https://app.example/cb"], token_endpoint_auth_method: "none" })
const locator = "0".repeat(16)

describe("handles", () => {
  test("a handle is found by its locator and its secret, of its own kind alone", async () => {
    const inquiry = inquiryOf()
    const made = await run(freshHandle(inquiry, "c"))
    expect(made.digest).toBe(sha256(`c ${made.secret}`))
    expect(made.value).toBe(`c_${made.locator}${made.secret}`)
    const find = (handle: Parameters<typeof findBy>[1]) =>
      run(
        findBy(
          inquiry.ports,
          handle,
          (at) => Effect.succeed(at === made.locator ? made : undefined),
          ({ digest }) => digest,
        ),
      )
    expect(await find(made)).toBe(made)
    expect(await find({ ...made, kind: "a" })).toBeUndefined()
    expect(await find({ ...made, secret: "x".repeat(43) })).toBeUndefined()
    expect(await find({ ...made, locator })).toBeUndefined()
    expect(await find(undefined)).toBeUndefined()
  })

  test("an access token is a handle where its client's are references, else the unique part of a JWT's jti", async () => {
    const of = (accessTokenFormat: Client["accessTokenFormat"]) => run(freshAccess(inquiryOf(), { ...base, accessTokenFormat }))
    expect(await of("reference")).toMatchObject({ kind: "a", digest: expect.any(String) })
    expect(Object.keys(await of("jwt"))).toEqual(["kind", "locator"])
  })

  test("RFC 9700 §4.14.2: a sealed secret opens by sealing it again under the same value, and under no other", async () => {
    const { ports } = inquiryOf()
    const secret = "A".repeat(42) + "E"
    const sealed = await run(sealSecret(ports, secret, "old"))
    expect(await run(sealSecret(ports, sealed, "old"))).toBe(secret)
    expect(await run(sealSecret(ports, sealed, "other"))).not.toBe(secret)
    const pad = decodeBase64Url(sha256("postern successor old")) ?? []
    expect(decodeBase64Url(sealed)?.[1], "zeros show the pad").toBe(pad[1])
    expect(() => bytesOf("not base64url!")).toThrow(TypeError)
  })

  test("a result is asked for once, however often a request is decided", async () => {
    const inquiry = inquiryOf()
    let asked = 0
    const ask = () => Effect.sync(() => (asked++, { _tag: "Declined" }) as never)
    const [first, second] = [await run(once(inquiry, "upstream", ask)), await run(once(inquiry, "upstream", ask))]
    expect([asked, first === second]).toEqual([1, true])
  })
})

describe("signing", () => {
  const signer = {
    sign: ({ alg, typ, claims }: { alg: string; typ: string; claims: JsonObject }) => Effect.succeed(JSON.stringify({ alg, typ, claims })),
  }
  const half = (digest: string) =>
    Buffer.from(digest, "base64url")
      .subarray(0, Buffer.from(digest, "base64url").length / 2)
      .toString("base64url")

  test("OpenID Connect Core §3.1.3.6, §3.3.2.11: at_hash and c_hash are the left halves by the hash of the algorithm; Ed25519's is SHA-512", async () => {
    for (const [alg, hash] of [
      ["RS256", sha256],
      ["ES256", sha256],
      ["EdDSA", sha512],
    ] as const) {
      const plan = {
        accessToken: { _tag: "Reference", value: "token" },
        idToken: { alg, claims: { sub: "x" }, encryption: undefined },
        code: "code",
      }
      const { accessToken, idToken } = await run(signTokens(inquiryOf({ signer }), plan as never))
      expect(accessToken).toBe("token")
      expect(JSON.parse(idToken ?? "")).toEqual({
        alg,
        typ: "JWT",
        claims: { sub: "x", at_hash: half(hash("token")), c_hash: half(hash("code")) },
      })
    }
    const alone = await run(signTokens(inquiryOf({ signer }), { idToken: { alg: "RS256", claims: {} } } as never))
    expect([alone.accessToken, JSON.parse(alone.idToken ?? "").claims]).toEqual([undefined, {}])
    expect(await run(signTokens(inquiryOf({ signer }), {} as never))).toEqual({ accessToken: undefined, idToken: undefined })
  })

  test("OpenID Connect Core §10.2: a JWT is encrypted as it says, with what it holds named; where its reader has no key nothing is answered", async () => {
    const encrypt = (
      text: string,
      contentType: string,
      { alg, enc }: { alg: string; enc: string },
      { keys }: { keys: ReadonlyArray<unknown> },
    ) => Effect.succeed(keys.length === 0 ? undefined : `${contentType} ${alg} ${enc} ${text}`)
    const inquiry = inquiryOf({ signer, jwts: { encrypt } })
    const plan = (keys: object, alg?: string) =>
      ({ alg, typ: "JWT", claims: { a: 1 }, encryption: { alg: "ECDH-ES", enc: "A128GCM", keys } }) as never
    const [some, none, unknown] = [{ jwks: { keys: [{}] } }, { jwks: { keys: [] } }, { jwks: undefined, jwksUri: undefined }]
    expect(await run(signJwt(inquiry, plan(some, "RS256")))).toBe('JWT ECDH-ES A128GCM {"alg":"RS256","typ":"JWT","claims":{"a":1}}')
    expect(await run(signJwt(inquiry, plan(some)))).toBe('json ECDH-ES A128GCM {"a":1}')
    for (const keys of [none, unknown])
      expect(await failureOf(signJwt(inquiry, plan(keys)))).toMatchObject({ port: "Jwts", operation: "encrypt" })
  })

  test("RFC 6749 §4.2.2, RFC 9207 §2: tokens of the front channel go with their scope, then state and iss; a mode signs them where it says so", async () => {
    const callback = { state: "s", redirectUri: "https://app.example/cb", mode: {} }
    const tokens = { tokenType: "Bearer", expiresIn: 60, scope: ["a", "b"] }
    const decision = { _tag: "SendBack", callback, params: [["code", "c"]], tokens } as never
    const both = { accessToken: "access", idToken: "id" }
    const access = [
      ["access_token", "access"],
      ["token_type", "Bearer"],
      ["expires_in", "60"],
      ["scope", "a b"],
    ]
    const end = [
      ["state", "s"],
      ["iss", issuer],
    ]
    expect(responseParams(decision, both, issuer)).toEqual([["code", "c"], ...access, ["id_token", "id"], ...end])
    expect(responseParams(decision, { ...both, idToken: undefined }, issuer)).toEqual([["code", "c"], ...access, ...end])
    expect(responseParams(decision, { ...both, accessToken: undefined }, issuer)).toEqual([["code", "c"], ["id_token", "id"], ...end])
    expect(responseParams(decision, undefined, issuer)).toEqual([["code", "c"], ...end])
    expect(responseParams({ ...(decision as object), tokens: undefined } as never, both, issuer)).toEqual([["code", "c"], ...end])
    const plain = { _tag: "SendBack", callback: { ...callback, state: undefined }, params: [] } as never
    expect(responseParams(plain, undefined, issuer)).toEqual([["iss", issuer]])
    expect(await run(signResponse(inquiryOf({ signer }), plain, undefined))).toBeUndefined()
    const sign = (params: unknown, { now: at }: { now: number }) => ({ alg: "RS256", typ: "JWT", claims: { params, at } })
    const signed = { ...(plain as object), callback: { ...callback, mode: { sign } } } as never
    expect(JSON.parse((await run(signResponse(inquiryOf({ signer }), signed, undefined))) ?? "").claims).toEqual({ params: end, at: now })
  })
})

describe("subjects (OpenID Connect Core §8.1)", () => {
  const pairwise = (redirect: string): Client => ({ ...base, subjectType: "pairwise", redirectUris: [redirect] })
  const salted = inquiryOf({ settings: { pairwiseSalt: secretOf("salt") } })

  test("a pairwise client sees a subject and a sid that only its sector sees, and each is told from the other", async () => {
    const [one, other] = [pairwise("https://one.example/cb"), pairwise("https://other.example/cb")]
    const all = [
      await run(subjectFor(one, "alice", salted)),
      await run(subjectFor(other, "alice", salted)),
      await run(subjectFor(one, "bob", salted)),
      await run(sidFor(one, "alice", salted)),
      await run(sidFor(other, "alice", salted)),
      "alice",
    ]
    expect(new Set(all).size).toBe(6)
    expect(all[0]).toBe(sha256(JSON.stringify([sectorOf(one), "alice", "salt"])))
    expect(all[3]).toBe(sha256(JSON.stringify(["sid", sectorOf(one), "alice", "salt"])))
    expect([
      await run(subjectFor(base, "alice", salted)),
      await run(sidFor(base, "sid", salted)),
      await run(sidFor(one, undefined, salted)),
    ]).toEqual(["alice", "sid", undefined])
  })

  test("without a salt a pairwise client gets no subject at all, rather than one that can be guessed", async () => {
    await expect(run(subjectFor(pairwise("https://one.example/cb"), "alice", inquiryOf()))).rejects.toThrow(
      "client app is pairwise, and the provider has no pairwiseSalt",
    )
  })
})
