import { type ClientDefinition, ClientRefused, defineClient, secretOf } from "@postern/core"
import { describe, expect, test } from "vitest"

/** A caller without types. */
const define = (metadata: unknown, setting?: Parameters<typeof defineClient>[1]) => defineClient(metadata as ClientDefinition, setting)

const refusalOf = (metadata: unknown, setting?: Parameters<typeof defineClient>[1]): ClientRefused => {
  try {
    define(metadata, setting)
  } catch (error) {
    if (error instanceof ClientRefused) return error
    throw error
  }
  throw new Error("nothing was refused")
}
const faultsOf = (metadata: unknown, setting?: Parameters<typeof defineClient>[1]) =>
  refusalOf(metadata, setting).faults.map(({ path, reason, hint }) => [path.join("."), reason, hint])

const web = { client_id: "app", redirect_uris: ["https://app.example/cb"], scope: "openid profile" } as const

describe("defineClient judges by the rules of registration", () => {
  test("RFC 7591 §2: metadata without fault is a client with the defaults", () => {
    expect(defineClient(web)).toMatchObject({
      clientId: "app",
      grantTypes: ["authorization_code"],
      responseTypes: ["code"],
      redirectUris: ["https://app.example/cb"],
      scope: ["openid", "profile"],
      requirePkce: true,
      requireConsent: true,
      tokenEndpointAuthMethod: "client_secret_basic",
      lifetimes: { accessToken: 3600 },
    })
    expect(defineClient(web, { lifetimes: { accessToken: 60 } }).lifetimes).toMatchObject({ accessToken: 60, idToken: 300 })
    expect(defineClient({ ...web, access_token_lifetime: 5 }, { lifetimes: { accessToken: 60 } }).lifetimes.accessToken).toBe(5)
  })

  test("RFC 6749 §3.1.2: no javascript: redirect URI, and no bogus grant", () => {
    expect(faultsOf({ ...web, redirect_uris: ["javascript:alert(1)//x"], grant_types: ["authorization_code", "anything"] })).toEqual([
      ["redirect_uris.0", "has a scheme of its own, which only a native client may use", expect.stringContaining("https")],
      ["grant_types.1", "anything is not a grant type of this provider", expect.stringContaining("authorization_code, ")],
    ])
  })

  test("every fault at once: of names, of shapes and of rules", () => {
    const refusal = refusalOf({
      client_id: "app",
      redirect_urls: ["https://app.example/cb"],
      colour: "red",
      client_secret: "s3cr3t",
      require_pkce: "yes",
      default_max_age: -1,
      jwks: { keys: [{ kty: "EC", d: "private" }] },
      redirect_uris: ["http://app.example/cb"],
      scope: "openid nothing.known",
    })
    expect(refusal.faults.map(({ path, reason, hint }) => [path.join("."), reason, hint])).toEqual([
      ["client_secret", "is no part of a definition", "give the secret to the client store, which keeps it"],
      ["redirect_urls", "is no client metadata", "did you mean redirect_uris?"],
      ["colour", "is no client metadata", "remove it"],
      ["require_pkce", "expected boolean", "correct it"],
      ["default_max_age", expect.any(String), "correct it"],
      ["scope", "nothing.known: no such scope", expect.any(String)],
      ["redirect_uris.0", "is http and not a loopback address of a native client", expect.any(String)],
      ["jwks.keys.0", "holds d, which is secret", expect.any(String)],
    ])
    expect(refusal).toBeInstanceOf(TypeError)
    expect(refusal.message).toMatch(
      /^client "app" is refused:\n- client_secret: .*\n- redirect_urls: is no client metadata; did you mean redirect_uris\?\n/,
    )
    expect(refusal.message).not.toContain("s3cr3t")
  })

  test("OpenID Connect Registration §2: there is a key for everything that is signed for a client, if the algorithms are given", () => {
    expect(faultsOf({ ...web, userinfo_signed_response_alg: "PS256" }, { signingAlgorithms: ["ES256"] })).toEqual(
      [
        ["access_token_signed_response_alg", "is not given, which means RS256"],
        ["id_token_signed_response_alg", "is not given, which means RS256"],
        ["userinfo_signed_response_alg", "is PS256"],
      ].map(([name, reason = ""]) => [name, `${reason}: the provider has no key for that`, expect.stringContaining("use one of: ES256;")]),
    )
    const signed = { access_token_signed_response_alg: "ES256", id_token_signed_response_alg: "ES256" } as const
    expect(defineClient({ ...web, ...signed }, { signingAlgorithms: ["ES256"] }).idTokenSignedResponseAlg).toBe("ES256")
  })

  test("lifetimes of the settings are judged as those of the metadata, with every other fault", () => {
    const lifetimes = { accessToken: -1, idToken: 1.5, authorizationCode: 601, deviceCode: "300", accessTokens: 5, consent: undefined }
    expect(faultsOf({ ...web, scope: "nothing.known" }, { lifetimes: lifetimes as object })).toEqual([
      ["scope", "nothing.known: no such scope", expect.any(String)],
      ["lifetimes.accessTokens", "is no lifetime", expect.stringContaining("use one of: accessToken, idToken, ")],
      ["lifetimes.accessToken", "expected a value between 1 and 1209600", "correct it"],
      ["lifetimes.idToken", expect.any(String), "correct it"],
      ["lifetimes.authorizationCode", "expected a value between 1 and 600", "correct it"],
      ["lifetimes.deviceCode", expect.any(String), "correct it"],
    ])
    expect(faultsOf(web, { lifetimes: { refreshTokenSliding: 200, refreshTokenAbsolute: 100 } })).toEqual([
      ["lifetimes.refreshTokenSliding", "is longer than refresh_token_absolute_lifetime", expect.any(String)],
    ])
    expect(defineClient(web, { lifetimes: { refreshTokenAbsolute: 0, refreshTokenGrace: 0 } }).lifetimes.refreshTokenGrace).toBe(0)
  })

  test("a name that was mistyped is not said to be missing too", () => {
    const { redirect_uris, ...rest } = web
    expect(faultsOf({ ...rest, redirect_urls: redirect_uris })).toEqual([
      ["redirect_urls", "is no client metadata", "did you mean redirect_uris?"],
    ])
  })

  test("what is no metadata at all, and a client_id that is missing or none", () => {
    for (const nothing of [undefined, null, 5, "app"]) expect(faultsOf(nothing)).toEqual([["", "is no object", "give client metadata"]])
    expect(faultsOf({ ...web, client_id: undefined })).toMatchObject([["client_id", expect.any(String), expect.any(String)]])
    expect(refusalOf({ ...web, client_id: "" }).message).toMatch(/^client "" is refused:\n- client_id: /)
  })

  test("members that are undefined count as absent (exactOptionalPropertyTypes)", () => {
    expect(define({ ...web, client_name: undefined, client_secret: undefined })).toEqual(defineClient(web))
  })
})

