import type { JsonObject } from "@postern/core/model"
import { sampleGrant } from "@postern/core/testing"
import * as Effect from "effect/Effect"
import { describe, expect, test } from "vitest"
import { writeHandle } from "../../packages/core/src/model/index.ts"
import { loadAccessToken } from "../../packages/core/src/settle/accessToken.ts"
import { loadIdToken } from "../../packages/core/src/settle/idToken.ts"
import { inquiryOf, issuer, run, sha256 } from "./inquiry.ts"

const locator = "0".repeat(16)
const grantId = "1".repeat(16)

/** An inquiry whose signer takes each of these JWTs for its own, under the typ it is told with. */
const verifying = (jwts: Readonly<Record<string, readonly [typ: string, claims: JsonObject]>>, tokens: object = {}) =>
  inquiryOf({
    signer: { verify: (jwt: string, typ: string) => Effect.succeed(jwts[jwt]?.[0] === typ ? jwts[jwt][1] : undefined) },
    tokens: { findGrant: () => Effect.succeed(undefined), findAccessToken: () => Effect.succeed(undefined), ...tokens },
  })

describe("access tokens, found", () => {
  const claims = {
    iss: issuer,
    sub: "sub",
    client_id: "app",
    scope: "a b",
    aud: ["https://api.example", 1, "https://b.example"],
    iat: 1,
    exp: 2,
  }
  const whole = { ...claims, jti: `${grantId}.${locator}`, acr: "not the grant's", act: { sub: "x" }, cnf: { jkt: "thumb" } }
  const find = (jwt: readonly [string, JsonObject], grant?: object) =>
    run(
      loadAccessToken(
        "a.b.c",
        verifying({ "a.b.c": jwt }, { findGrant: (id: string) => Effect.succeed(id === grantId ? grant : undefined) }),
      ),
    )

  test("RFC 9068 §2.2: a JWT says who it is of, and its grant who they are and what became of it", async () => {
    const grant = sampleGrant(1, { id: grantId, subject: "alice", acr: "acr", authTime: 7 })
    expect(await find(["at+jwt", whole], grant)).toEqual({
      format: "jwt",
      id: `${grantId}.${locator}`,
      clientId: "app",
      grantId,
      subject: "alice",
      sub: "sub",
      scope: ["a", "b"],
      audience: ["https://api.example", "https://b.example"],
      createdAt: 1,
      expiresAt: 2,
      authTime: 7,
      acr: "acr",
      amr: ["pwd"],
      more: { act: { sub: "x" } },
      confirmation: { jkt: "thumb" },
      claims: undefined,
      authorizationDetails: [],
      revoked: false,
    })
    expect((await find(["at+jwt", whole], { ...grant, revokedAt: 5 }))?.revoked).toBe(true)
    expect((await find(["at+jwt", whole]))?.revoked, "its grant is gone").toBe(true)
  })

  test("a JWT that a client got for itself has no grant, and cannot be revoked by one", async () => {
    const own = await find(["at+jwt", { ...claims, jti: locator, aud: "https://api.example" }])
    expect(own).toMatchObject({ grantId: undefined, subject: undefined, revoked: false, audience: ["https://api.example"], id: locator })
  })

  test("claims of another kind than they should have count as empty", async () => {
    const odd = await find(["at+jwt", { iss: issuer, jti: 5, sub: null, client_id: ["app"], scope: 1, aud: 7, iat: "1", exp: {} }])
    expect(odd).toMatchObject({ id: "", sub: "", clientId: "", scope: [], audience: [""], createdAt: 0, expiresAt: 0 })
  })

  test("RFC 8725 §3.12: under the typ of ID tokens, one with the jti of an access token is an access token, and nothing else is", async () => {
    expect(await find(["JWT", { ...claims, jti: locator }])).toMatchObject({ format: "jwt", id: locator })
    for (const jti of [`${grantId}.id.${locator}`, "", undefined, 7])
      expect(await find(["JWT", { ...claims, ...(jti !== undefined && { jti }) }])).toBeUndefined()
    expect(await find(["at+jwt", { ...claims, jti: `${grantId}.id.${locator}` }]), "its own typ says it").toBeDefined()
    expect(await find(["secevent+jwt", whole])).toBeUndefined()
  })

  test("RFC 9068 §4: a JWT of another issuer is not ours, whoever signed it", async () => {
    expect(await find(["at+jwt", { ...whole, iss: "https://other.example" }])).toBeUndefined()
    expect(await run(loadAccessToken(undefined, inquiryOf()))).toBeUndefined()
  })

  test("a reference token says what its row and its grant do; a token whose grant is revoked or gone is revoked", async () => {
    const secret = "s".repeat(43)
    const token = {
      locator,
      digest: sha256(`a ${secret}`),
      clientId: "app",
      grantId,
      subject: "alice",
      scope: ["a"],
      audience: ["https://api.example"],
      createdAt: 1,
      expiresAt: 2,
      revokedAt: undefined,
      confirmation: { jkt: "thumb" },
    }
    const value = writeHandle({ kind: "a", locator, secret })
    const at = (row: object, grant?: object, shown = value) =>
      run(loadAccessToken(shown, verifying({}, { findAccessToken: () => Effect.succeed({ token: { ...token, ...row }, grant }) })))
    const grant = sampleGrant(1, {
      sub: "pairwise",
      acr: "acr",
      authTime: 7,
      extension: { name: "x", claims: { door: 1 }, signInTold: true } as never,
    })
    expect(await at({}, grant)).toEqual({
      format: "reference",
      id: locator,
      clientId: "app",
      grantId,
      subject: "alice",
      sub: "pairwise",
      scope: ["a"],
      audience: ["https://api.example"],
      createdAt: 1,
      expiresAt: 2,
      authTime: 7,
      acr: "acr",
      amr: ["pwd"],
      more: { door: 1 },
      confirmation: { jkt: "thumb" },
      claims: undefined,
      authorizationDetails: [],
      revoked: false,
    })
    expect((await at({}, { ...grant, revokedAt: 1 }))?.revoked).toBe(true)
    expect((await at({}))?.revoked).toBe(true)
    expect((await at({ revokedAt: 1 }, grant))?.revoked).toBe(true)
    expect(await at({ grantId: undefined, subject: undefined })).toMatchObject({ revoked: false, sub: "app", more: {} })
    expect(await at({ digest: sha256(`r ${secret}`) }, grant), "a secret of another kind").toBeUndefined()
    expect(await at({}, grant, value.replace("a_", "r_"))).toBeUndefined()
  })
})

describe("ID tokens, found", () => {
  test("RFC 8725 §3.12: an ID token has our issuer and the jti of one; nothing else is taken for it", async () => {
    const find = (claims: JsonObject, typ = "JWT") => run(loadIdToken("jwt", verifying({ jwt: [typ, claims] })))
    const sound = { iss: issuer, jti: `${grantId}.id.${locator}` }
    expect(await find(sound)).toEqual(sound)
    expect(await find({ ...sound, iss: "https://other.example" })).toBeUndefined()
    expect(await find({ ...sound, jti: `${grantId}.${locator}` })).toBeUndefined()
    for (const jti of [[`${grantId}.id.${locator}`], 7, null]) expect(await find({ iss: issuer, jti })).toBeUndefined()
    expect(await find({ iss: issuer })).toBeUndefined()
    expect(await find(sound, "at+jwt")).toBeUndefined()
    expect(await run(loadIdToken(undefined, inquiryOf()))).toBeUndefined()
  })
})
