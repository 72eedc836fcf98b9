import { memoryLimiter } from "@postern/core/memory"
import { authorize, follow, post } from "../support/flows.ts"
import { comeBack, withUpstreamLogout } from "../support/upstream.ts"
import { type LogoutTokenChanges, logoutEvents, sendLogout, upstreamLogoutPath, upstreamToken } from "../support/upstreamLogout.ts"
import type { Said } from "../support/visitor.ts"
import { type World, beginning } from "../support/world.ts"
import { type Case, refused } from "./case.ts"

const options = withUpstreamLogout()

/** Signs ann in at corp, has a token sent, and tells whether somebody is still signed in. */
const ended = async (w: World, changes: LogoutTokenChanges, code = "ann~s1"): Promise<Said> => {
  const visitor = w.visitor()
  const away = await authorize(visitor, "work", { acr_values: "idp:corp" })
  await follow(visitor, await comeBack(visitor, away, { code }))
  const answer = await sendLogout(w, await upstreamToken(w, changes))
  const lasts = (await authorize(visitor, "work", { prompt: "none" })).params["code"] !== undefined
  return answer.status === 200 ? { ...answer, json: { lasts } } : answer
}

const taking = (title: string, changes: LogoutTokenChanges, lasts = false, code?: string): Case => ({
  title: `Back-Channel Logout §2.6: ${title}`,
  rule: lasts ? undefined : "session.live",
  options,
  run: (w) => ended(w, changes, code),
  expect: { status: 200, json: { lasts } },
})

const refusing = (rule: string, title: string, changes: LogoutTokenChanges, description = "The logout_token is not valid."): Case => ({
  title: `Back-Channel Logout §2.6: ${title}`,
  rule: `upstream-logout.${rule}`,
  options,
  run: async (w) => sendLogout(w, await upstreamToken(w, changes)),
  expect: refused("invalid_request", description),
})

const claims = (changes: Readonly<Record<string, unknown>>): LogoutTokenChanges => ({ claims: changes })

