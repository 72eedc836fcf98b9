import { authorize, challenge, signedIn, token } from "../support/flows.ts"
import { type World, password } from "../support/world.ts"
import { type Case, type Expectation, refused, sentBack } from "./case.ts"

const code = {
  grant_types: ["authorization_code", "refresh_token"],
  redirect_uris: ["https://app.example/cb"],
  scope: "openid email offline_access api.read",
  require_consent: false,
}

/** Clients whose metadata would allow more than OAuth 2.1 does: rows from before the profile was set, which registration would refuse today. */
const clients = [
  { client_id: "strict", client_secret: "secret of strict", ...code, profile: "oauth2.1", require_pkce: false, allow_plain_pkce: true },
  {
    client_id: "strict-browser",
    client_secret: "secret of strict-browser",
    ...code,
    profile: "oauth2.1",
    grant_types: ["authorization_code", "implicit"],
    response_types: ["code", "code id_token", "code token", "id_token", "id_token token", "token"],
  },
  {
    client_id: "strict-ropc",
    client_secret: "secret of strict-ropc",
    grant_types: ["password"],
    response_types: [],
    scope: "openid",
    profile: "oauth2.1",
  },
  { client_id: "lenient", client_secret: "secret of lenient", ...code, require_pkce: false, allow_plain_pkce: true },
  { client_id: "excepted", client_secret: "secret of excepted", ...code, require_pkce: false, profile: "default" },
]

const options = { clients }
/** A provider whose clients are held to OAuth 2.1 unless they say otherwise. */
const whole = { clients, more: { profile: "oauth2.1" } }

const ask = (clientId: string, changes: Readonly<Record<string, string | undefined>>) => async (w: World) =>
  authorize(await signedIn(w), clientId, changes)

const withoutPkce = { code_challenge: undefined, code_challenge_method: undefined }

const granted: Expectation = { status: 303, to: "https://app.example/cb", params: { state: "st", iss: "https://op.example" } }

/** Profiles: which rules hold for a client, and with which parameter (architecture, law 15). */
export const cases: ReadonlyArray<Case> = [
  {
    title: "OAuth 2.1 §7.5: a client held to it needs PKCE whatever its metadata says",
    rule: "authorize.challenge-required",
    options,
    run: ask("strict", withoutPkce),
    expect: sentBack("invalid_request", "The code_challenge is missing."),
  },
  {
    title: "OAuth 2.1 §7.5: a client held to it may not use plain, whatever its metadata says",
    rule: "authorize.challenge-plain-allowed",
    options,
    run: ask("strict", { code_challenge: challenge, code_challenge_method: "plain" }),
    expect: sentBack("invalid_request", "The code_challenge_method must be S256."),
  },
  {
    title: "OAuth 2.1 §10: a client held to it gets no token through the browser",
    rule: "authorize.response-type-profile",
    options,
    run: ask("strict-browser", { response_type: "code token", scope: "openid api.read" }),
    expect: sentBack("unauthorized_client", "The client's profile refuses this response_type."),
  },
  {
    title: "OAuth 2.1 §10, OpenID Connect Core §3.3: an ID token beside the code is not refused by it",
    rule: undefined,
    options,
    run: ask("strict-browser", { response_type: "code id_token", nonce: "n" }),
    expect: granted,
  },
  {
    title: "OAuth 2.1 §10: a client held to it may not use the password grant",
    rule: "token.grant-type-profile",
    options,
    run: (w) => token(w, "strict-ropc", { grant_type: "password", username: "alice", password, scope: "openid" }),
    expect: refused("unauthorized_client", "The client's profile refuses this grant_type."),
  },
  {
    title: "architecture, law 15: a client without a profile is held to its metadata alone where the provider says nothing",
    rule: undefined,
    options,
    run: ask("lenient", withoutPkce),
    expect: granted,
  },
  {
    title: "architecture, law 15: the provider's profile holds for a client that names none",
    rule: "authorize.challenge-required",
    options: whole,
    run: ask("lenient", withoutPkce),
    expect: sentBack("invalid_request", "The code_challenge is missing."),
  },
  {
    title: "architecture, law 15: a client's own profile comes before the provider's",
    rule: undefined,
    options: whole,
    run: ask("excepted", withoutPkce),
    expect: granted,
  },
]
