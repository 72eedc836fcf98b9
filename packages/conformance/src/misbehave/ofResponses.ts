import { instead, members, parameters, withBody } from "./change.ts"
import { type Misbehavior, misbehavior, unusual } from "./misbehavior.ts"

const set = (name: string, value: (found: string, issuer: string) => string | undefined): Misbehavior["transform"] => ({
  authorization: parameters((found, issuer) => {
    const before = found.get(name)
    if (before === null) return false
    const after = value(before, issuer)
    if (after === undefined) found.delete(name)
    else found.set(name, after)
    return true
  }),
})

const state = "RFC 6749 §10.12"
const issuer = "RFC 9207 §2.4"

/** What is wrong with authorization responses. */
const ofAuthorization: ReadonlyArray<Misbehavior> = [
  misbehavior(
    "response.state-wrong",
    "the state is another one",
    state,
    set("state", () => "another state"),
  ),
  misbehavior(
    "response.state-missing",
    "the state is missing though one was sent",
    state,
    set("state", () => undefined),
  ),
  misbehavior(
    "response.iss-wrong",
    "the iss of the response is another issuer",
    issuer,
    set("iss", () => "https://other.example"),
  ),
  misbehavior(
    "response.iss-missing",
    "the iss of the response is missing though the metadata announces it",
    issuer,
    set("iss", () => undefined),
  ),
  misbehavior(
    "response.iss-slash",
    "the iss of the response has a slash more",
    issuer,
    set("iss", (found) => `${found}/`),
  ),
  misbehavior(
    "response.state-twice",
    "the state comes twice",
    "RFC 6749 §3.1",
    {
      authorization: parameters((found) => {
        if (!found.has("state")) return false
        found.append("state", "another state")
        return true
      }),
    },
    "SHOULD",
  ),
  misbehavior(
    "response.code-and-error",
    "an error stands beside the code",
    "RFC 6749 §4.1.2.1",
    {
      authorization: parameters((found) => {
        if (!found.has("code")) return false
        found.append("error", "access_denied")
        return true
      }),
    },
    "SHOULD",
  ),
]

const answered = "RFC 6749 §5.1"

/** What is wrong with token responses. */
const ofTokens: ReadonlyArray<Misbehavior> = [
  unusual("token.type-case", "the token_type is in upper case", "RFC 6749 §7.1", { token: members(() => ({ token_type: "BEARER" })) }),
  misbehavior("token.type-unknown", "the token_type is one that no client knows", "RFC 6749 §7.1", {
    token: members(() => ({ token_type: "misbehave" })),
  }),
  misbehavior("token.type-missing", "the token_type is missing", answered, { token: members(() => ({ token_type: undefined })) }, "SHOULD"),
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
  misbehavior("token.expires-in-word", "expires_in is a word", answered, { token: members(() => ({ expires_in: "soon" })) }, "SHOULD"),
  unusual("token.refresh-missing", "no refresh token comes in spite of offline_access", "OpenID Connect Core §11", {
    token: members(({ refresh_token }) => (refresh_token === undefined ? undefined : { refresh_token: undefined })),
  }),
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
]

/** What is wrong with userinfo. */
const ofUserinfo: ReadonlyArray<Misbehavior> = [
  misbehavior("userinfo.sub-other", "userinfo is about somebody else", "OpenID Connect Core §5.3.2", {
    userinfo: members(() => ({ sub: "somebody else" })),
  }),
  misbehavior("userinfo.sub-missing", "userinfo does not say whom it is about", "OpenID Connect Core §5.3.2", {
    userinfo: members(() => ({ sub: undefined })),
  }),
]

/** What is wrong with the answers of a sign-in. */
export const ofResponses: ReadonlyArray<Misbehavior> = [...ofAuthorization, ...ofTokens, ...ofUserinfo]
