import { type Changes, type Received, json, textOf } from "../exchange/exchange.ts"
import { type Finding, first, holds, notStored, oneOf, refused, refuses, shown, status, success } from "../oracle/finding.ts"
import { type Needs, type Requirement, area } from "../requirement/requirement.ts"
import { jwtOf } from "../steps/jwt.ts"
import { type Steps, tokensOf } from "../steps/steps.ts"

const machine: Needs = { clients: ["machine"], metadata: { grant_types_supported: "client_credentials" } }
const password: Needs = { clients: ["password"], person: true, metadata: { grant_types_supported: "password" } }
const grant = "urn:ietf:params:oauth:grant-type:token-exchange"
const exchange: Needs = { clients: ["exchange", "web"], person: true, metadata: { grant_types_supported: grant } }

const byMachine = area("client-credentials", machine)
const byPerson = area("password", password)
const byExchange = area("exchange", exchange)

const credentials = (t: Steps, more: Readonly<Record<string, string>> = {}): Promise<Received> =>
  t.token({ grant_type: "client_credentials", ...more }, "machine")

const without =
  (member: string, otherwise: string) =>
  (received: Received): Finding =>
    first(success(received), holds(json(received)?.[member] === undefined, otherwise))

/** The client credentials grant (RFC 6749 §4.4). */
export const clientCredentials: ReadonlyArray<Requirement> = [
  byMachine("answer", "RFC 6749 §4.4.3", "A client gets an access token for itself", credentials, (received) =>
    first(
      success(received),
      notStored(received),
      oneOf(textOf(json(received)?.["token_type"]).toLowerCase(), ["bearer", "dpop"], "the token_type"),
    ),
  ),
  byMachine(
    "no-refresh-token",
    "RFC 6749 §4.4.3",
    "No refresh token comes with it",
    credentials,
    without("refresh_token", "a refresh token came"),
    "SHOULD",
  ),
  byMachine(
    "no-id-token",
    "OpenID Connect Core §3.1.3.3",
    "No ID token comes with it, since there is no person",
    credentials,
    without("id_token", "an ID token came"),
  ),
  byMachine(
    "wrong-secret",
    "RFC 6749 §4.4.2",
    "A client that does not prove itself gets nothing",
    (t) => t.token({ grant_type: "client_credentials" }, t.impostor("machine")),
    (received) => refused(received, [400, 401], "invalid_client"),
  ),
  byMachine(
    "public",
    "RFC 6749 §4.4",
    "A client without a secret has no credentials",
    (t) => t.token({ grant_type: "client_credentials" }, "public"),
    (received) => refused(received, [400, 401], "unauthorized_client", "invalid_client", "unsupported_grant_type"),
    "MUST",
    { clients: ["public"], metadata: { grant_types_supported: "client_credentials" } },
  ),
  byMachine(
    "scope-unknown",
    "RFC 6749 §3.3",
    "A scope that nobody has is refused or left out",
    (t) => credentials(t, { scope: "a_scope_that_nobody_has" }),
    (received) =>
      received.status === 200
        ? holds(json(received)?.["scope"] !== "a_scope_that_nobody_has", "it was granted")
        : refused(received, [400], "invalid_scope"),
  ),
  byMachine(
    "scope-openid",
    "OpenID Connect Core §2",
    "A client alone does not get openid: an ID token tells of a person who signed in",
    (t) => credentials(t, { scope: "openid" }),
    (received) =>
      received.status === 200
        ? holds(json(received)?.["id_token"] === undefined, "an ID token came")
        : refused(received, [400], "invalid_scope", "invalid_request"),
    "SHOULD",
  ),
  byMachine(
    "scope-narrower",
    "RFC 6749 §3.3",
    "A client that asks for one scope gets that one",
    (t) => credentials(t, { scope: t.client("machine").scope?.split(" ")[0] ?? "" }),
    (received) =>
      first(success(received), holds(!textOf(json(received)?.["scope"]).includes(" "), `the scope is ${shown(json(received)?.["scope"])}`)),
  ),
  byMachine(
    "sub",
    "RFC 9068 §2.2",
    "The sub of its token is the client, where the token is a JWT",
    async (t) => {
      const token = textOf(tokensOf(await credentials(t))["access_token"])
      return { jwt: token.split(".").length === 3 ? await jwtOf(t, token) : undefined, client: t.client("machine").client_id }
    },
    ({ jwt, client }) =>
      jwt === undefined || !textOf(jwt.header["typ"]).endsWith("at+jwt")
        ? undefined
        : first(
            holds(jwt.isVerified, "no published key verifies it"),
            oneOf(jwt.claims["sub"], [client], "sub"),
            ...["iss", "exp", "aud", "client_id", "iat", "jti"].map((name) => holds(name in jwt.claims, `it has no ${name}`)),
          ),
  ),
]

const ask = (t: Steps, more: Readonly<Record<string, string | undefined>> = {}): Promise<Received> =>
  t.token(
    { grant_type: "password", username: t.target.person?.username, password: t.target.person?.password, scope: "openid", ...more },
    "password",
  )

