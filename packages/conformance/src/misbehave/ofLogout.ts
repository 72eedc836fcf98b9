import { jwtPart } from "../exchange/jwtPart.ts"
import type { Rewrite } from "./change.ts"
import { parameters } from "./change.ts"
import type { Members } from "./forge.ts"
import { type Misbehavior, type More, type Transform, misbehavior, unusual } from "./misbehavior.ts"
import type { Level } from "../requirement/requirement.ts"

const validation = "OpenID Connect Back-Channel Logout §2.6"

/** The event type of logout tokens. */
export const logoutEvent = "http://schemas.openid.net/event/backchannel-logout"

/** Rewrites a logout token before it is sent to a client. */
const sent =
  (rewrite: Rewrite): Transform =>
  async (change) => {
    const token = change.forge.read(change.answer.body)
    const jwt = token === undefined ? undefined : await rewrite(token, change.forge, change)
    return jwt === undefined ? undefined : { ...change.answer, body: jwt }
  }

const token = (id: string, title: string, rewrite: Rewrite, more?: Level | More): Misbehavior =>
  misbehavior(`logout.${id}`, title, validation, { logout: sent(rewrite) }, more)

const claims = (id: string, title: string, change: (found: Members) => Members, more?: Level | More): Misbehavior =>
  token(id, title, ({ header, claims: found }, forge) => forge.sign(header, { ...found, ...change(found) }), more)

/** Changes the `state` of the redirect after sign-out, if one was sent. */
const state = (id: string, title: string, change: (found: URLSearchParams) => void): Misbehavior =>
  misbehavior(
    `logout.state-${id}`,
    title,
    "OpenID Connect RP-Initiated Logout §3",
    {
      "signed-out": parameters((found) => {
        if (!found.has("state")) return false
        change(found)
        return true
      }),
    },
    { question: "Did the client take it that the person had signed out?" },
  )

/** Faults of logout tokens, and of the redirect after sign-out. */
export const ofLogout: ReadonlyArray<Misbehavior> = [
  claims("iss-wrong", "the iss of the logout token is another issuer", () => ({ iss: "https://other.example" })),
  claims("aud-wrong", "the aud of the logout token is another client", () => ({ aud: "another-client" })),
  token("alg-none", "the logout token is not signed (none)", ({ header, claims: found }) =>
    [jwtPart({ ...header, alg: "none" }), jwtPart(found), ""].join("."),
  ),
  token("alg-public-key-mac", "the logout token has a MAC keyed with the public key (HS256)", ({ header, claims: found }, forge) =>
    forge.macWithPublicKey(header, found),
  ),
  token("key-strange", "the logout token is signed by a stranger's key", ({ header, claims: found }, forge) =>
    forge.signAsStranger(header, found),
  ),
  claims("nonce-present", "the logout token has a nonce", () => ({ nonce: "a nonce" })),
  claims("events-missing", "the logout token has no events", () => ({ events: undefined })),
  claims("events-other", "the event of the logout token is another one", () => ({ events: { "https://other.example/event": {} } })),
  claims("event-text", "the event of the logout token is no object", () => ({ events: { [logoutEvent]: "yes" } })),
  claims("nobody", "the logout token names neither a person nor a session", () => ({ sub: undefined, sid: undefined })),
  claims("exp-past", "the logout token has expired an hour ago", ({ iat }) => ({ iat: Number(iat) - 7200, exp: Number(iat) - 3600 })),
  claims("exp-missing", "the logout token has no exp", () => ({ exp: undefined })),
  claims("iat-missing", "the logout token has no iat", () => ({ iat: undefined })),
  claims("jti-missing", "the logout token has no jti", () => ({ jti: undefined })),
  token("typ-other", "the logout token is of the type of access tokens", ({ header, claims: found }, forge) =>
    forge.sign({ ...header, typ: "at+jwt" }, found),
  ),
  claims("sub-other", "the session of the logout token is of another person", () => ({ sub: "somebody-else" }), "MAY"),
  claims("sid-unknown", "the session of the logout token is one that the client never saw", () => ({ sid: "unknown" }), "MAY"),
  unusual("logout.usual", "a logout token as it should be", "OpenID Connect Back-Channel Logout §2.8", {
    logout: ({ answer }) => answer,
  }),
  token("replayed", "the logout token is one that the client has had", (_, __, { kept }) => kept["jwt"], "MAY"),
  state("other", "the state after signing out is another one", (found) => found.set("state", "another state")),
  state("missing", "the state after signing out is missing though one was sent", (found) => found.delete("state")),
]
