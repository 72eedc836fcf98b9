import { isNotAhead } from "../rules/ahead.ts"
import { type GrantContext, type Json, type ProvingTable, type ToldSignIn, pass, prove, refuse } from "./index.ts"
import { signInTold } from "./signIn.ts"
import { type IssuedJwt, type PresentedJwt, type VerifiedJwt, endOf, subjectOf } from "./trustedIssuer.ts"

/** The parameter in which a JWT was sent, and the error codes for its faults. */
export interface JwtParameter {
  /** The prefix of the ids of the rules. */
  readonly prefix: string
  /** The name of the parameter. */
  readonly name: string
  /** The error code of every fault. */
  readonly error: "invalid_grant" | "invalid_request"
  /** Other error codes. Default: `error`. */
  readonly errors?:
    | { /** For a JWT that has expired. */ readonly expired?: string; /** For a JWT about an unknown person. */ readonly unknown?: string }
    | undefined
  /** The endpoint that `aud` may name, in words. Default: the token endpoint. */
  readonly endpoint?: string | undefined
  /** The `typ` that its header must state. Default: any but {@link idJagType}. */
  readonly typ?: string | undefined
}

/**
 * The `typ` of an identity assertion JWT authorization grant. It is bound to one client, so it is never accepted as an assertion that any
 * client may use.
 */
export const idJagType = "oauth-id-jag+jwt"

