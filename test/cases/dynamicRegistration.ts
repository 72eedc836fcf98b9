import { revokeInitialAccessToken } from "@postern/core"
import { readHandle } from "@postern/core/handle"
import { memoryLimiter } from "@postern/core/memory"
import { type SigningKey, generateKey, joseSigner } from "@postern/core/jose"
import { app, publicApp, register, registers, registrationPath, sendJson, tokenIn } from "../support/registering.ts"
import { type Said, said } from "../support/visitor.ts"
import { type World, beginning, issuer } from "../support/world.ts"
import { type Case, type Expectation, refused } from "./case.ts"

const open = registers({ open: true })
const closed = registers()
const invalid = (error: string): Expectation => ({ status: 400, json: { error }, headers: { "cache-control": "no-store" } })
const metadataRefused = invalid("invalid_client_metadata")
const unauthorized: Expectation = { status: 401, json: { error: "invalid_token" } }

/** A case of open registration that is refused. */
const refuses = (title: string, rule: string | undefined, metadata: unknown, expect = metadataRefused): Case => ({
  title,
  rule,
  options: open,
  run: (w) => register(w, metadata),
  expect,
})

const access: ReadonlyArray<Case> = [
  {
    title: "RFC 7591 §3.2.1: a registration answers 201 with all that holds, a secret and its end, and nobody keeps the answer",
    rule: undefined,
    options: open,
    run: async (w) => {
      const answer = await register(w, { ...app, unknown_member: 1, "client_name#de": "Anwendung" })
      const { client_id, client_secret, registration_access_token, registration_client_uri, ...rest } = answer.json ?? {}
      const id = String(client_id)
      return {
        ...answer,
        json: {
          ...rest,
          id: /^dcr-\w{16}$/.test(id),
          secret: /^[\w-]{43}$/.test(String(client_secret)),
          token: /^g_[\w-]{59}$/.test(String(registration_access_token)),
          uri: registration_client_uri === `${issuer}/connect/register/client?client_id=${id}`,
          unknown: "unknown_member" in rest || "require_consent" in rest,
        },
      }
    },
    expect: {
      status: 201,
      json: {
        id: true,
        secret: true,
        token: true,
        uri: true,
        unknown: false,
        client_id_issued_at: beginning,
        client_secret_expires_at: 0,
        token_endpoint_auth_method: "client_secret_basic",
        grant_types: ["authorization_code"],
        response_types: ["code"],
        application_type: "web",
        scope: "openid profile email address phone role",
        "client_name#de": "Anwendung",
      },
      headers: { "cache-control": "no-store" },
    },
  },
  {
    title: "RFC 6750 §2.1: a header that holds no bearer token is refused, even where anybody may register",
    rule: "register.token-form",
    options: open,
    run: (w) => sendJson(w, "POST", registrationPath, { body: app, headers: { authorization: "Basic abc" } }),
    expect: { status: 400, json: { error: "invalid_request" } },
  },
  {
    title: "RFC 7591 §3: without an initial access token nobody registers, and the challenge is bare",
    rule: "register.token-present",
    options: closed,
    run: (w) => register(w),
    expect: { ...unauthorized, headers: { "www-authenticate": 'Bearer realm="postern"' } },
  },
  {
    title: "RFC 7591 §3: an initial access token that there is not registers nothing",
    rule: "register.token-known",
    options: closed,
    run: (w) => register(w, app, `n_${"0".repeat(16)}${"A".repeat(43)}`),
    expect: unauthorized,
  },
  {
    title: "RFC 7591 §3: an initial access token with another secret registers nothing",
    rule: "register.token-known",
    options: closed,
    run: async (w) => register(w, app, (await tokenIn(w)).slice(0, 18) + "A".repeat(43)),
    expect: unauthorized,
  },
  {
    title: "RFC 7591 §3: a revoked initial access token registers nothing",
    rule: "register.token-live",
    options: closed,
    run: async (w) => {
      const token = await tokenIn(w)
      await w.tokens.commit([revokeInitialAccessToken(readHandle("n", token)?.locator ?? "", w.now())])
      return register(w, app, token)
    },
    expect: unauthorized,
  },
  {
    title: "RFC 7591 §3: an initial access token ends when its time is over",
    rule: "register.token-fresh",
    options: closed,
    run: async (w) => {
      const token = await tokenIn(w, { expiresAt: w.now() + 60 })
      w.pass(60)
      return register(w, app, token)
    },
    expect: unauthorized,
  },
  {
    title: "RFC 7591 §3: an initial access token registers as many clients as it may, and a faulty request takes none of its uses",
    rule: "register.token-uses",
    options: closed,
    run: async (w) => {
      const token = await tokenIn(w, { mostUses: 1 })
      const faulty = await register(w, {}, token)
      const first = await register(w, app, token)
      const second = await register(w, app, token)
      return { ...second, params: { faulty: String(faulty.status), first: String(first.status) } }
    },
    expect: { ...unauthorized, params: { faulty: "400", first: "201" } },
  },
]

