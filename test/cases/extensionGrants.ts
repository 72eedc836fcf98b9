import {
  type ClientMetadata,
  type ExtensionAnswer,
  type ExtensionGrant,
  type GrantSeen,
  type Json,
  type OwnToken,
  type PolicyReading,
  extensionGrant,
  pass,
  refuse,
  table,
} from "@postern/core"
import { basic, claimsOf, post, refresh, token, tokensFor, userinfo } from "../support/flows.ts"
import type { Said } from "../support/visitor.ts"
import { type World, type WorldOptions, beginning, clients } from "../support/world.ts"
import { type Case, refused } from "./case.ts"

export const echoName = "https://grants.example/echo"

const isRecord = (value: Json | undefined): value is { readonly [key: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const parameters = { answer: "required", origin: "optional", tag: "repeatable" } as const
type EchoPolicy = { readonly [key: string]: Json }

type EchoSeen = GrantSeen<typeof parameters, EchoPolicy, { readonly origin: OwnToken | undefined }>

const rules = table<EchoSeen>("token/echo_back").rule("echo-back.form", "RFC 8259", (s) =>
  s.parameters.answer.startsWith("{") ? pass : refuse("invalid_request", "The answer is no object."),
)

/** A grant that answers what it is told to: for what core holds of every answer, whatever its author judged. */
export const echo: ExtensionGrant = extensionGrant({
  name: echoName,
  parameters,
  policy: (stated): PolicyReading<EchoPolicy> =>
    stated === undefined || isRecord(stated)
      ? { policy: stated ?? {} }
      : { fault: { path: [], reason: "is not an object", hint: "write an object" } },
  rules,
  load: async (q, context) => ({
    origin: (await context.accessToken(q.parameters.origin ?? "")) ?? (await context.idToken(q.parameters.origin ?? "")),
  }),
  grant: (s) => {
    // The tests write the answer they want.
    const told = JSON.parse(s.parameters.answer) as ExtensionAnswer & { readonly tags?: boolean }
    return { ...told, ...(told.tags === true ? { claims: { tags: s.parameters.tag } } : {}), dependsOn: s.origin }
  },
})

const given = { grant_types: [echoName, "refresh_token"], response_types: [], scope: "openid email offline_access api.read api.write" }

const echoClients: ReadonlyArray<ClientMetadata> = [
  { client_id: "echo", client_secret: "secret of echo", ...given },
  { client_id: "echo-opaque", client_secret: "secret of echo-opaque", ...given, access_token_format: "reference" },
  { client_id: "echo-plain", client_secret: "secret of echo-plain", ...given, grant_types: [echoName], scope: "openid" },
  { client_id: "native", token_endpoint_auth_method: "none", ...given, grant_types: [echoName] },
  { client_id: "sub-bob", client_secret: "secret of sub-bob", ...given },
  { client_id: "echo-broken", client_secret: "secret of echo-broken", ...given, grant_policies: { [echoName]: "nonsense" } },
]

/** A world with the echo grant and clients that may use it. */
export const echoing: WorldOptions = {
  clients: [...clients.filter(({ client_id }) => client_id !== "native"), ...echoClients],
  more: { grants: [echo] },
}

type Fields = Readonly<Record<string, string>>

/** Asks for an answer. */
export const ask = (
  w: World,
  answer: ExtensionAnswer & { readonly tags?: boolean },
  fields: Fields = {},
  clientId = "echo",
): Promise<Said> => token(w, clientId, { grant_type: echoName, answer: JSON.stringify(answer), ...fields })

const alice = { subject: "sub-alice" }
const introspected = (w: World, value: unknown, clientId = "echo"): Promise<Said> =>
  post(w, "/connect/introspect", undefined, { token: typeof value === "string" ? value : "" }, { authorization: basic(clientId) })

const one = (title: string, rule: string | undefined, run: Case["run"], expect: Case["expect"]): Case => ({
  title,
  rule,
  options: echoing,
  run,
  expect,
})

/** Cases that core decides for every extension grant: RFC 6749 §4.5, specification §2.2. */
export const cases: ReadonlyArray<Case> = [
  one(
    "RFC 6749 §4.5: an extension grant's answer becomes an access token of the person",
    undefined,
    async (w) => userinfo(w, String((await ask(w, { ...alice, scope: ["openid", "email"] })).json?.["access_token"])),
    { status: 200, json: { sub: "sub-alice", email: "alice@example.com" } },
  ),
  one(
    "RFC 8693 §2.2.1: the answer says what was issued, and for how long; a life is never longer than the client's",
    undefined,
    (w) => ask(w, { ...alice, scope: ["api.read"], lifetime: 100_000, issuedTokenType: "urn:x" }),
    { status: 200, json: { issued_token_type: "urn:x", expires_in: 3600, scope: "api.read" } },
  ),
  one(
    "specification §4 rule 8: scope omitted gives all that is explicitly allowed; no refresh token where the grant says nothing of one",
    undefined,
    async (w) => {
      const answer = await ask(w, alice)
      return {
        ...answer,
        json: { scope: answer.json?.["scope"], refresh: answer.json?.["refresh_token"] ?? "none", id: "id_token" in (answer.json ?? {}) },
      }
    },
    { status: 200, json: { scope: "openid email api.read api.write", refresh: "none", id: false } },
  ),
  one(
    "RFC 8707 §2.2: a resource asked for narrows the token",
    undefined,
    async (w) => {
      const answer = await ask(w, alice, { resource: "https://api.example" })
      return { ...answer, json: { scope: answer.json?.["scope"], aud: claimsOf(String(answer.json?.["access_token"]))["aud"] } }
    },
    { status: 200, json: { scope: "api.read api.write", aud: "https://api.example" } },
  ),
  one(
    "RFC 6749 §6: a refresh token, where the grant lets it, renews claims, act and shortened life; never an ID token",
    undefined,
    async (w) => {
      const first = await ask(w, {
        ...alice,
        scope: ["openid", "api.read", "offline_access"],
        refreshToken: true,
        lifetime: 60,
        act: { sub: "robot" },
        claims: { floor: 3 },
      })
      const next = await refresh(w, String(first.json?.["refresh_token"]), "echo")
      const { act, floor, sub, exp, iat } = claimsOf(String(next.json?.["access_token"]))
      return {
        ...next,
        json: {
          act,
          floor,
          sub,
          life: Number(exp) - Number(iat),
          expires_in: next.json?.["expires_in"],
          id: "id_token" in (next.json ?? {}),
        },
      }
    },
    { status: 200, json: { act: { sub: "robot" }, floor: 3, sub: "sub-alice", life: 60, expires_in: 60, id: false } },
  ),
  one(
    "RFC 8693 §4.1, RFC 7662 §2.2: introspection tells act and the grant's own claims, of a reference token too",
    undefined,
    async (w) => {
      const answer = await ask(
        w,
        { ...alice, scope: ["api.read"], act: { sub: "robot" }, claims: { floor: 3 }, lifetime: 60 },
        {},
        "echo-opaque",
      )
      const seen = await introspected(w, answer.json?.["access_token"], "echo-opaque")
      return { ...seen, json: { ...seen.json, life: Number(seen.json?.["exp"]) - Number(seen.json?.["iat"]) } }
    },
    { status: 200, json: { active: true, sub: "sub-alice", act: { sub: "robot" }, floor: 3, life: 60 } },
  ),
  one(
    "RFC 9470 §6.2, RFC 9068 §2.2.1: introspection tells of the sign-in that the grant tells of",
    undefined,
    async (w) => {
      const answer = await ask(
        w,
        { ...alice, scope: ["api.read"], signIn: { authTime: beginning - 60, acr: "gold", amr: ["hwk"] } },
        {},
        "echo-opaque",
      )
      return introspected(w, answer.json?.["access_token"], "echo-opaque")
    },
    { status: 200, json: { active: true, auth_time: beginning - 60, acr: "gold", amr: ["hwk"] } },
  ),
  one(
    "RFC 9068 §2.2.1: nor is there a time to tell where it tells of none, not of a renewed token, and not of one that comes of it",
    undefined,
    async (w) => {
      const first = await ask(w, { ...alice, scope: ["api.read", "offline_access"], refreshToken: true }, {}, "echo-opaque")
      const { access_token: renewed } = (await refresh(w, String(first.json?.["refresh_token"]), "echo-opaque")).json ?? {}
      const derived = await ask(w, { ...alice, scope: ["api.read"] }, { origin: String(renewed) })
      const tellings = [
        (await introspected(w, first.json?.["access_token"], "echo-opaque")).json,
        (await introspected(w, renewed, "echo-opaque")).json,
        claimsOf(String(derived.json?.["access_token"])),
      ]
      return { ...derived, json: { told: tellings.map((each) => each?.["auth_time"] ?? each?.["amr"] ?? each?.["sub"]) } }
    },
    { status: 200, json: { told: ["sub-alice", "sub-alice", "sub-alice"] } },
  ),
  one(
    "RFC 9068 §2.2.1: of a token that it depends on it tells the sign-in, unless it knows of another",
    undefined,
    async (w) => {
      const { access_token: origin } = await tokensFor(w, "web", "openid api.read")
      w.pass(30)
      const [same, other] = [
        await ask(w, { ...alice, scope: ["api.read"] }, { origin }),
        await ask(w, { ...alice, scope: ["api.read"], signIn: { authTime: beginning + 30, amr: ["otp"] } }, { origin }),
      ].map(({ json }) => claimsOf(String(json?.["access_token"])))
      return {
        ...(await ask(w, { ...alice, scope: ["api.read"] })),
        json: {
          same: [same?.["auth_time"], same?.["acr"], same?.["amr"]],
          other: [other?.["auth_time"], other?.["acr"] ?? "none", other?.["amr"]],
        },
      }
    },
    {
      status: 200,
      json: { same: [beginning, "urn:postern:password", ["pwd"]], other: [beginning + 30, "none", ["otp"]] },
    },
  ),
  one(
    "RFC 6749 §4.4: without a subject the token is the client's own, of resource scopes",
    undefined,
    async (w) => {
      const answer = await ask(w, { claims: { floor: 3 }, refreshToken: true })
      const { sub, floor } = claimsOf(String(answer.json?.["access_token"]))
      return { ...answer, json: { sub, floor, scope: answer.json?.["scope"], refresh: answer.json?.["refresh_token"] ?? "none" } }
    },
    { status: 200, json: { sub: "echo", floor: 3, scope: "api.read api.write", refresh: "none" } },
  ),
  one(
    "RFC 6749 §3.2: a parameter declared repeatable may come twice",
    undefined,
    async (w) => {
      const answer = await token(w, "echo", [
        ["grant_type", echoName],
        ["answer", JSON.stringify({ ...alice, scope: ["api.read"], tags: true })],
        ["tag", "a"],
        ["tag", "b"],
      ])
      return { ...answer, json: { tags: claimsOf(String(answer.json?.["access_token"]))["tags"] } }
    },
    { status: 200, json: { tags: ["a", "b"] } },
  ),
  one(
    "RFC 6749 §3.2: any other parameter may not",
    "token.parameters-once",
    (w) =>
      token(w, "echo", [
        ["grant_type", echoName],
        ["answer", "{}"],
        ["origin", "a"],
        ["origin", "b"],
      ]),
    refused("invalid_request", "A parameter is sent more than once."),
  ),
  one(
    "RFC 6749 §5.2: a declared parameter that is missing is named",
    "echo-back.answer-present",
    (w) => token(w, "echo", { grant_type: echoName }),
    refused("invalid_request", "The answer is missing."),
  ),
  one(
    "RFC 6749 §5.2: a client whose policy cannot be read may not use the grant",
    "extension.policy",
    (w) => ask(w, alice, {}, "echo-broken"),
    refused("unauthorized_client", "The client may not use this grant_type."),
  ),
  one(
    "RFC 6749 §3.3: a scope that names nothing is refused in an extension grant",
    "extension.scope-form",
    (w) => ask(w, alice, { scope: " " }),
    refused("invalid_scope", "The scope names nothing."),
  ),
  one(
    "RFC 8707 §2: in an extension grant too a resource is an absolute URI",
    "extension.resource-form",
    (w) => ask(w, alice, { resource: "nonsense" }),
    refused("invalid_target", "A resource must be an absolute URI without a fragment."),
  ),
  one(
    "RFC 6749 §5.2: no token for a person who is disabled, whatever the grant says",
    "extension.person-active",
    (w) => ask(w, { subject: "sub-mallory", scope: ["api.read"] }),
    refused("invalid_grant", "The person can no longer sign in."),
  ),
  one(
    "RFC 6749 §5.2: no token for a person nobody knows",
    "extension.person-active",
    (w) => ask(w, { subject: "sub-nobody", scope: ["api.read"] }),
    refused("invalid_grant", "The person can no longer sign in."),
  ),
  one(
    "RFC 9700 §4.15: no token for a person whose subject is a client_id",
    "extension.apart",
    (w) => ask(w, { subject: "dave", scope: ["api.read"] }),
    refused("invalid_grant", "No token can stand for this person."),
  ),
  one(
    "RFC 9700 §4.15: no token of its own for a client whose id is a person's subject",
    "extension.apart",
    (w) => ask(w, { scope: ["api.read"] }, {}, "sub-bob"),
    refused("unauthorized_client", "The client may not have a token of its own."),
  ),
  one(
    "RFC 6749 §4.4: a public client gets no token of its own by an extension grant",
    "extension.confidential",
    (w) => ask(w, { scope: ["api.read"] }, {}, "native"),
    refused("unauthorized_client", "A token of the client itself needs a client that authenticates."),
  ),
  one(
    "RFC 6749 §5.2: nothing comes of a token whose grant was revoked",
    "extension.origin-live",
    async (w) => {
      const { access_token, refresh_token } = await tokensFor(w)
      await post(w, "/connect/revocation", "web", { token: refresh_token })
      return ask(w, { ...alice, scope: ["api.read"] }, { origin: access_token })
    },
    refused("invalid_grant", "What the request relies on has been revoked."),
  ),
  one(
    "RFC 7009 §2.1: what came of a token is revoked with its grant",
    "introspection.live",
    async (w) => {
      const { access_token, refresh_token } = await tokensFor(w)
      const answer = await ask(w, { ...alice, scope: ["api.read"] }, { origin: access_token })
      const before = await introspected(w, answer.json?.["access_token"])
      await post(w, "/connect/revocation", "web", { token: refresh_token })
      const after = await introspected(w, answer.json?.["access_token"])
      return { ...after, json: { before: before.json?.["active"], after: after.json } }
    },
    { status: 200, json: { before: true, after: { active: false } } },
  ),
  one(
    "RFC 7523 §3: what may be used once is used once",
    "extension.unused",
    async (w) => {
      const answer = { ...alice, scope: ["api.read"], useOnce: [{ key: "k", until: w.now() + 60 }] }
      await ask(w, answer)
      return ask(w, answer)
    },
    refused("invalid_grant", "It has been used before."),
  ),
  one(
    "RFC 7523 §3: and may be used again once its time is over",
    undefined,
    async (w) => {
      await ask(w, { ...alice, scope: ["api.read"], useOnce: [{ key: "k", until: w.now() + 60 }] })
      w.pass(60)
      return ask(w, { ...alice, scope: ["api.read"], useOnce: [{ key: "k", until: w.now() + 60 }] })
    },
    { status: 200 },
  ),
  one(
    "RFC 6749 §3.3: no scope beyond the client's own, whatever the grant says",
    "extension.scope-allowed",
    (w) => ask(w, { ...alice, scope: ["api.read", "billing"] }),
    refused("invalid_scope", "A scope is unknown or not allowed for this client."),
  ),
  one(
    "RFC 6749 §3.3: nor what was asked for, where the grant says nothing",
    "extension.scope-allowed",
    (w) => ask(w, alice, { scope: "billing" }),
    refused("invalid_scope", "A scope is unknown or not allowed for this client."),
  ),
  one(
    "OpenID Connect Core §11: a token of the client itself holds no identity scope",
    "extension.scope-of-person",
    (w) => ask(w, { scope: ["openid"] }),
    refused("invalid_scope", "Identity scopes and offline_access need a person."),
  ),
  one(
    "specification §2.2: nothing to grant is refused",
    "extension.scope-some",
    (w) => ask(w, {}, {}, "echo-plain"),
    refused("invalid_scope", "No scope is allowed for this client."),
  ),
  one(
    "RFC 8707 §2.2: a resource that no scope belongs to is refused",
    "extension.resource-allowed",
    (w) => ask(w, alice, { resource: "https://billing.example" }),
    refused("invalid_target", "A resource is unknown or not allowed."),
  ),
  one(
    "RFC 8707 §2.2: a resource that the grant names and no scope belongs to is refused",
    "extension.answer-resource",
    (w) => ask(w, { ...alice, resources: ["https://billing.example"] }),
    refused("invalid_target", "A resource is unknown or not allowed."),
  ),
]
