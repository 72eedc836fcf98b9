import { json } from "../exchange/exchange.ts"
import { type Finding, first, holds, refused, same, shown, status } from "../oracle/finding.ts"
import { area, type Requirement, requirement } from "../requirement/requirement.ts"
import { assertion, basic } from "../steps/proof.ts"
import type { Steps } from "../steps/steps.ts"
import type { Received } from "../exchange/exchange.ts"
import type { RoleClient } from "../target/roles.ts"

const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

/** A request that is right but for its client: with a refresh token that nobody has, it must be refused for the client first. */
const fields = { grant_type: "refresh_token", refresh_token: "of-nobody" }

const failed = (received: Received): Finding => refused(received, [400, 401], "invalid_client")

const asked = (
  t: Steps,
  client: RoleClient | undefined,
  more: Readonly<Record<string, string>> = {},
  headers: Readonly<Record<string, string>> = {},
) => t.post("token_endpoint", { ...fields, ...more }, client, headers)

const byWeb = area("client", { clients: ["web"] })
const bySigning = area("client", { clients: ["signing"] })
const byOthers = area("client", {})

const withAssertion = async (
  t: Steps,
  claims: Readonly<Record<string, unknown>>,
  header: Readonly<Record<string, unknown>> = {},
  more: Readonly<Record<string, string>> = {},
) => {
  const client = t.client("signing")
  const client_assertion = await assertion(client, t.target.issuer, t.now(), claims, header)
  return asked(t, undefined, { client_assertion_type: assertionType, client_assertion, ...more })
}

/** An answer that is about the refresh token: the client has proved itself. */
const proved = (received: Received): Finding => refused(received, [400], "invalid_grant")

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url")

