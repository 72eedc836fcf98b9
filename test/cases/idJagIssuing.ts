import { type ClientMetadata, type IdJagOptions, type OutboundAnswer, type Person, secretOf } from "@postern/core"
import { revokeGrants, signOut } from "@postern/core/model"
import { tokenExchange } from "@postern/core/grants"
import { claimsOf, codeFor, headerOf, refresh, token, tokensFor, userinfo, verifier } from "../support/flows.ts"
import { ask, asking, crossing, idJagTokenType, todo, todoServer } from "../support/idJags.ts"
import { ownKey, prove } from "../support/proofs.ts"
import type { Said } from "../support/visitor.ts"
import { type World, type WorldOptions, beginning, issuer } from "../support/world.ts"
import { type Case, refused } from "./case.ts"

const one = (title: string, rule: string | undefined, options: WorldOptions, run: Case["run"], expect: Case["expect"]): Case => ({
  title,
  rule,
  options,
  run,
  expect,
})

const issuing = (changes: Parameters<typeof todo>[0] = {}, client: Partial<ClientMetadata> = {}, more: WorldOptions["more"] = {}) =>
  crossing({ authorizationServers: [todo(changes)] } satisfies IdJagOptions, client, more)

/** The server knows people by the sub of `gist`, whose sector_identifier_uri has this document. */
const ofSector = (body: string): WorldOptions => {
  const pairwiseSalt = secretOf("a salt that nobody can guess, of worlds")
  const fetch = (): OutboundAnswer => ({ _tag: "Fetched", status: 200, contentType: "application/json", body })
  const options = issuing({ client: "gist" }, {}, { pairwiseSalt, outbound: { fetch } })
  const named = { subject_type: "pairwise", sector_identifier_uri: "https://far.example/sector" } as const
  return { ...options, clients: (options.clients ?? []).map((each) => (each.client_id === "gist" ? { ...each, ...named } : each)) }
}

const refreshType = "urn:ietf:params:oauth:token-type:refresh_token"
const idToken = async (w: World, clientId = "wiki"): Promise<string> => (await tokensFor(w, clientId, "openid email")).id_token
const refreshToken = async (w: World, scope = "openid offline_access"): Promise<string> => (await tokensFor(w, "wiki", scope)).refresh_token
const grantOf = ({ json }: Said): Record<string, unknown> => claimsOf(String(json?.["access_token"]))
const saying = (answer: Said): Said => ({ ...answer, json: grantOf(answer) })
const asked = async (w: World, changes: Record<string, string | undefined> = {}): Promise<Said> => ask(w, await idToken(w), changes)

const changeAlice = (w: World, more: Partial<Person>): void => {
  const alice = w.people.get("sub-alice")
  if (alice !== undefined) w.people.set("sub-alice", { ...alice, ...more })
}

const invalid = (description: string): Case["expect"] => refused("invalid_request", description)
const notValid = invalid("The subject_token is not valid.")
const noTarget = refused("invalid_target", "The audience is unknown or not allowed.")