const bodies: ReadonlyArray<Case> = [
  {
    title: "RFC 7591 §3.1: the body is JSON",
    rule: "register.json",
    options: open,
    run: async (w) =>
      said(await w.send({ path: registrationPath, method: "POST", headers: { "content-type": "text/plain" }, body: JSON.stringify(app) })),
    expect: metadataRefused,
  },
  refuses("RFC 7591 §3.1: the body is an object", "register.object", "[]"),
  refuses(
    "RFC 7591 §3.1: a body that is nested without end is no object",
    "register.object",
    `{"jwks":${"[".repeat(9000)}${"]".repeat(9000)}}`,
  ),
  refuses("RFC 9110 §17.5: 200 members of metadata are read, and no more", "register.size", {
    ...app,
    ...Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`client_name#${at}`, "a"])),
  }),
  refuses("RFC 9110 §17.5: 50 redirect URIs are read, and no more", "register.size", {
    ...app,
    redirect_uris: Array.from({ length: 51 }, (_, at) => `https://app.example/${at}`),
  }),
  refuses("RFC 9110 §17.5: a scope of 200 words is read, and no longer one", "register.size", { ...app, scope: "a ".repeat(200) }),
  refuses(
    "RFC 7591 §2.3: a software statement is a text",
    "register.asked",
    { ...app, software_statement: 1 },
    invalid("invalid_software_statement"),
  ),
  refuses("RFC 7591 §2: a member of another type is refused", "register.metadata-form", { ...app, client_name: 5 }),
  refuses(
    "RFC 7591 §3.2.2: the error tells which member is refused, in a sentence with one full stop",
    "register.metadata-form",
    { ...app, client_name: 5 },
    refused("invalid_client_metadata", "client_name is not accepted: The client's display name."),
  ),
  refuses("RFC 7591 §2.2: a member in a language is of the type that it has without", "register.metadata-form", {
    ...app,
    "client_name#de": 5,
  }),
  refuses("RFC 7591 §2: a client that is left without a grant is refused", "register.grant-left", {
    ...app,
    grant_types: ["client_credentials"],
  }),
  {
    title: "RFC 7591 §3.2.1: a grant that cannot be given is dropped, and is no error",
    rule: undefined,
    options: open,
    run: (w) =>
      register(w, { ...app, grant_types: ["authorization_code", "client_credentials", "nothing"], scope: "openid api.read nothing" }),
    expect: { status: 201, json: { grant_types: ["authorization_code"], scope: "openid" } },
  },
  refuses("RFC 7591 §2.1: grants and response types fit each other", "registration.grant-and-response", {
    ...app,
    response_types: ["id_token"],
  }),
  refuses(
    "RFC 7591 §2: redirect URIs are needed",
    "registration.redirect-uris-present",
    { client_name: "App" },
    invalid("invalid_redirect_uri"),
  ),
  ...["https://app.example/cb#f", "http://app.example/cb", "javascript:alert(1)", "data:text/html,x", "app:/cb"].map((uri) =>
    refuses(
      `RFC 7591 §5: ${uri} is no redirect URI`,
      "registration.redirect-uris",
      { ...app, redirect_uris: [uri] },
      invalid("invalid_redirect_uri"),
    ),
  ),
  refuses("RFC 7591 §2: keys are given once", "registration.keys-once", {
    ...app,
    jwks: { keys: [] },
    jwks_uri: "https://app.example/jwks",
  }),
  refuses("OpenID Connect Registration §2: initiate_login_uri is https", "registration.initiate-login-uri", {
    ...app,
    initiate_login_uri: "http://app.example/login",
  }),
  refuses("OpenID Connect Core §9: a secret that would have to be read again is not made", "registration.secret-sealed", {
    ...app,
    token_endpoint_auth_method: "client_secret_jwt",
  }),
  {
    title: "OpenID Connect Registration §2: an algorithm that the provider does not sign with is refused",
    rule: "registration.signing-alg",
    options: open,
    run: (w) => register(w, { ...app, id_token_signed_response_alg: "EdDSA" }),
    expect: metadataRefused,
  },
  refuses("RFC 9101 §10.2: unsigned request objects are not for a client to choose", "register.request-object-signed", {
    ...app,
    request_object_signing_alg: "none",
  }),
  {
    title: "RFC 8252 §7: redirect URIs of loopback addresses alone are a native client's, which need not say so",
    rule: undefined,
    options: open,
    run: (w) => register(w, { ...publicApp, redirect_uris: ["http://127.0.0.1:3000/cb"] }),
    expect: { status: 201, json: { application_type: "native" } },
  },
  {
    title: "RFC 7591 §5: a redirect URI of another host than the template's is refused",
    rule: "register.redirect-hosts",
    options: registers({ open: true, policy: { redirectHosts: ["*.example.com", "other.example"] } }),
    run: (w) => register(w),
    expect: invalid("invalid_redirect_uri"),
  },
  {
    title: "RFC 7591 §5: redirect URIs of the template's hosts pass, below a wildcard and by name",
    rule: undefined,
    options: registers({
      open: true,
      policy: { redirectHosts: ["*.example.com", "other.example", "com.example:"], metadata: { require_pkce: false } },
    }),
    run: (w) =>
      register(w, {
        ...app,
        application_type: "native",
        redirect_uris: ["https://a.example.com/cb", "https://other.example/", "com.example:/cb"],
      }),
    expect: { status: 201, json: { require_pkce: false } },
  },
  {
    title: "RFC 7591 §3: the template of an initial access token takes the place of the provider's",
    rule: undefined,
    options: closed,
    run: async (w) =>
      register(
        w,
        { ...app, grant_types: ["client_credentials"], redirect_uris: [], scope: "api.read api.write" },
        await tokenIn(w, { policy: { grantTypes: ["client_credentials"], scope: ["api.read"] } }),
      ),
    expect: { status: 201, json: { grant_types: ["client_credentials"], response_types: [], scope: "api.read" } },
  },
  {
    title: "RFC 6585 §4: new clients of one address are limited, and equal ones are not counted",
    rule: "register.address-rate",
    // A limiter of its own for each run: one that is shared would count the runs before.
    get options() {
      return { more: { ...open.more, limiter: memoryLimiter({ registrationAddress: 2 }) } }
    },
    run: async (w) => {
      await register(w, publicApp)
      for (let at = 0; at < 5; at++) await register(w, publicApp)
      const second = await register(w, { ...publicApp, client_name: "Second" })
      return { ...(await register(w, { ...publicApp, client_name: "Third" })), params: { second: String(second.status) } }
    },
    expect: { status: 429, params: { second: "201" } },
  },
]

