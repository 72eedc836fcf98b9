import { memoryLimiter } from "@postern/core/memory"
import { authorize, basic, codeFor, redeem, refresh, signedIn, token, tokensFor, userinfo, verifier } from "../support/flows.ts"
import { said } from "../support/visitor.ts"
import type { World } from "../support/world.ts"
import { type Case, refused } from "./case.ts"

const form = "application/x-www-form-urlencoded"
const disable = (w: World, subject = "sub-alice"): void => {
  const person = w.people.get(subject)
  if (person !== undefined) w.people.set(subject, { ...person, active: false })
}
const takeScopes = (w: World): void => {
  const web = w.clients.get("web")
  if (web !== undefined) w.clients.set("web", { ...web, scope: [] })
}
const invalid = refused("invalid_grant", "The authorization code is not valid.")

const soon = { ...refused("temporarily_unavailable", "Too many requests. Try again later.", 429), headers: { "retry-after": "20" } }
const ask = (w: World, clientId: string, more: Readonly<Record<string, string>> = {}) =>
  token(w, clientId, { grant_type: "client_credentials", ...more })

const rateCases: ReadonlyArray<Case> = [
  {
    title: "RFC 6585 §4: the fourth request of an address that may send three in a minute is 429, with Retry-After, whoever sends it",
    rule: "token.address-rate",
    // A limiter of its own each time it runs: it counts.
    get options() {
      return { more: { limiter: memoryLimiter({ address: 3 }) } }
    },
    run: async (w) => {
      for (const clientId of ["machine", "web", "opaque"]) await ask(w, clientId)
      return ask(w, "dave")
    },
    expect: soon,
  },
  {
    title: "RFC 6585 §4: a third of the minute later one more is answered",
    rule: undefined,
    // A limiter of its own each time it runs: it counts.
    get options() {
      return { more: { limiter: memoryLimiter({ address: 3 }) } }
    },
    run: async (w) => {
      for (const clientId of ["machine", "web", "opaque"]) await ask(w, clientId)
      w.pass(20)
      return ask(w, "machine")
    },
    expect: { status: 200 },
  },
  {
    title: "RFC 6585 §4: the fourth request of a client that may send three in a minute is 429, with Retry-After",
    rule: "token.client-rate",
    // A limiter of its own each time it runs: it counts.
    get options() {
      return { more: { limiter: memoryLimiter({ client: 3 }) } }
    },
    run: async (w) => {
      for (let sent = 0; sent < 3; sent++) await ask(w, "machine")
      return ask(w, "machine")
    },
    expect: soon,
  },
  {
    title: "RFC 6585 §4: what is sent in a client's name without its secret uses up nothing of the client's",
    rule: "client.secret-matches",
    // A limiter of its own each time it runs: it counts.
    get options() {
      return { more: { limiter: memoryLimiter({ client: 1 }) } }
    },
    run: async (w) => {
      for (let sent = 0; sent < 3; sent++)
        await token(w, undefined, { grant_type: "client_credentials" }, { authorization: basic("machine", "a guess") })
      return ask(w, "machine")
    },
    expect: { status: 200 },
  },
]

