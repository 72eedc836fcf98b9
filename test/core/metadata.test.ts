import { clientFieldsOf, compose } from "@postern/core"
import { describe, expect, test } from "vitest"
import { claimsOf, request, signedIn, token } from "../support/flows.ts"
import { said } from "../support/visitor.ts"
import { type World, issuer, world } from "../support/world.ts"

const document = async (w: World, path = "/.well-known/openid-configuration") => said(await w.send({ path }))

test("RFC 7591 §2: every field of client metadata has a description, one that stands apart too", () => {
  expect(clientFieldsOf({}).flatMap(({ name, description }) => (/^\S.*\.$/s.test(description) ? [] : [name]))).toEqual([])
})

describe("metadata", () => {
  test("RFC 8414 §3.3: issuer is the configured one, byte for byte, at both paths, whatever Host and X-Forwarded-* say", async () => {
    const w = await world()
    const headers = {
      host: "evil.example",
      "x-forwarded-host": "evil.example",
      "x-forwarded-proto": "http",
      forwarded: "host=evil.example;proto=http",
    }
    for (const path of ["/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"]) {
      const { status, json, body } = said(await w.send({ path, headers }))
      expect(status).toBe(200)
      expect(json?.["issuer"]).toBe(issuer)
      expect(body).not.toContain("evil")
    }
  })

  test("RFC 8414 §3.1: an issuer with a path has the well-known part before it, and OpenID Connect's behind", async () => {
    const w = await world({ issuer: "https://op.example/tenant/one" })
    const inserted = await document(w, "/.well-known/oauth-authorization-server/tenant/one")
    const appended = await document(w, "/tenant/one/.well-known/openid-configuration")
    expect(inserted.json).toEqual(appended.json)
    expect(appended.json?.["token_endpoint"]).toBe("https://op.example/tenant/one/connect/token")
    expect((await document(w)).status).toBe(404)
  })

  test("OpenID Connect Discovery §3: ui_locales_supported names the languages of the pages, as they are now, and is left out where nobody says", async () => {
    expect((await document(await world())).json).not.toHaveProperty("ui_locales_supported")
    let languages = ["en", "de"]
    const pages = {
      render: () => "",
      get languages() {
        return languages
      },
    }
    const w = await world({ more: { pages } })
    expect((await document(w)).json?.["ui_locales_supported"]).toEqual(["en", "de"])
    languages = ["en", "de", "nl"]
    expect((await document(w)).json?.["ui_locales_supported"]).toEqual(["en", "de", "nl"])
  })

  test("Initiating User Registration §4.1: prompt_values_supported names what works, and so not create", async () => {
    expect((await document(await world())).json?.["prompt_values_supported"]).toEqual(["none", "login", "consent", "select_account"])
  })

  test("OpenID Connect Discovery §3: every member whose default would claim what is not so is stated", async () => {
    const { json } = await document(await world())
    expect(json).toMatchObject({
      request_parameter_supported: true,
      request_uri_parameter_supported: true,
      require_request_uri_registration: true,
      claims_parameter_supported: true,
      token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post", "client_secret_jwt", "private_key_jwt", "none"],
      grant_types_supported: [
        "authorization_code",
        "refresh_token",
        "client_credentials",
        "password",
        "urn:ietf:params:oauth:grant-type:device_code",
        "implicit",
      ],
      response_types_supported: ["code", "code id_token", "code id_token token", "code token", "id_token", "id_token token", "token"],
      response_modes_supported: ["query", "fragment", "form_post", "jwt", "query.jwt", "fragment.jwt", "form_post.jwt"],
      code_challenge_methods_supported: ["S256", "plain"],
      subject_types_supported: ["public"],
      authorization_response_iss_parameter_supported: true,
    })
    expect(json?.["id_token_signing_alg_values_supported"]).toContain("RS256")
    expect(json?.["scopes_supported"]).toEqual(expect.arrayContaining(["openid", "offline_access", "api.read"]))
    expect(json?.["claims_supported"]).toEqual(expect.arrayContaining(["sub", "name", "email", "role"]))
  })

  test.each([
    ["oauth2.1", ["code", "code id_token", "id_token"], ["password"]],
    ["mcp", ["code", "code id_token", "id_token"], ["password"]],
    ["fapi2-security", ["code"], ["password", "implicit"]],
    ["fapi1-advanced", ["code", "code id_token"], ["password"]],
  ])(
    "RFC 8414 §2, draft-ietf-oauth-v2-1 §10: the profile %s offers no response type, grant and challenge that it refuses",
    async (name, types, refused) => {
      const { json } = await document(await world({ more: { profile: name } }))
      expect(json).toMatchObject({ response_types_supported: types, code_challenge_methods_supported: ["S256"] })
      const stated = json?.["grant_types_supported"] as ReadonlyArray<string>
      for (const grant of ["authorization_code", "refresh_token", "password", "implicit"])
        expect([grant, stated.includes(grant)]).toEqual([grant, !refused.includes(grant)])
    },
  )

  test.each([
    ["oauth2.1", undefined, undefined, ["query", "fragment", "form_post"], false],
    ["fapi2-security", ["private_key_jwt"], ["PS256", "ES256", "EdDSA", "Ed25519"], ["query"], true],
    ["fapi2-message-signing", ["private_key_jwt"], ["PS256", "ES256", "EdDSA", "Ed25519"], [], true],
    ["fapi1-advanced", ["private_key_jwt"], ["PS256", "ES256"], ["fragment", "form_post"], false],
  ] as const)(
    "RFC 8414 §2, FAPI 2.0 Security Profile §5.3.2, §5.4.1: the profile %s offers no method, algorithm and response mode that it refuses",
    async (name, methods, algorithms, modes, pushing) => {
      const { json = {} } = await document(await world({ more: { profile: name } }))
      const signed = ["jwt", "query.jwt", "fragment.jwt", "form_post.jwt"]
      expect(json["response_modes_supported"]).toEqual([...modes, ...signed])
      expect(json["require_pushed_authorization_requests"]).toBe(pushing)
      for (const [member, value] of Object.entries(json)) {
        if (/^(?!id_token).*_signing_alg_values_supported$/.test(member) && algorithms !== undefined)
          for (const alg of value as ReadonlyArray<string>) expect(algorithms).toContain(alg)
        if (/^(?:token|revocation).*_auth_methods_supported$/.test(member) && methods !== undefined)
          expect([member, value]).toEqual([member, methods])
      }
      for (const member of ["dpop", "id_token", "request_object", "token_endpoint_auth"])
        expect(json[`${member}_signing_alg_values_supported`]).toContain("ES256")
      // OpenID Connect Discovery §3: RS256 must be among these.
      expect(json["id_token_signing_alg_values_supported"]).toContain("RS256")
      // A resource server, which gets no tokens, is not held to a method.
      expect(json["introspection_endpoint_auth_methods_supported"]).toContain("client_secret_basic")
    },
  )

  test("RFC 8414 §2: each endpoint that clients authenticate at states how they may, and what may sign their assertions", async () => {
    const { json } = await document(await world())
    const methods = ["client_secret_basic", "client_secret_post", "client_secret_jwt", "private_key_jwt"]
    expect(json).toMatchObject({
      token_endpoint_auth_methods_supported: [...methods, "none"],
      revocation_endpoint_auth_methods_supported: [...methods, "none"],
      introspection_endpoint_auth_methods_supported: methods,
    })
    for (const endpoint of ["token", "revocation", "introspection"])
      expect(json?.[`${endpoint}_endpoint_auth_signing_alg_values_supported`]).toEqual(
        "RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519 HS256 HS384 HS512".split(" "),
      )
  })

  test("RFC 8414 §2: every endpoint stated answers", async () => {
    const w = await world()
    const { json } = await document(w)
    const stated = Object.entries(json ?? {}).filter(([name]) => name.endsWith("_endpoint") || name === "jwks_uri")
    expect(stated.map(([name]) => name).sort()).toEqual([
      "authorization_endpoint",
      "device_authorization_endpoint",
      "end_session_endpoint",
      "introspection_endpoint",
      "jwks_uri",
      "pushed_authorization_request_endpoint",
      "revocation_endpoint",
      "token_endpoint",
      "userinfo_endpoint",
    ])
    for (const [, url] of stated) expect((await w.send({ path: new URL(String(url)).pathname, method: "OPTIONS" })).status).toBe(204)
  })

  test("RFC 8414 §2: every response mode stated works, and every grant type stated is known", async () => {
    const w = await world()
    const visitor = await signedIn(w)
    for (const { name: response_mode } of compose().responseModes) {
      const { params } = await visitor.get("/connect/authorize", request("web", { response_mode }))
      const code = params["response"] === undefined ? params["code"] : claimsOf(params["response"])["code"]
      expect(code).toMatch(/^c_/)
    }
    // `implicit` is a grant of the authorization endpoint alone.
    for (const grant_type of compose().grantTypes.filter((each) => each !== "implicit"))
      expect((await token(w, "web", { grant_type })).json?.["error"]).not.toBe("unsupported_grant_type")
    const { json } = await document(w)
    for (const prompt of (json?.["prompt_values_supported"] ?? []) as ReadonlyArray<string>)
      expect((await visitor.get("/connect/authorize", request("web", { prompt }))).params["error"]).toBe(undefined)
  })

  test("behaviour, answers: metadata and keys may be cached and read by any origin", async () => {
    const w = await world()
    for (const path of ["/.well-known/openid-configuration", "/.well-known/openid-configuration/jwks"]) {
      const { header } = said(await w.send({ path, headers: { origin: "https://app.example" } }))
      expect(header("cache-control")).toBe("public, max-age=300")
      expect(header("access-control-allow-origin")).toBe("*")
    }
  })
})