const statementKeys: Promise<SigningKey> = generateKey("ES256", { createdAt: 0, activeAt: 0 }, undefined)

/** Signs a software statement as its issuer does. */
const statementOf = async (claims: Readonly<Record<string, string | number>>): Promise<string> => {
  const key = await statementKeys
  return joseSigner({ keys: () => [key], now: () => beginning }).sign({
    alg: "ES256",
    typ: "JWT",
    claims: { iss: "https://vendor.example", ...claims },
  })
}

const vendorKeys = joseSigner({ keys: async () => [await statementKeys], now: () => beginning }).keys()
const stated = async (required = false) =>
  registers({
    open: true,
    softwareStatementRequired: required,
    softwareStatements: [{ issuer: "https://vendor.example", jwks: { keys: [...(await vendorKeys)] } }],
  })
const [vendor, needed] = await Promise.all([stated(), stated(true)])

const statements: ReadonlyArray<Case> = [
  {
    title: "RFC 7591 §2.3: the claims of a software statement win, and it is returned as it was sent",
    rule: undefined,
    options: vendor,
    run: async (w) => {
      const statement = await statementOf({ client_name: "Certified", software_id: "s1" })
      const answer = await register(w, { ...app, software_statement: statement })
      return { ...answer, json: { ...answer.json, returned: answer.json?.["software_statement"] === statement } }
    },
    expect: { status: 201, json: { client_name: "Certified", software_id: "s1", returned: true } },
  },
  {
    title: "RFC 7591 §3.1.1: a provider may need a software statement",
    rule: "register.statement-present",
    options: needed,
    run: (w) => register(w),
    expect: invalid("unapproved_software_statement"),
  },
  {
    title: "RFC 7591 §2.3: a software statement is a JWT",
    rule: "register.statement-form",
    options: vendor,
    run: (w) => register(w, { ...app, software_statement: "nothing" }),
    expect: invalid("invalid_software_statement"),
  },
  {
    title: "RFC 7591 §3.1.1: the issuer of a software statement is an approved one",
    rule: "register.statement-issuer",
    options: vendor,
    run: async (w) => register(w, { ...app, software_statement: await statementOf({ iss: "https://other.example" }) }),
    expect: invalid("unapproved_software_statement"),
  },
  {
    title: "RFC 7591 §2.3: a software statement is signed by its issuer",
    rule: "register.statement-signature",
    options: vendor,
    run: async (w) => register(w, { ...app, software_statement: (await statementOf({})).replace(/[^.]{8}$/, "AAAAAAAA") }),
    expect: invalid("invalid_software_statement"),
  },
  {
    title: "RFC 7519 §4.1.4: a software statement that has ended is not valid",
    rule: "register.statement-fresh",
    options: vendor,
    run: async (w) => register(w, { ...app, software_statement: await statementOf({ exp: beginning }) }),
    expect: invalid("invalid_software_statement"),
  },
  {
    title: "RFC 7519 §4.1.5: a software statement of a clock that is 30 s ahead is taken, as every JWT of others is",
    rule: undefined,
    options: vendor,
    run: async (w) => register(w, { ...app, software_statement: await statementOf({ nbf: beginning + 30 }) }),
    expect: { status: 201 },
  },
  {
    title: "RFC 7519 §4.1.5: a software statement of the future is not valid",
    rule: "register.statement-fresh",
    options: vendor,
    run: async (w) => register(w, { ...app, software_statement: await statementOf({ nbf: beginning + 31 }) }),
    expect: invalid("invalid_software_statement"),
  },
  ...["exp", "nbf"].map((name): Case => ({
    title: `RFC 7519 §2: nor is one whose ${name} is no number`,
    rule: "register.statement-fresh",
    options: vendor,
    run: async (w) =>
      register(w, { ...app, software_statement: await statementOf({ [name]: String(name === "exp" ? beginning - 1 : beginning + 600) }) }),
    expect: invalid("invalid_software_statement"),
  })),
]