const formCases: ReadonlyArray<Case> = [
  {
    title: "RFC 6749 appendix B: a JSON body is refused",
    rule: "token.form",
    run: async (w) =>
      said(
        await w.send({
          method: "POST",
          path: "/connect/token",
          body: "grant_type=client_credentials",
          headers: { "content-type": "application/json", authorization: basic("machine") },
        }),
      ),
    expect: refused("invalid_request", "The body must be application/x-www-form-urlencoded."),
  },
  {
    title: "RFC 6749 appendix B: a body without Content-Type is refused",
    rule: "token.form",
    run: async (w) =>
      said(
        await w.send({
          method: "POST",
          path: "/connect/token",
          body: "grant_type=client_credentials",
          headers: { authorization: basic("machine") },
        }),
      ),
    expect: refused("invalid_request", "The body must be application/x-www-form-urlencoded."),
  },
  {
    title: "RFC 6749 appendix B: a charset beside the form encoding is let pass",
    rule: undefined,
    run: async (w) =>
      said(
        await w.send({
          method: "POST",
          path: "/connect/token",
          body: "grant_type=client_credentials",
          headers: { "content-type": `${form}; charset=UTF-8`, authorization: basic("machine") },
        }),
      ),
    expect: { status: 200 },
  },
  {
    title: "RFC 6749 §3.2: a parameter twice is refused",
    rule: "token.parameters-once",
    run: (w) =>
      token(w, "machine", [
        ["grant_type", "client_credentials"],
        ["scope", "api.read"],
        ["scope", "api.write"],
      ]),
    expect: refused("invalid_request", "A parameter is sent more than once."),
  },
  {
    title: "RFC 8707 §2: resource may come more than once",
    rule: undefined,
    run: (w) =>
      token(w, "machine", [
        ["grant_type", "client_credentials"],
        ["resource", "https://api.example"],
        ["resource", "https://api.example"],
      ]),
    expect: { status: 200 },
  },
  {
    title: "RFC 6749 §3.2: unknown parameters are ignored",
    rule: undefined,
    run: (w) => token(w, "machine", { grant_type: "client_credentials", extra: "1" }),
    expect: { status: 200 },
  },
  {
    title: "RFC 6749 §5.2: no grant_type is refused",
    rule: "token.grant-type-present",
    run: (w) => token(w, "machine", {}),
    expect: refused("invalid_request", "The grant_type is missing."),
  },
  {
    title: "RFC 6749 §3.1: an empty grant_type counts as none",
    rule: "token.grant-type-present",
    run: (w) => token(w, "machine", { grant_type: "" }),
    expect: refused("invalid_request", "The grant_type is missing."),
  },
  {
    title: "RFC 6749 §5.2: an unknown grant_type is refused",
    rule: "token.grant-type-known",
    run: (w) => token(w, "machine", { grant_type: "magic" }),
    expect: refused("unsupported_grant_type", "The grant_type is not supported."),
  },
  {
    title: "RFC 6749 §5.2: a grant_type the client may not use is refused",
    rule: "token.grant-type-allowed",
    run: (w) => token(w, "other", { grant_type: "client_credentials" }),
    expect: refused("unauthorized_client", "The client may not use this grant_type."),
  },
]

