import { type Received, encoded, json, pairsOf, textOf } from "../../exchange/exchange.ts"
import { type Finding, first, holds, notStored, oneOf, refused, shown, status, success } from "../../oracle/finding.ts"
import { type Level, type Requirement, area } from "../../requirement/requirement.ts"
import { clientProof } from "../../steps/proof.ts"
import { type Steps, tokensOf, told } from "../../steps/steps.ts"
import { Untried } from "../../target/target.ts"
import { allowed, ask, asked, needsOf } from "./asking.ts"

const needs = needsOf("poll")
const tried = area("ciba", needs)

const invalid =
  (...codes: ReadonlyArray<string>) =>
  (received: Received): Finding =>
    refused(received, [400], ...codes)

/** A request that must be refused. */
const wrong = (
  id: string,
  paragraph: string,
  title: string,
  changes: (t: Steps) => Readonly<Record<string, string | undefined>>,
  codes: ReadonlyArray<string> = ["invalid_request"],
  level: Level = "MUST",
): Requirement => tried(id, paragraph, title, (t) => ask(t, changes(t)), invalid(...codes), level)

/** CIBA authentication requests (CIBA Core §7). */
export const cibaRequests: ReadonlyArray<Requirement> = [
  tried(
    "modes",
    "CIBA Core §4",
    "The metadata lists the ways in which clients learn of results",
    told("backchannel_token_delivery_modes_supported"),
    (modes) =>
      holds(
        Array.isArray(modes) && modes.length > 0 && modes.every((mode) => ["poll", "ping", "push"].includes(mode)),
        `backchannel_token_delivery_modes_supported is ${shown(modes)}`,
      ),
    "MUST",
    { metadata: { backchannel_authentication_endpoint: undefined } },
  ),
  tried(
    "answer",
    "CIBA Core §7.3",
    "A request is answered with its auth_req_id and its lifetime",
    (t) => ask(t),
    (received) => {
      const { auth_req_id: id, expires_in: life, interval } = json(received) ?? {}
      return first(
        success(received),
        holds(textOf(id) !== "", "there is no auth_req_id"),
        holds(typeof life === "number" && Number.isInteger(life) && life > 0, `expires_in is ${shown(life)}`),
        holds(interval === undefined || (typeof interval === "number" && interval > 0), `interval is ${shown(interval)}`),
      )
    },
  ),
  tried("not-stored", "CIBA Core §7.3", "The answer is kept by no cache", (t) => ask(t), notStored, "SHOULD"),
  tried(
    "id-unguessable",
    "CIBA Core §7.3",
    "An auth_req_id is another each time, of allowed characters, and has 128 bits at least",
    async (t) => [(await asked(t)).id, (await asked(t)).id] as const,
    ([one, two]) =>
      first(
        holds(one !== two, "two requests have one auth_req_id"),
        holds(/^[A-Za-z0-9._-]{22,}$/.test(one), `it has ${one.length} characters, or others than letters, digits, ".", "-" and "_"`),
      ),
  ),
  tried(
    "client",
    "CIBA Core §7.1, §13",
    "A client that does not prove itself asks nobody",
    async (t) => {
      const client = t.client("poll")
      if (!client.token_endpoint_auth_method.startsWith("client_secret_"))
        throw new Untried(`the client of the role poll has no secret: its method is ${client.token_endpoint_auth_method}`)
      const fields = { scope: "openid", login_hint: t.target.person?.username }
      return t.post("backchannel_authentication_endpoint", fields, { ...client, client_secret: "wrong" })
    },
    (received) => refused(received, [400, 401], "invalid_client"),
  ),
  tried(
    "client-registered",
    "CIBA Core §4, §13",
    "A client that is not registered for it asks nobody",
    (t) => t.post("backchannel_authentication_endpoint", { scope: "openid", login_hint: t.target.person?.username }, "web"),
    (received) => refused(received, [400, 401], "unauthorized_client"),
    "MUST",
    needsOf("poll", "web"),
  ),
  tried(
    "method",
    "CIBA Core §7.1",
    "The endpoint takes POST alone",
    async (t) => {
      const { headers, fields } = await clientProof(t.client("poll"), t.target.issuer, t.now())
      const query = encoded(pairsOf({ scope: "openid", login_hint: t.target.person?.username, ...fields }))
      return t.get(`${t.endpoint("backchannel_authentication_endpoint")}?${query}`, headers)
    },
    (received) => status(received, 400, 404, 405),
  ),
  wrong("scope-missing", "CIBA Core §7.1", "A request without a scope is refused", () => ({ scope: undefined }), [
    "invalid_request",
    "invalid_scope",
  ]),
  wrong("scope-openid", "CIBA Core §7.1", "A scope without openid is refused", () => ({ scope: "email" }), [
    "invalid_scope",
    "invalid_request",
  ]),
  wrong(
    "scope-unknown",
    "CIBA Core §13",
    "A scope that the client may not have is refused",
    () => ({ scope: "openid conformance_unknown_scope" }),
    ["invalid_scope"],
    "SHOULD",
  ),
  wrong("hint-missing", "CIBA Core §7.1", "A request that names nobody is refused", () => ({ login_hint: undefined })),
  wrong("hint-two", "CIBA Core §7.1", "A request with two hints is refused", (t) => ({ id_token_hint: t.random() })),
  wrong(
    "hint-broken",
    "CIBA Core §7.1",
    "An id_token_hint that is no ID token is refused",
    () => ({ login_hint: undefined, id_token_hint: "e30.e30." }),
    ["invalid_request", "unknown_user_id", "expired_login_hint_token"],
  ),
  wrong(
    "hint-unknown",
    "CIBA Core §13",
    "A hint that names nobody is refused as unknown_user_id",
    (t) => ({ login_hint: `nobody ${t.random()}` }),
    ["unknown_user_id"],
    "SHOULD",
  ),
  tried(
    "hint-id-token",
    "CIBA Core §7.1",
    "An ID token that the client got names its person",
    async (t) => {
      const tokens = tokensOf((await allowed(t)).received)
      return ask(t, { login_hint: undefined, id_token_hint: textOf(tokens["id_token"]) })
    },
    (received) => status(received, 200),
    "SHOULD",
  ),
  wrong(
    "message-long",
    "CIBA Core §7.1, §13",
    "A binding message that no page can show is refused",
    () => ({ binding_message: "A1 ".repeat(2000) }),
    ["invalid_binding_message"],
    "SHOULD",
  ),
  wrong(
    "message-form",
    "CIBA Core §7.1, §13",
    "A binding message with control characters is refused",
    () => ({ binding_message: "A1\u0007\u202e" }),
    ["invalid_binding_message"],
    "SHOULD",
  ),
  tried(
    "expiry",
    "CIBA Core §7.1",
    "A request lives no longer than the client asks",
    (t) => ask(t, { requested_expiry: "45" }),
    (received) =>
      first(
        status(received, 200),
        holds(Number(json(received)?.["expires_in"]) <= 45, `expires_in is ${shown(json(received)?.["expires_in"])}`),
      ),
    "SHOULD",
  ),
  wrong("expiry-form", "CIBA Core §7.1", "A requested_expiry that is no positive number is refused", () => ({ requested_expiry: "-1" })),
  tried(
    "repeated",
    "RFC 6749 §3.2",
    "A parameter that comes twice is refused",
    (t) =>
      t.post(
        "backchannel_authentication_endpoint",
        [
          ["scope", "openid"],
          ["login_hint", t.target.person?.username ?? ""],
          ["login_hint", "somebody else"],
        ],
        "poll",
      ),
    (received) => oneOf(json(received)?.["error"], ["invalid_request"], "the error"),
  ),
  tried(
    "notification-token",
    "CIBA Core §7.1",
    "A client that wants to be told sends a token for that",
    (t) => ask(t, { client_notification_token: undefined }, "ping"),
    invalid("invalid_request"),
    "MUST",
    needsOf("ping"),
  ),
  tried(
    "notification-token-long",
    "CIBA Core §7.1",
    "A token of more than 1024 characters is refused",
    (t) => ask(t, { client_notification_token: "a".repeat(1025) }, "ping"),
    invalid("invalid_request"),
    "MUST",
    needsOf("ping"),
  ),
]
