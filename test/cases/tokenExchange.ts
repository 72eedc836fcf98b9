import { revokeGrants, signOut } from "@postern/core/model"
import { type ClientMetadata, type ExtensionGrant, type Json, type JsonObject, extensionGrant, table } from "@postern/core"
import { type TrustedIssuer, tokenExchange, tokenExchangeGrantType } from "@postern/core/grants"
import { basic, claimsOf, post, refresh, token, tokensFor, userinfo } from "../support/flows.ts"
import { peerIssuer, peerJwks, peerJwt } from "../support/peer.ts"
import type { Said } from "../support/visitor.ts"
import { type World, type WorldOptions, clients, password } from "../support/world.ts"
import { type Case, refused } from "./case.ts"
import { foreignJwtCases } from "./foreignJwt.ts"
import { mappedContexts, toldSignInCases } from "./toldSignIns.ts"

const type = (kind: string): string => `urn:ietf:params:oauth:token-type:${kind}`

/** Gives a token of Alice that says what it is told to: a subject token with claims of its own. */
const minting: ExtensionGrant = extensionGrant({
  name: "https://grants.example/mint",
  parameters: { claims: "required" },
  rules: table("token/mint"),
  load: () => ({}),
  grant: (s) => ({ subject: "sub-alice", scope: ["api.read"], ...(JSON.parse(s.parameters.claims) as JsonObject) }),
})

const all = "openid email offline_access api.read api.write billing"
const exchanging = { grant_types: [tokenExchangeGrantType, "refresh_token", "client_credentials"], response_types: [], scope: all }

/** A world with token exchange, where `orders` has a policy. */
export const world = (policy: Json = {}, client: Partial<ClientMetadata> = {}, issuer: Partial<TrustedIssuer> = {}): WorldOptions => ({
  clients: [
    ...clients.filter(({ client_id }) => client_id !== "native"),
    {
      client_id: "orders",
      client_secret: "secret of orders",
      ...exchanging,
      ...client,
      grant_policies: { [tokenExchangeGrantType]: policy },
    },
    {
      client_id: "stock",
      client_secret: "secret of stock",
      ...exchanging,
      grant_policies: { [tokenExchangeGrantType]: { clients: ["orders"], resources: ["https://api.example", "https://billing.example"] } },
    },
    {
      client_id: "native",
      token_endpoint_auth_method: "none",
      ...exchanging,
      grant_types: [tokenExchangeGrantType],
      grant_policies: { [tokenExchangeGrantType]: policy },
    },
    { client_id: "mint", client_secret: "secret of mint", grant_types: [minting.name], response_types: [], scope: "api.read" },
    {
      client_id: "ledger",
      client_secret: "secret of ledger",
      grant_types: [],
      response_types: [],
      introspection_resources: ["https://billing.example"],
    },
  ],
  more: {
    grants: [tokenExchange({ issuers: [{ issuer: peerIssuer, jwks: peerJwks, audiences: ["our-name-there"], ...issuer }] }), minting],
  },
})

type Fields = Readonly<Record<string, string>>

/** Exchanges a token. */
export const exchange = (w: World, subject_token: string, fields: Fields = {}, clientId = "orders"): Promise<Said> =>
  token(w, clientId, { grant_type: tokenExchangeGrantType, subject_token, subject_token_type: type("access_token"), ...fields })

const userScope = "openid email offline_access api.read api.write"
const ofAlice = async (w: World): Promise<string> => (await tokensFor(w, "web", userScope)).access_token
const accessToken = ({ json }: Said): string => String(json?.["access_token"])
const ownToken = async (w: World, clientId = "orders"): Promise<string> =>
  accessToken(await token(w, clientId, { grant_type: "client_credentials", scope: "api.read" }))
const acting = async (w: World, clientId = "orders"): Promise<Fields> => ({
  actor_token: await ownToken(w, clientId),
  actor_token_type: type("access_token"),
})
const introspected = (w: World, value: string, clientId = "orders"): Promise<Said> =>
  post(w, "/connect/introspect", undefined, { token: value }, { authorization: basic(clientId) })
const minted = async (w: World, answer: JsonObject): Promise<string> =>
  accessToken(await token(w, "mint", { grant_type: minting.name, claims: JSON.stringify(answer) }))
