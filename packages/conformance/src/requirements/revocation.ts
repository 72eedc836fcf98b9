import { type Received, json, textOf } from "../exchange/exchange.ts"
import { type Finding, first, holds, refused, same, shown, status } from "../oracle/finding.ts"
import { type Needs, type Requirement, requirement } from "../requirement/requirement.ts"
import { type Steps, tokensOf } from "../steps/steps.ts"
import { Inconclusive } from "../target/target.ts"
import type { RoleName } from "../target/roles.ts"

const offered = { revocation_endpoint: undefined, grant_types_supported: "refresh_token" } as const
const needs: Needs = { clients: ["web"], person: true, metadata: offered }
const introspecting: Needs = { ...needs, metadata: { ...offered, introspection_endpoint: undefined } }

const started = async (t: Steps, role: RoleName = "web") => {
  const { tokens } = await t.tokens(role, { scope: "openid offline_access", prompt: "consent" })
  if (tokens["refresh_token"] === undefined) throw new Inconclusive("no refresh token came for offline_access")
  return tokens
}

const revoke = (
  t: Steps,
  token: unknown,
  more: Readonly<Record<string, string>> = {},
  role: RoleName | undefined = "web",
): Promise<Received> => t.post("revocation_endpoint", { token: textOf(token), ...more }, role)

const refresh = (t: Steps, token: unknown): Promise<Received> =>
  t.token({ grant_type: "refresh_token", refresh_token: textOf(token) }, "web")

const introspect = (
  t: Steps,
  token: unknown,
  role: RoleName | undefined = "web",
  more: Readonly<Record<string, string>> = {},
): Promise<Received> => t.post("introspection_endpoint", { token: textOf(token), ...more }, role)

const inactive = (received: Received): Finding => first(status(received, 200), same(json(received), { active: false }, "the answer"))

