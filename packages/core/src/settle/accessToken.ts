import * as Effect from "effect/Effect"
import {
  type Confirmation,
  type Grant,
  type Instant,
  type Json,
  type JsonObject,
  type Locator,
  type RequestedClaims,
  isJsonObject,
} from "../model/index.ts"
import { confirmationOf, readHandle, scopeWords } from "../model/index.ts"
import { mapped, steps } from "../ports/steps.ts"
import { authTimeOf, extensionClaims, grantOfJti, isIdTokenJti } from "../rules/tokens.ts"
import { jwtParts } from "../wire/index.ts"
import { type Inquiry, findBy } from "./request.ts"

/** An access token of this provider, in either form. It may be expired or revoked, because rules check that. */
export interface FoundAccess {
  readonly format: "jwt" | "reference"
  readonly id: string
  readonly clientId: string
  /** Undefined for a token that a client obtained for itself. */
  readonly grantId: Locator | undefined
  /** Undefined for a token that a client obtained for itself. */
  readonly subject: string | undefined
  /** The `sub` of the token: the person as its client knows them, or the client. */
  readonly sub: string
  readonly scope: ReadonlyArray<string>
  readonly audience: ReadonlyArray<string>
  readonly createdAt: Instant
  readonly expiresAt: Instant
  /** The time of the person's sign-in; undefined for a token that a client obtained for itself, and if the time is unknown. */
  readonly authTime: Instant | undefined
  readonly acr: string | undefined
  readonly amr: ReadonlyArray<string>
  /** Its additional claims: `act`, and claims of an extension grant. */
  readonly more: JsonObject
  /** The key or certificate whose possession its presenter must prove; undefined for a bearer token. */
  readonly confirmation: Confirmation | undefined
  /** Its authorization details (RFC 9396 §9). */
  readonly authorizationDetails: ReadonlyArray<JsonObject>
  /** Claims that were granted by name. */
  readonly claims: RequestedClaims | undefined
  /** True if the token or its grant was revoked, or the grant is gone. */
  readonly revoked: boolean
}

const text = (claims: JsonObject, name: string): string => {
  const value = claims[name]
  return typeof value === "string" ? value : ""
}

const moment = (claims: JsonObject, name: string): Instant => {
  const value = claims[name]
  return typeof value === "number" ? value : 0
}

const objects = (value: Json | undefined): ReadonlyArray<JsonObject> => (Array.isArray(value) ? value.filter(isJsonObject) : [])

const signInOf = (grant: Grant | undefined): Pick<FoundAccess, "authTime" | "acr" | "amr"> => ({
  authTime: grant && authTimeOf(grant),
  acr: grant?.acr,
  amr: grant?.amr ?? [],
})

/**
 * Returns the claims of a JWT access token, by its `typ`. ID tokens and signed userinfo of this provider also have the typ `JWT`, but the
 * former have a `jti` of another form and the latter has none (RFC 8725 §3.12).
 */
const verifiedClaims = steps(function* (value: string, { ports: { signer } }: Inquiry) {
  const typed = yield* signer.verify(value, "at+jwt")
  if (typed !== undefined) return typed
  const claims = yield* signer.verify(value, "JWT")
  const jti = claims === undefined ? "" : text(claims, "jti")
  return jti === "" || isIdTokenJti(jti) ? undefined : claims
})

const loadJwt = steps(function* (value: string, inquiry: Inquiry) {
  const { ports } = inquiry
  const claims = yield* verifiedClaims(value, inquiry)
  if (claims === undefined || claims["iss"] !== ports.settings.issuer) return undefined
  const grantId: Locator | undefined = grantOfJti(text(claims, "jti"))
  const grant = grantId === undefined ? undefined : yield* ports.tokens.findGrant(grantId)
  const aud = claims["aud"]
  const access: FoundAccess = {
    format: "jwt",
    id: text(claims, "jti"),
    clientId: text(claims, "client_id"),
    grantId,
    subject: grant?.subject,
    sub: text(claims, "sub"),
    scope: scopeWords(text(claims, "scope")),
    audience: Array.isArray(aud) ? aud.filter((each) => typeof each === "string") : [text(claims, "aud")],
    createdAt: moment(claims, "iat"),
    expiresAt: moment(claims, "exp"),
    ...signInOf(grant),
    more: extensionClaims(claims),
    confirmation: confirmationOf(claims["cnf"]),
    authorizationDetails: objects(claims["authorization_details"]),
    claims: grant?.claims,
    revoked: grantId !== undefined && (grant === undefined || grant.revokedAt !== undefined),
  }
  return access
})

const loadReference = (value: string, { ports }: Inquiry) =>
  mapped(
    findBy(ports, readHandle("a", value), ports.tokens.findAccessToken, ({ token }) => token.digest),
    (found): FoundAccess | undefined => {
      if (found === undefined) return undefined
      const { token, grant } = found
      const { locator, clientId, grantId, subject, scope, audience, createdAt, expiresAt } = token
      return {
        format: "reference",
        id: locator,
        clientId,
        grantId,
        subject,
        sub: grant?.sub ?? clientId,
        scope,
        audience,
        createdAt,
        expiresAt,
        ...signInOf(grant),
        more: grant?.extension?.claims ?? {},
        confirmation: token.confirmation,
        authorizationDetails: token.authorizationDetails ?? [],
        claims: grant?.claims,
        revoked: token.revokedAt !== undefined || (grantId !== undefined && (grant === undefined || grant.revokedAt !== undefined)),
      }
    },
  )

/** Loads an access token; undefined for anything that is not one of this provider's. */
export const loadAccessToken = (value: string | undefined, inquiry: Inquiry) => {
  if (value === undefined) return Effect.succeed(undefined)
  return jwtParts(value).length === 3 ? loadJwt(value, inquiry) : loadReference(value, inquiry)
}