/** A request with changed fields that must be refused with one of these errors. */
const unanswered = (id: string, paragraph: string, title: string, fields: Changes, ...codes: ReadonlyArray<string>): Requirement =>
  byPerson(id, paragraph, title, (t) => ask(t, fields), refuses(...codes))

/** The password grant (RFC 6749 §4.3), if a provider still supports it. */
export const passwords: ReadonlyArray<Requirement> = [
  byPerson("answer", "RFC 6749 §4.3.3", "The right password is answered with an access token", ask, (received) =>
    first(success(received), notStored(received)),
  ),
  unanswered("wrong", "RFC 6749 §5.2", "A wrong password is refused", { password: "wrong" }, "invalid_grant"),
  unanswered("unknown", "RFC 6749 §5.2", "An unknown person is refused", { username: "nobody-has-this-name" }, "invalid_grant"),
  unanswered("empty", "RFC 6749 §4.3.2", "An empty password is refused", { password: "" }, "invalid_grant", "invalid_request"),
  unanswered("missing", "RFC 6749 §4.3.2", "A request without a password is refused", { password: undefined }, "invalid_request"),
  byPerson(
    "not-told-apart",
    "RFC 9700 §2.4",
    "An unknown person and a wrong password are answered alike",
    async (t) => [await ask(t, { password: "wrong" }), await ask(t, { username: "nobody-has-this-name", password: "wrong" })],
    ([wrong, unknown]) => holds(wrong?.status === unknown?.status && wrong?.body === unknown?.body, "the answers differ"),
    "SHOULD",
  ),
  byPerson(
    "other-client",
    "RFC 6749 §5.2",
    "A client that is not registered for passwords cannot send one",
    (t) => t.token({ grant_type: "password", username: t.target.person?.username, password: t.target.person?.password }, "web"),
    refuses("unauthorized_client", "unsupported_grant_type"),
    "MUST",
    { clients: ["web"], person: true, metadata: { grant_types_supported: "password" } },
  ),
]

const accessToken = "urn:ietf:params:oauth:token-type:access_token"

const exchanged = (t: Steps, subject: unknown, more: Readonly<Record<string, string | undefined>> = {}): Promise<Received> =>
  t.token({ grant_type: grant, subject_token: textOf(subject), subject_token_type: accessToken, ...more }, "exchange")

const subject = async (t: Steps): Promise<unknown> => (await t.tokens("web", { scope: "openid" })).tokens["access_token"]

/** An exchange of a person's access token with changed fields, which must be refused. */
const refusedFor = (id: string, paragraph: string, title: string, fields: Changes): Requirement =>
  byExchange(id, paragraph, title, async (t) => exchanged(t, await subject(t), fields), refuses("invalid_request"))

/** Token exchange (RFC 8693). */
export const tokenExchange: ReadonlyArray<Requirement> = [
  refusedFor("subject-missing", "RFC 8693 §2.1", "An exchange without a subject_token is refused", { subject_token: undefined }),
  refusedFor("type-missing", "RFC 8693 §2.1", "An exchange without a subject_token_type is refused", { subject_token_type: undefined }),
  byExchange(
    "subject-unknown",
    "RFC 8693 §2.2.2",
    "A subject_token that nobody issued is refused",
    (t) => exchanged(t, t.random(32)),
    refuses("invalid_request", "invalid_grant"),
  ),
  refusedFor("type-unknown", "RFC 8693 §2.2.2", "A token type that nobody knows is refused", {
    subject_token_type: "urn:conformance:unknown",
  }),
  refusedFor("actor-alone", "RFC 8693 §2.1", "An actor_token_type without an actor_token is refused", { actor_token_type: accessToken }),
  byExchange(
    "answer-type",
    "RFC 8693 §2.2.1",
    "An answer says which type of token it issued, and how it is used",
    async (t) => exchanged(t, await subject(t)),
    (received) =>
      received.status === 200
        ? first(
            holds(
              textOf(json(received)?.["issued_token_type"]).startsWith("urn:ietf:params:oauth:token-type:"),
              `issued_token_type is ${shown(json(received)?.["issued_token_type"])}`,
            ),
            holds(textOf(json(received)?.["token_type"]) !== "", "there is no token_type"),
          )
        : refused(received, [400, 403], "invalid_request", "invalid_grant", "invalid_target", "invalid_scope", "unauthorized_client"),
  ),
  byExchange(
    "expired",
    "RFC 8693 §2.1",
    "A subject_token that has expired is refused",
    async (t) => {
      const token = await subject(t)
      await t.pass(86_400)
      return exchanged(t, token)
    },
    refuses("invalid_request", "invalid_grant"),
    "MUST",
    { ...exchange, time: true },
  ),
  byExchange(
    "other-client",
    "RFC 6749 §5.2",
    "A client that is not registered for exchanges makes none",
    async (t) => t.token({ grant_type: grant, subject_token: textOf(await subject(t)), subject_token_type: accessToken }, "web"),
    (received) =>
      first(status(received, 400), oneOf(json(received)?.["error"], ["unauthorized_client", "unsupported_grant_type"], "the error")),
  ),
]