const saying = async (answer: Said): Promise<Said> => ({ ...answer, json: claimsOf(accessToken(answer)) as JsonObject })

const one = (title: string, rule: string | undefined, options: WorldOptions, run: Case["run"], expect: Case["expect"]): Case => ({
  title,
  rule,
  options,
  run,
  expect,
})

const impersonating = { clients: ["web", "mint"], impersonation: true }
const invalid = (description: string): Case["expect"] => refused("invalid_request", description)

const successes: ReadonlyArray<Case> = [
  one(
    "RFC 8693 §2.2.1: the answer tells the type, and its scope is the subject token's",
    undefined,
    world(impersonating),
    async (w) => exchange(w, await ofAlice(w)),
    {
      status: 200,
      json: { issued_token_type: type("access_token"), token_type: "Bearer", expires_in: 3600, scope: "openid email api.read api.write" },
      headers: { "cache-control": "no-store" },
    },
  ),
  one(
    "RFC 8693 §1.1: impersonation: the token is the person's, of the client that asked, and says nothing of an actor",
    undefined,
    world(impersonating),
    async (w) =>
      saying(await exchange(w, await ofAlice(w), { scope: "api.read" })).then((said) => ({
        ...said,
        json: { ...said.json, act: "act" in (said.json ?? {}) },
      })),
    { status: 200, json: { sub: "sub-alice", client_id: "orders", aud: "https://api.example", scope: "api.read", act: false } },
  ),
  one(
    "RFC 8693 §4.1: delegation: act names the actor",
    undefined,
    world({ clients: ["web"] }),
    async (w) => saying(await exchange(w, await ofAlice(w), await acting(w))),
    { status: 200, json: { sub: "sub-alice", client_id: "orders", act: { sub: "orders", client_id: "orders" } } },
  ),
  one(
    "RFC 8693 §4.1: who acted before stays, inside",
    undefined,
    world({ clients: ["web"] }),
    async (w) => {
      const first = accessToken(await exchange(w, await ofAlice(w), await acting(w)))
      return saying(await exchange(w, first, await acting(w, "stock"), "stock"))
    },
    {
      status: 200,
      json: {
        sub: "sub-alice",
        client_id: "stock",
        act: { sub: "stock", client_id: "stock", act: { sub: "orders", client_id: "orders" } },
      },
    },
  ),
  one(
    "RFC 8693 §4.1: and is told at introspection",
    undefined,
    world({ clients: ["web"] }, { access_token_format: "reference" }),
    async (w) => introspected(w, accessToken(await exchange(w, await ofAlice(w), await acting(w)))),
    { status: 200, json: { active: true, sub: "sub-alice", client_id: "orders", act: { sub: "orders", client_id: "orders" } } },
  ),
  one(
    "OpenID Connect Core §5.3: the token is the person's at userinfo",
    undefined,
    world(impersonating),
    async (w) => userinfo(w, accessToken(await exchange(w, await ofAlice(w), { scope: "openid email" }))),
    { status: 200, json: { sub: "sub-alice", email: "alice@example.com" } },
  ),
  one(
    "RFC 8707 §2, RFC 8693 §2.1: a resource narrows the token to it",
    undefined,
    world({ ...impersonating, resources: ["https://api.example", "https://billing.example"], add_scope: "billing" }),
    async (w) => saying(await exchange(w, await ofAlice(w), { resource: "https://billing.example" })),
    { status: 200, json: { aud: "https://billing.example", scope: "billing" } },
  ),
  one(
    "RFC 8693 §2.1: an audience may be a resource, or a client that stands for one, and may come twice",
    undefined,
    world({ ...impersonating, add_scope: "billing" }),
    async (w) =>
      saying(
        await token(w, "orders", [
          ["grant_type", tokenExchangeGrantType],
          ["subject_token", await ofAlice(w)],
          ["subject_token_type", type("access_token")],
          ["audience", "ledger"],
          ["audience", "https://api.example"],
        ]),
      ),
    { status: 200, json: { aud: ["https://billing.example", "https://api.example"], scope: "api.read api.write billing" } },
  ),
  one(
    "RFC 8693 §2.2.1: jwt may be asked for by a client whose access tokens are JWTs",
    undefined,
    world(impersonating),
    async (w) => exchange(w, await ofAlice(w), { requested_token_type: type("jwt") }),
    { status: 200, json: { issued_token_type: type("jwt") } },
  ),
  one(
    "RFC 8693 §2.2.1: a refresh token, where the policy allows it; what it renews still names the actor",
    undefined,
    world({ clients: ["web"], refresh_token: true, max_lifetime: 60 }),
    async (w) => {
      const first = await exchange(w, await ofAlice(w), { ...(await acting(w)), requested_token_type: type("refresh_token") })
      w.pass(4000)
      return saying(await refresh(w, String(first.json?.["refresh_token"]), "orders"))
    },
    { status: 200, json: { sub: "sub-alice", client_id: "orders", act: { sub: "orders", client_id: "orders" } } },
  ),
  one(
    "RFC 8693 §2.2.1: what is issued does not outlive the subject token",
    undefined,
    world(impersonating),
    async (w) => {
      const subject = await ofAlice(w)
      w.pass(3500)
      return exchange(w, subject)
    },
    { status: 200, json: { expires_in: 100 } },
  ),
  one(
    "RFC 8693 §5: nor what the policy says",
    undefined,
    world({ ...impersonating, max_lifetime: 60 }),
    async (w) => exchange(w, await ofAlice(w)),
    { status: 200, json: { expires_in: 60 } },
  ),
  one(
    "RFC 8693 §5: a policy's scope narrows",
    undefined,
    world({ ...impersonating, scope: "api.read billing" }),
    async (w) => exchange(w, await ofAlice(w)),
    { status: 200, json: { scope: "api.read" } },
  ),
  one(
    "RFC 8693 §2.1: an ID token, where the policy takes it, gives the scopes the policy adds",
    undefined,
    world({ ...impersonating, subject_token_types: ["id_token"], add_scope: "api.read" }),
    async (w) => exchange(w, (await tokensFor(w)).id_token, { subject_token_type: type("id_token") }),
    { status: 200, json: { scope: "api.read", expires_in: 300 } },
  ),
  one(
    "RFC 8693 §2.1: a refresh token of its own, where the policy takes it",
    undefined,
    world({ clients: ["web"], impersonation: true, refresh_token: true, subject_token_types: ["access_token", "refresh_token"] }),
    async (w) => {
      const first = await exchange(w, await ofAlice(w), { requested_token_type: type("refresh_token") })
      return exchange(w, String(first.json?.["refresh_token"]), { subject_token_type: type("refresh_token"), scope: "api.read" })
    },
    { status: 200, json: { scope: "api.read" } },
  ),
  one(
    "RFC 8693 §4.4: may_act that names the actor lets it act",
    undefined,
    world({ clients: ["mint"] }),
    async (w) => exchange(w, await minted(w, { claims: { may_act: { sub: "orders", client_id: "orders" } } }), await acting(w)),
    { status: 200 },
  ),
  one(
    "RFC 8693 §4.4: or the client itself, where nobody else acts",
    undefined,
    world(impersonating),
    async (w) => exchange(w, await minted(w, { claims: { may_act: { client_id: "orders" } } })),
    { status: 200 },
  ),
]