const codeCases: ReadonlyArray<Case> = [
  {
    title: "RFC 6749 §4.1.4: a code is exchanged for an access token and an ID token",
    rule: undefined,
    run: async (w) => redeem(w, await codeFor(w)),
    expect: {
      status: 200,
      json: { token_type: "Bearer", expires_in: 3600, scope: "openid" },
      headers: { "cache-control": "no-store", pragma: "no-cache", "content-type": "application/json" },
    },
  },
  {
    title: "RFC 6749 §4.1.3: a public client redeems its code with client_id alone",
    rule: undefined,
    run: async (w) => redeem(w, await codeFor(w, "spa"), "spa"),
    expect: { status: 200 },
  },
  {
    title: "RFC 6749 §4.1.3: no code is refused",
    rule: "code.present",
    run: (w) => token(w, "web", { grant_type: "authorization_code", redirect_uri: "https://app.example/cb" }),
    expect: refused("invalid_request", "The code is missing."),
  },
  { title: "RFC 6749 §5.2: an unknown code is refused", rule: "code.known", run: (w) => redeem(w, "nonsense"), expect: invalid },
  {
    title: "RFC 6749 §5.2: a code with another secret is refused",
    rule: "code.known",
    run: async (w) => redeem(w, `${(await codeFor(w)).slice(0, -4)}AAAA`),
    expect: invalid,
  },
  {
    title: "RFC 6749 §4.1.3: another client's code is refused",
    rule: "code.client",
    run: async (w) => redeem(w, await codeFor(w, "web"), "other"),
    expect: invalid,
  },
  {
    title: "RFC 6749 §4.1.3: another client's code stays good for its own client",
    rule: undefined,
    run: async (w) => {
      const code = await codeFor(w, "web")
      await redeem(w, code, "other")
      return redeem(w, code, "web")
    },
    expect: { status: 200 },
  },
  {
    title: "RFC 6749 §4.1.2: a code used before is refused",
    rule: "code.unused",
    run: async (w) => {
      const code = await codeFor(w)
      await redeem(w, code)
      return redeem(w, code)
    },
    expect: refused("invalid_grant", "The authorization code has been used."),
  },
  {
    title: "RFC 6749 §4.1.2: a replayed code revokes the tokens of its first use",
    rule: "userinfo.token-live",
    run: async (w) => {
      const code = await codeFor(w)
      const first = await redeem(w, code)
      await redeem(w, code)
      return userinfo(w, String(first.json?.["access_token"]))
    },
    expect: refused("invalid_token", "The access token has been revoked.", 401),
  },
  {
    title: "RFC 6749 §4.1.2: a code replayed after its expiry is still a replay",
    rule: "code.unused",
    run: async (w) => {
      const code = await codeFor(w)
      await redeem(w, code)
      w.pass(120)
      return redeem(w, code)
    },
    expect: refused("invalid_grant", "The authorization code has been used."),
  },
  {
    title: "RFC 6749 §4.1.2: a code replayed by another client revokes nothing",
    rule: undefined,
    run: async (w) => {
      const code = await codeFor(w)
      const first = await redeem(w, code)
      await redeem(w, code, "other")
      return userinfo(w, String(first.json?.["access_token"]))
    },
    expect: { status: 200 },
  },
  {
    title: "RFC 6749 §4.1.2: a code is good in its last second",
    rule: undefined,
    run: async (w) => {
      const code = await codeFor(w)
      w.pass(59)
      return redeem(w, code)
    },
    expect: { status: 200 },
  },
  {
    title: "RFC 6749 §4.1.2: a code of 60 s is refused",
    rule: "code.fresh",
    run: async (w) => {
      const code = await codeFor(w)
      w.pass(60)
      return redeem(w, code)
    },
    expect: refused("invalid_grant", "The authorization code has expired."),
  },
  {
    title: "RFC 6749 §5.2: a code whose grant was revoked is refused",
    rule: "code.grant-live",
    run: async (w) => {
      const visitor = await signedIn(w)
      const code = String((await authorize(visitor)).params["code"])
      const home = await visitor.get("/")
      await visitor.submit(home.page, [["client_id", "web"]], "withdrawConsent")
      return redeem(w, code)
    },
    expect: refused("invalid_grant", "The authorization code has been revoked."),
  },
  {
    title: "RFC 6749 §4.1.3: another redirect_uri of the same client is refused",
    rule: "code.redirect-uri",
    run: async (w) => redeem(w, await codeFor(w), "web", { redirect_uri: "https://app.example/cb?tab=1" }),
    expect: refused("invalid_grant", "The redirect_uri is not the one of the authorization request."),
  },
  {
    title: "specification §4 rule 4: a missing redirect_uri is refused",
    rule: "code.redirect-uri",
    run: async (w) => redeem(w, await codeFor(w), "web", { redirect_uri: undefined }),
    expect: refused("invalid_grant", "The redirect_uri is missing."),
  },
  {
    title: "RFC 9700 §2.1.1: a verifier without a challenge before is refused",
    rule: "code.verifier-unexpected",
    run: async (w) => redeem(w, await codeFor(w, "old", { code_challenge: undefined, code_challenge_method: undefined }), "old"),
    expect: refused("invalid_grant", "A code_verifier was sent, but no code_challenge before."),
  },
  {
    title: "RFC 6749 §4.1.3: a client that need not use PKCE redeems without it",
    rule: undefined,
    run: async (w) =>
      redeem(w, await codeFor(w, "old", { code_challenge: undefined, code_challenge_method: undefined }), "old", {
        code_verifier: undefined,
      }),
    expect: { status: 200 },
  },
  {
    title: "RFC 7636 §4.5: a missing verifier is refused",
    rule: "code.verifier-present",
    run: async (w) => redeem(w, await codeFor(w), "web", { code_verifier: undefined }),
    expect: refused("invalid_grant", "The code_verifier is missing."),
  },
  {
    title: "RFC 7636 §4.1: a verifier shorter than 43 characters is refused",
    rule: "code.verifier-form",
    run: async (w) => redeem(w, await codeFor(w), "web", { code_verifier: "short" }),
    expect: refused("invalid_grant", "The code_verifier must be 43 to 128 unreserved characters."),
  },
  {
    title: "RFC 7636 §4.6: a verifier that does not match is refused",
    rule: "code.pkce-proof",
    run: async (w) => redeem(w, await codeFor(w), "web", { code_verifier: "w".repeat(43) }),
    expect: refused("invalid_grant", "The code_verifier does not match the code_challenge."),
  },
  {
    title: "RFC 7636 §4.6: plain compares the verifier itself, where the client may use it",
    rule: undefined,
    run: async (w) => redeem(w, await codeFor(w, "old", { code_challenge: verifier, code_challenge_method: "plain" }), "old"),
    expect: { status: 200 },
  },
  {
    title: "RFC 7636 §4.6: the challenge itself is no verifier by S256",
    rule: "code.pkce-proof",
    run: async (w) => redeem(w, await codeFor(w), "web", { code_verifier: (await import("../support/flows.ts")).challenge }),
    expect: refused("invalid_grant", "The code_verifier does not match the code_challenge."),
  },
  {
    title: "RFC 6749 §5.2: the code of a person disabled since is refused",
    rule: "code.person-active",
    run: async (w) => {
      const code = await codeFor(w)
      disable(w)
      return redeem(w, code)
    },
    expect: refused("invalid_grant", "The person can no longer sign in."),
  },
  {
    title: "RFC 6749 §4.1.3: when the client was taken every scope of the grant, its code gives nothing",
    rule: "code.scope-left",
    run: async (w) => {
      const code = await codeFor(w)
      takeScopes(w)
      return redeem(w, code)
    },
    expect: refused("invalid_grant", "No granted scope is left."),
  },
  {
    title: "OpenID Connect Core §11: no refresh token without offline_access",
    rule: "refresh.known",
    run: async (w) => refresh(w, String((await redeem(w, await codeFor(w))).json?.["refresh_token"])),
    expect: refused("invalid_grant", "The refresh token is not valid."),
  },
]

