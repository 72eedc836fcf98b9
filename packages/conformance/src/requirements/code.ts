import { type Received, json } from "../exchange/exchange.ts"
import { first, holds, notStored, oneOf, oneSuccess, refused, refuses, same, status, success } from "../oracle/finding.ts"
import { redirectUri } from "../target/roles.ts"
import { area } from "../requirement/requirement.ts"
import type { Steps } from "../steps/steps.ts"

const needs = { clients: ["web"], person: true } as const
const redeeming = area("code", needs)
const needsTwo = { clients: ["web", "other"], person: true } as const

/** Redeems a code after some seconds. */
export const redeemedAfter = async (t: Steps, seconds: number): Promise<Received> => {
  const authorized = await t.code("web")
  await t.pass(seconds)
  return t.redeem("web", authorized)
}

/** A code and its redemption at the token endpoint. */
export const code = [
  redeeming(
    "redeemed",
    "RFC 6749 §5.1",
    "A code is answered with an access token and its type",
    (t) => t.tokens("web").then(({ received }) => received),
    (received) =>
      first(
        success(received),
        holds(typeof json(received)?.["access_token"] === "string", "there is no access_token"),
        oneOf(String(json(received)?.["token_type"]).toLowerCase(), ["bearer", "dpop"], "the token_type"),
      ),
  ),
  redeeming(
    "answer-not-stored",
    "RFC 6749 §5.1",
    "An answer with tokens says that no cache may keep it",
    (t) => t.tokens("web").then(({ received }) => received),
    notStored,
  ),
  redeeming(
    "once",
    "RFC 6749 §4.1.2",
    "A code is redeemed once",
    async (t) => {
      const authorized = await t.code("web")
      await t.redeem("web", authorized)
      return t.redeem("web", authorized)
    },
    (again) => refused(again, [400], "invalid_grant"),
  ),
  redeeming(
    "once-at-once",
    "RFC 6749 §4.1.2",
    "Of sixteen requests that redeem one code at once, one is answered with tokens",
    async (t) => {
      const authorized = await t.code("web")
      return t.race(() => t.redeem("web", authorized))
    },
    oneSuccess,
  ),
  redeeming(
    "replay-revokes",
    "RFC 6749 §4.1.2",
    "A code that comes again revokes the tokens that it was redeemed for",
    async (t) => {
      const authorized = await t.code("web", { scope: "openid offline_access", prompt: "consent" })
      const tokens = json(await t.redeem("web", authorized)) ?? {}
      await t.redeem("web", authorized)
      return { userinfo: await t.userinfo(tokens["access_token"]) }
    },
    ({ userinfo }) => status(userinfo, 400, 401, 403),
    "SHOULD",
    { ...needs, metadata: { userinfo_endpoint: undefined } },
  ),
  redeeming(
    "own-client",
    "RFC 6749 §4.1.3",
    "A code is redeemed by the client alone that it was issued to",
    async (t) => t.redeem("other", await t.code("web")),
    refuses("invalid_grant"),
    "MUST",
    needsTwo,
  ),
  redeeming(
    "expired",
    "RFC 6749 §4.1.2",
    "A code is dead after ten minutes",
    (t) => redeemedAfter(t, 601),
    refuses("invalid_grant"),
    "SHOULD",
    { ...needs, time: true },
  ),
  redeeming(
    "redirect-uri-same",
    "RFC 6749 §4.1.3",
    "A code is redeemed with the redirect_uri of its request",
    async (t) => t.redeem("web", await t.code("web"), { redirect_uri: "https://client.conformance.test/other" }),
    refuses("invalid_grant"),
  ),
  redeeming(
    "verifier-missing",
    "RFC 7636 §4.6",
    "A code with a challenge is not redeemed without a verifier",
    async (t) => t.redeem("web", await t.code("web"), { code_verifier: undefined }),
    refuses("invalid_grant", "invalid_request"),
  ),
  redeeming(
    "verifier-wrong",
    "RFC 7636 §4.6",
    "A code with a challenge is not redeemed with another verifier",
    async (t) => t.redeem("web", await t.code("web"), { code_verifier: t.random(32) }),
    refuses("invalid_grant"),
  ),
  redeeming(
    "unknown",
    "RFC 6749 §5.2",
    "A code that was never issued is refused",
    (t) =>
      t.token(
        { grant_type: "authorization_code", code: t.random(32), redirect_uri: redirectUri(t.client("web")), code_verifier: t.random(32) },
        "web",
      ),
    refuses("invalid_grant"),
    "MUST",
    { clients: ["web"] },
  ),
  redeeming(
    "refusal-keeps-code",
    "RFC 6749 §4.1.3",
    "A request of a client that does not prove itself uses up no code",
    async (t) => {
      const authorized = await t.code("web")
      const wrong = await t.token(
        {
          grant_type: "authorization_code",
          code: authorized.code,
          redirect_uri: redirectUri(t.client("web")),
          code_verifier: authorized.verifier,
        },
        { ...t.client("web"), client_secret: "not the secret" },
      )
      return { wrong, right: await t.redeem("web", authorized) }
    },
    ({ wrong, right }) => first(same(json(wrong)?.["error"], "invalid_client", "the error of the first answer"), success(right)),
    "SHOULD",
  ),
]
