import { type Received, json, textOf } from "../exchange/exchange.ts"
import { type Finding, first, header, hasStatus, holds, refused, refuses, same, shown, status } from "../oracle/finding.ts"
import { type Needs, type Requirement, area } from "../requirement/requirement.ts"
import { type Steps, tokensOf } from "../steps/steps.ts"
import { Inconclusive } from "../target/target.ts"
import type { RoleClient, RoleName } from "../target/roles.ts"
import { offline, refresh, refreshToken } from "./refreshing.ts"

const offered = { revocation_endpoint: undefined, grant_types_supported: "refresh_token" } as const
const needs: Needs = { clients: ["web"], person: true, metadata: offered }
const introspecting: Needs = { ...needs, metadata: { ...offered, introspection_endpoint: undefined } }

const withoutPerson = (endpoint: string): Needs => ({ clients: ["web"], metadata: { [endpoint]: undefined } })

const revoking = area("revocation", needs)
const revokingAlone = area("revocation", withoutPerson("revocation_endpoint"))
const asking = area("introspection", introspecting)
const askingAlone = area("introspection", withoutPerson("introspection_endpoint"))

const revoke = (
  t: Steps,
  token: unknown,
  more: Readonly<Record<string, string>> = {},
  role: RoleName | RoleClient = "web",
): Promise<Received> => t.post("revocation_endpoint", { token: textOf(token), ...more }, role)

/** Revokes a refresh token, and then uses it. */
const afterwards = async (
  t: Steps,
  use: (token: unknown) => Promise<Received>,
  more: Readonly<Record<string, string>> = {},
  role: RoleName = "web",
): Promise<Received> => {
  const token = await refreshToken(t)
  await revoke(t, token, more, role)
  return use(token)
}

/** The URL of an endpoint with a token and the client's secret in its query. */
const inQuery = (t: Steps, endpoint: string, token: unknown): string => {
  const { client_id, client_secret = "" } = t.client("web")
  return `${t.endpoint(endpoint)}?${new URLSearchParams({ token: textOf(token), client_id, client_secret }).toString()}`
}

const introspect = (t: Steps, token: unknown, role: RoleName | RoleClient = "web"): Promise<Received> =>
  t.post("introspection_endpoint", { token: textOf(token) }, role)

const inactive = (received: Received): Finding => first(status(received, 200), same(json(received), { active: false }, "the answer"))

/** Revocation (RFC 7009). */
export const revocation: ReadonlyArray<Requirement> = [
  revoking(
    "refresh-token",
    "RFC 7009 §2.1",
    "A revoked refresh token is dead",
    async (t) => {
      const token = await refreshToken(t)
      return { revoked: await revoke(t, token), after: await refresh(t, token) }
    },
    ({ revoked, after }) => first(status(revoked, 200), refused(after, [400], "invalid_grant")),
  ),
  revoking(
    "access-tokens-too",
    "RFC 7009 §2.1",
    "With a refresh token its access tokens end",
    async (t) => {
      const tokens = await offline(t)
      await revoke(t, tokens["refresh_token"])
      return t.userinfo(tokens["access_token"])
    },
    hasStatus(401),
    "SHOULD",
    { ...needs, metadata: { ...offered, userinfo_endpoint: undefined } },
  ),
  revoking(
    "access-token",
    "RFC 7009 §2.1",
    "An access token whose revocation is confirmed is dead",
    async (t) => {
      const { access_token: token } = (await t.tokens("web")).tokens
      return { revoked: await revoke(t, token), after: await t.userinfo(token) }
    },
    ({ revoked, after }) =>
      // A provider need not be able to (RFC 7009 §2.2.1), but must not say that it did.
      revoked.status === 200 ? status(after, 401) : refused(revoked, [400], "unsupported_token_type"),
    "SHOULD",
    { clients: ["web"], person: true, metadata: { revocation_endpoint: undefined, userinfo_endpoint: undefined } },
  ),
  revokingAlone(
    "unknown",
    "RFC 7009 §2.2",
    "Revoking a token that nobody has is a success",
    (t) => revoke(t, t.random(32)),
    hasStatus(200),
  ),
  revoking(
    "twice",
    "RFC 7009 §2.2",
    "Revoking a token twice is a success",
    (t) => afterwards(t, (token) => revoke(t, token)),
    hasStatus(200),
  ),
  revoking(
    "hint-wrong",
    "RFC 7009 §2.1",
    "A wrong token_type_hint hides no token",
    (t) => afterwards(t, (token) => refresh(t, token), { token_type_hint: "access_token" }),
    refuses("invalid_grant"),
  ),
  revokingAlone(
    "hint-unknown",
    "RFC 7009 §2.1",
    "An unknown token_type_hint is ignored",
    (t) => revoke(t, t.random(32), { token_type_hint: "urn:conformance:unknown" }),
    (received) =>
      holds(received.status === 200 || json(received)?.["error"] === "unsupported_token_type", `the status is ${received.status}`),
  ),
  revoking(
    "own-client",
    "RFC 7009 §2.1",
    "A client revokes no token of another",
    (t) => afterwards(t, (token) => refresh(t, token), {}, "other"),
    hasStatus(200),
    "MUST",
    { ...needs, clients: ["web", "other"] },
  ),
  revoking(
    "client",
    "RFC 7009 §2.1",
    "Nobody revokes without proving the client",
    async (t) => {
      const token = await refreshToken(t)
      return { wrong: await revoke(t, token, {}, t.impostor("web")), after: await refresh(t, token) }
    },
    ({ wrong, after }) => first(refused(wrong, [400, 401], "invalid_client"), status(after, 200)),
  ),
  revokingAlone(
    "token-missing",
    "RFC 7009 §2.1",
    "A revocation without a token is refused",
    (t) => t.post("revocation_endpoint", {}, "web"),
    refuses("invalid_request"),
  ),
  revoking(
    "get",
    "RFC 7009 §2.1",
    "A token in an address is not revoked",
    async (t) => {
      const token = await refreshToken(t)
      await t.get(inQuery(t, "revocation_endpoint", token))
      return refresh(t, token)
    },
    hasStatus(200),
  ),
]