const sector = (body: string) => ({
  more: {
    ...open.more,
    pairwiseSalt: { reveal: () => "a salt of thirty-two characters!" },
    outbound: { fetch: () => ({ _tag: "Fetched", status: 200, body }) },
  },
})

const sectors: ReadonlyArray<Case> = [
  {
    title: "OpenID Connect Registration §5: a sector document that lists every redirect URI is read, and the client registered",
    rule: undefined,
    options: sector('["https://app.example/cb"]') as Case["options"] & object,
    run: (w) => register(w, { ...app, subject_type: "pairwise", sector_identifier_uri: "https://sector.example/uris" }),
    expect: { status: 201, json: { subject_type: "pairwise" } },
  },
  {
    title: "OpenID Connect Registration §5: a sector document that does not list every redirect URI refuses the client",
    rule: "register.sector",
    options: sector('["https://other.example/cb"]') as Case["options"] & object,
    run: (w) => register(w, { ...app, subject_type: "pairwise", sector_identifier_uri: "https://sector.example/uris" }),
    expect: metadataRefused,
  },
]

/** Registers a client and does something with its registration. */
const managed =
  (run: (w: World, client: Record<string, unknown>) => Promise<Said>, metadata: unknown = app) =>
  async (w: World) =>
    run(w, (await register(w, metadata)).json ?? {})

const uri = (client: Record<string, unknown>): string => String(client["registration_client_uri"])
const token = (client: Record<string, unknown>): string => String(client["registration_access_token"])

/** The metadata of a client as it would be sent to change it. */
const sent = ({ client_id, redirect_uris, client_name, client_secret }: Record<string, unknown>) => ({
  client_id,
  redirect_uris,
  client_name,
  client_secret,
})

