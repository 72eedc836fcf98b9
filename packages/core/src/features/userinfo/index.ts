import type { Client, Decision, JsonObject, Person, Refusal } from "../../model/index.ts"
import { refuse, releasedClaims } from "../../model/index.ts"
import { onward, together } from "../../ports/steps.ts"
import { pass, prove, table } from "../../rules/rule.ts"
import { type FoundAccess, loadAccessToken } from "../../settle/accessToken.ts"
import { type Asked, endpoint } from "../../settle/endpoint.ts"
import { refuseJson, replyJson } from "../../settle/programs.ts"
import { row } from "../../settle/stage.ts"
import { type Message, isForm, readParams } from "../../wire/index.ts"

interface Sent {
  /** Every access token sent, whatever the way. */
  readonly tokens: ReadonlyArray<string>
  readonly inQuery: boolean
  /** True for an Authorization header that is no single bearer token. */
  readonly unreadable: boolean
}

interface Seen extends Sent {
  readonly now: number
  readonly found: FoundAccess | undefined
  readonly client: Client | undefined
  readonly person: Person | undefined
}

const invalidToken = (reason: string): Refusal => refuse("invalid_token", "The access token is not valid.", reason)

/** Userinfo: specification §4, OpenID Connect Core §5.3; bearer tokens RFC 6750. */
const rules = table<Seen>("userinfo")
  .rule("userinfo.header-form", "RFC 6750 §2.1, §3.1", (s) =>
    s.unreadable
      ? refuse("invalid_request", "The Authorization header holds no bearer token.", "another scheme, or more than one token")
      : pass,
  )
  .rule("userinfo.token-once", "RFC 6750 §2", (s) =>
    s.tokens.length > 1 ? refuse("invalid_request", "The access token is sent more than once.") : pass,
  )
  .rule("userinfo.token-not-in-url", "RFC 9700 §4.3.2", (s) =>
    s.inQuery ? refuse("invalid_request", "The access token must not be sent in the URL.") : pass,
  )
  .rule("userinfo.token-present", "RFC 6750 §3", (s) =>
    s.tokens.length === 0 ? refuse("invalid_token", "An access token is needed.", "no access token sent") : pass,
  )
  .present("userinfo.token-known", "RFC 6750 §3.1", "found", () => invalidToken("not an access token of this provider"))
  .rule("userinfo.token-fresh", "RFC 6750 §3.1", (s) =>
    s.now < s.found.expiresAt ? pass : refuse("invalid_token", "The access token has expired.", "expired"),
  )
  .rule("userinfo.token-live", "RFC 6750 §3.1", (s) =>
    s.found.revoked ? refuse("invalid_token", "The access token has been revoked.", "the token or its grant was revoked") : pass,
  )
  .rule("userinfo.token-bearer", "RFC 9449 §7.1, RFC 8705 §3", (s) =>
    s.found.confirmation === undefined ? pass : invalidToken("the token is bound, and nothing was proved of what it is bound to"),
  )
  .establish("userinfo.client-enabled", "RFC 6750 §3.1", ({ client }) =>
    client === undefined || client.disabled ? invalidToken("the token's client is gone or disabled") : prove({ client }),
  )
  .rule("userinfo.openid-scope", "OpenID Connect Core §5.3.1", (s) =>
    s.found.scope.includes("openid")
      ? pass
      : refuse("insufficient_scope", "The scope openid is needed.", "the token was not granted openid"),
  )
  .establish("userinfo.person-active", "RFC 6750 §3.1", ({ person }) =>
    person?.active === true ? prove({ person }) : invalidToken("the token's person is gone or disabled"),
  )

/** The userinfo endpoint. */
export const userinfo = endpoint(
  { name: "userinfo", path: "/connect/userinfo", methods: ["GET", "POST"], audience: "programs", cors: true, challenges: "Bearer" },
  row<Asked>(refuseJson)
    .read(({ message }) => parse(message))
    .read(({ tokens, inQuery, unreadable }, inquiry) => {
      const { ports, now } = inquiry
      const value = inQuery || unreadable || tokens.length !== 1 ? undefined : tokens[0]
      return onward(loadAccessToken(value, inquiry), (found) =>
        together({
          now,
          found,
          client: found && ports.clients.find(found.clientId),
          person: found?.subject === undefined ? undefined : ports.authenticator.find(found.subject),
        }),
      )
    })
    .read(({ client, person }) => ({ about: { clientId: client?.clientId, subject: person?.subject } }))
    .judge(rules, (refusal, { tokens, unreadable }) => ({ _tag: "RefuseBearer", refusal, bare: tokens.length === 0 && !unreadable }))
    .decide(({ found: { scope, sub, claims: named }, client, person }, { ports: { settings } }) => {
      const release = { scope, names: named?.userinfo ?? [], locales: named?.locales ?? [] }
      return answer(client, { ...releasedClaims(settings.catalog, release, person.claims), sub }, settings.issuer)
    }),
)

const bearer = (authorization: string | undefined): ReadonlyArray<string> => {
  const [, token] = /^bearer +(\S+)\s*$/i.exec(authorization ?? "") ?? []
  return token === undefined ? [] : [token]
}

const parse = (message: Message): Sent => {
  const inForm = message.method === "POST" && isForm(message.headers["content-type"]) ? readParams(message.body).all("access_token") : []
  const inQuery = readParams(message.query).all("access_token")
  const inHeader = bearer(message.headers["authorization"])
  const unreadable = message.headers["authorization"] !== undefined && inHeader.length === 0
  return { tokens: [...inHeader, ...inForm, ...inQuery], inQuery: inQuery.length > 0, unreadable }
}

/** Plain claims, or a JWT for a client that is registered so (OpenID Connect Core §5.3.2). Its `typ` keeps it from passing for an ID token. */
const answer = (client: Client, claims: JsonObject, issuer: string): Decision => {
  const { userinfoSignedResponseAlg: alg, userinfoEncryption } = client
  if (alg === undefined && userinfoEncryption === undefined) return replyJson(claims)
  const encryption = userinfoEncryption && { ...userinfoEncryption, keys: client.keys }
  const addressed = { ...claims, iss: issuer, aud: client.clientId }
  return {
    _tag: "ReplyJwt",
    jwt: { alg, typ: "userinfo+jwt", claims: addressed, encryption, contentType: "application/jwt" },
    commands: [],
  }
}
