import { json } from "../exchange/exchange.ts"
import { type Finding, first, header, holds, refused, refuses, same, status } from "../oracle/finding.ts"
import { type Requirement, area } from "../requirement/requirement.ts"
import { basic } from "../steps/proof.ts"
import type { Steps } from "../steps/steps.ts"
import type { Received } from "../exchange/exchange.ts"
import type { RoleClient, RoleName } from "../target/roles.ts"

/**
 * A request whose client authentication is under test. Its refresh token does not exist, so an authenticated client gets `invalid_grant`.
 */
const fields = { grant_type: "refresh_token", refresh_token: "of-nobody" }

/** Requires that client authentication failed. */
export const failed = (received: Received): Finding => refused(received, [400, 401], "invalid_client")

/** Sends a request to the token endpoint as a client, or without one. */
export const asked = (
  t: Steps,
  client: RoleClient | undefined,
  more: Readonly<Record<string, string>> = {},
  headers: Readonly<Record<string, string>> = {},
) => t.post("token_endpoint", { ...fields, ...more }, client, headers)

const byWeb = area("client", { clients: ["web"] })
const byOthers = area("client", {})

/** Requires an error about the refresh token, which shows that client authentication succeeded. */
export const proved = refuses("invalid_grant")

/** Returns an oracle that requires failed client authentication, or one of these errors. */
export const failedOr =
  (...codes: ReadonlyArray<string>) =>
  (received: Received): Finding =>
    refused(received, [400, 401], "invalid_client", ...codes)

/** A client of a role that must be able to authenticate. */
export const proves = (id: string, paragraph: string, title: string, role: RoleName): Requirement =>
  byOthers(id, paragraph, title, (t) => asked(t, t.client(role)), proved, "MUST", { clients: [role] })

/** Client authentication at the token endpoint, except by assertions. */
export const clients: ReadonlyArray<Requirement> = [
  byWeb("basic", "RFC 6749 §2.3.1", "A client proves itself with HTTP Basic", (t) => asked(t, t.client("web")), proved),
  proves("post", "RFC 6749 §2.3.1", "A client that is registered so proves itself in the form", "post"),
  proves("public", "RFC 6749 §3.2.1", "A client without a secret names itself in the form", "public"),
  byWeb("wrong-secret", "RFC 6749 §5.2", "A wrong secret is refused", (t) => asked(t, t.impostor("web")), failed),
  byWeb(
    "secret-whole",
    "RFC 6749 §2.3.1",
    "Neither a part of a secret proves a client, nor more than it",
    (t) => {
      const client = t.client("web")
      const { client_secret: secret = "" } = client
      // A hash that reads so many bytes and no more takes a secret with another end.
      const others = [secret.slice(0, -1), `${secret}x`, `x${secret}`]
      return Promise.all(others.map((each) => asked(t, { ...client, client_secret: each })))
    },
    (answers) => first(...answers.map(failed)),
  ),
  byWeb(
    "empty-secret",
    "RFC 6749 §5.2",
    "An empty secret is refused",
    (t) => asked(t, { ...t.client("web"), client_secret: "" }),
    failedOr("invalid_request"),
  ),
  byWeb(
    "no-secret",
    "RFC 6749 §3.2.1",
    "A client with a secret is refused without it",
    (t) => asked(t, { ...t.client("web"), token_endpoint_auth_method: "none" }),
    failed,
  ),
  byWeb("nobody", "RFC 6749 §3.2.1", "A request of no client is refused", (t) => asked(t, undefined), failedOr("invalid_request")),
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
    (t) => asked(t, t.impostor("web")),
    (received) => first(status(received, 401), header(received, "WWW-Authenticate", /^basic\b/i)),
  ),
  byWeb(
    "two-methods",
    "RFC 6749 §2.3",
    "A client that proves itself twice in one request is refused",
    (t) => asked(t, t.client("web"), { client_id: t.client("web").client_id, client_secret: t.client("web").client_secret ?? "" }),
    failedOr("invalid_request"),
  ),
  byOthers(
    "other-id",
    "RFC 6749 §2.3.1",
    "A client that names another in the form is refused",
    (t) => asked(t, t.client("web"), { client_id: t.client("other").client_id }),
    failedOr("invalid_request", "invalid_grant"),
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
    failedOr("invalid_request"),
  ),
  byWeb(
    "basic-encoded",
    "RFC 6749 §2.3.1",
    "The user name and password of HTTP Basic are form-encoded",
    (t) => asked(t, undefined, {}, { authorization: basic(t.client("web").client_id, t.client("web").client_secret ?? "") }),
    proved,
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
  byWeb(
    "not-told-apart",
    "RFC 6749 §10.10",
    "An unknown client and a wrong secret are answered alike",
    async (t) => [await asked(t, t.impostor("web")), await asked(t, { ...t.client("web"), client_id: "nobody-has-this-id" })],
    ([wrong, unknown]) => first(same(wrong?.status, unknown?.status, "the status"), same(wrong?.body, unknown?.body, "the body")),
    "SHOULD",
  ),
]