const successes: ReadonlyArray<Case> = [
  one(
    "ID-JAG §4.3.4: the answer has the grant as access_token, of type N_A, and no refresh token",
    undefined,
    issuing(),
    async (w) => {
      const answer = await asked(w)
      const { access_token: _, ...json } = answer.json ?? {}
      return { ...answer, json: { all: JSON.stringify(json) } }
    },
    {
      status: 200,
      json: {
        all: `{"issued_token_type":"${idJagTokenType}","token_type":"N_A","expires_in":300,"scope":"todo.read todo.write"}`,
      },
      headers: { "cache-control": "no-store" },
    },
  ),
  one(
    "ID-JAG §3.1: the grant names its issuer, the person, one server, the client as it is known there, and the sign-in",
    undefined,
    issuing(),
    async (w) => saying(await asked(w, { scope: "todo.read", resource: "https://api.todo.example" })),
    {
      status: 200,
      json: {
        iss: issuer,
        sub: "sub-alice",
        aud: todoServer,
        client_id: "wiki-at-todo",
        scope: "todo.read",
        resource: "https://api.todo.example",
        iat: beginning,
        exp: beginning + 300,
        auth_time: beginning,
        acr: "urn:postern:password",
        amr: ["pwd"],
      },
    },
  ),
  one(
    "ID-JAG §3.1: its typ is oauth-id-jag+jwt",
    undefined,
    issuing(),
    async (w) => {
      const answer = await asked(w)
      return { ...answer, json: headerOf(String(answer.json?.["access_token"])) }
    },
    { status: 200, json: { typ: "oauth-id-jag+jwt", alg: "RS256" } },
  ),
  one(
    "ID-JAG §4.3: several resources may be named, and the life is the server's",
    undefined,
    issuing({ lifetime: 60 }),
    async (w) =>
      saying(
        await token(w, "wiki", [
          ...Object.entries(asking(await idToken(w))),
          ["resource", "https://api.todo.example"],
          ["resource", "https://files.todo.example"],
        ]),
      ),
    { status: 200, json: { resource: ["https://api.todo.example", "https://files.todo.example"], exp: beginning + 60 } },
  ),
  one(
    "ID-JAG §4.3.3: policy narrows the scopes, and the answer says which are left",
    undefined,
    issuing({ clients: { wiki: { clientId: "w", scope: ["todo.read"] } } }),
    (w) => asked(w, { scope: "todo.read todo.write todo.admin" }),
    { status: 200, json: { scope: "todo.read" } },
  ),
  one(
    "ID-JAG §4.3.2: a refresh token of the client's own sign-in is taken too, and stays good",
    undefined,
    issuing(),
    async (w) => {
      const value = await refreshToken(w)
      const answer = await ask(w, value, { subject_token_type: refreshType })
      return { ...answer, json: { sub: grantOf(answer)["sub"], again: (await refresh(w, value, "wiki")).status } }
    },
    { status: 200, json: { sub: "sub-alice", again: 200 } },
  ),
  one(
    "ID-JAG §3.1: claims that the operator names are in it, and tenants",
    undefined,
    issuing({ claims: ["email", "email_verified"], audTenant: "acme", tenants: ["blue"] }, {}),
    async (w) => {
      const value = await idToken(w)
      changeAlice(w, { tenant: "blue" })
      return saying(await ask(w, value))
    },
    { status: 200, json: { email: "alice@example.com", email_verified: true, tenant: "blue", aud_tenant: "acme" } },
  ),
  one(
    "ID-JAG §3.1: no claim about the person is in it that the operator does not name",
    undefined,
    issuing(),
    async (w) => {
      const answer = saying(await asked(w))
      return {
        ...answer,
        json: {
          names: Object.keys(answer.json ?? {})
            .toSorted()
            .join(" "),
        },
      }
    },
    { status: 200, json: { names: "acr amr aud auth_time client_id exp iat iss jti scope sub" } },
  ),
  one(
    "OpenID Connect Core §8.1: its sub is the one that the server's own client here knows",
    undefined,
    issuing({ client: "gist" }, { subject_type: "pairwise" }, { pairwiseSalt: secretOf("a salt that nobody can guess, of worlds") }),
    async (w) => {
      const value = await idToken(w)
      const answer = await ask(w, value)
      return { ...answer, json: { sub: grantOf(answer)["sub"], own: claimsOf(value)["sub"] === "sub-alice" } }
    },
    { status: 200, json: { sub: "sub-alice", own: false } },
  ),
  one(
    "OpenID Connect Core §8.1: without one it is the sub that the client itself knows: a pairwise client learns no other",
    undefined,
    issuing({}, { subject_type: "pairwise" }, { pairwiseSalt: secretOf("a salt that nobody can guess, of worlds") }),
    async (w) => {
      const value = await idToken(w)
      const answer = await ask(w, value)
      return { ...answer, json: { same: grantOf(answer)["sub"] === claimsOf(value)["sub"] } }
    },
    { status: 200, json: { same: true } },
  ),
  one(
    "ID-JAG §9.8.1: with a DPoP proof the grant is bound to its key",
    undefined,
    issuing(),
    async (w) => saying(await prove(w, "/connect/token", "wiki", asking(await idToken(w)))),
    { status: 200, json: { cnf: { jkt: ownKey.jkt } } },
  ),
  one(
    "RFC 8693 §2.1: beside token exchange, which answers every other request of the grant_type",
    undefined,
    { ...issuing(), more: { ...issuing().more, grants: [tokenExchange()] } },
    async (w) => {
      const value = await idToken(w)
      const plain = await ask(w, value, { requested_token_type: undefined, audience: undefined })
      return { ...(await ask(w, value)), json: { plain: plain.json?.["error_description"] } }
    },
    { status: 200, json: { plain: "The subject_token_type is not supported." } },
  ),
  one(
    "RFC 8725 §3.11: the grant opens nothing at its issuer",
    "id-jag.subject-known",
    issuing(),
    async (w) => {
      const value = String((await asked(w)).json?.["access_token"])
      return { ...(await userinfo(w, value)), json: { again: (await ask(w, value)).status } }
    },
    { status: 401, json: { again: 400 } },
  ),
]