/** Revocation (RFC 7009). */
export const revocation: ReadonlyArray<Requirement> = [
  requirement({
    id: "revocation.refresh-token",
    paragraph: "RFC 7009 §2.1",
    level: "MUST",
    title: "A revoked refresh token is dead",
    needs,
    steps: async (t) => {
      const tokens = await started(t)
      return { revoked: await revoke(t, tokens["refresh_token"]), after: await refresh(t, tokens["refresh_token"]) }
    },
    oracle: ({ revoked, after }) => first(status(revoked, 200), refused(after, [400], "invalid_grant")),
  }),
  requirement({
    id: "revocation.access-tokens-too",
    paragraph: "RFC 7009 §2.1",
    level: "SHOULD",
    title: "With a refresh token its access tokens end",
    needs: { ...needs, metadata: { ...offered, userinfo_endpoint: undefined } },
    steps: async (t) => {
      const tokens = await started(t)
      await revoke(t, tokens["refresh_token"])
      return t.userinfo(tokens["access_token"])
    },
    oracle: (received) => status(received, 401),
  }),
  requirement({
    id: "revocation.unknown",
    paragraph: "RFC 7009 §2.2",
    level: "MUST",
    title: "Revoking a token that nobody has is a success",
    needs: { clients: ["web"], metadata: { revocation_endpoint: undefined } },
    steps: (t) => revoke(t, t.random(32)),
    oracle: (received) => status(received, 200),
  }),
  requirement({
    id: "revocation.twice",
    paragraph: "RFC 7009 §2.2",
    level: "MUST",
    title: "Revoking a token twice is a success",
    needs,
    steps: async (t) => {
      const tokens = await started(t)
      await revoke(t, tokens["refresh_token"])
      return revoke(t, tokens["refresh_token"])
    },
    oracle: (received) => status(received, 200),
  }),
  requirement({
    id: "revocation.hint-wrong",
    paragraph: "RFC 7009 §2.1",
    level: "MUST",
    title: "A wrong token_type_hint hides no token",
    needs,
    steps: async (t) => {
      const tokens = await started(t)
      await revoke(t, tokens["refresh_token"], { token_type_hint: "access_token" })
      return refresh(t, tokens["refresh_token"])
    },
    oracle: (received) => refused(received, [400], "invalid_grant"),
  }),
  requirement({
    id: "revocation.hint-unknown",
    paragraph: "RFC 7009 §2.1",
    level: "MUST",
    title: "An unknown token_type_hint is ignored",
    needs: { clients: ["web"], metadata: { revocation_endpoint: undefined } },
    steps: (t) => revoke(t, t.random(32), { token_type_hint: "urn:conformance:unknown" }),
    oracle: (received) =>
      holds(received.status === 200 || json(received)?.["error"] === "unsupported_token_type", `the status is ${received.status}`),
  }),
  requirement({
    id: "revocation.own-client",
    paragraph: "RFC 7009 §2.1",
    level: "MUST",
    title: "A client revokes no token of another",
    needs: { ...needs, clients: ["web", "other"] },
    steps: async (t) => {
      const tokens = await started(t)
      await revoke(t, tokens["refresh_token"], {}, "other")
      return refresh(t, tokens["refresh_token"])
    },
    oracle: (received) => status(received, 200),
  }),
  requirement({
    id: "revocation.client",
    paragraph: "RFC 7009 §2.1",
    level: "MUST",
    title: "Nobody revokes without proving the client",
    needs,
    steps: async (t) => {
      const tokens = await started(t)
      const wrong = await t.post(
        "revocation_endpoint",
        { token: textOf(tokens["refresh_token"]) },
        { ...t.client("web"), client_secret: "wrong" },
      )
      return { wrong, after: await refresh(t, tokens["refresh_token"]) }
    },
    oracle: ({ wrong, after }) => first(refused(wrong, [400, 401], "invalid_client"), status(after, 200)),
  }),
  requirement({
    id: "revocation.token-missing",
    paragraph: "RFC 7009 §2.1",
    level: "MUST",
    title: "A revocation without a token is refused",
    needs: { clients: ["web"], metadata: { revocation_endpoint: undefined } },
    steps: (t) => t.post("revocation_endpoint", {}, "web"),
    oracle: (received) => refused(received, [400], "invalid_request"),
  }),
  requirement({
    id: "revocation.get",
    paragraph: "RFC 7009 §2.1",
    level: "MUST",
    title: "A token in an address is not revoked",
    needs,
    steps: async (t) => {
      const tokens = await started(t)
      const { client_id, client_secret = "" } = t.client("web")
      const query = new URLSearchParams({ token: textOf(tokens["refresh_token"]), client_id, client_secret })
      await t.get(`${t.endpoint("revocation_endpoint")}?${query.toString()}`)
      return refresh(t, tokens["refresh_token"])
    },
    oracle: (received) => status(received, 200),
  }),
]