const management: ReadonlyArray<Case> = [
  {
    title: "RFC 7592 §2.1: a client reads its registration, without its secret, by its token",
    rule: undefined,
    options: open,
    run: managed(async (w, client) => {
      const answer = await sendJson(w, "GET", uri(client), { token: token(client) })
      const same = answer.json?.["registration_access_token"] === token(client)
      return { ...answer, json: { ...answer.json, same, secret: "client_secret" in (answer.json ?? {}) } }
    }),
    expect: { status: 200, json: { same: true, secret: false, client_name: "App", client_secret_expires_at: 0 } },
  },
  {
    title: "RFC 7592 §2.2: a change takes the place of all metadata: what is left out is gone",
    rule: undefined,
    options: open,
    run: managed(async (w, client) => {
      const answer = await sendJson(w, "PUT", uri(client), {
        token: token(client),
        body: { ...sent(client), client_name: undefined, logo_uri: "https://app.example/logo.png" },
      })
      return { ...answer, json: { ...answer.json, named: "client_name" in (answer.json ?? {}) } }
    }),
    expect: { status: 200, json: { named: false, logo_uri: "https://app.example/logo.png" } },
  },
  {
    title: "RFC 7592 §2.2: a change names its client",
    rule: "manage-registration.client-id",
    options: open,
    run: managed((w, client) => sendJson(w, "PUT", uri(client), { token: token(client), body: { ...sent(client), client_id: "other" } })),
    expect: { status: 400, json: { error: "invalid_request" } },
  },
  {
    title: "RFC 7592 §2.2: a change holds no member that is the provider's",
    rule: "manage-registration.read-only",
    options: open,
    run: managed((w, client) =>
      sendJson(w, "PUT", uri(client), { token: token(client), body: { ...sent(client), client_id_issued_at: 1 } }),
    ),
    expect: { status: 400, json: { error: "invalid_request" } },
  },
  {
    title: "RFC 7592 §2.2: a client cannot choose its own secret",
    rule: "manage-registration.secret",
    options: open,
    run: managed((w, client) =>
      sendJson(w, "PUT", uri(client), { token: token(client), body: { ...sent(client), client_secret: "mine" } }),
    ),
    expect: { status: 400, json: { error: "invalid_request" } },
  },
  {
    title: "RFC 7592 §2.2: a client that becomes confidential gets a secret",
    rule: undefined,
    options: closed,
    run: async (w) => {
      const { json: client = {} } = await register(w, publicApp, await tokenIn(w))
      const answer = await sendJson(w, "PUT", uri(client), { token: token(client), body: sent(client) })
      return { ...answer, json: { ...answer.json, secret: typeof answer.json?.["client_secret"], before: typeof client["client_secret"] } }
    },
    expect: { status: 200, json: { secret: "string", before: "undefined" } },
  },
  {
    title: "RFC 7592 §2.2: values of a software statement cannot be changed",
    rule: undefined,
    options: vendor,
    run: async (w) => {
      const { json: client = {} } = await register(w, { ...app, software_statement: await statementOf({ client_name: "Certified" }) })
      return sendJson(w, "PUT", uri(client), { token: token(client), body: { ...sent(client), client_name: "Forged" } })
    },
    expect: { status: 200, json: { client_name: "Certified" } },
  },
  {
    title: "RFC 7592 §2.3: a client that is deleted is gone, and with it its token",
    rule: "manage-registration.token-known",
    options: open,
    run: managed(async (w, client) => {
      const gone = await sendJson(w, "DELETE", uri(client), { token: token(client) })
      return { ...(await sendJson(w, "GET", uri(client), { token: token(client) })), params: { gone: `${gone.status} ${gone.body}` } }
    }),
    expect: { ...unauthorized, params: { gone: "204 " } },
  },
  {
    title: "RFC 7592 §2: a registration is shown to nobody without a token",
    rule: "manage-registration.token-present",
    options: open,
    run: managed((w, client) => sendJson(w, "GET", uri(client))),
    expect: {
      ...refused("invalid_token", "The registration access token is needed.", 401),
      headers: { "www-authenticate": 'Bearer realm="postern"' },
    },
  },
  {
    title: "RFC 6750 §2.1: the registration access token is a bearer token",
    rule: "manage-registration.token-form",
    options: open,
    run: managed((w, client) => sendJson(w, "GET", uri(client), { headers: { authorization: "Basic abc" } })),
    expect: { status: 400, json: { error: "invalid_request" } },
  },
  {
    title: "RFC 7592 §2: the token of one client is not good for another",
    rule: "manage-registration.own-client",
    options: open,
    run: managed(async (w, client) => {
      const { json: other = {} } = await register(w, { ...app, client_name: "Other" })
      return sendJson(w, "GET", uri(other), { token: token(client) })
    }),
    expect: unauthorized,
  },
  {
    title: "RFC 7592 §2: a client that was never used is gone after its time, whether it was swept or not",
    rule: "manage-registration.client-kept",
    options: open,
    run: managed((w, client) => {
      w.pass(3600)
      return sendJson(w, "GET", uri(client), { token: token(client) })
    }),
    expect: unauthorized,
  },
]

/** Cases of registration by clients themselves, and of its management. */
export const cases: ReadonlyArray<Case> = [...access, ...bodies, ...statements, ...sectors, ...management]
