import { type Instant, type JsonObject, isJsonObject } from "@postern/core/model"
import type { JwtVerdict } from "@postern/core/ports"
import { invalidToken, pass, prove, table } from "@postern/core/verify"
import { mistypedMembers, tokenOf } from "./token.ts"
import { unavailable } from "./unavailable.ts"

interface IntrospectedSeen {
  /** The issuer's response. Undefined if there is none. */
  readonly answer: JsonObject | undefined
  /** The reason why there is no response. */
  readonly reason: string
  readonly issuer: string
  /** The claims in the token itself. Empty if it is not a JWT. */
  readonly stated: JsonObject
}

/** Checks the issuer's response about a token. */
export const introspected = table<IntrospectedSeen>("resource/introspection")
  .establish("resource.introspection-answered", "RFC 7662 §2.3, RFC 9110 §15.6.4", ({ answer, reason }) =>
    answer === undefined ? unavailable(reason) : prove({ answer }),
  )
  .rule("resource.introspection-active", "RFC 7662 §2.2", ({ answer: { active } }) =>
    active === true ? pass : invalidToken("the issuer says that the token is not active"),
  )
  .rule("resource.introspection-issuer", "RFC 7662 §2.2", ({ answer: { iss }, issuer }) =>
    iss === undefined || iss === issuer ? pass : invalidToken(`the iss of the introspection is not ${issuer}`),
  )
  // A refresh token can be active too.
  .rule("resource.introspection-type", "RFC 7662 §2.2, RFC 6749 §5.1", ({ answer: { token_type: type } }) =>
    type === undefined || (typeof type === "string" && ["bearer", "dpop"].includes(type.toLowerCase()))
      ? pass
      : invalidToken("the token is no access token"),
  )
  // A member of another type would pass as one that is not stated.
  .rule("resource.introspection-members", "RFC 7662 §2.2, RFC 7519 §4.1", ({ answer }) => {
    const mistyped = mistypedMembers(answer)
    return mistyped.length === 0 ? pass : invalidToken(`the introspection has another type of ${mistyped.join(", ")}`)
  })
  // Otherwise the token would pass as a bearer token, without a proof.
  .rule("resource.introspection-key", "RFC 9449 §6.2, RFC 8705 §3.2", ({ answer: { token_type: type, cnf }, stated }) =>
    cnf !== undefined || (stated["cnf"] === undefined && (typeof type !== "string" || type.toLowerCase() === "bearer"))
      ? pass
      : invalidToken("the token is bound to what is not told"),
  )
  .establish("resource.introspection-read", "RFC 7662 §2.2", ({ answer, issuer }) =>
    prove({ found: { ...tokenOf(answer, issuer), ...(answer["exp"] === undefined ? { expiresAt: Number.POSITIVE_INFINITY } : {}) } }),
  )

/** The media type of signed introspection responses (RFC 9701 §4). */
export const introspectionType = "application/token-introspection+jwt"

/** The maximum difference between now and the issue time of a signed introspection response, in seconds. */
const longestSigned = 60

interface SignedIntrospectionSeen {
  readonly contentType: string
  /** Undefined if the response is not a JWT. */
  readonly header: JsonObject | undefined
  readonly verdict: JwtVerdict
  readonly clientId: string
  readonly issuer: string
  readonly now: Instant
}

/** Checks a signed introspection response, so that no intermediary can answer in the issuer's place. */
export const signedIntrospection = table<SignedIntrospectionSeen>("resource/signed-introspection")
  .rule("resource.signed-media-type", "RFC 9701 §5", ({ contentType }) =>
    contentType.split(";", 1)[0]?.trim().toLowerCase() === introspectionType ? pass : unavailable("it came as another media type"),
  )
  .rule("resource.signed-type", "RFC 9701 §5", ({ header }) => {
    const typ = header?.["typ"]
    const expected = typeof typ === "string" && typ.toLowerCase().replace(/^application\//, "") === "token-introspection+jwt"
    return expected ? pass : unavailable("its typ is another")
  })
  .establish("resource.signed-signature", "RFC 9701 §5", ({ verdict }) =>
    verdict._tag === "Verified" ? prove({ claims: verdict.claims }) : unavailable(verdict.reason),
  )
  .rule("resource.signed-issuer", "RFC 9701 §5", ({ claims: { iss }, issuer }) =>
    iss === issuer ? pass : unavailable("it is of another issuer"),
  )
  .rule("resource.signed-audience", "RFC 9701 §5", ({ claims: { aud }, clientId }) =>
    aud === clientId || (Array.isArray(aud) && aud.includes(clientId)) ? pass : unavailable("it is for another resource server"),
  )
  .rule("resource.signed-time", "RFC 9701 §5", ({ claims: { iat }, now }) =>
    typeof iat === "number" && Math.abs(now - iat) <= longestSigned ? pass : unavailable("it was not made now"),
  )
  .establish("resource.signed-answer", "RFC 9701 §5", ({ claims: { token_introspection: answer } }) =>
    isJsonObject(answer) ? prove({ answer }) : unavailable("it holds no token_introspection"),
  )