const refreshCases: ReadonlyArray<Case> = [
  {
    title: "RFC 6749 §6: a refresh token is exchanged for new tokens",
    rule: undefined,
    run: async (w) => refresh(w, (await tokensFor(w)).refresh_token),
    expect: { status: 200, json: { token_type: "Bearer", scope: "openid offline_access" } },
  },
  {
    title: "RFC 6749 §6: no refresh_token is refused",
    rule: "refresh.present",
    run: (w) => token(w, "web", { grant_type: "refresh_token" }),
    expect: refused("invalid_request", "The refresh_token is missing."),
  },
  {
    title: "RFC 6749 §5.2: an unknown refresh token is refused",
    rule: "refresh.known",
    run: (w) => refresh(w, "nonsense"),
    expect: refused("invalid_grant", "The refresh token is not valid."),
  },
  {
    title: "RFC 6749 §6: another client's refresh token is refused",
    rule: "refresh.client",
    run: async (w) => refresh(w, (await tokensFor(w)).refresh_token, "other"),
    expect: refused("invalid_grant", "The refresh token is not valid."),
  },
  {
    title: "RFC 7009 §2.1: a revoked refresh token is refused",
    rule: "refresh.grant-live",
    run: async (w) => {
      const { refresh_token } = await tokensFor(w)
      const { post } = await import("../support/flows.ts")
      await post(w, "/connect/revocation", "web", { token: refresh_token })
      return refresh(w, refresh_token)
    },
    expect: refused("invalid_grant", "The refresh token has been revoked."),
  },
  {
    title: "RFC 9700 §4.14.2: a rotated refresh token that comes back after its grace is refused",
    rule: "refresh.unrotated",
    run: async (w) => {
      const { refresh_token } = await tokensFor(w)
      await refresh(w, refresh_token)
      w.pass(30)
      return refresh(w, refresh_token)
    },
    expect: refused("invalid_grant", "The refresh token has been used."),
  },
  {
    title: "RFC 9700 §4.14.2: a replay revokes the whole family",
    rule: "refresh.grant-live",
    run: async (w) => {
      const { refresh_token } = await tokensFor(w)
      const next = await refresh(w, refresh_token)
      w.pass(30)
      await refresh(w, refresh_token)
      return refresh(w, String(next.json?.["refresh_token"]))
    },
    expect: refused("invalid_grant", "The refresh token has been revoked."),
  },
  {
    title: "RFC 9700 §4.14.2: within the grace a rotated token works again",
    rule: undefined,
    run: async (w) => {
      const { refresh_token } = await tokensFor(w)
      await refresh(w, refresh_token)
      w.pass(29)
      return refresh(w, refresh_token)
    },
    expect: { status: 200 },
  },
  {
    title: "RFC 6749 §5.2: a refresh token past its sliding end is refused",
    rule: "refresh.fresh",
    run: async (w) => {
      const { refresh_token } = await tokensFor(w)
      w.pass(1_296_000)
      return refresh(w, refresh_token)
    },
    expect: refused("invalid_grant", "The refresh token has expired."),
  },
  {
    title: "RFC 6749 §5.2: a family past its absolute end is refused however often it was used",
    rule: "refresh.fresh",
    run: async (w) => {
      let { refresh_token } = await tokensFor(w)
      for (let day = 0; day < 29; day += 10) {
        w.pass(864_000)
        const next = (await refresh(w, refresh_token)).json
        refresh_token = next === undefined || "error" in next ? refresh_token : String(next["refresh_token"])
      }
      return refresh(w, refresh_token)
    },
    expect: refused("invalid_grant", "The refresh token has expired."),
  },
  {
    title: "behaviour, lifetimes: an absolute lifetime of 0 slides without end",
    rule: undefined,
    run: async (w) => {
      let { refresh_token } = await tokensFor(w, "endless")
      for (let day = 0; day < 100; day += 10) {
        w.pass(864_000)
        refresh_token = String((await refresh(w, refresh_token, "endless")).json?.["refresh_token"])
      }
      return refresh(w, refresh_token, "endless")
    },
    expect: { status: 200 },
  },
  {
    title: "RFC 9700 §4.14.2: a rotated token whose successor was used comes back too late, grace or not",
    rule: "refresh.unrotated",
    run: async (w) => {
      const { refresh_token } = await tokensFor(w)
      const next = await refresh(w, refresh_token)
      await refresh(w, String(next.json?.["refresh_token"]))
      return refresh(w, refresh_token)
    },
    expect: refused("invalid_grant", "The refresh token has been used."),
  },
  {
    title: "RFC 6749 §3.3: a scope that names nothing is refused at refresh",
    rule: "refresh.scope-form",
    run: async (w) => refresh(w, (await tokensFor(w)).refresh_token, "web", { scope: " " }),
    expect: refused("invalid_scope", "The scope names nothing."),
  },
  {
    title: "RFC 6749 §6: when the client was taken every scope of the grant, nothing is issued",
    rule: "refresh.scope-left",
    run: async (w) => {
      const { refresh_token } = await tokensFor(w)
      takeScopes(w)
      return refresh(w, refresh_token)
    },
    expect: refused("invalid_scope", "No granted scope is left."),
  },
  {
    title: "RFC 6749 §3.3: a scope taken from the client since is not issued again",
    rule: undefined,
    run: async (w) => {
      const { refresh_token } = await tokensFor(w, "web", "openid offline_access api.write")
      const web = w.clients.get("web")
      if (web !== undefined) w.clients.set("web", { ...web, scope: web.scope.filter((name) => name !== "api.write") })
      return refresh(w, refresh_token)
    },
    expect: { status: 200, json: { scope: "openid offline_access" } },
  },
  {
    title: "RFC 6749 §6: a wider scope is refused",
    rule: "refresh.scope-narrows",
    run: async (w) => refresh(w, (await tokensFor(w)).refresh_token, "web", { scope: "openid email" }),
    expect: refused("invalid_scope", "The scope goes beyond what was granted."),
  },
  {
    title: "RFC 6749 §6: a narrower scope narrows this answer",
    rule: undefined,
    run: async (w) => refresh(w, (await tokensFor(w, "web", "openid email offline_access")).refresh_token, "web", { scope: "openid" }),
    expect: { status: 200, json: { scope: "openid" } },
  },
  {
    title: "RFC 6749 §6: a narrower scope does not narrow the grant",
    rule: undefined,
    run: async (w) => {
      const narrow = await refresh(w, (await tokensFor(w, "web", "openid email offline_access")).refresh_token, "web", { scope: "openid" })
      return refresh(w, String(narrow.json?.["refresh_token"]))
    },
    expect: { status: 200, json: { scope: "openid email offline_access" } },
  },
  {
    title: "RFC 6749 §5.2: the refresh token of a person disabled since is refused",
    rule: "refresh.person-active",
    run: async (w) => {
      const { refresh_token } = await tokensFor(w)
      disable(w)
      return refresh(w, refresh_token)
    },
    expect: refused("invalid_grant", "The person can no longer sign in."),
  },
]