/** Logout tokens of other providers: OpenID Connect Back-Channel Logout 1.0. */
export const cases: ReadonlyArray<Case> = [
  taking("a token of the person ends their sessions of this provider", {}),
  taking("a token of the session ends it", claims({ sub: undefined, sid: "s1" })),
  taking("a token of both ends the session of both", claims({ sid: "s1" })),
  taking("a token of another session ends nothing", claims({ sid: "s2" }), true),
  taking("a token of the session and another person ends nothing", claims({ sub: "bob", sid: "s1" }), true),
  taking("a token of another person ends nothing", claims({ sub: "bob" }), true),
  taking("a token of a session and a person ends the person's whose sign-in named no session", claims({ sid: "s1" }), false, "ann"),
  taking("typ may be left out (§2.4)", { header: { typ: undefined } }),
  taking("typ may be JWT, as older providers write it (§2.4)", { header: { typ: "JWT" } }),
  taking("typ is a media type (RFC 7515 §4.1.9)", { header: { typ: "application/logout+jwt" } }),
  taking("aud may name others too (OpenID Connect Core §3.1.3.7)", claims({ aud: ["else", "postern-there"] })),
  taking("clocks may be off by half a minute", claims({ iat: beginning + 30, exp: beginning - 29 })),
  taking("events may tell of more", claims({ events: { ...logoutEvents, "https://else.example": 1 } })),
  {
    title: "Back-Channel Logout §2.5: a request without a token is refused",
    rule: "upstream-logout.token-present",
    options,
    run: (w) => post(w, upstreamLogoutPath(), undefined, { token: "x" }),
    expect: refused("invalid_request", "The logout_token is missing."),
  },
  {
    title: "Back-Channel Logout §2.5: a body that is no form is refused",
    rule: "upstream-logout.form",
    options,
    run: (w) => post(w, upstreamLogoutPath(), undefined, { logout_token: "x" }, { "content-type": "application/json" }),
    expect: refused("invalid_request", "The body must be application/x-www-form-urlencoded."),
  },
  {
    title: "RFC 6749 §3.2: a token that is sent twice is refused",
    rule: "upstream-logout.parameters-once",
    options,
    run: async (w) => {
      const token = await upstreamToken(w)
      return post(w, upstreamLogoutPath(), undefined, [
        ["logout_token", token],
        ["logout_token", token],
      ])
    },
    expect: refused("invalid_request", "A parameter is sent more than once."),
  },
  {
    title: "Back-Channel Logout §2.6 (1): what is no signed JWT is refused, and no key is asked for",
    rule: "upstream-logout.token-form",
    options,
    run: (w) => sendLogout(w, "a.b.c.d.e"),
    expect: refused("invalid_request", "The logout_token is not valid."),
  },
  {
    title: "Back-Channel Logout §2.2: a provider whose logout tokens are not taken is refused",
    rule: "upstream-logout.taken",
    options,
    run: async (w) => sendLogout(w, await upstreamToken(w), "school"),
    expect: refused("invalid_request", "No logout tokens are taken."),
  },
  {
    title: "RFC 6585 §4: one address may send so many logout tokens, and no more",
    rule: "upstream-logout.address-rate",
    options: withUpstreamLogout({ more: { limiter: memoryLimiter({ logoutAddress: 1 }) } }),
    run: async (w) => {
      await sendLogout(w, await upstreamToken(w))
      return sendLogout(w, await upstreamToken(w))
    },
    expect: { status: 429, json: { error: "temporarily_unavailable" } },
  },
  refusing("signature", "a signature by another's key is refused", { signedBy: "mallory", header: { kid: "corp" } }),
  refusing("signature", "a key that the provider does not publish is refused", { signedBy: "mallory" }),
  {
    title: "Back-Channel Logout §2.6 (3): alg none is refused",
    rule: "upstream-logout.signature",
    options,
    run: async (w) => {
      const [, payload = ""] = (await upstreamToken(w)).split(".")
      return sendLogout(w, `${Buffer.from('{"alg":"none","typ":"logout+jwt"}').toString("base64url")}.${payload}.`)
    },
    expect: refused("invalid_request", "The logout_token is not valid."),
  },
  refusing("type", "an access token is refused (RFC 8725 §3.11)", { header: { typ: "at+jwt" } }),
  refusing("issuer", "another issuer is refused", claims({ iss: "https://school.example" })),
  refusing("audience", "a token for another client is refused", claims({ aud: ["else"] })),
  refusing("audience", "a token for nobody is refused", claims({ aud: undefined })),
  refusing("issued-at", "a token without iat is refused", claims({ iat: undefined })),
  refusing("issued-at", "a token of the future is refused", claims({ iat: beginning + 31 })),
  refusing("expiry-present", "a token without exp is refused", claims({ exp: undefined })),
  refusing("fresh", "a token that has expired is refused", claims({ exp: beginning - 30 })),
  refusing("expiry-near", "a token that is good for more than a day is refused", claims({ exp: beginning + 86_401 })),
  refusing("subject", "a token of nobody is refused", claims({ sub: undefined })),
  refusing("subject", "a sid that is no text is refused", claims({ sid: 7 })),
  refusing("event", "an ID token is refused: it tells of no logout", claims({ events: undefined })),
  refusing(
    "event",
    "an event that is no object is refused",
    claims({ events: { "http://schemas.openid.net/event/backchannel-logout": true } }),
  ),
  refusing("event", "another event is refused", claims({ events: { "https://else.example": {} } })),
  refusing("no-nonce", "a token with a nonce is refused", claims({ nonce: "n" })),
  refusing("jti-present", "a token without a jti is refused", claims({ jti: undefined })),
  {
    title: "Back-Channel Logout §2.6 (8): a token is good once",
    rule: "upstream-logout.unused",
    options,
    run: async (w) => {
      const token = await upstreamToken(w)
      await sendLogout(w, token)
      return sendLogout(w, token)
    },
    expect: refused("invalid_request", "The logout_token was sent before."),
  },
  {
    title: "Back-Channel Logout §2.8: a token of somebody who is not signed in here is taken",
    rule: "upstream-logout.sessions",
    options,
    run: async (w) => sendLogout(w, await upstreamToken(w)),
    expect: { status: 200, json: {} },
  },
]
