import { delivered, instead, isFine, members, withBody } from "./change.ts"
import { type Misbehavior, type Transform, misbehavior, unusual } from "./misbehavior.ts"

const answered = "RFC 6749 §5.1"
const retry = "RFC 9110 §10.2.3"
const later = (status: number): Transform => instead(status, "text/plain", "later\n", [["retry-after", "3600"]])

const type: ReadonlyArray<Misbehavior> = [
  unusual("token.type-case", "the token_type is in upper case", "RFC 6749 §7.1", { token: members(() => ({ token_type: "BEARER" })) }),
  misbehavior("token.type-unknown", "the token_type is one that no client knows", "RFC 6749 §7.1", {
    token: members(() => ({ token_type: "misbehave" })),
  }),
  misbehavior("token.type-missing", "the token_type is missing", answered, { token: members(() => ({ token_type: undefined })) }, "SHOULD"),
]

const content: ReadonlyArray<Misbehavior> = [
  misbehavior("token.access-token-missing", "the access token is missing", answered, {
    token: members(() => ({ access_token: undefined })),
  }),
  misbehavior("token.id-token-missing", "the ID token is missing", "OpenID Connect Core §3.1.3.3", {
    token: members(({ id_token }) => (id_token === undefined ? undefined : { id_token: undefined })),
  }),
  misbehavior("token.access-token-as-id-token", "the access token stands in the place of the ID token", "RFC 8725 §3.12", {
    token: members(({ id_token, access_token }) => (id_token === undefined ? undefined : { id_token: access_token })),
  }),
  unusual("token.expires-in-missing", "expires_in is missing", answered, { token: members(() => ({ expires_in: undefined })) }),
  misbehavior("token.expires-in-negative", "expires_in is below zero", answered, { token: members(() => ({ expires_in: -1 })) }, "SHOULD"),
  misbehavior("token.expires-in-zero", "expires_in is zero", answered, { token: members(() => ({ expires_in: 0 })) }, "MAY"),
  misbehavior("token.expires-in-word", "expires_in is a word", answered, { token: members(() => ({ expires_in: "soon" })) }, "SHOULD"),
  unusual("token.scope-narrower", "the scope is narrower than what was asked for", "RFC 6749 §3.3", {
    token: members(({ scope }, { asked }) => {
      const first = String(scope).split(" ")[0] ?? ""
      return first === asked.get("scope") || scope === undefined ? undefined : { scope: first }
    }),
  }),
  unusual("token.refresh-missing", "no refresh token comes in spite of offline_access", "OpenID Connect Core §11", {
    token: members(({ refresh_token }) => (refresh_token === undefined ? undefined : { refresh_token: undefined })),
  }),
]

const transport: ReadonlyArray<Misbehavior> = [
  misbehavior("token.gateway", "a proxy answers in place of the token endpoint (502, a page)", "RFC 6749 §5.2", {
    token: instead(502, "text/html", "<!doctype html><title>Bad gateway</title>"),
  }),
  misbehavior("token.empty", "the token response is empty", answered, { token: instead(200, "application/json", "") }),
  misbehavior("token.error-as-success", "an error comes with status 200", "RFC 6749 §5.2", {
    token: instead(200, "application/json", JSON.stringify({ error: "invalid_grant" })),
  }),
  misbehavior(
    "token.media-type",
    "the token response says that it is a page",
    answered,
    { token: ({ answer }) => (answer.status === 200 ? withBody(answer, answer.body, "text/html") : undefined) },
    "SHOULD",
  ),
  misbehavior(
    "token.answer-lost",
    "the connection ends before the token response: the code must not be used again",
    "RFC 6749 §4.1.2",
    { token: delivered("lost") },
    { calm: true, observe: { token: ["token again", "userinfo"] } },
  ),
  misbehavior(
    "token.slow",
    "the token response comes after the provider's patience, 40 seconds unless it was told otherwise",
    "RFC 9110 §17.5",
    { token: delivered("slow") },
    "MAY",
  ),
  misbehavior(
    "token.retry-after",
    "the token endpoint is 503 with Retry-After: 3600",
    retry,
    { token: later(503) },
    {
      level: "SHOULD",
      calm: true,
      observe: { token: ["token again"] },
    },
  ),
]

/** Faults of refresh responses. Those of refreshed ID tokens are listed with the ID tokens. */
const refreshing: ReadonlyArray<Misbehavior> = [
  unusual(
    "refresh.answer-lost",
    "the connection ends before the answer to a refresh: the old token is good once more",
    "RFC 6749 §6",
    { refresh: delivered("lost") },
    { level: "MAY", observe: { refresh: ["refresh again", "refresh", "userinfo"] } },
  ),
  misbehavior(
    "refresh.invalid-grant",
    "a refresh is refused (invalid_grant): the client must not ask on and on",
    "RFC 9700 §4.14",
    { refresh: instead(400, "application/json", JSON.stringify({ error: "invalid_grant" }), [["cache-control", "no-store"]]) },
    { calm: true, observe: { refresh: ["userinfo"] }, most: ["refresh again", 1] },
  ),
  unusual(
    "refresh.rotated-at-once",
    "an old refresh token is dead as soon as there is a new one",
    "RFC 9700 §4.14",
    {
      refresh: ({ answer, sent, kept }) => {
        const presented = sent.get("refresh_token") ?? ""
        const keep = { used: presented }
        if (kept["used"] === presented && presented !== "")
          return { answer: { ...answer, status: 400, body: JSON.stringify({ error: "invalid_grant" }) }, keep }
        if (!isFine(answer)) return undefined
        return kept["used"] === undefined ? { answer, keep, unchanged: true } : { answer, keep }
      },
    },
    { observe: { refresh: ["userinfo", "refresh"] } },
  ),
]

/** Faults of token responses. */
export const ofTokens: ReadonlyArray<Misbehavior> = [...type, ...content, ...transport, ...refreshing]