describe("keys", () => {
  test("RFC 7517 §5: the JWK set has kid, alg and use for every key, unique kids, and no private member", async () => {
    const w = await world()
    const { json } = said(await w.send({ path: "/.well-known/openid-configuration/jwks" }))
    const keys = json?.["keys"] as Array<Record<string, string>>
    expect(keys.length).toBe(2)
    for (const key of keys) {
      expect(key).toMatchObject({ kid: expect.any(String), alg: expect.any(String), use: "sig" })
      for (const secret of ["d", "p", "q", "dp", "dq", "qi", "k", "oth"]) expect(key).not.toHaveProperty(secret)
    }
    expect(new Set(keys.map(({ kid }) => kid)).size).toBe(keys.length)
  })
})

describe("CORS", () => {
  const preflight = async (w: World, path: string) =>
    said(await w.send({ path, method: "OPTIONS", headers: { origin: "https://app.example", "access-control-request-method": "POST" } }))

  test.each(["/connect/token", "/connect/userinfo", "/connect/revocation", "/.well-known/openid-configuration"])(
    "Fetch §3.2: scripts may call %s, without credentials",
    async (path) => {
      const { status, header } = await preflight(await world(), path)
      expect(status).toBe(204)
      expect(header("access-control-allow-origin")).toBe("*")
      expect(header("access-control-allow-headers")).toBe("authorization, content-type, dpop")
      expect(header("access-control-allow-credentials")).toBe(undefined)
    },
  )

  test.each(["/connect/authorize", "/connect/introspect", "/login", "/consent", "/", "/logout"])(
    "RFC 9700 §2.6: no CORS on %s",
    async (path) => {
      const w = await world()
      expect((await preflight(w, path)).header("access-control-allow-origin")).toBe(undefined)
      expect(said(await w.send({ path, headers: { origin: "https://app.example" } })).header("access-control-allow-origin")).toBe(undefined)
    },
  )
})
