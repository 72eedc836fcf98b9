// One sign-in: the authorization code flow with PKCE (OpenID Connect Core §3.1, RFC 7636), and what its tokens are good for.

import { challengeOf, decodeJwt, discover, exchange, signatureHolds, unguessable } from "./protocol.js"
import { forgetSignIn, keep, kept, setup } from "./state.js"
import { callOf, markNow, trailsSince } from "./trails.js"

/** An authorization request of this page, and what must be remembered to finish it. */
export const authorizationRequest = async (changes = {}) => {
  const { authorization_endpoint } = await discover(setup.issuer)
  const pending = { state: unguessable(), nonce: unguessable(), verifier: unguessable(), mark: await markNow() }
  const parameters = {
    response_type: "code",
    client_id: setup.clientId,
    redirect_uri: setup.redirectUri,
    scope: kept.scopes.join(" "),
    state: pending.state,
    nonce: pending.nonce,
    code_challenge: await challengeOf(pending.verifier),
    code_challenge_method: "S256",
    ...changes,
  }
  const query = Object.entries(parameters).filter(([, value]) => value !== undefined)
  return { pending, url: `${authorization_endpoint}?${new URLSearchParams(query)}` }
}

/** Leaves for the provider to sign in. */
export const begin = async () => {
  const { pending, url } = await authorizationRequest({
    ...(kept.prompt === "" ? {} : { prompt: kept.prompt }),
    ...(kept.payment ? { authorization_details: JSON.stringify(setup.details) } : {}),
  })
  forgetSignIn()
  kept.pending = { ...pending, url }
  keep()
  location.assign(url)
}

/** Leaves for a fresh code of the same person, without a page; the attack named goes on with it. */
export const beginAttack = async (attack) => {
  const { pending, url } = await authorizationRequest({ prompt: "none", scope: kept.granted })
  kept.pending = { ...pending, url, attack }
  keep()
  location.assign(url)
}

/** Checks the answer at the redirect URI, as a client owes it. */
export const responseChecks = (params, pending) => [
  ["state is the one this page sent (RFC 6749 §10.12)", params.get("state") === pending.state],
  ["iss is the provider that was asked (RFC 9207)", params.get("iss") === setup.issuer],
]

/** The code's exchange for tokens. */
export const redeem = async (code, verifier) => {
  const { token_endpoint } = await discover(setup.issuer)
  return exchange("POST", token_endpoint, {
    form: {
      grant_type: "authorization_code",
      code,
      redirect_uri: setup.redirectUri,
      client_id: setup.clientId,
      code_verifier: verifier,
    },
  })
}

/** A refresh of a token, with changes to the request. */
export const refreshWith = async (refreshToken, changes = {}) => {
  const { token_endpoint } = await discover(setup.issuer)
  return exchange("POST", token_endpoint, {
    form: { grant_type: "refresh_token", refresh_token: refreshToken, client_id: setup.clientId, ...changes },
  })
}

/** Asks userinfo with an access token. */
export const userinfoWith = async (accessToken) => {
  const { userinfo_endpoint } = await discover(setup.issuer)
  return exchange("GET", userinfo_endpoint, { headers: { authorization: `Bearer ${accessToken}` } })
}

const of = (trails, ...endpoints) => trails.filter(({ endpoint }) => endpoints.includes(endpoint))

/** A page of the provider as a call: what was asked there, or that it was not needed. */
const pageCall = (id, title, trails, asked, skipped) =>
  trails.length === 0
    ? { id, title, text: skipped, status: "skipped", badge: "skipped" }
    : { id, title, text: asked, status: "done", badge: String(trails.at(-1).status), trails }

/** The way to the redirect URI, page by page. */
export const frontCalls = (params, pending, trails) => {
  const error = params.get("error")
  const checks = responseChecks(params, pending)
  const holds = checks.every(([, check]) => check)
  const signIn = of(trails, "login", "login-upstream", "upstream-callback")
  const consent = of(trails, "consent")
  const last = error === null ? of(trails, "resume") : trails.slice(-1)
  return [
    {
      id: "authorize",
      title: "Authorize",
      text: "This page sent its request.",
      status: "done",
      badge: String(of(trails, "authorize").at(-1)?.status ?? "sent"),
      request: { method: "GET", url: pending.url },
      trails: of(trails, "authorize"),
    },
    pageCall("sign-in", "Sign in", signIn, "On the provider's own page.", error === null ? "The session was still good." : "Not reached."),
    pageCall("consent", "Consent", consent, "On the provider's own page.", error === null ? "Remembered from before." : "Not reached."),
    {
      id: "code",
      title: error === null ? "Code" : "Error",
      text:
        error === null ? "The browser came back with a code." : (params.get("error_description") ?? "The provider refused the request."),
      status: error === null && holds ? "done" : "refused",
      badge: error ?? "code",
      checks,
      answer: { redirect_uri: setup.redirectUri, parameters: Object.fromEntries(params) },
      trails: last,
    },
  ]
}

