import { type Received, json, textOf } from "../exchange/exchange.ts"
import { first, holds, notStored, oneOf, refused, same, shown, status, success } from "../oracle/finding.ts"
import { requirement, type Requirement } from "../requirement/requirement.ts"
import { jwtOf } from "../steps/jwt.ts"
import { type Steps, tokensOf } from "../steps/steps.ts"
import { Inconclusive } from "../target/target.ts"
import type { RoleName } from "../target/roles.ts"

const needs = { clients: ["web"], person: true, metadata: { grant_types_supported: "refresh_token" } } as const

const started = async (t: Steps, role: RoleName = "web", scope = "openid email offline_access") => {
  const { tokens } = await t.tokens(role, { scope, prompt: "consent" })
  if (tokens["refresh_token"] === undefined) throw new Inconclusive("no refresh token came for offline_access")
  return tokens
}

const refresh = (t: Steps, token: unknown, more: Readonly<Record<string, string>> = {}, role: RoleName = "web"): Promise<Received> =>
  t.token({ grant_type: "refresh_token", refresh_token: textOf(token), ...more }, role)

/** Refresh tokens (RFC 6749 §6, RFC 9700 §4.14). */
export const refreshTokens: ReadonlyArray<Requirement> = [
  requirement({
    id: "refresh.answer",
    paragraph: "RFC 6749 §6",
    level: "MUST",
    title: "A refresh token is answered with a new access token",
    needs,
    steps: async (t) => {
      const tokens = await started(t)
      return { tokens, again: await refresh(t, tokens["refresh_token"]) }
    },
    oracle: ({ tokens, again }) =>
      first(
        success(again),
        notStored(again),
        holds(
          textOf(json(again)?.["access_token"]) !== "" && json(again)?.["access_token"] !== tokens["access_token"],
          "the access token is not a new one",
        ),
        oneOf(textOf(json(again)?.["token_type"]).toLowerCase(), ["bearer", "dpop"], "the token_type"),
      ),
  }),
  requirement({
    id: "refresh.unknown",
    paragraph: "RFC 6749 §5.2",
    level: "MUST",
    title: "A refresh token that was never issued is refused",
    needs: { clients: ["web"], metadata: { grant_types_supported: "refresh_token" } },
    steps: (t) => refresh(t, t.random(32)),
    oracle: (received) => refused(received, [400], "invalid_grant"),
  }),
  requirement({
    id: "refresh.missing",
    paragraph: "RFC 6749 §6",
    level: "MUST",
    title: "A refresh without a refresh token is refused",
    needs: { clients: ["web"], metadata: { grant_types_supported: "refresh_token" } },
    steps: (t) => t.token({ grant_type: "refresh_token" }, "web"),
    oracle: (received) => refused(received, [400], "invalid_request"),
  }),
  requirement({
    id: "refresh.own-client",
    paragraph: "RFC 6749 §6",
    level: "MUST",
    title: "A refresh token is used by the client alone that it was issued to",
    needs: { ...needs, clients: ["web", "other"] },
    steps: async (t) => {
      const tokens = await started(t)
      return { foreign: await refresh(t, tokens["refresh_token"], {}, "other"), own: await refresh(t, tokens["refresh_token"]) }
    },
    oracle: ({ foreign }) => refused(foreign, [400], "invalid_grant"),
  }),
  requirement({
    id: "refresh.foreign-use-harmless",
    paragraph: "RFC 6749 §6",
    level: "SHOULD",
    title: "A refresh token that another client tried still works for its own",
    needs: { ...needs, clients: ["web", "other"] },
    steps: async (t) => {
      const tokens = await started(t)
      await refresh(t, tokens["refresh_token"], {}, "other")
      return refresh(t, tokens["refresh_token"])
    },
    oracle: success,
  }),
  requirement({
    id: "refresh.scope-wider",
    paragraph: "RFC 6749 §6",
    level: "MUST",
    title: "A refresh cannot ask for more than was granted",
    needs,
    steps: async (t) =>
      refresh(t, (await started(t, "web", "openid offline_access"))["refresh_token"], { scope: "openid offline_access email" }),
    oracle: (received) =>
      received.status === 200
        ? holds(
            !textOf(json(received)?.["scope"]).split(" ").includes("email") && json(received)?.["scope"] !== undefined,
            "email came along",
          )
        : refused(received, [400], "invalid_scope"),
  }),
  requirement({
    id: "refresh.scope-narrower",
    paragraph: "RFC 6749 §6",
    level: "MUST",
    title: "A refresh may ask for less, and gets less",
    needs,
    steps: async (t) => refresh(t, (await started(t))["refresh_token"], { scope: "openid" }),
    oracle: (received) =>
      first(
        success(received),
        holds(!textOf(json(received)?.["scope"]).split(" ").includes("email"), `the scope is ${shown(json(received)?.["scope"])}`),
      ),
  }),
  requirement({
    id: "refresh.scope-stays",
    paragraph: "RFC 6749 §6",
    level: "MUST",
    title: "A refresh that asks for less leaves the grant as it is",
    needs,
    steps: async (t) => {
      const narrow = tokensOf(await refresh(t, (await started(t))["refresh_token"], { scope: "openid" }))
      return narrow["refresh_token"] === undefined ? undefined : refresh(t, narrow["refresh_token"], { scope: "openid email" })
    },
    oracle: (received) => (received === undefined ? undefined : success(received)),
  }),
  requirement({
    id: "refresh.rotated-public",
    paragraph: "RFC 9700 §4.14.2",
    level: "MUST",
    title: "A client without a secret gets a new refresh token at each refresh, or a bound one",
    needs: { ...needs, clients: ["public"] },
    steps: async (t) => {
      const tokens = await started(t, "public")
      return { tokens, again: tokensOf(await refresh(t, tokens["refresh_token"], {}, "public")) }
    },
    oracle: ({ tokens, again }) =>
      holds(
        again["refresh_token"] !== undefined && again["refresh_token"] !== tokens["refresh_token"],
        "the refresh token is the same as before",
      ),
  }),
  requirement({
    id: "refresh.replay-revokes",
    paragraph: "RFC 9700 §4.14.2",
    level: "MUST",
    title: "A rotated refresh token that comes again, long after, ends the whole family",
    needs: { ...needs, clients: ["public"], time: true },
    steps: async (t) => {
      const first = await started(t, "public")
      const second = tokensOf(await refresh(t, first["refresh_token"], {}, "public"))
      await t.pass(3600)
      const replay = await refresh(t, first["refresh_token"], {}, "public")
      return { replay, successor: await refresh(t, second["refresh_token"], {}, "public") }
    },
    oracle: ({ replay, successor }) => first(refused(replay, [400], "invalid_grant"), refused(successor, [400], "invalid_grant")),
  }),
  requirement({
    id: "refresh.race",
    paragraph: "RFC 9700 §4.14.2",
    level: "MUST",
    title: "Of sixteen refreshes with one rotating token at once, no two get different successors",
    needs: { ...needs, clients: ["public"] },
    steps: async (t) => {
      const tokens = await started(t, "public")
      return Promise.all(Array.from({ length: 16 }, () => refresh(t, tokens["refresh_token"], {}, "public")))
    },
    oracle: (answers) => {
      const successors = new Set(answers.filter((each) => each.status === 200).map((each) => textOf(json(each)?.["refresh_token"])))
      return first(
        holds(successors.size <= 1, `there are ${successors.size} different successors`),
        ...answers.map((each) => status(each, 200, 400)),
      )
    },
  }),
  requirement({
    id: "refresh.id-token",
    paragraph: "OpenID Connect Core §12.2",
    level: "MUST",
    title: "An ID token of a refresh has the iss, sub and auth_time of the first, holds the client, and has no other nonce",
    needs,
    steps: async (t) => {
      const tokens = await started(t)
      const before = await jwtOf(t, tokens["id_token"])
      const again = tokensOf(await refresh(t, tokens["refresh_token"]))
      return { before: before.claims, after: again["id_token"] === undefined ? undefined : (await jwtOf(t, again["id_token"])).claims }
    },
    oracle: ({ before, after }) =>
      after === undefined
        ? undefined
        : first(
            ...["iss", "sub", "aud"].map((name) => same(after[name], before[name], name)),
            holds(after["auth_time"] === undefined || after["auth_time"] === before["auth_time"], "auth_time changed"),
            holds(after["nonce"] === undefined || after["nonce"] === before["nonce"], "nonce changed"),
            holds(after["azp"] === before["azp"], "azp changed"),
          ),
  }),
  requirement({
    id: "refresh.code-replay-revokes",
    paragraph: "RFC 6749 §4.1.2",
    level: "SHOULD",
    title: "A code that comes again ends the refresh tokens that it was redeemed for",
    needs,
    steps: async (t) => {
      const authorized = await t.code("web", { scope: "openid offline_access", prompt: "consent" })
      const tokens = tokensOf(await t.redeem("web", authorized))
      if (tokens["refresh_token"] === undefined) throw new Inconclusive("no refresh token came for offline_access")
      await t.redeem("web", authorized)
      return refresh(t, tokens["refresh_token"])
    },
    oracle: (received) => refused(received, [400], "invalid_grant"),
  }),
  requirement({
    id: "refresh.access-token-no-refresh-token",
    paragraph: "RFC 6749 §6",
    level: "MUST",
    title: "An access token is no refresh token",
    needs,
    steps: async (t) => refresh(t, (await started(t))["access_token"]),
    oracle: (received) => refused(received, [400], "invalid_grant"),
  }),
  requirement({
    id: "refresh.not-without-asking",
    paragraph: "OpenID Connect Core §11",
    level: "SHOULD",
    title: "Without offline_access no refresh token comes that outlives the session unasked",
    needs,
    steps: (t) => t.tokens("web", { scope: "openid" }),
    oracle: ({ tokens }) => holds(tokens["refresh_token"] === undefined, "a refresh token came"),
  }),
  requirement({
    id: "refresh.expires",
    paragraph: "RFC 9700 §4.14.2",
    level: "SHOULD",
    title: "A refresh token that nobody used for a year is dead",
    needs: { ...needs, time: true },
    steps: async (t) => {
      const tokens = await started(t)
      await t.pass(366 * 86_400)
      return refresh(t, tokens["refresh_token"])
    },
    oracle: (received) => refused(received, [400], "invalid_grant"),
  }),
]