const subjects: ReadonlyArray<Case> = [
  one(
    "ID-JAG §9.1: a public client may not ask",
    "id-jag.confidential",
    issuing({ clients: { spa: { clientId: "s" } } }),
    async (w) => ask(w, await idToken(w, "spa"), {}, "spa"),
    refused("unauthorized_client", "The client must authenticate to ask for this grant."),
  ),
  one(
    "RFC 8693 §2.2.2: another type is not issued where there is no other exchange",
    "id-jag.requested-type",
    issuing(),
    (w) => asked(w, { requested_token_type: undefined }),
    invalid("The requested_token_type is not supported."),
  ),
  one(
    "ID-JAG §4.3: no subject_token is refused",
    "id-jag.subject-present",
    issuing(),
    (w) => asked(w, { subject_token: undefined }),
    invalid("The subject_token is missing."),
  ),
  one(
    "ID-JAG §4.3: an access token is no assertion of a sign-in",
    "id-jag.subject-type",
    issuing(),
    async (w) =>
      ask(w, (await tokensFor(w, "wiki", "openid")).access_token, { subject_token_type: "urn:ietf:params:oauth:token-type:access_token" }),
    invalid("The subject_token_type is not supported."),
  ),
  one(
    "ID-JAG §4.3: a subject_token_type is needed",
    "id-jag.subject-type",
    issuing(),
    (w) => asked(w, { subject_token_type: undefined }),
    invalid("The subject_token_type is not supported."),
  ),
  one(
    "ID-JAG §9.7: an actor would be lost, so none is taken",
    "id-jag.no-actor",
    issuing(),
    (w) => asked(w, { actor_token: "someone" }),
    invalid("An actor_token is not supported for this token type."),
  ),
  one("ID-JAG §4.3.3: what is no ID token of ours is refused", "id-jag.subject-known", issuing(), (w) => ask(w, "nonsense"), notValid),
  one(
    "RFC 8725 §3.11: an access token is not taken for an ID token",
    "id-jag.subject-known",
    issuing({}, { access_token_typ: "jwt" }),
    async (w) => ask(w, (await tokensFor(w, "wiki", "openid")).access_token),
    notValid,
  ),
  one(
    "ID-JAG §4.3.3: a refresh token that is none is refused",
    "id-jag.subject-known",
    issuing(),
    (w) => ask(w, "nonsense", { subject_token_type: refreshType }),
    notValid,
  ),
  one(
    "ID-JAG §4.3.3: the aud of an ID token is the client that asks",
    "id-jag.subject-client",
    issuing({ clients: { wiki: { clientId: "w" }, gist: { clientId: "g" } } }),
    async (w) => ask(w, await idToken(w, "gist")),
    notValid,
  ),
  one(
    "ID-JAG §4.3.3: a refresh token of another client is refused",
    "id-jag.subject-client",
    issuing({ clients: { wiki: { clientId: "w" }, gist: { clientId: "g" } } }),
    async (w) => ask(w, await refreshToken(w), { subject_token_type: refreshType }, "gist"),
    notValid,
  ),
  one(
    "ID-JAG §4.3.3: an expired ID token is refused",
    "id-jag.subject-fresh",
    issuing(),
    async (w) => {
      const value = await idToken(w)
      w.pass(300)
      return ask(w, value)
    },
    invalid("The subject_token has expired."),
  ),
  one(
    "RFC 9449 §5: a refresh token that was bound while its client was public needs its key",
    "id-jag.subject-proved",
    issuing(),
    async (w) => {
      const wiki = w.clients.get("wiki")
      if (wiki !== undefined) w.clients.set("wiki", { ...wiki, tokenEndpointAuthMethod: "none", authenticationMethods: ["none"] })
      const bound = await prove(w, "/connect/token", undefined, {
        grant_type: "authorization_code",
        code: await codeFor(w, "wiki", { scope: "openid offline_access" }),
        redirect_uri: "https://app.example/cb",
        code_verifier: verifier,
        client_id: "wiki",
      })
      if (wiki !== undefined) w.clients.set("wiki", wiki)
      return ask(w, String(bound.json?.["refresh_token"]), { subject_token_type: refreshType })
    },
    notValid,
  ),
  one(
    "ID-JAG §4.3.3: after a revocation nothing is issued",
    "id-jag.subject-live",
    issuing(),
    async (w) => {
      const value = await idToken(w)
      await w.tokens.commit([revokeGrants({ subject: "sub-alice" }, w.now())])
      return ask(w, value)
    },
    invalid("The subject_token has been revoked."),
  ),
  one(
    "ID-JAG §4.3.3: after the sign-out that its ID token speaks of, too",
    "id-jag.subject-live",
    issuing(),
    async (w) => {
      const value = await idToken(w)
      await w.tokens.commit(signOut(String(claimsOf(value)["sid"]), w.now()))
      return ask(w, value)
    },
    invalid("The subject_token has been revoked."),
  ),
  one(
    "RFC 9700 §4.14.2: a refresh token that was rotated is refused",
    "id-jag.subject-live",
    issuing(),
    async (w) => {
      const value = await refreshToken(w)
      await refresh(w, value, "wiki")
      return ask(w, value, { subject_token_type: refreshType })
    },
    invalid("The subject_token has been revoked."),
  ),
  one(
    "ID-JAG §4.3: a refresh token without openid tells of no sign-in",
    "id-jag.subject-identity",
    issuing(),
    async (w) => ask(w, await refreshToken(w, "api.read offline_access"), { subject_token_type: refreshType }),
    invalid("The subject_token does not tell of a sign-in."),
  ),
  one(
    "ID-JAG §4.3.3: the person must be active",
    "id-jag.person-active",
    issuing(),
    async (w) => {
      const value = await idToken(w)
      changeAlice(w, { active: false })
      return ask(w, value)
    },
    notValid,
  ),
]