/** Takes in a token response, with every check a client owes its ID token (OpenID Connect Core §3.1.3.7). */
const received = async (id, title, text, sent, nonce) => {
  if (sent.answer.status !== 200) return [await callOf(id, title, text, sent)]
  const { jwks_uri } = await discover(setup.issuer)
  const { access_token, refresh_token, id_token, scope } = sent.answer.body
  Object.assign(kept.tokens, { access_token, refresh_token, id_token: id_token ?? kept.tokens.id_token })
  kept.granted = scope
  const access = decodeJwt(access_token)
  const identity = id_token === undefined ? undefined : decodeJwt(id_token)
  const checks =
    identity === undefined
      ? []
      : [
          ["The ID token is signed by a published key", await signatureHolds(id_token, jwks_uri)],
          ["Its issuer is the provider", identity.payload.iss === setup.issuer],
          ["Its audience is this client", [identity.payload.aud].flat().includes(setup.clientId)],
          ["It has not expired", identity.payload.exp * 1000 > Date.now()],
          ...(nonce === undefined ? [] : [["Its nonce is the one this page sent", identity.payload.nonce === nonce]]),
        ]
  const tokens = [
    ...(identity === undefined
      ? []
      : [{ name: "id_token", title: "ID token", note: "Tells this client alone who signed in.", value: id_token, decoded: identity }]),
    {
      name: "access_token",
      title: "Access token",
      note: access === undefined ? "Opaque: only the provider can read it." : "A JWT that APIs check by themselves (RFC 9068).",
      value: access_token,
      decoded: access,
    },
    ...(refresh_token === undefined
      ? []
      : [{ name: "refresh_token", title: "Refresh token", note: "Opaque. Each use replaces it with a new one.", value: refresh_token }]),
  ]
  return [await callOf(id, title, text, sent, { checks, tokens })]
}

/** Goes on from the redirect URI: the code's exchange, and the person's name. */
export const finish = async (params, pending) => {
  const calls = frontCalls(params, pending, await trailsSince(pending.mark))
  kept.calls.push(...calls)
  if (calls.at(-1).status !== "done") return
  const sent = await redeem(params.get("code"), pending.verifier)
  kept.calls.push(...(await received("token", "Tokens", "The code and its verifier became tokens.", sent, pending.nonce)))
  if (kept.tokens.access_token === undefined) return
  kept.person = { name: decodeJwt(kept.tokens.id_token ?? "")?.payload.sub ?? "Somebody" }
  if (kept.granted.split(" ").includes("openid")) await userinfo()
}

/** Asks userinfo for the person's claims. */
export const userinfo = async () => {
  const sent = await userinfoWith(kept.tokens.access_token)
  kept.calls.push(await callOf("userinfo", "Userinfo", "Claims of the granted scopes.", sent))
  const { name, preferred_username, sub, email } = sent.answer.body ?? {}
  if (sent.answer.status === 200) kept.person = { name: name ?? preferred_username ?? sub, email }
}

/** Exchanges the refresh token for fresh tokens. */
export const refresh = async () => {
  const sent = await refreshWith(kept.tokens.refresh_token)
  kept.calls.push(...(await received("refresh", "Refresh", "New tokens; the old refresh token is used up.", sent, undefined)))
}

/** Revokes the refresh token, and with it its grant (RFC 7009 §2.1). */
export const revoke = async () => {
  const { revocation_endpoint } = await discover(setup.issuer)
  const sent = await exchange("POST", revocation_endpoint, {
    form: { token: kept.tokens.refresh_token, token_type_hint: "refresh_token", client_id: setup.clientId },
  })
  kept.calls.push(await callOf("revoke", "Revocation", "Every token of this sign-in is revoked: ask userinfo to see.", sent))
}

/** Leaves for the provider to sign out (RP-Initiated Logout §2). */
export const signOut = async () => {
  const { end_session_endpoint } = await discover(setup.issuer)
  const state = unguessable()
  const { id_token } = kept.tokens
  const request = {
    // Without the ID token, which takes the openid scope, the provider asks the person first.
    ...(id_token === undefined ? {} : { id_token_hint: id_token }),
    client_id: setup.clientId,
    post_logout_redirect_uri: setup.homeUri,
    state,
  }
  const url = `${end_session_endpoint}?${new URLSearchParams(request)}`
  kept.leaving = { state, mark: await markNow(), url }
  keep()
  location.assign(url)
}

/** Back from signing out (RP-Initiated Logout §3): the tokens are worth nothing now. */
export const signedOut = async (params, leaving) => {
  const holds = params.get("state") === leaving.state
  if (holds) Object.assign(kept, { tokens: {}, granted: "", person: undefined, results: {} })
  kept.calls.push({
    id: "signed-out",
    title: "Signed out",
    text: "The session has ended, and the browser came back to the registered address.",
    status: holds ? "done" : "refused",
    badge: holds ? "signed out" : "state",
    checks: [["state is the one this page sent (RP-Initiated Logout §3)", holds]],
    request: { method: "GET", url: leaving.url },
    answer: { post_logout_redirect_uri: setup.homeUri, parameters: Object.fromEntries(params) },
    trails: await trailsSince(leaving.mark),
  })
}
