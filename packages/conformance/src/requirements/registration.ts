import { json, textOf } from "../exchange/exchange.ts"
import { first, hasStatus, holds, notStored, oneOf, same, shown, status, success } from "../oracle/finding.ts"
import { type Needs, type Requirement, area, changed } from "../requirement/requirement.ts"
import { callback } from "../target/roles.ts"
import { type Metadata, answerTo, asWeb, clientOf, refusedMetadata, web, withClient } from "./registering.ts"
import { noCode } from "./answer.ts"

const needs: Needs = { metadata: { registration_endpoint: undefined } }
const withPerson: Needs = { ...needs, person: true }
const tried = area("registration", needs)

/** Metadata that must not be registered. */
const wrong = changed(tried, (t, changes: Metadata) => answerTo(t, { ...web, ...changes }), refusedMetadata)

/** Dynamic client registration (RFC 7591, OpenID Connect Dynamic Client Registration). */
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
    hasStatus(201),
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
    (t) => {
      const form = new URLSearchParams({ redirect_uris: callback, client_name: "Conformance: a form" })
      return answerTo(t, form.toString(), { "content-type": "application/x-www-form-urlencoded" })
    },
    hasStatus(400, 415),
  ),
  tried(
    "json-type",
    "RFC 7591 §3.1",
    "JSON under another media type registers nothing",
    (t) => answerTo(t, web, { "content-type": "text/plain" }),
    hasStatus(400, 415),
    "SHOULD",
  ),
  tried("json-broken", "RFC 7591 §3.2.2", "What is no JSON is refused", (t) => answerTo(t, "{"), hasStatus(400)),
  tried("json-list", "RFC 7591 §3.2.2", "A list is refused", (t) => answerTo(t, "[]"), hasStatus(400)),
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
    hasStatus(400, 401, 403, 404, 405),
  ),
  tried(
    "used",
    "RFC 7591 §3.2.1",
    "A client that registered itself gets a code and tokens",
    (t) =>
      withClient(t, {}, async (made) => {
        const steps = asWeb(t, clientOf(made))
        return steps.redeem("web", await steps.code("web", { scope: "openid" }))
      }),
    (received) => first(success(received), holds(textOf(json(received)?.["access_token"]) !== "", "no access token came")),
    "MUST",
    withPerson,
  ),
  tried(
    "used-address",
    "RFC 6749 §3.1.2.4",
    "Its codes are sent to no address that it did not register",
    (t) =>
      withClient(t, {}, (made) =>
        asWeb(t, clientOf(made)).authorize("web", { scope: "openid", redirect_uri: "https://client.conformance.test/elsewhere" }),
      ),
    noCode,
    "MUST",
    withPerson,
  ),
]