describe("defineClient takes the options of the provider", () => {
  const machine = { client_id: "m", grant_types: ["client_credentials"], response_types: [], scope: "api.read" }
  const resources = [{ identifier: "https://api.example", scopes: [{ name: "api.read", required: false }] }]

  test("RFC 6749 §3.3: scopes of its resources, and its own identity scopes", () => {
    expect(faultsOf(machine)).toMatchObject([["scope", "api.read: no such scope", expect.any(String)]])
    expect(define(machine, { resources }).scope).toEqual(["api.read"])
    const scopes = [{ name: "team", claims: ["team"], required: false }]
    expect(define({ ...web, scope: "openid team" }, { scopes }).scope).toEqual(["openid", "team"])
  })

  test("RFC 8252 §7.3: http on loopback for a web client where the issuer is so, and nowhere else", () => {
    const local = { ...web, redirect_uris: ["http://127.0.0.1:4200/cb"] }
    expect(define(local, { issuer: "http://127.0.0.1:4100" }).redirectUris).toHaveLength(1)
    expect(define(local, { issuer: "http://localhost:4100" }).redirectUris).toHaveLength(1)
    for (const issuer of [undefined, "https://op.example", "http://op.example", "https://localhost"])
      expect(faultsOf(local, { issuer })).toMatchObject([["redirect_uris.0", expect.any(String), expect.any(String)]])
  })

  test("OpenID Connect Core §8.1: pairwise subjects where it has a salt; providers where it names them", () => {
    expect(faultsOf({ ...web, subject_type: "pairwise" })).toMatchObject([["subject_type", expect.any(String), expect.any(String)]])
    expect(define({ ...web, subject_type: "pairwise" }, { pairwiseSalt: secretOf("s".repeat(32)) }).subjectType).toBe("pairwise")
    const corp = { ...web, identity_providers: ["corp"] }
    expect(faultsOf(corp)).toMatchObject([["identity_providers.0", "corp is no configured provider", expect.any(String)]])
    expect(define(corp, { upstream: [{ name: "corp", displayName: "Corp" }] }).identityProviders).toEqual(["corp"])
  })
})
