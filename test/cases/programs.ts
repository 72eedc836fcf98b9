import { basic, claimsOf, codeFor, post, redeem, refresh, token, tokensFor, userinfo } from "../support/flows.ts"
import { said } from "../support/visitor.ts"
import type { World } from "../support/world.ts"
import { type Case, type Expectation, refused } from "./case.ts"

const machineToken = async (w: World, clientId = "machine"): Promise<string> =>
  String((await token(w, clientId, { grant_type: "client_credentials" })).json?.["access_token"])
const dead = (description = "The access token is not valid."): Expectation => ({
  ...refused("invalid_token", description, 401),
  headers: { "www-authenticate": `Bearer realm="postern", error="invalid_token", error_description="${description}"` },
})
const disable = (w: World): void => {
  const person = w.people.get("sub-alice")
  if (person !== undefined) w.people.set("sub-alice", { ...person, active: false })
}

const userinfoCases: ReadonlyArray<Case> = [
  {
    title: "OpenID Connect Core §5.3.2: GET answers the claims of the granted scopes, empty ones left out",
    rule: undefined,
    run: async (w) => userinfo(w, (await tokensFor(w, "web", "openid profile email")).access_token),
    expect: {
      status: 200,
      json: { sub: "sub-alice", name: "Alice Ant", email: "alice@example.com", email_verified: true },
      headers: { "content-type": "application/json", "cache-control": "no-store" },
    },
  },
  {
    title: "OpenID Connect Core §5.4: no claim of a scope that was not granted",
    rule: undefined,
    run: async (w) => {
      const a = await userinfo(w, (await tokensFor(w, "web", "openid")).access_token)
      return { ...a, status: Object.keys(a.json ?? {}).join() === "sub" ? 200 : 500 }
    },
    expect: { status: 200 },
  },
  {
    title: "OpenID Connect Core §5.3.1: POST with a header works",
    rule: undefined,
    run: async (w) => userinfo(w, (await tokensFor(w)).access_token, "POST"),
    expect: { status: 200 },
  },
  {
    title: "RFC 6750 §2.2: the token may come in a form body",
    rule: undefined,
    run: async (w) => post(w, "/connect/userinfo", undefined, { access_token: (await tokensFor(w)).access_token }),
    expect: { status: 200 },
  },
  {
    title: "RFC 6750 §2.1: the case of bearer does not matter",
    rule: undefined,
    run: async (w) =>
      said(await w.send({ path: "/connect/userinfo", headers: { authorization: `bEARER ${(await tokensFor(w)).access_token}` } })),
    expect: { status: 200 },
  },
  ...["Bearer a b", "Basic YTpi", "Bearer", "Bearer a, Bearer b"].map((authorization): Case => ({
    title: `RFC 6750 §2.1: the Authorization header "${authorization}" is malformed, and not overlooked for a token in the body`,
    rule: "userinfo.header-form",
    run: async (w) => post(w, "/connect/userinfo", undefined, { access_token: (await tokensFor(w)).access_token }, { authorization }),
    expect: refused("invalid_request", "The Authorization header holds no bearer token."),
  })),
  {
    title: "RFC 6750 §2: a token sent two ways is refused",
    rule: "userinfo.token-once",
    run: async (w) => {
      const t = (await tokensFor(w)).access_token
      return post(w, "/connect/userinfo", undefined, { access_token: t }, { authorization: `Bearer ${t}` })
    },
    expect: refused("invalid_request", "The access token is sent more than once."),
  },
  {
    title: "RFC 9700 §4.3.2: a token in the URL is refused",
    rule: "userinfo.token-not-in-url",
    run: async (w) => w.visitor().get("/connect/userinfo", { access_token: (await tokensFor(w)).access_token }),
    expect: refused("invalid_request", "The access token must not be sent in the URL."),
  },
  {
    title: "RFC 6750 §3.1: no token is 401 with the bare challenge",
    rule: "userinfo.token-present",
    run: (w) => userinfo(w, undefined),
    expect: {
      ...refused("invalid_token", "An access token is needed.", 401),
      headers: {
        "www-authenticate": 'Bearer realm="postern", DPoP algs="ES256 ES384 ES512 EdDSA Ed25519 PS256 PS384 PS512 RS256 RS384 RS512"',
      },
    },
  },
  { title: "RFC 6750 §3.1: nonsense is no token", rule: "userinfo.token-known", run: (w) => userinfo(w, "nonsense"), expect: dead() },
  {
    title: "RFC 9068 §2.1: an ID token is no access token",
    rule: "userinfo.token-known",
    run: async (w) => userinfo(w, (await tokensFor(w)).id_token),
    expect: dead(),
  },
  {
    title: "RFC 6750 §3.1: a refresh token is no access token",
    rule: "userinfo.token-known",
    run: async (w) => userinfo(w, (await tokensFor(w)).refresh_token),
    expect: dead(),
  },
  {
    title: "RFC 6750 §3.1: a code is no access token",
    rule: "userinfo.token-known",
    run: async (w) => userinfo(w, await codeFor(w)),
    expect: dead(),
  },
  {
    title: "RFC 8725 §3.1: a token with alg none is refused",
    rule: "userinfo.token-known",
    run: async (w) => {
      const [, payload] = (await tokensFor(w)).access_token.split(".")
      return userinfo(w, `${Buffer.from('{"alg":"none","typ":"at+jwt"}').toString("base64url")}.${payload ?? ""}.`)
    },
    expect: dead(),
  },
  {
    title: "RFC 6750 §3.1: an expired token is refused",
    rule: "userinfo.token-fresh",
    run: async (w) => {
      const t = (await tokensFor(w)).access_token
      w.pass(3600)
      return userinfo(w, t)
    },
    expect: dead("The access token has expired."),
  },
  {
    title: "RFC 6750 §3.1: an expired reference token is refused",
    rule: "userinfo.token-fresh",
    run: async (w) => {
      const t = (await tokensFor(w, "opaque")).access_token
      w.pass(3600)
      return userinfo(w, t)
    },
    expect: dead("The access token has expired."),
  },
  {
    title: "RFC 7009 §2.1: a reference token that was revoked is refused",
    rule: "userinfo.token-live",
    run: async (w) => {
      const t = (await tokensFor(w, "opaque")).access_token
      await post(w, "/connect/revocation", "opaque", { token: t })
      return userinfo(w, t)
    },
    expect: dead("The access token has been revoked."),
  },
  {
    title: "behaviour, tokens: a JWT of a revoked grant is refused here",
    rule: "userinfo.token-live",
    run: async (w) => {
      const t = await tokensFor(w)
      await post(w, "/connect/revocation", "web", { token: t.refresh_token })
      return userinfo(w, t.access_token)
    },
    expect: dead("The access token has been revoked."),
  },
  {
    title: "RFC 6750 §3.1: the token of a client that is gone is refused",
    rule: "userinfo.client-enabled",
    run: async (w) => {
      const t = await tokensFor(w)
      w.clients.delete("web")
      return userinfo(w, t.access_token)
    },
    expect: dead(),
  },
  {
    title: "OpenID Connect Core §5.3.1: a token without openid is 403",
    rule: "userinfo.openid-scope",
    run: async (w) => userinfo(w, String((await redeem(w, await codeFor(w, "web", { scope: "api.read" }))).json?.["access_token"])),
    expect: {
      ...refused("insufficient_scope", "The scope openid is needed.", 403),
      headers: {
        "www-authenticate":
          'Bearer realm="postern", error="insufficient_scope", error_description="The scope openid is needed.", scope="openid"',
      },
    },
  },
  {
    title: "specification §5: a token of a client alone represents no user: 403",
    rule: "userinfo.openid-scope",
    run: async (w) => userinfo(w, await machineToken(w)),
    expect: refused("insufficient_scope", "The scope openid is needed.", 403),
  },
  {
    title: "RFC 6750 §3.1: the token of a person disabled since is refused",
    rule: "userinfo.person-active",
    run: async (w) => {
      const t = await tokensFor(w)
      disable(w)
      return userinfo(w, t.access_token)
    },
    expect: dead(),
  },
]