const ended: ReadonlyArray<Case> = [
  one(
    "RFC 7009 §2.1: revoking the subject token's grant revokes what came of it, and what came of that",
    "introspection.live",
    world({ clients: ["web"] }),
    async (w) => {
      const { access_token, refresh_token } = await tokensFor(w, "web", userScope)
      const first = accessToken(await exchange(w, access_token, await acting(w)))
      const second = accessToken(await exchange(w, first, await acting(w, "stock"), "stock"))
      const before = [(await introspected(w, first)).json?.["active"], (await introspected(w, second, "stock")).json?.["active"]]
      await post(w, "/connect/revocation", "web", { token: refresh_token })
      const last = await introspected(w, second, "stock")
      return { ...last, json: { before, after: [(await introspected(w, first)).json, last.json] } as JsonObject }
    },
    { status: 200, json: { before: [true, true], after: [{ active: false }, { active: false }] } },
  ),
  one(
    "RFC 7009 §2.1: and its refresh token",
    "refresh.grant-live",
    world({ clients: ["web"], impersonation: true, refresh_token: true }),
    async (w) => {
      const { access_token, refresh_token } = await tokensFor(w, "web", userScope)
      const first = await exchange(w, access_token, { requested_token_type: type("refresh_token") })
      await post(w, "/connect/revocation", "web", { token: refresh_token })
      return refresh(w, String(first.json?.["refresh_token"]), "orders")
    },
    refused("invalid_grant", "The refresh token has been revoked."),
  ),
]

