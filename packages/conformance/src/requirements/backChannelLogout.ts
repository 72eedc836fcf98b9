import { pairsOf, encoded, textOf } from "../exchange/exchange.ts"
import { first, holds, same } from "../oracle/finding.ts"
import { type Needs, area } from "../requirement/requirement.ts"
import { type Jwt, jwtOf } from "../steps/jwt.ts"
import type { Steps } from "../steps/steps.ts"
import type { RoleName } from "../target/roles.ts"

const needs: Needs = {
  clients: ["web", "other"],
  person: true,
  metadata: { end_session_endpoint: undefined, backchannel_logout_supported: true },
}

const logoutEvent = "http://schemas.openid.net/event/backchannel-logout"

/** A sign-out from one client's point of view: its last ID token, and the logout tokens received since. */
interface Told {
  readonly idToken: Jwt
  readonly tokens: ReadonlyArray<Jwt>
}

/** Signs in to clients in one browser and out again. Returns the logout tokens of each. */
const leave = async (t: Steps, roles: ReadonlyArray<RoleName>): Promise<ReadonlyArray<Told>> => {
  const browser = t.browser()
  const before = new Map<RoleName, number>()
  const idTokens = new Map<RoleName, string>()
  for (const role of roles) {
    before.set(role, (await t.logouts(role, 0)).length)
    const { tokens } = await t.tokens(role, {}, { browser })
    idTokens.set(role, textOf(tokens["id_token"]))
  }
  const hint = idTokens.get(roles[0] ?? "web")
  const query = encoded(pairsOf({ id_token_hint: hint }))
  await browser.visit({ method: "GET", url: `${t.endpoint("end_session_endpoint")}?${query}`, headers: {} })
  return Promise.all(
    roles.map(async (role) => {
      const start = before.get(role) ?? 0
      const came = (await t.logouts(role, start + 1)).slice(start)
      return { idToken: await jwtOf(t, idTokens.get(role)), tokens: await Promise.all(came.map((token) => jwtOf(t, token))) }
    }),
  )
}

const leaveOne = async (t: Steps): Promise<Told> => (await leave(t, ["web"]))[0] ?? { idToken: await jwtOf(t, ""), tokens: [] }

const row = area("backchannel", needs)

const claim =
  (name: string) =>
  ({ tokens: [token] }: Told): unknown =>
    token?.claims[name]

/** Logout tokens (OpenID Connect Back-Channel Logout). */
export const backChannelLogout = [
  row(
    "told",
    "OpenID Connect Back-Channel Logout §2.5",
    "A client that the person was signed in to gets one logout token",
    leaveOne,
    ({ tokens }) => same(tokens.length, 1, "the number of logout tokens"),
  ),
  row(
    "each",
    "OpenID Connect Back-Channel Logout §2.5",
    "Each client of the session gets a token of its own",
    (t) => leave(t, ["web", "other"]),
    (told) =>
      first(
        ...told.map(({ idToken, tokens }) =>
          first(same(tokens.length, 1, "the number of logout tokens"), same(tokens[0]?.claims["aud"], idToken.claims["aud"], "aud")),
        ),
      ),
  ),
  row("issuer", "OpenID Connect Back-Channel Logout §2.4", "iss and aud are those of the client's ID tokens", leaveOne, (told) =>
    first(same(claim("iss")(told), told.idToken.claims["iss"], "iss"), same(claim("aud")(told), told.idToken.claims["aud"], "aud")),
  ),
  row(
    "whose",
    "OpenID Connect Back-Channel Logout §2.4",
    "It names the person, the session, or both, as the client's ID token does",
    leaveOne,
    (told) => {
      const [sub, sid] = [claim("sub")(told), claim("sid")(told)]
      return first(
        holds(sub !== undefined || sid !== undefined, "neither sub nor sid is there"),
        holds(sub === undefined || sub === told.idToken.claims["sub"], "sub is not the ID token's"),
        holds(sid === undefined || sid === told.idToken.claims["sid"], "sid is not the ID token's"),
      )
    },
  ),
  row("event", "OpenID Connect Back-Channel Logout §2.4", "events holds the back-channel logout event, an object", leaveOne, (told) => {
    const events = claim("events")(told)
    const event = typeof events === "object" && events !== null ? (events as Readonly<Record<string, unknown>>)[logoutEvent] : undefined
    return holds(typeof event === "object" && event !== null && !Array.isArray(event), "the event is not there, or no object")
  }),
  row(
    "no-nonce",
    "OpenID Connect Back-Channel Logout §2.4",
    "There is no nonce, so that it cannot be taken for an ID token",
    leaveOne,
    (told) => same(claim("nonce")(told), undefined, "nonce"),
  ),
  row(
    "jti",
    "OpenID Connect Back-Channel Logout §2.4",
    "iat, exp and a jti of its own are there; it is good for a few minutes",
    async (t) => {
      const [one, other] = [await leaveOne(t), await leaveOne(t)]
      return { one, other }
    },
    ({ one, other }) => {
      const [iat, exp] = [Number(claim("iat")(one)), Number(claim("exp")(one))]
      return first(
        holds(typeof claim("jti")(one) === "string" && claim("jti")(one) !== "", "there is no jti"),
        holds(claim("jti")(one) !== claim("jti")(other), "two tokens have one jti"),
        holds(Number.isFinite(iat) && exp > iat && exp - iat <= 600, "it is good for more than ten minutes, or does not say"),
      )
    },
  ),
  row(
    "signed",
    "OpenID Connect Back-Channel Logout §2.4, §2.6",
    "It is signed as the client's ID tokens are, by a published key",
    leaveOne,
    ({ idToken, tokens: [token] }) =>
      first(holds(token?.isVerified === true, "no published key verifies it"), same(token?.header["alg"], idToken.header["alg"], "alg")),
  ),
  row(
    "typ",
    "OpenID Connect Back-Channel Logout §2.4",
    "Its type is logout+jwt",
    leaveOne,
    ({ tokens: [token] }) => same(String(token?.header["typ"]).toLowerCase(), "logout+jwt", "typ"),
    "SHOULD",
  ),
]
