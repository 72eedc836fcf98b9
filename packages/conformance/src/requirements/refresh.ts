import { type Received, json, textOf } from "../exchange/exchange.ts"
import { first, holds, notStored, oneOf, refused, refuses, same, shown, status, success } from "../oracle/finding.ts"
import { type Needs, type Requirement, area } from "../requirement/requirement.ts"
import { jwtOf } from "../steps/jwt.ts"
import { type Steps, tokensOf } from "../steps/steps.ts"
import { Inconclusive } from "../target/target.ts"
import { offline, refresh, refreshToken } from "./refreshing.ts"

const needs = { clients: ["web"], person: true, metadata: { grant_types_supported: "refresh_token" } } as const

const refreshing = area("refresh", needs)
const byPublic = area("refresh", { ...needs, clients: ["public"] })
const withoutPerson: Needs = { clients: ["web"], metadata: { grant_types_supported: "refresh_token" } }
const withOther: Needs = { ...needs, clients: ["web", "other"] }

const withEmail = "openid email offline_access"

/** A refresh by a client without a secret. */
const refreshPublic = (t: Steps, token: unknown): Promise<Received> => refresh(t, token, {}, "public")

/** Refresh tokens (RFC 6749 §6, RFC 9700 §4.14). */
export const refreshTokens: ReadonlyArray<Requirement> = [
  refreshing(
    "answer",
    "RFC 6749 §6",
    "A refresh token is answered with a new access token",
    async (t) => {
      const tokens = await offline(t)
      return { tokens, again: await refresh(t, tokens["refresh_token"]) }
    },
    ({ tokens, again }) =>
      first(
        success(again),
        notStored(again),
        holds(
          textOf(json(again)?.["access_token"]) !== "" && json(again)?.["access_token"] !== tokens["access_token"],
          "the access token is not a new one",
        ),
        oneOf(textOf(json(again)?.["token_type"]).toLowerCase(), ["bearer", "dpop"], "the token_type"),
      ),
  ),
  refreshing(
    "unknown",
    "RFC 6749 §5.2",
    "A refresh token that was never issued is refused",
    (t) => refresh(t, t.random(32)),
    refuses("invalid_grant"),
    "MUST",
    withoutPerson,
  ),
  refreshing(
    "missing",
    "RFC 6749 §6",
    "A refresh without a refresh token is refused",
    (t) => t.token({ grant_type: "refresh_token" }, "web"),
    refuses("invalid_request"),
    "MUST",
    withoutPerson,
  ),
  refreshing(
    "own-client",
    "RFC 6749 §6",
    "A refresh token is used by the client alone that it was issued to",
    async (t) => refresh(t, await refreshToken(t), {}, "other"),
    refuses("invalid_grant"),
    "MUST",
    withOther,
  ),
  refreshing(
    "foreign-use-harmless",
    "RFC 6749 §6",
    "A refresh token that another client tried still works for its own",
    async (t) => {
      const token = await refreshToken(t)
      await refresh(t, token, {}, "other")
      return refresh(t, token)
    },
    success,
    "SHOULD",
    withOther,
  ),
  refreshing(
    "scope-wider",
    "RFC 6749 §6",
    "A refresh cannot ask for more than was granted",
    async (t) => refresh(t, await refreshToken(t), { scope: "openid offline_access email" }),
    (received) =>
      received.status === 200
        ? holds(
            !textOf(json(received)?.["scope"]).split(" ").includes("email") && json(received)?.["scope"] !== undefined,
            "email came along",
          )
        : refused(received, [400], "invalid_scope"),
  ),
  refreshing(
    "scope-narrower",
    "RFC 6749 §6",
    "A refresh may ask for less, and gets less",
    async (t) => refresh(t, await refreshToken(t, "web", withEmail), { scope: "openid" }),
    (received) =>
      first(
        success(received),
        holds(!textOf(json(received)?.["scope"]).split(" ").includes("email"), `the scope is ${shown(json(received)?.["scope"])}`),
      ),
    // A provider may ignore the requested scope if it says so (RFC 6749 §3.3).
    "SHOULD",
  ),
  refreshing(
    "scope-stays",
    "RFC 6749 §6",
    "A refresh that asks for less leaves the grant as it is",
    async (t) => {
      const narrow = tokensOf(await refresh(t, await refreshToken(t, "web", withEmail), { scope: "openid" }))
      return narrow["refresh_token"] === undefined ? undefined : refresh(t, narrow["refresh_token"], { scope: "openid email" })
    },
    (received) => (received === undefined ? undefined : success(received)),
  ),
  byPublic(
    "rotated-public",
    "RFC 9700 §4.14.2",
    "A client without a secret gets a new refresh token at each refresh, or a bound one",
    async (t) => {
      const tokens = await offline(t, "public")
      return { tokens, again: tokensOf(await refreshPublic(t, tokens["refresh_token"])) }
    },
    ({ tokens, again }) =>
      holds(
        again["refresh_token"] !== undefined && again["refresh_token"] !== tokens["refresh_token"],
        "the refresh token is the same as before",
      ),
  ),
  refreshing(
    "replay-revokes",
    "RFC 9700 §4.14.2",
    "A rotated refresh token that comes again, long after, ends the whole family",
    async (t) => {
      const first = await offline(t, "public")
      const second = tokensOf(await refreshPublic(t, first["refresh_token"]))
      await t.pass(3600)
      const replay = await refreshPublic(t, first["refresh_token"])
      return { replay, successor: await refreshPublic(t, second["refresh_token"]) }
    },
    ({ replay, successor }) => first(refused(replay, [400], "invalid_grant"), refused(successor, [400], "invalid_grant")),
    "MUST",
    { ...needs, clients: ["public"], time: true },
  ),
  byPublic(
    "race",
    "RFC 9700 §4.14.2",
    "Of sixteen refreshes with one rotating token at once, no two get different successors",
    async (t) => {
      const token = await refreshToken(t, "public")
      return t.race(() => refreshPublic(t, token))
    },
    (answers) => {
      const successors = new Set(answers.filter((each) => each.status === 200).map((each) => textOf(json(each)?.["refresh_token"])))
      return first(
        holds(successors.size <= 1, `there are ${successors.size} different successors`),
        ...answers.map((each) => status(each, 200, 400)),
      )
    },
  ),
  refreshing(
    "id-token",
    "OpenID Connect Core §12.2",
    "An ID token of a refresh has the iss, sub and auth_time of the first, holds the client, and has no other nonce",
    async (t) => {
      const tokens = await offline(t)
      const before = await jwtOf(t, tokens["id_token"])
      const again = tokensOf(await refresh(t, tokens["refresh_token"]))
      return { before: before.claims, after: again["id_token"] === undefined ? undefined : (await jwtOf(t, again["id_token"])).claims }
    },
    ({ before, after }) =>
      after === undefined
        ? undefined
        : first(
            ...["iss", "sub", "aud"].map((name) => same(after[name], before[name], name)),
            holds(after["auth_time"] === undefined || after["auth_time"] === before["auth_time"], "auth_time changed"),
            holds(after["nonce"] === undefined || after["nonce"] === before["nonce"], "nonce changed"),
            holds(after["azp"] === before["azp"], "azp changed"),
          ),
  ),
  refreshing(
    "code-replay-revokes",
    "RFC 6749 §4.1.2",
    "A code that comes again ends the refresh tokens that it was redeemed for",
    async (t) => {
      const authorized = await t.code("web", { scope: "openid offline_access", prompt: "consent" })
      const tokens = tokensOf(await t.redeem("web", authorized))
      if (tokens["refresh_token"] === undefined) throw new Inconclusive("no refresh token came for offline_access")
      await t.redeem("web", authorized)
      return refresh(t, tokens["refresh_token"])
    },
    refuses("invalid_grant"),
    "SHOULD",
  ),
  refreshing(
    "access-token-no-refresh-token",
    "RFC 6749 §6",
    "An access token is no refresh token",
    async (t) => refresh(t, (await offline(t))["access_token"]),
    refuses("invalid_grant"),
  ),
  refreshing(
    "not-without-asking",
    "OpenID Connect Core §11",
    "Without offline_access no refresh token comes that outlives the session unasked",
    (t) => t.tokens("web", { scope: "openid" }),
    ({ tokens }) => holds(tokens["refresh_token"] === undefined, "a refresh token came"),
    "SHOULD",
  ),
  refreshing(
    "expires",
    "RFC 9700 §4.14.2",
    "A refresh token that nobody used for a year is dead",
    async (t) => {
      const token = await refreshToken(t)
      await t.pass(366 * 86_400)
      return refresh(t, token)
    },
    refuses("invalid_grant"),
    "SHOULD",
    { ...needs, time: true },
  ),
]