const idTokens = { ...impersonating, clients: ["web", "ropc"], subject_token_types: ["id_token"], add_scope: "api.read" }
const idToken = { subject_token_type: type("id_token") }
const ofNoSession = async (w: World): Promise<string> =>
  String((await token(w, "ropc", { grant_type: "password", username: "alice", password, scope: "openid" })).json?.["id_token"])
const leaving = async (w: World, { id_token }: { readonly id_token: string }): Promise<void> => {
  await w.tokens.commit([...signOut(String(claimsOf(id_token)["sid"]), w.now())])
}
const refreshing = { clients: ["web"], impersonation: true, refresh_token: true }
const refreshToken = ({ json }: Said): string => String(json?.["refresh_token"])
const asksRefresh = { requested_token_type: type("refresh_token") }
const disable = (w: World, subject: string): void => {
  const person = w.people.get(subject)
  if (person !== undefined) w.people.set(subject, { ...person, active: false })
}
/** A world where refresh tokens of `web` end for good after some seconds. */
const ending = (seconds: number): WorldOptions => {
  const { clients: these = [], ...rest } = world(refreshing)
  return {
    ...rest,
    clients: these.map((each) => (each.client_id === "web" ? { ...each, refresh_token_absolute_lifetime: seconds } : each)),
  }
}
/** Exchanges a token over and over, for a token of its own. */
const again = async (w: World, times: number): Promise<Said> => {
  let said = await exchange(w, await ofAlice(w))
  for (let at = 1; at < times; at++) said = await exchange(w, accessToken(said))
  return said
}