/** Reports whether a header states a type. Media types are compared case-insensitively, and may omit `application/` (RFC 7515 §4.1.9). */
export const isTyped = (typ: Json | undefined, wanted: string): boolean =>
  typeof typ === "string" && typ.toLowerCase().replace(/^application\//, "") === wanted

/** Values known before a JWT is judged; `presented` is undefined if none was sent. */
type Context = Pick<GrantContext<unknown>, "settings" | "tokenEndpoint" | "now"> & { readonly presented: PresentedJwt | undefined }

/** The sign-in that a JWT reports; undefined if no JWT was sent. */
export interface Telling {
  /** The sign-in. */
  readonly signIn: ToldSignIn | undefined
}

/**
 * Judges a required JWT of another issuer (RFC 7523 §3). It adds rules to a table that establish the JWT as `jwt`, and the sign-in that it
 * reports.
 */
export function jwtRules<In extends object, Out extends Context & { readonly presented: PresentedJwt }>(
  before: ProvingTable<In, Out>,
  parameter: JwtParameter,
): ProvingTable<In, Out & Telling & { readonly jwt: VerifiedJwt }>
/** Judges an optional JWT of another issuer. */
export function jwtRules<In extends object, Out extends Context>(
  before: ProvingTable<In, Out>,
  parameter: JwtParameter,
): ProvingTable<In, Out & Telling & { readonly jwt: VerifiedJwt | undefined }>
export function jwtRules<In extends object, Out extends Context>(
  before: ProvingTable<In, Out>,
  { prefix, name, error, errors = {}, endpoint = "token endpoint", typ }: JwtParameter,
): ProvingTable<In, Out & Telling & { readonly jwt: VerifiedJwt | undefined }> {
  const unfit = (description: string, reason: string, code: string = error) => refuse(code, description, reason)
  return before
    .establish<{ readonly issued: IssuedJwt | undefined }>(`${prefix}.jwt-issuer`, "RFC 7523 §3 (1)", ({ presented }) =>
      presented !== undefined && presented.issued === undefined
        ? unfit(`The ${name} is not from a trusted issuer.`, "not a JWT, or its iss is not configured")
        : prove({ issued: presented?.issued }),
    )
    .establish<{ readonly verified: Omit<VerifiedJwt, "subject"> | undefined }>(
      `${prefix}.jwt-signature`,
      "RFC 7523 §3 (9)",
      ({ issued }) => {
        if (issued === undefined) return prove({ verified: undefined })
        const { issuer, verdict } = issued
        if (verdict._tag === "Verified") return prove({ verified: { issuer, claims: verdict.claims } })
        return unfit(`The ${name} is not valid.`, verdict.reason)
      },
    )
    .rule(`${prefix}.jwt-type`, "RFC 8725 §3.11", ({ issued }) => {
      if (issued?.verdict._tag !== "Verified") return pass
      const stated = issued.verdict.header["typ"]
      const fits = typ === undefined ? !isTyped(stated, idJagType) : isTyped(stated, typ)
      return fits
        ? pass
        : unfit(`The ${name} is of another type.`, typ === undefined ? "an ID-JAG, which its client alone may use" : `typ is not ${typ}`)
    })
    .rule(`${prefix}.jwt-subject-present`, "RFC 7523 §3 (2)", ({ verified, presented }) =>
      verified === undefined || isText(verified.claims["sub"]) || presented?.identified !== undefined
        ? pass
        : unfit(`The ${name} names no subject.`, "no sub"),
    )
    .establish<{ readonly jwt: VerifiedJwt | undefined }>(`${prefix}.jwt-subject-known`, "RFC 7523 §3 (2)", ({ verified, presented }) => {
      if (verified === undefined) return prove({ jwt: undefined })
      const { identified, fallback } = presented ?? {}
      const subject = identified === undefined ? (subjectOf(verified.issuer, verified.claims) ?? fallback) : identified.subject
      return subject === undefined
        ? unfit(`The ${name} is not about a person known here.`, "its subject maps to none of ours", errors.unknown)
        : prove({ jwt: { ...verified, subject } })
    })
    .rule(`${prefix}.jwt-audience`, "RFC 7523 §3 (3)", ({ jwt, settings, tokenEndpoint }) => {
      if (jwt === undefined) return pass
      const ours = [settings.issuer, tokenEndpoint, ...(jwt.issuer.audiences ?? [])]
      return listed(jwt.claims["aud"]).some((each) => ours.some((own) => own === each))
        ? pass
        : unfit(`The ${name} is not meant for this provider.`, `aud names neither the issuer nor the ${endpoint}`)
    })
    .rule(`${prefix}.jwt-expiry-present`, "RFC 7523 §3 (4)", ({ jwt }) =>
      jwt === undefined || Number.isFinite(jwt.claims["exp"]) ? pass : unfit(`The ${name} does not say when it ends.`, "no exp"),
    )
    .rule(`${prefix}.jwt-fresh`, "RFC 7523 §3 (4)", ({ jwt, now }) =>
      jwt === undefined || now < endOf(jwt) ? pass : unfit(`The ${name} has expired.`, "expired", errors.expired),
    )
    .rule(`${prefix}.jwt-expiry-near`, "RFC 7523 §3 (4)", ({ jwt, now }) => {
      const most = jwt?.issuer.maxLifetime ?? 3600
      return jwt === undefined || endOf(jwt) - now <= most
        ? pass
        : unfit(`The ${name} ends too far in the future.`, `exp is more than ${most} s ahead`)
    })
    .rule(`${prefix}.jwt-not-before`, "RFC 7523 §3 (5)", ({ jwt, now }) =>
      isNotAhead(jwt?.claims["nbf"], now) ? pass : unfit(`The ${name} is not valid yet.`, "nbf is in the future"),
    )
    .rule(`${prefix}.jwt-issued-at`, "RFC 7523 §3 (6)", ({ jwt, now }) =>
      isNotAhead(jwt?.claims["iat"], now) ? pass : unfit(`The ${name} was issued in the future.`, "iat is in the future"),
    )
    .establish<Telling>(`${prefix}.jwt-sign-in`, "OpenID Connect Core §2", ({ jwt, now, settings }) => {
      if (jwt === undefined) return prove({ signIn: undefined })
      const signIn = signInTold(jwt.claims, now, settings, jwt.issuer.acrValues)
      return signIn === undefined
        ? unfit(
            `The ${name} does not tell of a sign-in in a sound form.`,
            "auth_time is no time that has passed, acr no context of 1 to 200 printable ASCII characters, or amr no list of at most 20 methods of 1 to 50",
          )
        : prove({ signIn })
    })
}

const listed = (aud: unknown): ReadonlyArray<unknown> => (Array.isArray(aud) ? aud : [aud])

const isText = (value: Json | undefined): boolean => typeof value === "string" && value !== ""
