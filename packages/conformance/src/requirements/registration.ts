import { type JWK, exportJWK, generateKeyPair } from "jose"
import { type Received, json, textOf } from "../exchange/exchange.ts"
import { type Finding, first, holds, notStored, oneOf, refused, same, shown, status } from "../oracle/finding.ts"
import { type Needs, type Requirement, area } from "../requirement/requirement.ts"
import { Steps } from "../steps/steps.ts"
import { callback, roles } from "../target/roles.ts"
import type { RoleClient } from "../target/roles.ts"
import { Inconclusive, Untried } from "../target/target.ts"

const needs: Needs = { metadata: { registration_endpoint: undefined } }
const withPerson: Needs = { ...needs, person: true }
const tried = area("registration", needs)
const managed = area("manage-registration", needs)

type Metadata = Readonly<Record<string, unknown>>

const web: Metadata = { ...roles.web, client_name: "Conformance: registration" }

/** Sends metadata to the registration endpoint. */
const register = (t: Steps, metadata: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Received> =>
  t.send({
    method: "POST",
    url: t.endpoint("registration_endpoint"),
    headers: { "content-type": "application/json", accept: "application/json", ...headers },
    body: typeof metadata === "string" ? metadata : JSON.stringify(metadata),
  })

/** The answer to a registration that is open to everybody; where it is not, nothing can be tried. */
const answerTo = async (t: Steps, metadata: unknown, headers?: Readonly<Record<string, string>>): Promise<Received> => {
  const received = await register(t, metadata, headers)
  if (received.status === 401 || received.status === 403)
    throw new Untried("registration is not open: it needs an initial access token (RFC 7591 §3)")
  return received
}

/** A client that was registered, and where it is managed. */
interface Made {
  readonly received: Received
  readonly answer: Metadata
  readonly id: string
  readonly uri: string
  readonly token: string
}

const madeOf = (received: Received): Made => {
  const answer = json(received) ?? {}
  if (received.status !== 201 || textOf(answer["client_id"]) === "")
    throw new Inconclusive(`no client was registered: status ${received.status}, error ${textOf(answer["error"]) || "none"}`, received)
  return {
    received,
    answer,
    id: textOf(answer["client_id"]),
    uri: textOf(answer["registration_client_uri"]),
    token: textOf(answer["registration_access_token"]),
  }
}

const manage = (t: Steps, { uri, token }: Pick<Made, "uri" | "token">, method: string, body?: unknown): Promise<Received> =>
  t.send({
    method,
    url: uri,
    headers: {
      authorization: `Bearer ${token}`,
      accept: "application/json",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })

/** Registers a client, and deletes it afterwards where the provider lets us (RFC 7592 §2.3). */
const withClient = async <A>(t: Steps, changes: Metadata, use: (made: Made) => Promise<A>): Promise<A> => {
  const made = madeOf(await answerTo(t, { ...web, ...changes }))
  try {
    return await use(made)
  } finally {
    if (made.uri !== "" && made.token !== "") await manage(t, made, "DELETE").catch(() => undefined)
  }
}

/** The same for a client that can be managed: a provider need not offer that. */
const withManaged = <A>(t: Steps, changes: Metadata, use: (made: Made) => Promise<A>): Promise<A> =>
  withClient(t, changes, (made) => {
    if (made.uri === "" || made.token === "") throw new Untried("the provider lets nobody manage what they registered (RFC 7592)")
    return use(made)
  })

/** A registered client in the place of a role. */
const clientOf = ({ answer, id }: Made, key?: JWK): RoleClient => ({
  client_id: id,
  client_secret: textOf(answer["client_secret"]) || undefined,
  token_endpoint_auth_method: textOf(answer["token_endpoint_auth_method"]) || "client_secret_basic",
  redirect_uris: [callback],
  post_logout_redirect_uris: [],
  scope: textOf(answer["scope"]) || roles.web.scope,
  key: key === undefined ? undefined : { ...key },
})

/** Steps in which a registered client has the role `web`; what they see belongs to these steps too. */
const as = (t: Steps, client: RoleClient): Steps => new Steps({ ...t.target, clients: { ...t.target.clients, web: client } }, t.metadata)

/** The metadata that a change sends: everything, with the client's id (RFC 7592 §2.2). */
const changed = ({ id, answer }: Made, changes: Metadata): Metadata => ({
  ...web,
  client_id: id,
  ...(answer["client_secret"] === undefined ? {} : { client_secret: answer["client_secret"] }),
  ...changes,
})

const refusedMetadata = (received: Received): Finding =>
  refused(received, [400], "invalid_redirect_uri", "invalid_client_metadata", "invalid_request")

/** Metadata that must not be registered. */
const wrong = (id: string, paragraph: string, title: string, changes: Metadata, level: "MUST" | "SHOULD" = "MUST"): Requirement =>
  tried(id, paragraph, title, (t) => answerTo(t, { ...web, ...changes }), refusedMetadata, level)

const publicKey = ({ d: _d, ...key }: JWK): JWK => key

const signingKey = async (kid: string): Promise<JWK> => {
  const { privateKey } = await generateKeyPair("ES256", { extractable: true })
  return { ...(await exportJWK(privateKey)), kid, alg: "ES256", use: "sig" }
}

/** Clients that register themselves (RFC 7591, OpenID Connect Dynamic Client Registration). */
export const registrations: ReadonlyArray<Requirement> = [
  tried(
    "created",
    "RFC 7591 §3.2.1",
    "A registration is answered with 201, in JSON, and a client_id",
    (t) => withClient(t, {}, async ({ received }) => received),
    (received) =>
      first(status(received, 201), holds((received.headers.get("content-type") ?? "").startsWith("application/json"), "not JSON")),
  ),
  tried(
    "not-stored",
    "RFC 7591 §3.2.1",
    "The answer is kept by no cache",
    (t) => withClient(t, {}, async ({ received }) => received),
    notStored,
  ),
  tried(
    "metadata",
    "RFC 7591 §3.2.1",
    "The answer has all that is registered of the client",
    (t) => withClient(t, {}, async ({ answer }) => answer),
    (answer) =>
      first(
        same(answer["redirect_uris"], web["redirect_uris"], "redirect_uris"),
        same(answer["client_name"], web["client_name"], "client_name"),
        holds(Array.isArray(answer["grant_types"]), "the answer has no grant_types"),
      ),
  ),
  tried(
    "secret-expiry",
    "RFC 7591 §3.2.1",
    "A secret comes with the time at which it expires, or 0",
    (t) => withClient(t, {}, async ({ answer }) => answer),
    (answer) =>
      holds(
        answer["client_secret"] === undefined || typeof answer["client_secret_expires_at"] === "number",
        `client_secret_expires_at is ${shown(answer["client_secret_expires_at"])}`,
      ),
  ),
  tried(
    "public-without-secret",
    "RFC 7591 §2",
    "A client that does not authenticate gets no secret",
    (t) => withClient(t, { token_endpoint_auth_method: "none" }, async ({ answer }) => answer),
    (answer) => holds(answer["token_endpoint_auth_method"] !== "none" || answer["client_secret"] === undefined, "a secret came"),
  ),
  tried(
    "apart",
    "RFC 7591 §3.2.1",
    "Two clients with a secret have an id and a secret of their own each",
    (t) => withClient(t, {}, (one) => withClient(t, {}, async (other) => [one.answer, other.answer] as const)),
    ([one, other]) =>
      first(
        holds(one["client_id"] !== other["client_id"], "both have one client_id"),
        holds(one["client_secret"] === undefined || one["client_secret"] !== other["client_secret"], "both have one secret"),
      ),
  ),
  tried(
    "unknown-ignored",
    "RFC 7591 §2",
    "Metadata that the provider does not know is ignored",
    (t) => answerTo(t, { ...web, conformance_unknown_member: { deep: [1] } }),
    (received) => status(received, 201),
  ),
  wrong("redirect-fragment", "RFC 6749 §3.1.2", "A redirect URI with a fragment is refused", { redirect_uris: [`${callback}#fragment`] }),
  wrong("redirect-script", "RFC 7591 §5", "A redirect URI that is a script is refused", { redirect_uris: ["javascript:alert(1)"] }),
  wrong("redirect-data", "RFC 7591 §5", "A redirect URI that is data is refused", { redirect_uris: ["data:text/html,x"] }),
  wrong(
    "redirect-http",
    "OpenID Connect Dynamic Client Registration §2",
    "A web client of the implicit flow has no redirect URI without TLS",
    {
      redirect_uris: ["http://client.conformance.test/callback"],
      application_type: "web",
      grant_types: ["implicit"],
      response_types: ["id_token"],
    },
  ),
  wrong("redirect-missing", "RFC 7591 §2", "A client of the code flow without a redirect URI is refused", { redirect_uris: undefined }),
  wrong("redirect-text", "RFC 7591 §2", "Redirect URIs that are no list are refused", { redirect_uris: callback }),
  wrong("keys-twice", "RFC 7591 §2", "Keys are given once: jwks and jwks_uri together are refused", {
    jwks: { keys: [] },
    jwks_uri: "https://client.conformance.test/jwks",
  }),
  wrong(
    "keys-missing",
    "OpenID Connect Core §9",
    "A client that signs its assertions has a key",
    { token_endpoint_auth_method: "private_key_jwt" },
    "SHOULD",
  ),
  tried(
    "statement",
    "RFC 7591 §3.2.2",
    "A software statement that nobody signed is not believed",
    (t) => answerTo(t, { ...web, software_statement: "e30.e30." }),
    (received) =>
      received.status === 201
        ? undefined
        : oneOf(
            json(received)?.["error"],
            ["invalid_software_statement", "unapproved_software_statement", "invalid_client_metadata"],
            "the error",
          ),
    "SHOULD",
  ),
  tried(
    "grants-fit",
    "RFC 7591 §2.1",
    "Grants and response types that do not fit are refused, or put right",
    (t) => answerTo(t, { ...web, grant_types: ["authorization_code"], response_types: ["token"] }),
    (received) => {
      const { grant_types: grants = [], response_types: types = [] } = json(received) ?? {}
      const implicit = Array.isArray(types) && types.some((type) => textOf(type).split(" ").includes("token"))
      return received.status !== 201 || !implicit || (Array.isArray(grants) && grants.includes("implicit"))
        ? undefined
        : `registered with ${shown(grants)} and ${shown(types)}`
    },
  ),
  tried(
    "json",
    "RFC 7591 §3.1",
    "A form registers nothing",
    (t) => answerTo(t, "redirect_uris=x", { "content-type": "application/x-www-form-urlencoded" }),
    (received) => status(received, 400, 415),
  ),
  tried(
    "json-type",
    "RFC 7591 §3.1",
    "JSON under another media type registers nothing",
    (t) => answerTo(t, web, { "content-type": "text/plain" }),
    (received) => status(received, 400, 415),
    "SHOULD",
  ),
  tried(
    "json-broken",
    "RFC 7591 §3.2.2",
    "What is no JSON is refused",
    (t) => answerTo(t, "{"),
    (received) => status(received, 400),
  ),
  tried(
    "json-list",
    "RFC 7591 §3.2.2",
    "A list is refused",
    (t) => answerTo(t, "[]"),
    (received) => status(received, 400),
  ),
  tried(
    "error-not-stored",
    "RFC 7591 §3.2.2",
    "An error is kept by no cache",
    (t) => answerTo(t, { ...web, redirect_uris: ["javascript:alert(1)"] }),
    notStored,
  ),
  tried(
    "method",
    "RFC 7591 §3",
    "The endpoint takes POST alone",
    (t) => t.get(t.endpoint("registration_endpoint")),
    (received) => status(received, 400, 401, 403, 404, 405),
  ),
  tried(
    "used",
    "RFC 7591 §3.2.1",
    "A client that registered itself gets a code and tokens",
    (t) =>
      withClient(t, {}, async (made) => {
        const { tokens } = await as(t, clientOf(made)).tokens("web", { scope: "openid" })
        return tokens
      }),
    (tokens) => holds(textOf(tokens["access_token"]) !== "", "no access token came"),
    "MUST",
    withPerson,
  ),
  tried(
    "used-address",
    "RFC 6749 §3.1.2.4",
    "Its codes are sent to no address that it did not register",
    (t) =>
      withClient(t, {}, (made) =>
        as(t, clientOf(made)).authorize("web", { scope: "openid", redirect_uri: "https://client.conformance.test/elsewhere" }),
      ),
    (authorized) => holds(authorized.params["code"] === undefined, "a code came"),
    "MUST",
    withPerson,
  ),
  managed(
    "read",
    "RFC 7592 §2.1",
    "The registration access token shows what is registered",
    (t) => withManaged(t, {}, async (made) => ({ made, received: await manage(t, made, "GET") })),
    ({ made, received }) =>
      first(
        status(received, 200),
        same(json(received)?.["client_id"], made.id, "client_id"),
        same(json(received)?.["redirect_uris"], web["redirect_uris"], "redirect_uris"),
        notStored(received),
      ),
  ),
  managed(
    "read-token",
    "RFC 7592 §2",
    "Another token shows nothing",
    (t) => withManaged(t, {}, (made) => manage(t, { uri: made.uri, token: `${made.token.slice(0, -4)}AAAA` }, "GET")),
    (received) => status(received, 401),
  ),
  managed(
    "read-other",
    "RFC 7592 §2",
    "The token of one client shows no other",
    (t) => withManaged(t, {}, (one) => withManaged(t, {}, (other) => manage(t, { uri: one.uri, token: other.token }, "GET"))),
    (received) => status(received, 401, 403),
  ),
  managed(
    "change",
    "RFC 7592 §2.2",
    "A change takes the place of all that was registered",
    (t) =>
      withManaged(t, { client_uri: "https://client.conformance.test/" }, async (made) => {
        const received = await manage(t, made, "PUT", changed(made, { client_name: "Conformance: changed" }))
        return {
          received,
          read: await manage(t, { ...made, token: textOf(json(received)?.["registration_access_token"]) || made.token }, "GET"),
        }
      }),
    ({ received, read }) =>
      first(
        status(received, 200),
        same(json(read)?.["client_name"], "Conformance: changed", "client_name"),
        holds(json(read)?.["client_uri"] === undefined, "a member that was left out is still there"),
      ),
  ),
  managed(
    "change-id",
    "RFC 7592 §2.2",
    "A change that names another client is refused",
    (t) => withManaged(t, {}, (made) => manage(t, made, "PUT", changed(made, { client_id: `${made.id}x` }))),
    (received) => status(received, 400, 401, 403),
  ),
  managed(
    "change-secret",
    "RFC 7592 §2.2",
    "A change with another secret than the client's is refused",
    (t) => withManaged(t, {}, (made) => manage(t, made, "PUT", changed(made, { client_secret: "a secret that the client has made up" }))),
    (received) => status(received, 400, 401, 403),
  ),
  managed(
    "change-refused",
    "RFC 7592 §2.2",
    "A change is judged as a registration is",
    (t) => withManaged(t, {}, (made) => manage(t, made, "PUT", changed(made, { redirect_uris: ["javascript:alert(1)"] }))),
    refusedMetadata,
  ),
  managed(
    "change-keys",
    "RFC 7592 §2.2, OpenID Connect Core §10.1.1",
    "A client that changes its keys authenticates by the new one, and by the old one no more",
    async (t) => {
      const [old, next] = await Promise.all([signingKey("old"), signingKey("next")])
      const signing = { token_endpoint_auth_method: "private_key_jwt" }
      return withManaged(t, { ...signing, jwks: { keys: [publicKey(old)] } }, async (made) => {
        const received = await manage(t, made, "PUT", changed(made, { ...signing, jwks: { keys: [publicKey(next)] } }))
        if (received.status !== 200) throw new Inconclusive(`the keys were not changed: status ${received.status}`, received)
        const fields = { grant_type: "authorization_code", code: "none", redirect_uri: callback }
        const [byOld, byNext] = [await t.token(fields, clientOf(made, old)), await t.token(fields, clientOf(made, next))]
        return { byOld, byNext }
      })
    },
    ({ byOld, byNext }) =>
      first(
        same(json(byOld)?.["error"], "invalid_client", "the error by the old key"),
        same(json(byNext)?.["error"], "invalid_grant", "that by the new one"),
      ),
  ),
  managed(
    "delete",
    "RFC 7592 §2.3",
    "A client deletes itself",
    (t) =>
      withManaged(t, {}, async (made) => {
        const deleted = await manage(t, made, "DELETE")
        const fields = { grant_type: "authorization_code", code: "none", redirect_uri: callback }
        return { deleted, read: await manage(t, made, "GET"), asked: await t.token(fields, clientOf(made)) }
      }),
    ({ deleted, read, asked }) =>
      first(status(deleted, 204), status(read, 401), same(json(asked)?.["error"], "invalid_client", "the error of its next request")),
  ),
  managed(
    "delete-tokens",
    "RFC 7592 §2.3",
    "The tokens of a client that deleted itself are good no more",
    (t) =>
      withManaged(t, {}, async (made) => {
        const { tokens } = await as(t, clientOf(made)).tokens("web", { scope: "openid" })
        await manage(t, made, "DELETE")
        return t.get(t.endpoint("userinfo_endpoint"), { authorization: `Bearer ${textOf(tokens["access_token"])}` })
      }),
    (received) => status(received, 401),
    "MUST",
    withPerson,
  ),
]