const chains: ReadonlyArray<Case> = [
  one("RFC 8693 §2.2.2: what was exchanged may be exchanged, eight times in a row", undefined, world(impersonating), (w) => again(w, 8), {
    status: 200,
  }),
  one(
    "RFC 8693 §2.2.2: what was exchanged eight times in a row is not exchanged again, though nobody acts",
    "extension.generations",
    world(impersonating),
    (w) => again(w, 9),
    invalid("What the request relies on has been exchanged too often."),
  ),
  one(
    "OpenID Connect Core §2, RFC 7009 §2.1: an ID token is refused once its grant was revoked, though its session goes on",
    "token-exchange.subject-live",
    world(idTokens),
    async (w) => {
      const { id_token, refresh_token } = await tokensFor(w, "web", userScope)
      await post(w, "/connect/revocation", "web", { token: refresh_token })
      return exchange(w, id_token, idToken)
    },
    invalid("The subject_token has been revoked."),
  ),
  one(
    "RFC 8693 §2.1: an ID token of no session is taken",
    undefined,
    world(idTokens),
    async (w) => exchange(w, await ofNoSession(w), idToken),
    {
      status: 200,
      json: { scope: "api.read" },
    },
  ),
  one(
    "RFC 7009 §2.1: an ID token of no session is refused once its grant was revoked",
    "token-exchange.subject-live",
    world(idTokens),
    async (w) => {
      const jwt = await ofNoSession(w)
      await w.tokens.commit([revokeGrants({ subject: "sub-alice", clientId: "ropc" }, w.now())])
      return exchange(w, jwt, idToken)
    },
    invalid("The subject_token has been revoked."),
  ),
  one(
    "RFC 7009 §2.1: what came of an ID token is revoked with its grant",
    "introspection.live",
    world(idTokens),
    async (w) => {
      const { id_token, refresh_token } = await tokensFor(w, "web", userScope)
      const value = accessToken(await exchange(w, id_token, idToken))
      await post(w, "/connect/revocation", "web", { token: refresh_token })
      return introspected(w, value)
    },
    { status: 200, json: { active: false } },
  ),
  one(
    "OpenID Connect Core §2: what came of an ID token ends with its session, whatever the client's revoke_on_logout",
    "introspection.live",
    world(idTokens, { revoke_on_logout: "none" }),
    async (w) => {
      const tokens = await tokensFor(w, "web", userScope)
      const value = accessToken(await exchange(w, tokens.id_token, idToken))
      await leaving(w, tokens)
      return introspected(w, value)
    },
    { status: 200, json: { active: false } },
  ),
  ...(["online", "none"] as const).map((revoke_on_logout) =>
    one(
      `client metadata revoke_on_logout "${revoke_on_logout}" of the client that exchanged counts for what came of an offline grant`,
      revoke_on_logout === "online" ? "introspection.live" : undefined,
      world(impersonating, { revoke_on_logout }),
      async (w) => {
        const tokens = await tokensFor(w, "web", userScope)
        const value = accessToken(await exchange(w, tokens.access_token))
        await leaving(w, tokens)
        return introspected(w, value)
      },
      { status: 200, json: { active: revoke_on_logout === "none" } },
    ),
  ),
  one(
    "RFC 9700 §4.14.2: no refresh token by exchange outlives those of the grant it came of",
    "refresh.fresh",
    ending(1000),
    async (w) => {
      const first = await exchange(w, await ofAlice(w), asksRefresh)
      w.pass(990)
      const next = await refresh(w, refreshToken(first), "orders")
      w.pass(10)
      return refresh(w, refreshToken(next), "orders")
    },
    refused("invalid_grant", "The refresh token has expired."),
  ),
  one(
    "RFC 9700 §4.14.2: nor do those that come of what it renewed",
    "refresh.fresh",
    ending(1000),
    async (w) => {
      const first = await exchange(w, await ofAlice(w), asksRefresh)
      w.pass(990)
      const next = await refresh(w, refreshToken(first), "orders")
      const second = await exchange(w, accessToken(next), asksRefresh)
      w.pass(10)
      return refresh(w, refreshToken(second), "orders")
    },
    refused("invalid_grant", "The refresh token has expired."),
  ),
  one(
    "RFC 9700 §4.14.2: a token without refresh tokens between them changes nothing of that",
    "refresh.fresh",
    ending(1000),
    async (w) => {
      const first = await exchange(w, await ofAlice(w))
      const second = await exchange(w, accessToken(first), asksRefresh)
      w.pass(1000)
      return refresh(w, refreshToken(second), "orders")
    },
    refused("invalid_grant", "The refresh token has expired."),
  ),
  one(
    "RFC 9700 §4.14.2: once a grant's refresh tokens have ended, none comes of an access token of it that is left",
    "extension.refresh-left",
    ending(1000),
    async (w) => {
      const subject = await ofAlice(w)
      w.pass(1000)
      return exchange(w, subject, asksRefresh)
    },
    invalid("No more refresh tokens can come of this."),
  ),
  one(
    "RFC 8693 §2.2.1: but an access token does",
    undefined,
    ending(1000),
    async (w) => {
      const subject = await ofAlice(w)
      w.pass(1000)
      return exchange(w, subject)
    },
    { status: 200, json: { expires_in: 2600 } },
  ),
  ...(["access_token", "id_token"] as const).map((kind) =>
    one(
      `RFC 8693 §2.2.2: the ${kind} of a person who was disabled since does not act`,
      "token-exchange.actor-live",
      world({ clients: ["web"], actors: ["web"] }),
      async (w) => {
        const subject = await ofAlice(w)
        const actor = (await tokensFor(w, "web", "openid api.read", "bob"))[kind]
        disable(w, "sub-bob")
        return exchange(w, subject, { actor_token: actor, actor_token_type: type(kind) })
      },
      invalid("The actor_token has been revoked."),
    ),
  ),
  ...(["access_token", "id_token", "refresh_token"] as const).map((kind) =>
    one(
      `RFC 8693 §2.2.2: the ${kind} of a person who was disabled since is refused`,
      "token-exchange.subject-live",
      world({ ...refreshing, subject_token_types: ["access_token", "id_token", "refresh_token"], add_scope: "api.read" }),
      async (w) => {
        const tokens = await tokensFor(w, "web", userScope)
        const own = refreshToken(await exchange(w, tokens.access_token, asksRefresh))
        disable(w, "sub-alice")
        return exchange(w, kind === "refresh_token" ? own : tokens[kind], { subject_token_type: type(kind) })
      },
      invalid("The subject_token has been revoked."),
    ),
  ),
]