/** Introspection (RFC 7662). */
export const introspection: ReadonlyArray<Requirement> = [
  asking(
    "active",
    "RFC 7662 §2.2",
    "A live token of its own is told to a client, or nothing is",
    async (t) => introspect(t, await refreshToken(t)),
    (received) =>
      first(
        status(received, 200),
        holds(typeof json(received)?.["active"] === "boolean", `active is ${shown(json(received)?.["active"])}`),
      ),
  ),
  askingAlone(
    "unknown",
    "RFC 7662 §2.2",
    "Of a token that nobody has, nothing is told but that it is not active",
    (t) => introspect(t, t.random(32)),
    inactive,
  ),
  asking(
    "revoked",
    "RFC 7662 §2.2",
    "Of a revoked token nothing is told but that it is not active",
    (t) => afterwards(t, (token) => introspect(t, token)),
    inactive,
  ),
  asking(
    "rotated",
    "RFC 7662 §2.2",
    "A refresh token is not active any more after its grace, once it is rotated",
    async (t) => {
      const token = await refreshToken(t, "public")
      const again = tokensOf(await refresh(t, token, {}, "public"))
      if (again["refresh_token"] === token) throw new Inconclusive("refresh tokens are not rotated")
      await t.pass(3600)
      return introspect(t, token)
    },
    inactive,
    "MUST",
    { ...introspecting, clients: ["public", "web"], time: true },
  ),
  asking(
    "foreign",
    "RFC 7662 §4",
    "A client is told nothing of another's refresh token",
    async (t) => introspect(t, await refreshToken(t), "other"),
    inactive,
    "SHOULD",
    { ...introspecting, clients: ["web", "other"] },
  ),
  asking(
    "client",
    "RFC 7662 §2.1",
    "Nobody is told anything without proof",
    async (t) => introspect(t, (await offline(t))["access_token"], t.impostor("web")),
    (received) =>
      first(status(received, 400, 401, 403), holds(json(received)?.["active"] === undefined, "the answer tells about the token")),
  ),
  asking(
    "nobody",
    "RFC 7662 §2.1",
    "A request of nobody is refused",
    (t) => t.post("introspection_endpoint", { token: t.random(32) }),
    hasStatus(400, 401, 403),
    "MUST",
    { metadata: { introspection_endpoint: undefined } },
  ),
  askingAlone(
    "token-missing",
    "RFC 7662 §2.1",
    "A request without a token is refused",
    (t) => t.post("introspection_endpoint", {}, "web"),
    refuses("invalid_request"),
  ),
  asking(
    "get",
    "RFC 7662 §2.1",
    "Introspection takes POST alone",
    async (t) => t.get(inQuery(t, "introspection_endpoint", (await offline(t))["access_token"])),
    (received) => holds(json(received)?.["active"] !== true, "it was answered"),
  ),
  askingAlone(
    "not-stored",
    "RFC 7662 §2.2",
    "What is told of a token is kept by no cache",
    (t) => introspect(t, t.random(32)),
    (received) => header(received, "Cache-Control", /no-store/),
    "SHOULD",
  ),
]
