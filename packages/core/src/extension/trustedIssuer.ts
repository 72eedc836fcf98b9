import {
  type GrantContext,
  type JsonObject,
  type JwkSet,
  type JwtVerdict,
  type LoadContext,
  type Refusal,
  type Rule,
  type Seconds,
  held,
  pass,
  peerAlgorithms,
  refuse,
  rule,
  statedClaims,
} from "./index.ts"

/** Somebody else whose JWTs are believed about people of ours. */
export interface TrustedIssuer {
  /** The `iss` of its JWTs, byte for byte. */
  readonly issuer: string
  /** Its public keys; or give `jwksUri`. */
  readonly jwks?: JwkSet | undefined
  /** The https URL where it publishes them; the provider needs an Outbound port to fetch it. */
  readonly jwksUri?: string | undefined
  /** What `aud` may name beside the provider's issuer and its token endpoint. */
  readonly audiences?: ReadonlyArray<string> | undefined
  /** The algorithms its JWTs may be signed with; any asymmetric one when left out. */
  readonly algorithms?: ReadonlyArray<string> | undefined
  /** The claim that tells whom a JWT is about; `sub` when left out. */
  readonly subjectClaim?: string | undefined
  /** Our subjects by what that claim says, and nobody else's; when left out, the claim holds a subject of ours as it is. */
  readonly subjects?: Readonly<Record<string, string>> | undefined
  /** How far ahead `exp` may be, in seconds; 3600 when left out. */
  readonly maxLifetime?: Seconds | undefined
}

/** A JWT that was presented, as far as it could be made out. */
export interface PresentedJwt {
  /** The trusted issuer it names; undefined where none is. */
  readonly issuer: TrustedIssuer | undefined
  /** The verdict on its signature. */
  readonly verdict: JwtVerdict | undefined
  /** Its claims, once verified; empty before. */
  readonly claims: JsonObject
  /** The subject of ours it stands for. */
  readonly subject: string | undefined
}

/** How far the clocks of others may be off, in seconds. */
const skew = 30

const subjectOf = ({ subjectClaim = "sub", subjects }: TrustedIssuer, claims: JsonObject): string | undefined => {
  const said = claims[subjectClaim]
  if (typeof said !== "string" || said === "") return undefined
  if (subjects === undefined) return said
  return Object.hasOwn(subjects, said) ? subjects[said] : undefined
}

/** Verifies a JWT by the keys of the trusted issuer it names. */
export const presentedJwt = async (
  jwt: string,
  issuers: ReadonlyArray<TrustedIssuer>,
  { verifyJwt }: Pick<LoadContext<unknown>, "verifyJwt">,
): Promise<PresentedJwt> => {
  const named = statedClaims(jwt)?.["iss"]
  const issuer = issuers.find((each) => each.issuer === named)
  if (issuer === undefined) return { issuer, verdict: undefined, claims: {}, subject: undefined }
  const { jwks = { keys: [] }, jwksUri, algorithms = peerAlgorithms } = issuer
  const verdict = await verifyJwt(jwt, jwksUri === undefined ? { jwks } : { jwksUri }, algorithms)
  const claims = verdict._tag === "Verified" ? verdict.claims : {}
  return { issuer, verdict, claims, subject: subjectOf(issuer, claims) }
}

/** When a verified JWT ends, in whole seconds, which a NumericDate need not be (RFC 7519 §2); 0 for one that does not say. */
export const endOf = ({ claims: { exp } }: PresentedJwt): number => (typeof exp === "number" ? Math.floor(exp) : 0)

const listed = (aud: unknown): ReadonlyArray<unknown> => (Array.isArray(aud) ? aud : [aud])

/** What a JWT of somebody else must be (RFC 7523 §3). `name` is the parameter it came in, and `of` tells whether one came. */
export const jwtRules = <Q, S extends GrantContext<unknown>>(
  prefix: string,
  name: string,
  error: "invalid_grant" | "invalid_request",
  of: (seen: S) => PresentedJwt | undefined,
): ReadonlyArray<Rule<Q, S>> => {
  const check = (id: string, cites: string, fault: (jwt: PresentedJwt, seen: S) => readonly [string, string] | undefined): Rule<Q, S> =>
    rule(`${prefix}.${id}`, cites, (_, seen): Refusal | undefined => {
      const jwt = of(seen)
      const found = jwt === undefined ? undefined : fault(jwt, seen)
      return found === undefined ? pass : refuse(error, ...found)
    })
  return [
    check("jwt-issuer", "RFC 7523 §3 (1)", ({ issuer }) =>
      issuer === undefined ? [`The ${name} is not from a trusted issuer.`, "not a JWT, or its iss is not configured"] : pass,
    ),
    check("jwt-signature", "RFC 7523 §3 (9)", ({ verdict }) => {
      const { _tag, ...why } = held(verdict)
      return _tag === "Verified" ? pass : [`The ${name} is not valid.`, "reason" in why ? why.reason : ""]
    }),
    check("jwt-subject-present", "RFC 7523 §3 (2)", ({ claims: { sub } }) =>
      typeof sub === "string" && sub !== "" ? pass : [`The ${name} names no subject.`, "no sub"],
    ),
    check("jwt-subject-known", "RFC 7523 §3 (2)", ({ subject }) =>
      subject === undefined ? [`The ${name} is not about a person known here.`, "its subject maps to none of ours"] : pass,
    ),
    check("jwt-audience", "RFC 7523 §3 (3)", ({ issuer, claims: { aud } }, { settings, tokenEndpoint }) => {
      const ours = [settings.issuer, tokenEndpoint, ...(held(issuer).audiences ?? [])]
      return listed(aud).some((each) => ours.some((own) => own === each))
        ? pass
        : [`The ${name} is not meant for this provider.`, "aud names neither the issuer nor the token endpoint"]
    }),
    check("jwt-expiry-present", "RFC 7523 §3 (4)", ({ claims: { exp } }) =>
      typeof exp === "number" && Number.isFinite(exp) ? pass : [`The ${name} does not say when it ends.`, "no exp"],
    ),
    check("jwt-fresh", "RFC 7523 §3 (4)", (jwt, { now }) => (now < endOf(jwt) ? pass : [`The ${name} has expired.`, "expired"])),
    check("jwt-expiry-near", "RFC 7523 §3 (4)", (jwt, { now }) => {
      const most = held(jwt.issuer).maxLifetime ?? 3600
      return endOf(jwt) - now <= most ? pass : [`The ${name} ends too far in the future.`, `exp is more than ${most} s ahead`]
    }),
    check("jwt-not-before", "RFC 7523 §3 (5)", ({ claims: { nbf } }, { now }) =>
      nbf === undefined || (typeof nbf === "number" && nbf <= now + skew)
        ? pass
        : [`The ${name} is not valid yet.`, "nbf is in the future"],
    ),
    check("jwt-issued-at", "RFC 7523 §3 (6)", ({ claims: { iat } }, { now }) =>
      iat === undefined || (typeof iat === "number" && iat <= now + skew)
        ? pass
        : [`The ${name} was issued in the future.`, "iat is in the future"],
    ),
  ]
}