/** Introspection (RFC 7662). */
export const introspection: ReadonlyArray<Requirement> = [
  requirement({
    id: "introspection.active",
    paragraph: "RFC 7662 §2.2",
    level: "MUST",
    title: "A live token of its own is told to a client, or nothing is",
    needs: introspecting,
    steps: async (t) => introspect(t, (await started(t))["refresh_token"]),
    oracle: (received) =>
      first(
        status(received, 200),
        holds(typeof json(received)?.["active"] === "boolean", `active is ${shown(json(received)?.["active"])}`),
      ),
  }),
  requirement({
    id: "introspection.unknown",
    paragraph: "RFC 7662 §2.2",
    level: "MUST",
    title: "Of a token that nobody has, nothing is told but that it is not active",
    needs: { clients: ["web"], metadata: { introspection_endpoint: undefined } },
    steps: (t) => introspect(t, t.random(32)),
    oracle: inactive,
  }),
  requirement({
    id: "introspection.revoked",
    paragraph: "RFC 7662 §2.2",
    level: "MUST",
    title: "Of a revoked token nothing is told but that it is not active",
    needs: introspecting,
    steps: async (t) => {
      const tokens = await started(t)
      await revoke(t, tokens["refresh_token"])
      return introspect(t, tokens["refresh_token"])
    },
    oracle: inactive,
  }),
  requirement({
    id: "introspection.rotated",
    paragraph: "RFC 7662 §2.2",
    level: "MUST",
    title: "A refresh token is not active any more after its grace, once it is rotated",
    needs: { ...introspecting, clients: ["public", "web"], time: true },
    steps: async (t) => {
      const { tokens } = await t.tokens("public", { scope: "openid offline_access", prompt: "consent" })
      const again = tokensOf(await t.token({ grant_type: "refresh_token", refresh_token: textOf(tokens["refresh_token"]) }, "public"))
      if (again["refresh_token"] === tokens["refresh_token"]) throw new Inconclusive("refresh tokens are not rotated")
      await t.pass(3600)
      return introspect(t, tokens["refresh_token"], "web")
    },
    oracle: inactive,
  }),
  requirement({
    id: "introspection.foreign",
    paragraph: "RFC 7662 §4",
    level: "SHOULD",
    title: "A client is told nothing of another's refresh token",
    needs: { ...introspecting, clients: ["web", "other"] },
    steps: async (t) => introspect(t, (await started(t))["refresh_token"], "other"),
    oracle: inactive,
  }),
  requirement({
    id: "introspection.client",
    paragraph: "RFC 7662 §2.1",
    level: "MUST",
    title: "Nobody is told anything without proof",
    needs: introspecting,
    steps: async (t) =>
      t.post(
        "introspection_endpoint",
        { token: textOf((await started(t))["access_token"]) },
        { ...t.client("web"), client_secret: "wrong" },
      ),
    oracle: (received) =>
      first(status(received, 400, 401, 403), holds(json(received)?.["active"] === undefined, "the answer tells about the token")),
  }),
  requirement({
    id: "introspection.nobody",
    paragraph: "RFC 7662 §2.1",
    level: "MUST",
    title: "A request of nobody is refused",
    needs: { metadata: { introspection_endpoint: undefined } },
    steps: (t) => t.post("introspection_endpoint", { token: t.random(32) }),
    oracle: (received) => status(received, 400, 401, 403),
  }),
  requirement({
    id: "introspection.token-missing",
    paragraph: "RFC 7662 §2.1",
    level: "MUST",
    title: "A request without a token is refused",
    needs: { clients: ["web"], metadata: { introspection_endpoint: undefined } },
    steps: (t) => t.post("introspection_endpoint", {}, "web"),
    oracle: (received) => refused(received, [400], "invalid_request"),
  }),
  requirement({
    id: "introspection.get",
    paragraph: "RFC 7662 §2.1",
    level: "MUST",
    title: "Introspection takes POST alone",
    needs: introspecting,
    steps: async (t) => {
      const tokens = await started(t)
      const { client_id, client_secret = "" } = t.client("web")
      return t.get(
        `${t.endpoint("introspection_endpoint")}?${new URLSearchParams({ token: textOf(tokens["access_token"]), client_id, client_secret }).toString()}`,
      )
    },
    oracle: (received) => holds(json(received)?.["active"] !== true, "it was answered"),
  }),
  requirement({
    id: "introspection.not-stored",
    paragraph: "RFC 7662 §2.2",
    level: "SHOULD",
    title: "What is told of a token is kept by no cache",
    needs: { clients: ["web"], metadata: { introspection_endpoint: undefined } },
    steps: (t) => introspect(t, t.random(32)),
    oracle: (received) =>
      holds(
        /no-store/.test(received.headers.get("cache-control") ?? ""),
        `Cache-Control is ${shown(received.headers.get("cache-control"))}`,
      ),
  }),
]