const revoke = (w: World, clientId: string, fields: Record<string, string> | ReadonlyArray<readonly [string, string]>) =>
  post(w, "/connect/revocation", clientId, fields)
const done: Expectation = { status: 200, json: {}, headers: { "content-type": "application/json", "cache-control": "no-store" } }

const revocationCases: ReadonlyArray<Case> = [
  {
    title: "RFC 7009 §2.2: a refresh token is revoked, 200 and an empty JSON object",
    rule: undefined,
    run: async (w) => revoke(w, "web", { token: (await tokensFor(w)).refresh_token }),
    expect: done,
  },
  {
    title: "RFC 7009 §2.2: revoking twice is 200 too",
    rule: undefined,
    run: async (w) => {
      const t = (await tokensFor(w)).refresh_token
      await revoke(w, "web", { token: t })
      return revoke(w, "web", { token: t })
    },
    expect: done,
  },
  {
    title: "RFC 7009 §2.1: a revoked refresh token takes its access tokens along",
    rule: "userinfo.token-live",
    run: async (w) => {
      const t = await tokensFor(w, "opaque")
      await revoke(w, "opaque", { token: t.refresh_token })
      return userinfo(w, t.access_token)
    },
    expect: dead("The access token has been revoked."),
  },
  {
    title: "RFC 7009 §2.1: a revoked access token leaves its refresh token alone",
    rule: undefined,
    run: async (w) => {
      const t = await tokensFor(w, "opaque")
      await revoke(w, "opaque", { token: t.access_token })
      return refresh(w, t.refresh_token, "opaque")
    },
    expect: { status: 200 },
  },
  {
    title: "RFC 7009 §2.1: a wrong token_type_hint still finds the token",
    rule: "refresh.grant-live",
    run: async (w) => {
      const t = await tokensFor(w)
      await revoke(w, "web", { token: t.refresh_token, token_type_hint: "access_token" })
      return refresh(w, t.refresh_token)
    },
    expect: { status: 400 },
  },
  {
    title: "RFC 7009 §2.2: an unknown token_type_hint is only a hint",
    rule: undefined,
    run: async (w) => revoke(w, "web", { token: (await tokensFor(w)).refresh_token, token_type_hint: "magic" }),
    expect: done,
  },
  {
    title: "RFC 7009 §2.1: a body that is no form is refused",
    rule: "revocation.form",
    run: async (w) =>
      said(await w.send({ method: "POST", path: "/connect/revocation", body: "token=x", headers: { authorization: basic("web") } })),
    expect: refused("invalid_request", "The body must be application/x-www-form-urlencoded."),
  },
  {
    title: "RFC 6749 §3.2: a parameter twice is refused at revocation",
    rule: "revocation.parameters-once",
    run: (w) =>
      revoke(w, "web", [
        ["token", "a"],
        ["token", "b"],
      ]),
    expect: refused("invalid_request", "A parameter is sent more than once."),
  },
  {
    title: "RFC 7009 §2.1: no client authentication is refused",
    rule: "client.present",
    run: (w) => post(w, "/connect/revocation", undefined, { token: "x" }),
    expect: refused("invalid_client", "The client_id is missing.", 401),
  },
  {
    title: "RFC 7009 §2.1: no token is refused",
    rule: "revocation.token-present",
    run: (w) => revoke(w, "web", {}),
    expect: refused("invalid_request", "The token is missing."),
  },
  {
    title: "RFC 7009 §2.2.1: a JWT access token is unsupported_token_type",
    rule: "revocation.type-supported",
    run: async (w) => revoke(w, "web", { token: (await tokensFor(w)).access_token }),
    expect: refused("unsupported_token_type", "A JWT access token cannot be revoked."),
  },
  {
    title: "RFC 7009 §2.2: an unknown token is 200",
    rule: "revocation.token-known",
    run: (w) => revoke(w, "web", { token: "nonsense" }),
    expect: done,
  },
  {
    title: "RFC 7009 §2.1: another client's token is 200",
    rule: "revocation.token-own",
    run: async (w) => revoke(w, "other", { token: (await tokensFor(w)).refresh_token }),
    expect: done,
  },
  {
    title: "RFC 7009 §2.1: another client's token stays alive",
    rule: undefined,
    run: async (w) => {
      const t = await tokensFor(w)
      await revoke(w, "other", { token: t.refresh_token })
      return refresh(w, t.refresh_token)
    },
    expect: { status: 200 },
  },
]