/** Client authentication at the token endpoint. */
export const clients: ReadonlyArray<Requirement> = [
  byWeb("basic", "RFC 6749 §2.3.1", "A client proves itself with HTTP Basic", (t) => asked(t, t.client("web")), proved),
  byOthers(
    "post",
    "RFC 6749 §2.3.1",
    "A client that is registered so proves itself in the form",
    (t) => asked(t, t.client("post")),
    proved,
    "MUST",
    { clients: ["post"] },
  ),
  byOthers(
    "public",
    "RFC 6749 §3.2.1",
    "A client without a secret names itself in the form",
    (t) => asked(t, t.client("public")),
    proved,
    "MUST",
    { clients: ["public"] },
  ),
  byWeb(
    "wrong-secret",
    "RFC 6749 §5.2",
    "A wrong secret is refused",
    (t) => asked(t, { ...t.client("web"), client_secret: "wrong" }),
    failed,
  ),
  byWeb(
    "empty-secret",
    "RFC 6749 §5.2",
    "An empty secret is refused",
    (t) => asked(t, { ...t.client("web"), client_secret: "" }),
    (received) => refused(received, [400, 401], "invalid_client", "invalid_request"),
  ),
  byWeb(
    "no-secret",
    "RFC 6749 §3.2.1",
    "A client with a secret is refused without it",
    (t) => asked(t, { ...t.client("web"), token_endpoint_auth_method: "none" }),
    failed,
  ),
  byWeb(
    "nobody",
    "RFC 6749 §3.2.1",
    "A request of no client is refused",
    (t) => asked(t, undefined),
    (received) => refused(received, [400, 401], "invalid_client", "invalid_request"),
  ),
  byWeb(
    "unknown",
    "RFC 6749 §5.2",
    "An unknown client is refused",
    (t) => asked(t, { ...t.client("web"), client_id: "nobody-has-this-id" }),
    failed,
  ),
  byWeb(
    "challenge",
    "RFC 6749 §5.2",
    "A client that failed with HTTP Basic is answered with 401 and the scheme",
    (t) => asked(t, { ...t.client("web"), client_secret: "wrong" }),
    (received) =>
      first(
        status(received, 401),
        holds(
          /^basic\b/i.test(received.headers.get("www-authenticate") ?? ""),
          `WWW-Authenticate is ${shown(received.headers.get("www-authenticate"))}`,
        ),
      ),
  ),
  byWeb(
    "two-methods",
    "RFC 6749 §2.3",
    "A client that proves itself twice in one request is refused",
    (t) => asked(t, t.client("web"), { client_id: t.client("web").client_id, client_secret: t.client("web").client_secret ?? "" }),
    (received) => refused(received, [400, 401], "invalid_request", "invalid_client"),
  ),
  byOthers(
    "other-id",
    "RFC 6749 §2.3.1",
    "A client that names another in the form is refused",
    (t) => asked(t, t.client("web"), { client_id: t.client("other").client_id }),
    (received) => refused(received, [400, 401], "invalid_request", "invalid_client", "invalid_grant"),
    "MUST",
    { clients: ["web", "other"] },
  ),
  byWeb(
    "secret-in-url",
    "RFC 6749 §2.3.1",
    "A secret in the query proves nothing",
    (t) => {
      const { client_id, client_secret = "" } = t.client("web")
      const query = new URLSearchParams({ client_id, client_secret }).toString()
      const url = `${t.endpoint("token_endpoint")}?${query}`
      return t.send({
        method: "POST",
        url,
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams(fields).toString(),
      })
    },
    (received) =>
      first(
        holds(received.status >= 400, `the status is ${received.status}`),
        holds(json(received)?.["error"] !== "invalid_grant", "it was believed"),
      ),
  ),
  byWeb(
    "basic-broken",
    "RFC 7617 §2",
    "A Basic header that is none is refused",
    (t) => asked(t, undefined, {}, { authorization: "Basic ???" }),
    (received) => refused(received, [400, 401], "invalid_client", "invalid_request"),
  ),
  byWeb(
    "basic-encoded",
    "RFC 6749 §2.3.1",
    "The user name and password of HTTP Basic are form-encoded",
    (t) => asked(t, undefined, {}, { authorization: basic(t.client("web").client_id, t.client("web").client_secret ?? "") }),
    proved,
  ),
  bySigning("assertion", "RFC 7523 §3", "A client proves itself with an assertion that it signed", (t) => withAssertion(t, {}), proved),
  byOthers(
    "assertion-mac",
    "OpenID Connect Core §9",
    "A client proves itself with an assertion made with its secret",
    (t) => asked(t, t.client("mac")),
    proved,
    "MUST",
    { clients: ["mac"] },
  ),
  bySigning(
    "assertion-token-endpoint",
    "RFC 7523 §3",
    "The token endpoint's address may be the audience of an assertion",
    (t) => withAssertion(t, { aud: t.endpoint("token_endpoint") }),
    proved,
    "SHOULD",
  ),
  bySigning(
    "assertion-aud",
    "RFC 7523 §3",
    "An assertion for another audience is refused",
    (t) => withAssertion(t, { aud: "https://other.conformance.test" }),
    failed,
  ),
  bySigning(
    "assertion-aud-missing",
    "RFC 7523 §3",
    "An assertion without an audience is refused",
    (t) => withAssertion(t, { aud: undefined }),
    failed,
  ),
  bySigning(
    "assertion-expired",
    "RFC 7523 §3",
    "An assertion that has expired is refused",
    (t) => withAssertion(t, { exp: t.now() - 600 }),
    failed,
  ),
  bySigning(
    "assertion-exp-missing",
    "RFC 7523 §3",
    "An assertion without exp is refused",
    (t) => withAssertion(t, { exp: undefined }),
    failed,
  ),
  bySigning(
    "assertion-nbf",
    "RFC 7523 §3",
    "An assertion that is not valid yet is refused",
    (t) => withAssertion(t, { nbf: t.now() + 3600 }),
    failed,
  ),
  bySigning(
    "assertion-iss",
    "RFC 7523 §3",
    "An assertion of another issuer is refused",
    (t) => withAssertion(t, { iss: "somebody-else" }),
    failed,
  ),
  bySigning(
    "assertion-sub",
    "RFC 7523 §3",
    "An assertion about another subject is refused",
    (t) => withAssertion(t, { sub: "somebody-else" }),
    failed,
  ),
  bySigning(
    "assertion-sub-missing",
    "RFC 7523 §3",
    "An assertion without sub is refused",
    (t) => withAssertion(t, { sub: undefined }),
    failed,
  ),
  byOthers(
    "assertion-other-client",
    "RFC 7523 §3",
    "An assertion is refused where the form names another client",
    (t) => withAssertion(t, {}, {}, { client_id: t.client("web").client_id }),
    (received) => refused(received, [400, 401], "invalid_client", "invalid_request"),
    "MUST",
    { clients: ["signing", "web"] },
  ),
  bySigning(
    "assertion-signature",
    "RFC 7515 §5.2",
    "An assertion with a broken signature is refused",
    async (t) => {
      const whole = await assertion(t.client("signing"), t.target.issuer, t.now())
      const cut = whole.lastIndexOf(".") + 1
      const broken = `${whole.slice(0, cut)}${whole[cut] === "A" ? "B" : "A"}${whole.slice(cut + 1)}`
      return asked(t, undefined, { client_assertion_type: assertionType, client_assertion: broken })
    },
    failed,
  ),
  bySigning(
    "assertion-none",
    "RFC 8725 §3.2",
    "An assertion that nobody signed is refused",
    async (t) => {
      const { client_id } = t.client("signing")
      const claims = { iss: client_id, sub: client_id, aud: t.target.issuer, jti: t.random(), iat: t.now(), exp: t.now() + 60 }
      return asked(t, undefined, { client_assertion_type: assertionType, client_assertion: `${part({ alg: "none" })}.${part(claims)}.` })
    },
    failed,
  ),
  bySigning(
    "assertion-type",
    "RFC 7521 §4.2",
    "An assertion of an unknown type is refused",
    async (t) => {
      const client_assertion = await assertion(t.client("signing"), t.target.issuer, t.now())
      return asked(t, undefined, { client_assertion_type: "urn:conformance:unknown", client_assertion })
    },
    (received) => refused(received, [400, 401], "invalid_client", "invalid_request"),
  ),
  bySigning(
    "assertion-once",
    "RFC 7523 §3",
    "An assertion proves a client once",
    async (t) => {
      const client_assertion = await assertion(t.client("signing"), t.target.issuer, t.now())
      await asked(t, undefined, { client_assertion_type: assertionType, client_assertion })
      return asked(t, undefined, { client_assertion_type: assertionType, client_assertion })
    },
    failed,
    "SHOULD",
  ),
  bySigning(
    "assertion-array",
    "RFC 7523 §3",
    "An audience that is a list is accepted where it holds the issuer",
    (t) => withAssertion(t, { aud: [t.target.issuer] }),
    (received) => refused(received, [400, 401], "invalid_grant", "invalid_client"),
    "MAY",
  ),
  bySigning(
    "assertion-jti",
    "OpenID Connect Core §9",
    "An assertion without jti is refused",
    (t) => withAssertion(t, { jti: undefined }),
    failed,
  ),
  byOthers(
    "other-method",
    "OpenID Connect Core §9",
    "A client proves itself by the method that it is registered with, and by no other",
    (t) => asked(t, { ...t.client("post"), token_endpoint_auth_method: "client_secret_basic" }),
    failed,
    "SHOULD",
    { clients: ["post"] },
  ),
  requirement({
    id: "client.not-told-apart",
    paragraph: "RFC 6749 §10.10",
    level: "SHOULD",
    title: "An unknown client and a wrong secret are answered alike",
    needs: { clients: ["web"] },
    steps: async (t) => [
      await asked(t, { ...t.client("web"), client_secret: "wrong" }),
      await asked(t, { ...t.client("web"), client_id: "nobody-has-this-id" }),
    ],
    oracle: ([wrong, unknown]) =>
      first(
        same(wrong?.status, unknown?.status, "the status"),
        same(wrong === undefined ? "" : wrong.body, unknown === undefined ? "" : unknown.body, "the body"),
      ),
  }),
]
