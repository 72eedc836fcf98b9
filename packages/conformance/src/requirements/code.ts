import { json } from "../exchange/exchange.ts"
import { first, holds, notStored, oneOf, refused, same, status, success } from "../oracle/finding.ts"
import { redirectUri } from "../target/roles.ts"
import { requirement } from "../requirement/requirement.ts"

const needs = { clients: ["web"], person: true } as const
const needsTwo = { clients: ["web", "other"], person: true } as const

/** A code and its redemption at the token endpoint. */
export const code = [
  requirement({
    id: "code.redeemed",
    paragraph: "RFC 6749 §5.1",
    level: "MUST",
    title: "A code is answered with an access token and its type",
    needs,
    steps: (t) => t.tokens("web").then(({ received }) => received),
    oracle: (received) =>
      first(
        success(received),
        holds(typeof json(received)?.["access_token"] === "string", "there is no access_token"),
        oneOf(String(json(received)?.["token_type"]).toLowerCase(), ["bearer", "dpop"], "the token_type"),
      ),
  }),
  requirement({
    id: "code.answer-not-stored",
    paragraph: "RFC 6749 §5.1",
    level: "MUST",
    title: "An answer with tokens says that no cache may keep it",
    needs,
    steps: (t) => t.tokens("web").then(({ received }) => received),
    oracle: notStored,
  }),
  requirement({
    id: "code.once",
    paragraph: "RFC 6749 §4.1.2",
    level: "MUST",
    title: "A code is redeemed once",
    needs,
    steps: async (t) => {
      const authorized = await t.code("web")
      await t.redeem("web", authorized)
      return t.redeem("web", authorized)
    },
    oracle: (again) => refused(again, [400], "invalid_grant"),
  }),
  requirement({
    id: "code.once-at-once",
    paragraph: "RFC 6749 §4.1.2",
    level: "MUST",
    title: "Of sixteen requests that redeem one code at once, one is answered with tokens",
    needs,
    steps: async (t) => {
      const authorized = await t.code("web")
      return Promise.all(Array.from({ length: 16 }, () => t.redeem("web", authorized)))
    },
    oracle: (answers) => {
      const successes = answers.filter((each) => each.status === 200).length
      return holds(successes <= 1, `${successes} of ${answers.length} were answered with tokens`)
    },
  }),
  requirement({
    id: "code.replay-revokes",
    paragraph: "RFC 6749 §4.1.2",
    level: "SHOULD",
    title: "A code that comes again revokes the tokens that it was redeemed for",
    needs: { ...needs, metadata: { userinfo_endpoint: undefined } },
    steps: async (t) => {
      const authorized = await t.code("web", { scope: "openid offline_access", prompt: "consent" })
      const tokens = json(await t.redeem("web", authorized)) ?? {}
      await t.redeem("web", authorized)
      return { userinfo: await t.userinfo(tokens["access_token"]) }
    },
    oracle: ({ userinfo }) => status(userinfo, 400, 401, 403),
  }),
  requirement({
    id: "code.own-client",
    paragraph: "RFC 6749 §4.1.3",
    level: "MUST",
    title: "A code is redeemed by the client alone that it was issued to",
    needs: needsTwo,
    steps: async (t) => t.redeem("other", await t.code("web")),
    oracle: (received) => refused(received, [400], "invalid_grant"),
  }),
  requirement({
    id: "code.expired",
    paragraph: "RFC 6749 §4.1.2",
    level: "SHOULD",
    title: "A code is dead after ten minutes",
    needs: { ...needs, time: true },
    steps: async (t) => {
      const authorized = await t.code("web")
      await t.pass(601)
      return t.redeem("web", authorized)
    },
    oracle: (received) => refused(received, [400], "invalid_grant"),
  }),
  requirement({
    id: "code.redirect-uri-same",
    paragraph: "RFC 6749 §4.1.3",
    level: "MUST",
    title: "A code is redeemed with the redirect_uri of its request",
    needs,
    steps: async (t) => t.redeem("web", await t.code("web"), { redirect_uri: "https://client.conformance.test/other" }),
    oracle: (received) => refused(received, [400], "invalid_grant"),
  }),
  requirement({
    id: "code.verifier-missing",
    paragraph: "RFC 7636 §4.6",
    level: "MUST",
    title: "A code with a challenge is not redeemed without a verifier",
    needs,
    steps: async (t) => t.redeem("web", await t.code("web"), { code_verifier: undefined }),
    oracle: (received) => refused(received, [400], "invalid_grant", "invalid_request"),
  }),
  requirement({
    id: "code.verifier-wrong",
    paragraph: "RFC 7636 §4.6",
    level: "MUST",
    title: "A code with a challenge is not redeemed with another verifier",
    needs,
    steps: async (t) => t.redeem("web", await t.code("web"), { code_verifier: t.random(32) }),
    oracle: (received) => refused(received, [400], "invalid_grant"),
  }),
  requirement({
    id: "code.unknown",
    paragraph: "RFC 6749 §5.2",
    level: "MUST",
    title: "A code that was never issued is refused",
    needs: { clients: ["web"] },
    steps: (t) =>
      t.token(
        { grant_type: "authorization_code", code: t.random(32), redirect_uri: redirectUri(t.client("web")), code_verifier: t.random(32) },
        "web",
      ),
    oracle: (received) => refused(received, [400], "invalid_grant"),
  }),
  requirement({
    id: "code.refusal-keeps-code",
    paragraph: "RFC 6749 §4.1.3",
    level: "SHOULD",
    title: "A request of a client that does not prove itself uses up no code",
    needs,
    steps: async (t) => {
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
    oracle: ({ wrong, right }) => first(same(json(wrong)?.["error"], "invalid_client", "the error of the first answer"), success(right)),
  }),
]
