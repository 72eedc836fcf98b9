import { authorize, claimsOf, request, signedIn, userinfo } from "../support/flows.ts"
import type { World } from "../support/world.ts"
import { type Case, type Expectation, sentBack } from "./case.ts"

type Changes = Readonly<Record<string, string | undefined>>

const ask = (changes: Changes) => async (w: World) => authorize(await signedIn(w), "hybrid", { nonce: "n", ...changes })
const inFragment = async (w: World, changes: Changes) => {
  const answer = await (await signedIn(w)).get("/connect/authorize", request("hybrid", { nonce: "n", ...changes }))
  return { ...answer, to: /^([^?]*)#/.exec(answer.header("location") ?? "")?.[1] }
}

/** Parameters that a response type answers with. */
const gives: Readonly<Record<string, ReadonlyArray<string>>> = {
  "code id_token": ["code", "id_token"],
  "id_token code": ["code", "id_token"],
  "code token": ["code", "access_token"],
  "code id_token token": ["code", "access_token", "id_token"],
  "token code id_token": ["code", "access_token", "id_token"],
  id_token: ["id_token"],
  "id_token token": ["access_token", "id_token"],
  "token id_token": ["access_token", "id_token"],
  // A list in which order does not matter (RFC 6749 §3.1.1): a value that is there twice is there.
  "id_token code id_token": ["code", "id_token"],
}

const parameters = (answer: { readonly params: Readonly<Record<string, string>> }): string =>
  ["code", "access_token", "id_token"].filter((name) => answer.params[name] !== undefined).join(" ")

const identityOnly: Expectation = sentBack("invalid_scope", "The response_type id_token allows identity scopes only.")

/** The implicit and hybrid flows: specification §2.1, OpenID Connect Core §3.2, §3.3. */
export const cases: ReadonlyArray<Case> = [
  ...Object.entries(gives).map(([response_type, names]): Case => ({
    title: `specification §2.1: ${response_type} answers with ${names.join(", ")} in the fragment`,
    rule: undefined,
    run: async (w) => {
      const answer = await inFragment(w, { response_type })
      return { ...answer, json: { gives: parameters(answer) } }
    },
    expect: {
      status: 303,
      to: "https://app.example/cb",
      params: { state: "st", iss: "https://op.example" },
      json: { gives: names.join(" ") },
    },
  })),
  {
    title: "specification §2.1: token answers with an access token alone, for resource scopes",
    rule: undefined,
    run: async (w) => {
      const answer = await inFragment(w, { response_type: "token", scope: "api.read", nonce: undefined })
      return { ...answer, json: { gives: parameters(answer) } }
    },
    expect: {
      status: 303,
      to: "https://app.example/cb",
      params: { token_type: "Bearer", expires_in: "3600", scope: "api.read" },
      json: { gives: "access_token" },
    },
  },
  {
    title: "OAuth 2.0 Form Post Response Mode §2: form_post carries tokens too",
    rule: undefined,
    run: ask({ response_type: "code id_token token", response_mode: "form_post" }),
    expect: { status: 200, page: { _tag: "FormPost", action: "https://app.example/cb" }, params: { token_type: "Bearer", state: "st" } },
  },
  {
    title: "OAuth 2.0 Multiple Response Types §3: the query cannot carry a token; the error comes in the fragment",
    rule: "authorize.response-mode-query",
    run: (w) => inFragment(w, { response_type: "id_token", response_mode: "query" }),
    expect: sentBack("invalid_request", "The response_mode query cannot carry a token."),
  },
  {
    title: "OpenID Connect Core §3.2.2.6: errors of the implicit flow come in the fragment",
    rule: "authorize.scope-present",
    run: (w) => inFragment(w, { response_type: "id_token token", scope: undefined }),
    expect: sentBack("invalid_request", "The scope is missing."),
  },
  {
    title: "specification §4 rule 1: prompt=none errors of the hybrid flow come in the fragment",
    rule: "person.signed-in",
    run: async (w) => {
      const answer = await w
        .visitor()
        .get("/connect/authorize", request("hybrid", { response_type: "code id_token", prompt: "none", nonce: "n" }))
      return { ...answer, to: /^([^?]*)#/.exec(answer.header("location") ?? "")?.[1] }
    },
    expect: sentBack("login_required", "The person must sign in."),
  },
  {
    title: "OpenID Connect Core §3.2.2.1: an ID token needs openid",
    rule: "authorize.scope-openid",
    run: ask({ response_type: "id_token token", scope: "email api.read" }),
    expect: sentBack("invalid_scope", "An ID token needs the scope openid."),
  },
  {
    title: "specification §2.1: id_token allows identity scopes only",
    rule: "authorize.scope-identity-only",
    run: ask({ response_type: "id_token", scope: "openid api.read" }),
    expect: identityOnly,
  },
  {
    title: "specification §2.1: token allows resource scopes only",
    rule: "authorize.scope-resource-only",
    run: ask({ response_type: "token", scope: "openid api.read" }),
    expect: sentBack("invalid_scope", "The response_type token allows resource scopes only."),
  },
  {
    title: "specification §2.1: token needs a resource scope; offline_access alone, which it ignores, is none",
    rule: "authorize.scope-resource-only",
    run: ask({ response_type: "token", scope: "offline_access" }),
    expect: sentBack("invalid_scope", "The response_type token allows resource scopes only."),
  },
  {
    title: "RFC 8707 §2.2, OpenID Connect Core §5.4: a token for a resource keeps openid, without which userinfo could not be asked",
    rule: undefined,
    run: async (w) => {
      const { params } = await ask({
        response_type: "id_token token",
        scope: "openid email api.read billing",
        resource: "https://api.example",
      })(w)
      return userinfo(w, params["access_token"])
    },
    expect: { status: 200, json: { sub: "sub-alice", email: "alice@example.com" } },
  },
  ...["id_token", "id_token token", "code id_token", "code id_token token"].map((response_type): Case => ({
    title: `specification §2.1 nonce, OpenID Connect Core §3.2.2.1, §3.3.2.11: ${response_type} needs a nonce`,
    rule: "authorize.nonce-required",
    run: ask({ response_type, nonce: undefined }),
    expect: sentBack("invalid_request", "The nonce is missing."),
  })),
  {
    title: "OAuth 2.0 Multiple Response Types §5: code token needs no nonce",
    rule: undefined,
    run: ask({ response_type: "code token", nonce: undefined }),
    expect: { status: 303, params: { token_type: "Bearer" } },
  },
  {
    title: "RFC 7636 §1: without a code there is nothing for PKCE to protect",
    rule: undefined,
    run: ask({ response_type: "id_token token", code_challenge: undefined, code_challenge_method: undefined }),
    expect: { status: 303, params: { token_type: "Bearer" } },
  },
  {
    title: "RFC 9700 §2.1.1: a code of the hybrid flow needs PKCE as any other",
    rule: "authorize.challenge-required",
    run: ask({ response_type: "code id_token", code_challenge: undefined, code_challenge_method: undefined }),
    expect: sentBack("invalid_request", "The code_challenge is missing."),
  },
  {
    title: "OpenID Connect Core §11: a response type without a code ignores offline_access",
    rule: undefined,
    run: ask({ response_type: "id_token token", scope: "openid offline_access" }),
    expect: { status: 303, params: { scope: "openid" } },
  },
  {
    title: "OpenID Connect Core §5.4: for id_token alone the claims of the scopes are in the ID token",
    rule: undefined,
    run: async (w) => {
      const answer = await ask({ response_type: "id_token", scope: "openid email" })(w)
      return { ...answer, json: claimsOf(answer.params["id_token"] ?? "") }
    },
    expect: { status: 303, json: { sub: "sub-alice", email: "alice@example.com", nonce: "n" } },
  },
  {
    title: "RFC 6749 §4.1.2.1: a response type the client was not given is unauthorized_client, in the fragment",
    rule: "authorize.response-type-allowed",
    run: async (w) => authorize(await signedIn(w), "web", { response_type: "id_token", nonce: "n" }),
    expect: sentBack("unauthorized_client", "The client may not use this response_type."),
  },
]
