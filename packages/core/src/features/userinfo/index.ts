import type { Client, Decision, JsonObject, Profile } from "../../model/index.ts"
import { refuse, releasedClaims } from "../../model/index.ts"
import { stillClaimable } from "../../rules/claims.ts"
import { algorithmRefused, profileOf } from "../../rules/profile.ts"
import { pass, prove, table } from "../../rules/rule.ts"
import { type Asked, endpoint } from "../../settle/endpoint.ts"
import { type PresentedToken, presentedToken, refuseToken } from "../../settle/presentedToken.ts"
import { refuseJson, replyJson } from "../../settle/programs.ts"
import { row } from "../../settle/stage.ts"

/** Judges a userinfo request: specification §4, OpenID Connect Core §5.3. */
const rules = table<PresentedToken & { readonly profile: Profile }>("userinfo/claims")
  .rule("userinfo.openid-scope", "OpenID Connect Core §5.3.1", (s) =>
    s.found.scope.includes("openid")
      ? pass
      : refuse("insufficient_scope", "The scope openid is needed.", "the token was not granted openid"),
  )
  .establish("userinfo.person-active", "RFC 6750 §3.1", ({ person }) =>
    person?.active === true
      ? prove({ person })
      : refuse("invalid_token", "The access token is not valid.", "the token's person is gone or disabled"),
  )
  .rule("userinfo.algorithm-profile", "FAPI 2.0 Security Profile §5.4.1 (1), FAPI 1.0 Part 2 §8.6", ({ client, profile }) =>
    algorithmRefused(profile, [client.userinfoSignedResponseAlg], "invalid_request"),
  )

/** The userinfo endpoint. */
export const userinfo = endpoint(
  { name: "userinfo", path: "/connect/userinfo", methods: ["GET", "POST"], audience: "programs", cors: true, challenges: "Bearer" },
  row<Asked>(refuseJson)
    .through(presentedToken("userinfo"))
    .read(({ client }, { ports: { settings } }) => ({ profile: profileOf(client, settings) }))
    .judge(rules, refuseToken)
    .decide(({ found: { scope, sub, claims: named }, client, person }, { ports: { settings } }) => {
      const { catalog, issuer } = settings
      const release = { scope, names: stillClaimable(catalog, client, named?.userinfo), locales: named?.locales ?? [] }
      return answer(client, { ...releasedClaims(catalog, release, person.claims), sub }, issuer)
    }),
)

/**
 * Responds with plain claims, or with a JWT if the client is registered for one (OpenID Connect Core §5.3.2). The `typ` keeps it from being
 * used as an ID token.
 */
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