const refusals: ReadonlyArray<Case> = [
  one(
    "RFC 8693 §2.1: no subject_token is refused",
    "token-exchange.subject-token-present",
    world(impersonating),
    (w) => exchange(w, ""),
    invalid("The subject_token is missing."),
  ),
  one(
    "RFC 8693 §2.1: no subject_token_type is refused",
    "token-exchange.subject-token-type-present",
    world(impersonating),
    async (w) => exchange(w, await ofAlice(w), { subject_token_type: "" }),
    invalid("The subject_token_type is missing."),
  ),
  one(
    "RFC 8693 §5: a public client may not exchange tokens",
    "token-exchange.confidential",
    world(impersonating),
    async (w) => exchange(w, await ofAlice(w), {}, "native"),
    refused("unauthorized_client", "The client must authenticate to exchange tokens."),
  ),
  one(
    "RFC 8693 §5: unless its policy allows it",
    undefined,
    world({ ...impersonating, allow_public: true }),
    async (w) => exchange(w, await ofAlice(w), {}, "native"),
    { status: 200 },
  ),
  one(
    "RFC 8693 §2.1: a type of token that the policy does not take is refused",
    "token-exchange.subject-type",
    world({ ...impersonating, add_scope: "api.read" }),
    async (w) => exchange(w, (await tokensFor(w)).id_token, { subject_token_type: type("id_token") }),
    invalid("The subject_token_type is not supported."),
  ),
  one(
    "RFC 8693 §2.1: an actor_token without its type is refused",
    "token-exchange.actor-with-type",
    world(impersonating),
    async (w) => exchange(w, await ofAlice(w), { actor_token: await ownToken(w) }),
    invalid("An actor_token and its actor_token_type come together."),
  ),
  one(
    "RFC 8693 §2.1: an actor_token_type without an actor_token is refused",
    "token-exchange.actor-with-type",
    world(impersonating),
    async (w) => exchange(w, await ofAlice(w), { actor_token_type: type("access_token") }),
    invalid("An actor_token and its actor_token_type come together."),
  ),
  one(
    "RFC 8693 §2.1: a refresh token is no actor_token",
    "token-exchange.actor-type",
    world(impersonating),
    async (w) => exchange(w, await ofAlice(w), { actor_token: await ownToken(w), actor_token_type: type("refresh_token") }),
    invalid("The actor_token_type is not supported."),
  ),
  ...["id_token", "saml2"].map((kind) =>
    one(
      `RFC 8693 §2.2.2: ${kind} cannot be asked for`,
      "token-exchange.requested-type",
      world(impersonating),
      async (w) => exchange(w, await ofAlice(w), { requested_token_type: type(kind) }),
      invalid("The requested_token_type is not supported."),
    ),
  ),
  one(
    "RFC 8693 §2.2.2: nor jwt by a client whose access tokens are references",
    "token-exchange.requested-type",
    world(impersonating, { access_token_format: "reference" }),
    async (w) => exchange(w, await ofAlice(w), { requested_token_type: type("jwt") }),
    invalid("The requested_token_type is not supported."),
  ),
  one(
    "RFC 8693 §2.2.1: a refresh token needs the policy",
    "token-exchange.refresh-allowed",
    world(impersonating),
    async (w) => exchange(w, await ofAlice(w), { requested_token_type: type("refresh_token") }),
    refused("unauthorized_client", "The client may not have a refresh token by exchange."),
  ),
  one(
    "RFC 8693 §2.2.2: nonsense is no subject token",
    "token-exchange.subject-known",
    world(impersonating),
    (w) => exchange(w, "nonsense"),
    invalid("The subject_token is not valid."),
  ),
  one(
    "RFC 9068 §2.1: an ID token is no access token",
    "token-exchange.subject-known",
    world(impersonating),
    async (w) => exchange(w, (await tokensFor(w)).id_token),
    invalid("The subject_token is not valid."),
  ),
  one(
    "RFC 8693 §2.2.2: an expired subject token is refused",
    "token-exchange.subject-fresh",
    world(impersonating),
    async (w) => {
      const subject = await ofAlice(w)
      w.pass(3600)
      return exchange(w, subject)
    },
    invalid("The subject_token has expired."),
  ),
  one(
    "RFC 8693 §2.2.2: a revoked subject token is refused",
    "token-exchange.subject-live",
    world(impersonating),
    async (w) => {
      const { access_token, refresh_token } = await tokensFor(w, "web", userScope)
      await post(w, "/connect/revocation", "web", { token: refresh_token })
      return exchange(w, access_token)
    },
    invalid("The subject_token has been revoked."),
  ),
  one(
    "RFC 8693 §2.2.2: an ID token is refused once its session has ended",
    "token-exchange.subject-live",
    world({ ...impersonating, subject_token_types: ["id_token"], add_scope: "api.read" }),
    async (w) => {
      const tokens = await tokensFor(w, "web", userScope)
      await leaving(w, tokens)
      return exchange(w, tokens.id_token, idToken)
    },
    invalid("The subject_token has been revoked."),
  ),
  one(
    "RFC 8693 §5: a token of a client that the policy does not name is refused",
    "token-exchange.subject-client",
    world({ clients: ["other"], impersonation: true }),
    async (w) => exchange(w, await ofAlice(w)),
    invalid("The client may not use this subject_token."),
  ),
  one(
    "RFC 8693 §5: another client's refresh token is refused, whatever the policy names",
    "token-exchange.subject-client",
    world({ ...impersonating, subject_token_types: ["refresh_token"] }),
    async (w) => exchange(w, (await tokensFor(w, "web", userScope)).refresh_token, { subject_token_type: type("refresh_token") }),
    invalid("The client may not use this subject_token."),
  ),
  one(
    "RFC 8693 §2.2.2: a token that a client got for itself stands for no person",
    "token-exchange.subject-person",
    world(impersonating),
    async (w) => exchange(w, await ownToken(w)),
    invalid("The subject_token stands for no person."),
  ),
  one(
    "RFC 8693 §2.2.2: a JWT about a person who is disabled is refused",
    "token-exchange.subject-active",
    world({ impersonation: true, subject_token_types: ["jwt"], add_scope: "api.read" }),
    async (w) => {
      disable(w, "sub-alice")
      return exchange(w, await peerJwt(), { subject_token_type: type("jwt") })
    },
    invalid("The subject_token is not valid."),
  ),
  one(
    "RFC 8693 §1.1: without an actor it is impersonation, which needs the policy",
    "token-exchange.actor-present",
    world({ clients: ["web"] }),
    async (w) => exchange(w, await ofAlice(w)),
    invalid("The actor_token is missing."),
  ),
  one(
    "RFC 8693 §2.2.2: nonsense is no actor token",
    "token-exchange.actor-known",
    world({ clients: ["web"] }),
    async (w) => exchange(w, await ofAlice(w), { actor_token: "nonsense", actor_token_type: type("access_token") }),
    invalid("The actor_token is not valid."),
  ),
  one(
    "RFC 8693 §2.2.2: an expired actor token is refused",
    "token-exchange.actor-fresh",
    world({ clients: ["web"] }),
    async (w) => {
      const actor = await acting(w)
      w.pass(3600)
      return exchange(w, await ofAlice(w), actor)
    },
    invalid("The actor_token has expired."),
  ),
  one(
    "RFC 8693 §2.2.2: a revoked actor token is refused",
    "token-exchange.actor-live",
    world({ clients: ["web"] }, { access_token_format: "reference" }),
    async (w) => {
      const actor = await acting(w)
      await post(w, "/connect/revocation", "orders", { token: String(actor["actor_token"]) })
      return exchange(w, await ofAlice(w), actor)
    },
    invalid("The actor_token has been revoked."),
  ),
  one(
    "RFC 8693 §5: an actor token of another client is refused, unless the policy names it",
    "token-exchange.actor-client",
    world({ clients: ["web"] }),
    async (w) => exchange(w, await ofAlice(w), await acting(w, "machine")),
    invalid("The client may not use this actor_token."),
  ),
  one(
    "RFC 8693 §5: and taken when it does",
    undefined,
    world({ clients: ["web"], actors: ["machine"] }),
    async (w) => saying(await exchange(w, await ofAlice(w), await acting(w, "machine"))),
    { status: 200, json: { act: { sub: "machine", client_id: "machine" } } },
  ),
  ...[{ sub: "stock" }, { sub: "orders", iss: "https://else.example" }, { client_id: "orders", role: "chief" }, {}, "orders"].map(
    (may_act) =>
      one(
        `RFC 8693 §4.4: may_act ${JSON.stringify(may_act)} does not let orders act`,
        "token-exchange.may-act",
        world({ clients: ["mint"] }),
        async (w) => exchange(w, await minted(w, { claims: { may_act } }), await acting(w)),
        invalid("The subject_token names another party that may act."),
      ),
  ),
  one(
    "RFC 8693 §4.1: a chain of actors does not grow without end",
    "token-exchange.act-depth",
    world(impersonating),
    async (w) => {
      const act = Array.from({ length: 8 }).reduce<JsonObject>((inner) => ({ sub: "x", act: inner }), { sub: "x" })
      return exchange(w, await minted(w, { act: act["act"] ?? null }))
    },
    invalid("The subject_token has been through too many exchanges."),
  ),
  one(
    "RFC 8693 §2.2.2: more than ten audiences are refused",
    "token-exchange.audience-few",
    world(impersonating),
    async (w) =>
      token(w, "orders", [
        ["grant_type", tokenExchangeGrantType],
        ["subject_token", await ofAlice(w)],
        ["subject_token_type", type("access_token")],
        ...Array.from({ length: 11 }, (_, at) => ["audience", `nobody${at}`] as const),
      ]),
    refused("invalid_target", "Too many audiences are named."),
  ),
  one(
    "RFC 8693 §2.2.2: an audience that nobody stands for is refused",
    "token-exchange.audience-known",
    world(impersonating),
    async (w) => exchange(w, await ofAlice(w), { audience: "nobody" }),
    refused("invalid_target", "An audience is unknown."),
  ),
  one(
    "RFC 8693 §2.2.2: a target that the subject token is not for is refused, unless the policy names it",
    "token-exchange.target-allowed",
    world(impersonating),
    async (w) => exchange(w, await ofAlice(w), { audience: "ledger" }),
    refused("invalid_target", "A resource is unknown or not allowed."),
  ),
  one(
    "RFC 8693 §2.2.2: a scope beyond the subject token's is refused",
    "token-exchange.scope-narrows",
    world(impersonating),
    async (w) => exchange(w, (await tokensFor(w, "web", "openid api.read")).access_token, { scope: "api.read api.write" }),
    refused("invalid_scope", "The scope goes beyond what can be exchanged."),
  ),
  one(
    "RFC 8693 §2.2.2: where nothing is left, nothing is issued",
    "token-exchange.scope-left",
    world({ ...impersonating, scope: "billing" }),
    async (w) => exchange(w, await ofAlice(w)),
    refused("invalid_scope", "No scope is left to exchange."),
  ),
]