const targets: ReadonlyArray<Case> = [
  one(
    "ID-JAG §4.3: no audience is refused",
    "id-jag.audience-present",
    issuing(),
    (w) => asked(w, { audience: undefined }),
    invalid("The audience is missing."),
  ),
  one(
    "ID-JAG §3.1: a grant is for one server: a second audience is refused (RFC 6749 §3.2)",
    "token.parameters-once",
    issuing(),
    async (w) => token(w, "wiki", [...Object.entries(asking(await idToken(w))), ["audience", "https://else.example"]]),
    { status: 400, json: { error: "invalid_request" } },
  ),
  one(
    "ID-JAG §4.3.3: an unknown server is refused",
    "id-jag.audience-known",
    issuing(),
    (w) => asked(w, { audience: `${todoServer}/` }),
    noTarget,
  ),
  one(
    "ID-JAG §4.3.3: no client may ask that the operator does not name, and it learns no more than of an unknown server",
    "id-jag.client-allowed",
    issuing(),
    async (w) => ask(w, await idToken(w, "gist"), {}, "gist"),
    noTarget,
  ),
  one(
    "ID-JAG §6.4: nothing is issued about people of other tenants",
    "id-jag.tenant-allowed",
    issuing({ tenants: ["blue"] }),
    (w) => asked(w),
    noTarget,
  ),
  one(
    "ID-JAG §3.1: a server whose own client is gone gets no grant: its sub would be another",
    "id-jag.known-to",
    issuing({ client: "gone" }),
    (w) => asked(w),
    noTarget,
  ),
  one(
    "ID-JAG §3.1: nor does one whose own client is disabled",
    "id-jag.known-to",
    issuing({ client: "gist" }),
    async (w) => {
      const value = await idToken(w)
      const gist = w.clients.get("gist")
      if (gist !== undefined) w.clients.set("gist", { ...gist, disabled: true })
      return ask(w, value)
    },
    noTarget,
  ),
  one(
    "OpenID Connect Core §8.1: nor does one whose own client is not of the sector it names: the sub would be others'",
    "id-jag.sector",
    ofSector(JSON.stringify(["https://else.example/cb"])),
    (w) => asked(w),
    refused("unauthorized_client", "The sector_identifier_uri of the client does not list its redirect URIs."),
  ),
  one(
    "OpenID Connect Core §8.1: with a document that lists its redirect URIs it does",
    undefined,
    ofSector(JSON.stringify(["https://app.example/cb"])),
    (w) => asked(w),
    { status: 200 },
  ),
  one(
    "ID-JAG §9.2: a sign-in of a weaker context is refused",
    "id-jag.authentication",
    issuing({ acrValues: ["urn:example:mfa"] }),
    (w) => asked(w),
    refused("insufficient_user_authentication", "The person must sign in again, or by stronger means."),
  ),
  one(
    "ID-JAG §9.2: and one that is too long ago",
    "id-jag.authentication",
    issuing({ maxAge: 60 }),
    async (w) => {
      const value = await idToken(w)
      w.pass(61)
      return ask(w, value)
    },
    refused("insufficient_user_authentication", "The person must sign in again, or by stronger means."),
  ),
  one(
    "ID-JAG §9.2: a sign-in that is just as strong and as fresh as asked passes",
    undefined,
    issuing({ acrValues: ["urn:postern:password"], maxAge: 0 }),
    (w) => asked(w),
    {
      status: 200,
    },
  ),
  one(
    "RFC 8707 §2: a resource is an absolute URI",
    "id-jag.resource-form",
    issuing(),
    (w) => asked(w, { resource: "todo" }),
    refused("invalid_target", "A resource must be an absolute URI without a fragment."),
  ),
  one(
    "ID-JAG §4.3: a resource is needed where the operator says so, as MCP does",
    "id-jag.resource-present",
    issuing({ requireResource: true }),
    (w) => asked(w),
    invalid("The resource is missing."),
  ),
  one(
    "RFC 8707 §2.2: a resource beyond the server's is refused",
    "id-jag.resource-allowed",
    issuing(),
    (w) => asked(w, { resource: "https://else.example" }),
    refused("invalid_target", "A resource is unknown or not allowed."),
  ),
  one(
    "RFC 8707 §2.2: and one beyond the client's there",
    "id-jag.resource-allowed",
    issuing({ clients: { wiki: { clientId: "w", resources: ["https://files.todo.example"] } } }),
    (w) => asked(w, { resource: "https://api.todo.example" }),
    refused("invalid_target", "A resource is unknown or not allowed."),
  ),
  one(
    "RFC 6749 §3.3: a scope that names nothing is refused",
    "id-jag.scope-form",
    issuing(),
    (w) => asked(w, { scope: " " }),
    refused("invalid_scope", "The scope names nothing."),
  ),
  one(
    "ID-JAG §4.3.3: where no scope is left, nothing is issued",
    "id-jag.scope-left",
    issuing(),
    (w) => asked(w, { scope: "todo.admin" }),
    refused("invalid_scope", "No scope is allowed."),
  ),
]

/** Identity assertion JWT authorization grants, issued: draft-ietf-oauth-identity-assertion-authz-grant §4.3. */
export const cases: ReadonlyArray<Case> = [...successes, ...subjects, ...targets]