const introspect = (w: World, clientId: string, value: string) => post(w, "/connect/introspect", clientId, { token: value })
const inactive: Expectation = { status: 200, json: { active: false } }
/** Exactly `{"active":false}`, and not a byte more. */
const onlyInactive = async (answer: ReturnType<typeof introspect>) => ({
  ...(await answer),
  json: (await answer).body === '{"active":false}' ? { active: false } : { active: "more was said" },
})

const introspectionCases: ReadonlyArray<Case> = [
  {
    title: "RFC 7662 §2.2: a client sees its reference token",
    rule: undefined,
    run: async (w) => introspect(w, "opaque", (await tokensFor(w, "opaque", "openid api.read")).access_token),
    expect: {
      status: 200,
      json: {
        active: true,
        client_id: "opaque",
        sub: "sub-alice",
        scope: "openid api.read",
        aud: "https://api.example",
        token_type: "Bearer",
        iss: "https://op.example",
      },
      headers: { "cache-control": "no-store" },
    },
  },
  ...(
    [
      ["openid offline_access api.read", false],
      ["openid email phone address offline_access api.read", false],
      ["openid profile offline_access api.read", true],
    ] as const
  ).flatMap(([scope, told]) =>
    (["access_token", "refresh_token"] as const).map((which): Case => ({
      title: `OpenID Connect Core §5.4, RFC 7662 §2.2: introspection of a ${which.replace("_", " ")} for ${scope} tells ${told ? "the" : "no"} username`,
      rule: undefined,
      run: async (w) => {
        const answer = await introspect(w, "opaque", (await tokensFor(w, "opaque", scope))[which])
        return { ...answer, json: { username: answer.json?.["username"] ?? "none" } }
      },
      expect: { status: 200, json: { username: told ? "alice" : "none" } },
    })),
  ),
  {
    title: "RFC 7662 §2.2: a client sees its JWT",
    rule: undefined,
    run: async (w) => introspect(w, "web", (await tokensFor(w)).access_token),
    expect: { status: 200, json: { active: true, aud: "https://op.example" } },
  },
  {
    title: "RFC 7662 §2.2: a client sees its refresh token",
    rule: undefined,
    run: async (w) => introspect(w, "web", (await tokensFor(w)).refresh_token),
    expect: { status: 200, json: { active: true, sub: "sub-alice", token_type: "refresh_token" } },
  },
  {
    title: "RFC 7662 §2.1: a resource server sees tokens meant for it",
    rule: undefined,
    run: async (w) => introspect(w, "api", await machineToken(w)),
    expect: { status: 200, json: { active: true, client_id: "machine", sub: "machine" } },
  },
  {
    title: "RFC 7662 §2.1: a body that is no form is refused",
    rule: "introspection.form",
    run: async (w) =>
      said(await w.send({ method: "POST", path: "/connect/introspect", body: "token=x", headers: { authorization: basic("web") } })),
    expect: refused("invalid_request", "The body must be application/x-www-form-urlencoded."),
  },
  {
    title: "RFC 6749 §3.2: a parameter twice is refused at introspection",
    rule: "introspection.parameters-once",
    run: (w) =>
      post(w, "/connect/introspect", "web", [
        ["token", "a"],
        ["token", "b"],
      ]),
    expect: refused("invalid_request", "A parameter is sent more than once."),
  },
  {
    title: "RFC 7662 §2.1: no authentication is 401",
    rule: "client.present",
    run: (w) => post(w, "/connect/introspect", undefined, { token: "x" }),
    expect: refused("invalid_client", "The client_id is missing.", 401),
  },
  {
    title: "RFC 7662 §4: a public client may not ask",
    rule: "introspection.confidential",
    run: (w) => introspect(w, "spa", "x"),
    expect: refused("invalid_client", "The client must authenticate.", 401),
  },
  {
    title: "RFC 7662 §2.1: no token is refused",
    rule: "introspection.token-present",
    run: (w) => post(w, "/connect/introspect", "web", {}),
    expect: refused("invalid_request", "The token is missing."),
  },
  {
    title: "RFC 7662 §2.2: an unknown token is inactive, and not a word more",
    rule: "introspection.known",
    run: (w) => onlyInactive(introspect(w, "web", "nonsense")),
    expect: inactive,
  },
  {
    title: "RFC 7662 §4: a token of another client is inactive",
    rule: "introspection.visible",
    run: async (w) => onlyInactive(introspect(w, "other", (await tokensFor(w)).access_token)),
    expect: inactive,
  },
  {
    title: "RFC 7662 §4: a token for another resource is inactive to a resource server",
    rule: "introspection.visible",
    run: async (w) => onlyInactive(introspect(w, "api", (await tokensFor(w, "web", "billing")).access_token)),
    expect: inactive,
  },
  {
    title: "RFC 7662 §4: a resource server does not see refresh tokens",
    rule: "introspection.visible",
    run: async (w) => onlyInactive(introspect(w, "api", (await tokensFor(w, "web", "openid api.read offline_access")).refresh_token)),
    expect: inactive,
  },
  {
    title: "RFC 7662 §2.2: an expired token is inactive",
    rule: "introspection.fresh",
    run: async (w) => {
      const t = (await tokensFor(w)).access_token
      w.pass(3600)
      return onlyInactive(introspect(w, "web", t))
    },
    expect: inactive,
  },
  {
    title: "RFC 7662 §2.2: a revoked token is inactive",
    rule: "introspection.live",
    run: async (w) => {
      const t = (await tokensFor(w, "opaque")).access_token
      await post(w, "/connect/revocation", "opaque", { token: t })
      return onlyInactive(introspect(w, "opaque", t))
    },
    expect: inactive,
  },
  {
    title: "behaviour, tokens: a JWT of a revoked grant is inactive",
    rule: "introspection.live",
    run: async (w) => {
      const t = await tokensFor(w)
      await post(w, "/connect/revocation", "web", { token: t.refresh_token })
      return onlyInactive(introspect(w, "web", t.access_token))
    },
    expect: inactive,
  },
  {
    title: "RFC 7662 §2.2: a rotated refresh token is inactive",
    rule: "introspection.unrotated",
    run: async (w) => {
      const t = (await tokensFor(w)).refresh_token
      await refresh(w, t)
      return onlyInactive(introspect(w, "web", t))
    },
    expect: inactive,
  },
  {
    title: "RFC 7662 §2.2: the token of a client that is gone is inactive",
    rule: "introspection.client-enabled",
    run: async (w) => {
      const t = await machineToken(w)
      w.clients.delete("machine")
      return onlyInactive(introspect(w, "api", t))
    },
    expect: inactive,
  },
  {
    title: "RFC 7662 §2.2: the token of a person disabled since is inactive",
    rule: "introspection.person-active",
    run: async (w) => {
      const t = (await tokensFor(w)).access_token
      disable(w)
      return onlyInactive(introspect(w, "web", t))
    },
    expect: inactive,
  },
]

const tokenContentCases: ReadonlyArray<Case> = [
  {
    title: "RFC 9068 §2.2: aud is every resource that owns a granted scope",
    rule: undefined,
    run: async (w) => {
      const t = await tokensFor(w, "web", "openid api.read billing")
      return { ...(await userinfo(w, t.access_token)), json: claimsOf(t.access_token) }
    },
    expect: {
      status: 200,
      json: { aud: ["https://api.example", "https://billing.example"], iss: "https://op.example", client_id: "web", sub: "sub-alice" },
    },
  },
]

/** Endpoints for programs beside the token endpoint. */
export const cases: ReadonlyArray<Case> = [...userinfoCases, ...revocationCases, ...introspectionCases, ...tokenContentCases]