const foreignPolicy = { impersonation: true, subject_token_types: ["jwt"], add_scope: "api.read" }
const foreign = world(foreignPolicy)
const jwtType = { subject_token_type: type("jwt") }

const foreignTokens: ReadonlyArray<Case> = [
  ...foreignJwtCases("token-exchange", "subject_token", "invalid_request", foreign, (w, jwt) => exchange(w, jwt, jwtType)),
  ...toldSignInCases(
    "token-exchange",
    "subject_token",
    "invalid_request",
    foreign,
    async (w, claims) => exchange(w, await peerJwt(claims), jwtType),
    world(foreignPolicy, {}, { acrValues: mappedContexts }),
  ),
  one(
    "RFC 8693 §2.1: a JWT of a trusted issuer keeps its actors, and its end",
    undefined,
    world({ subject_token_types: ["jwt"], add_scope: "api.read" }),
    async (w) => {
      const answer = await exchange(w, await peerJwt({ act: { sub: "far" } }), { ...jwtType, ...(await acting(w)) })
      return { ...answer, json: { ...(await saying(answer)).json, expires_in: answer.json?.["expires_in"] ?? 0 } }
    },
    { status: 200, json: { sub: "sub-alice", act: { sub: "orders", act: { sub: "far" } }, expires_in: 60 } },
  ),
  one(
    "RFC 8693 §2.2.2: a JWT about somebody not in its issuer's table is refused",
    "token-exchange.jwt-subject-known",
    {
      ...foreign,
      more: { grants: [tokenExchange({ issuers: [{ issuer: peerIssuer, jwks: peerJwks, subjects: { them: "sub-bob" } }] }), minting] },
    },
    async (w) => exchange(w, await peerJwt(), jwtType),
    invalid("The subject_token is not about a person known here."),
  ),
]

/** Token exchange: RFC 8693. */
export const cases: ReadonlyArray<Case> = [...successes, ...ended, ...refusals, ...chains, ...foreignTokens]
