import type { Client, Decision, JsonObject, Person, Refusal } from "../../model/index.ts"
import { refuse, releasedClaims } from "../../model/index.ts"
import { steps } from "../../ports/steps.ts"
import { held, judge, pass, rule, table } from "../../rules/rule.ts"
import { type FoundAccess, loadAccessToken } from "../../settle/accessToken.ts"
import { type Message, isForm, readParams } from "../../wire/index.ts"
import type { Endpoint } from "../../settle/endpoint.ts"

interface UserinfoRequest {
  /** Every access token sent, whatever the way. */
  readonly tokens: ReadonlyArray<string>
  readonly inQuery: boolean
  /** An Authorization header that is no single bearer token. */
  readonly unreadable: boolean
}

interface UserinfoSeen {
  readonly now: number
  readonly found: FoundAccess | undefined
  readonly client: Client | undefined
  readonly person: Person | undefined
}

const invalidToken = (reason: string): Refusal => refuse("invalid_token", "The access token is not valid.", reason)

/** Userinfo: specification §4, OpenID Connect Core §5.3; bearer tokens RFC 6750. */
const rules = table<UserinfoRequest, UserinfoSeen>("userinfo", [
  rule("userinfo.header-form", "RFC 6750 §2.1, §3.1", (q) =>
    q.unreadable
      ? refuse("invalid_request", "The Authorization header holds no bearer token.", "another scheme, or more than one token")
      : pass,
  ),
  rule("userinfo.token-once", "RFC 6750 §2", (q) =>
    q.tokens.length > 1 ? refuse("invalid_request", "The access token is sent more than once.") : pass,
  ),
  rule("userinfo.token-not-in-url", "RFC 9700 §4.3.2", (q) =>
    q.inQuery ? refuse("invalid_request", "The access token must not be sent in the URL.") : pass,
  ),
  rule("userinfo.token-present", "RFC 6750 §3", (q) =>
    q.tokens.length === 0 ? refuse("invalid_token", "An access token is needed.", "no access token sent") : pass,
  ),
  rule("userinfo.token-known", "RFC 6750 §3.1", (_, s) =>
    s.found === undefined ? invalidToken("not an access token of this provider") : pass,
  ),
  rule("userinfo.token-fresh", "RFC 6750 §3.1", (_, s) =>
    s.now < held(s.found).expiresAt ? pass : refuse("invalid_token", "The access token has expired.", "expired"),
  ),
  rule("userinfo.token-live", "RFC 6750 §3.1", (_, s) =>
    held(s.found).revoked ? refuse("invalid_token", "The access token has been revoked.", "the token or its grant was revoked") : pass,
  ),
  rule("userinfo.client-enabled", "RFC 6750 §3.1", (_, s) =>
    s.client === undefined || s.client.disabled ? invalidToken("the token's client is gone or disabled") : pass,
  ),
  rule("userinfo.openid-scope", "OpenID Connect Core §5.3.1", (_, s) =>
    held(s.found).scope.includes("openid")
      ? pass
      : refuse("insufficient_scope", "The scope openid is needed.", "the token was not granted openid"),
  ),
  rule("userinfo.person-active", "RFC 6750 §3.1", (_, s) =>
    s.person?.active === true ? pass : invalidToken("the token's person is gone or disabled"),
  ),
])

/** The tables of this endpoint, for the rule reference. */
export const userinfoTables = [rules] as const

const bearer = (authorization: string | undefined): ReadonlyArray<string> => {
  const [, token] = /^bearer +(\S+)\s*$/i.exec(authorization ?? "") ?? []
  return token === undefined ? [] : [token]
}

const parse = (message: Message): UserinfoRequest => {
  const inForm = message.method === "POST" && isForm(message.headers["content-type"]) ? readParams(message.body).all("access_token") : []
  const inQuery = readParams(message.query).all("access_token")
  const inHeader = bearer(message.headers["authorization"])
  const unreadable = message.headers["authorization"] !== undefined && inHeader.length === 0
  return { tokens: [...inHeader, ...inForm, ...inQuery], inQuery: inQuery.length > 0, unreadable }
}

/** Plain claims, or a JWT for a client that is registered so (OpenID Connect Core §5.3.2). Its `typ` keeps it from passing for an ID token. */
const answer = (client: Client, claims: JsonObject, issuer: string): Decision => {
  const { userinfoSignedResponseAlg: alg, userinfoEncryption } = client
  if (alg === undefined && userinfoEncryption === undefined) return { _tag: "Reply", body: claims, cacheable: false, commands: [] }
  const encryption = userinfoEncryption && { ...userinfoEncryption, keys: client.keys }
  const addressed = { ...claims, iss: issuer, aud: client.clientId }
  return {
    _tag: "ReplyJwt",
    jwt: { alg, typ: "userinfo+jwt", claims: addressed, encryption, contentType: "application/jwt" },
    commands: [],
  }
}

/** The userinfo endpoint. */
export const userinfo: Endpoint = {
  name: "userinfo",
  path: "/connect/userinfo",
  methods: ["GET", "POST"],
  audience: "programs",
  cors: true,
  challenges: "Bearer",
  attempt: steps(function* (message, inquiry) {
    const { ports, now } = inquiry
    const q = parse(message)
    const found = q.tokens.length === 1 && !q.inQuery && !q.unreadable ? yield* loadAccessToken(q.tokens[0], inquiry) : undefined
    const client = found === undefined ? undefined : yield* ports.clients.find(found.clientId)
    const person = found?.subject === undefined ? undefined : yield* ports.authenticator.find(found.subject)
    inquiry.about.clientId = client?.clientId
    inquiry.about.subject = person?.subject
    const refusal = judge(inquiry.trace, rules, q, { now, found, client, person })
    if (refusal !== undefined)
      return { _tag: "RefuseBearer", refusal, bare: q.tokens.length === 0 && !q.unreadable } satisfies Decision as Decision
    const { scope, sub, claims: named } = held(found)
    const release = { scope, names: named?.userinfo ?? [], locales: named?.locales ?? [] }
    return answer(held(client), { ...releasedClaims(ports.settings.catalogue, release, held(person).claims), sub }, ports.settings.issuer)
  }),
}