const clientCredentialsCases: ReadonlyArray<Case> = [
  {
    title: "specification §4 rule 8: scope omitted gives every resource scope allowed, and nothing for people",
    rule: undefined,
    run: (w) => token(w, "web", { grant_type: "client_credentials" }),
    expect: { status: 200, json: { scope: "api.read api.write billing" } },
  },
  {
    title: "RFC 6749 §4.4: a public client is refused",
    rule: "client-credentials.confidential",
    options: {
      clients: [
        {
          client_id: "spa",
          token_endpoint_auth_method: "none",
          grant_types: ["client_credentials"],
          response_types: [],
          scope: "api.read",
        },
      ],
    },
    run: (w) => token(w, "spa", { grant_type: "client_credentials" }),
    expect: refused("unauthorized_client", "The client_credentials grant needs a client that authenticates."),
  },
  {
    title: "RFC 6749 §3.3: a scope that names nothing is refused",
    rule: "client-credentials.scope-form",
    run: (w) => token(w, "machine", { grant_type: "client_credentials", scope: " " }),
    expect: refused("invalid_scope", "The scope names nothing."),
  },
  {
    title: "RFC 9700 §4.15: a client whose client_id is a person's subject gets no token of its own",
    rule: "client-credentials.apart-from-people",
    run: (w) => token(w, "dave", { grant_type: "client_credentials" }),
    expect: refused("unauthorized_client", "The client may not have a token of its own."),
  },
  {
    title: "RFC 6749 §3.3: a scope the client is not allowed is refused",
    rule: "client-credentials.scope-allowed",
    run: (w) => token(w, "machine", { grant_type: "client_credentials", scope: "billing" }),
    expect: refused("invalid_scope", "A scope is unknown or not allowed for this client."),
  },
  {
    title: "RFC 6749 §3.3: an unknown scope is refused",
    rule: "client-credentials.scope-allowed",
    run: (w) => token(w, "machine", { grant_type: "client_credentials", scope: "api.read nonsense" }),
    expect: refused("invalid_scope", "A scope is unknown or not allowed for this client."),
  },
  {
    title: "OpenID Connect Core §11: offline_access without a person is refused",
    rule: "client-credentials.no-person",
    run: (w) => token(w, "web", { grant_type: "client_credentials", scope: "api.read offline_access" }),
    expect: refused("invalid_scope", "Identity scopes and offline_access need a person."),
  },
  {
    title: "specification §2.2: an identity scope without a person is refused",
    rule: "client-credentials.no-person",
    run: (w) => token(w, "web", { grant_type: "client_credentials", scope: "openid" }),
    expect: refused("invalid_scope", "Identity scopes and offline_access need a person."),
  },
  {
    title: "specification §4 rule 8: a client without any resource scope is refused",
    rule: "client-credentials.scope-some",
    run: (w) => token(w, "scopeless", { grant_type: "client_credentials" }),
    expect: refused("invalid_scope", "No scope is allowed for this client."),
  },
]

/** The token endpoint: RFC 6749 §3.2, specification §2.2. */
export const cases: ReadonlyArray<Case> = [...rateCases, ...formCases, ...codeCases, ...refreshCases, ...clientCredentialsCases]
