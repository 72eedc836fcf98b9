import { type JsonObject, type JwkSet, type JwtVerdict, type LoadContext, type Seconds, peerAlgorithms, statedClaims } from "./index.ts"

/** Another issuer, whose JWTs about this provider's people are trusted. */
export interface TrustedIssuer {
  /** The `iss` of its JWTs, byte for byte. */
  readonly issuer: string
  /** Its public keys, as an alternative to `jwksUri`. */
  readonly jwks?: JwkSet | undefined
  /** The https URL at which it publishes its keys; the provider needs an Outbound port to fetch them. */
  readonly jwksUri?: string | undefined
  /** Values that `aud` may name in addition to the provider's issuer and its token endpoint. */
  readonly audiences?: ReadonlyArray<string> | undefined
  /** The algorithms with which its JWTs may be signed. Default: any asymmetric one. */
  readonly algorithms?: ReadonlyArray<string> | undefined
  /** The claim that identifies the person of a JWT. Default: `sub`. */
  readonly subjectClaim?: string | undefined
  /**
   * The provider's subjects by the value of that claim; no other values are accepted. By default the claim is itself a subject of the
   * provider.
   */
  readonly subjects?: Readonly<Record<string, string>> | undefined
  /** The longest time from now to `exp`, in seconds. Default: 3600. */
  readonly maxLifetime?: Seconds | undefined
  /**
   * Its authentication contexts by the provider's own contexts that they correspond to, as for an upstream provider; any other `acr` that
   * it states is ignored. By default tokens have its own contexts unchanged, except for one that has the name of a context of the provider
   * (OpenID Connect Core §2, RFC 9470 §3).
   */
  readonly acrValues?: Readonly<Record<string, string>> | undefined
}

/** A JWT that names a trusted issuer, with the verdict on its signature. */
export interface IssuedJwt {
  /** The trusted issuer it names. */
  readonly issuer: TrustedIssuer
  /** The verdict on its signature. */
  readonly verdict: JwtVerdict
}

/** A presented JWT; `issued` is undefined if it names no trusted issuer. */
export interface PresentedJwt {
  /** The JWT with its issuer. */
  readonly issued: IssuedJwt | undefined
  /** The provider's subject of the JWT if the issuer's `subjects` do not yield one. */
  readonly fallback?: string | undefined
  /**
   * The provider's subject that its `sub_id` names, in place of `sub`; none if nobody here has that identifier (RFC 9493 §4). Undefined if
   * the JWT has no `sub_id`, or if it is ignored.
   */
  readonly identified?: { /** The subject. */ readonly subject: string | undefined } | undefined
}

/** A verified JWT, and the provider's subject that it is about. */
export interface VerifiedJwt {
  /** The trusted issuer that signed it. */
  readonly issuer: TrustedIssuer
  /** Its claims. */
  readonly claims: JsonObject
  /** The provider's subject. */
  readonly subject: string
}

/** The provider's subject that a JWT's claims name; undefined if they name none that its issuer may. */
export const subjectOf = ({ subjectClaim = "sub", subjects }: TrustedIssuer, claims: JsonObject): string | undefined => {
  const said = claims[subjectClaim]
  if (typeof said !== "string" || said === "") return undefined
  if (subjects === undefined) return said
  return Object.hasOwn(subjects, said) ? subjects[said] : undefined
}

/** The trusted issuer that a JWT names, before any of it is verified. */
export const issuerOf = (jwt: string, issuers: ReadonlyArray<TrustedIssuer>): TrustedIssuer | undefined => {
  const named = statedClaims(jwt)?.["iss"]
  return issuers.find(({ issuer }) => issuer === named)
}

/** The keys of a trusted issuer, or the URL at which it publishes them. */
export const keysOfIssuer = ({ jwks = { keys: [] }, jwksUri }: TrustedIssuer): { readonly jwks: JwkSet } | { readonly jwksUri: string } =>
  jwksUri === undefined ? { jwks } : { jwksUri }

/** Verifies a JWT with the keys of the trusted issuer that it names. */
export const presentedJwt = async (
  jwt: string,
  issuers: ReadonlyArray<TrustedIssuer>,
  { verifyJwt }: Pick<LoadContext<unknown>, "verifyJwt">,
): Promise<PresentedJwt> => {
  const issuer = issuerOf(jwt, issuers)
  if (issuer === undefined) return { issued: undefined }
  return { issued: { issuer, verdict: await verifyJwt(jwt, keysOfIssuer(issuer), issuer.algorithms ?? peerAlgorithms) } }
}

/** The provider's subject of a presented JWT; undefined if the JWT was not verified or is about nobody known. */
export const presentedSubject = ({ issued }: PresentedJwt): string | undefined =>
  issued?.verdict._tag === "Verified" ? subjectOf(issued.issuer, issued.verdict.claims) : undefined

/** The expiry of a verified JWT in whole seconds, which a NumericDate need not be (RFC 7519 §2); 0 if it states none. */
export const endOf = ({ claims: { exp } }: Pick<VerifiedJwt, "claims">): number => (typeof exp === "number" ? Math.floor(exp) : 0)
