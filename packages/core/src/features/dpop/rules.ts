import {
  type Instant,
  type JsonObject,
  type ProfileParameters,
  type Refusal,
  type Seconds,
  privateMember,
  refuse,
  isJsonObject,
} from "../../model/index.ts"
import { allows } from "../../rules/profile.ts"
import { pass, prove, table } from "../../rules/rule.ts"
import { readJwt } from "../../wire/index.ts"
import type { LiveNonce } from "./nonceText.ts"
import { ahead, farAhead, longestJti, longestProof, normalAddress, proofAlgorithms, publicKey } from "./proof.ts"

/** Refuses a proof (RFC 9449 §5). The sender made the proof, so the response may say what is wrong with it. */
const refuseProof = (description: string, reason = description): Refusal => refuse("invalid_dpop_proof", description, reason)

/** A proof as it was sent, and the request that it was sent with. */
export interface SentSeen {
  /** The value of the header. */
  readonly sent: string
  readonly method: string
  /**
   * The public URLs of the request's path: the issuer's, and its alias for certificates. They never depend on the host that a proxy or a
   * sender states.
   */
  readonly addresses: ReadonlyArray<string>
  readonly now: Instant
  /** The profile that applies to the client, or that the resource server applies to all clients. */
  readonly profile: { readonly name: string; readonly parameters: Pick<ProfileParameters, "algorithms"> }
}

const text = (claims: JsonObject, name: string): string | undefined => {
  const value = claims[name]
  return typeof value === "string" && value !== "" ? value : undefined
}

const moment = (claims: JsonObject, name: string): number | undefined => {
  const value = claims[name]
  return typeof value === "number" ? value : undefined
}

/** Judges the form and the content of a proof before anything is computed (RFC 9449 §4.2, §4.3). */
export const proofRules = table<SentSeen>("dpop/proof")
  .rule("dpop.length", "RFC 9110 §5.4", ({ sent }) =>
    sent.length <= longestProof ? pass : refuseProof("The DPoP proof is too long.", `longer than ${longestProof} characters`),
  )
  .rule("dpop.once", "RFC 9449 §4.3 (1)", ({ sent }) =>
    sent.includes(",") ? refuseProof("There must be one DPoP header, with one proof.", "several headers, or a list of proofs") : pass,
  )
  .establish("dpop.jwt", "RFC 9449 §4.3 (2)", ({ sent }) => {
    const proof = readJwt(sent)
    return proof === undefined ? refuseProof("The DPoP proof is not a JWT.", "no signed JWT in compact form") : prove(proof)
  })
  .rule("dpop.type", "RFC 9449 §4.3 (4), RFC 7515 §4.1.9", ({ header }) =>
    ["dpop+jwt", "application/dpop+jwt"].includes(text(header, "typ")?.toLowerCase() ?? "")
      ? pass
      : refuseProof("The typ of the DPoP proof is not dpop+jwt."),
  )
  .establish("dpop.algorithm", "RFC 9449 §4.3 (5)", ({ header }) => {
    const alg = proofAlgorithms.find((each) => each === header["alg"])
    return alg === undefined
      ? refuseProof("The alg of the DPoP proof is not supported.", `none of: ${proofAlgorithms.join(" ")}`)
      : prove({ alg })
  })
  .rule("dpop.algorithm-profile", "FAPI 2.0 Security Profile §5.4.1 (1)", ({ alg, profile: { name, parameters } }) =>
    allows(parameters.algorithms, alg)
      ? pass
      : refuseProof(
          "The alg of the DPoP proof is not allowed for this client.",
          `the client is held to the profile ${name}, which refuses ${alg}`,
        ),
  )
  .rule("dpop.key-public", "RFC 9449 §4.3 (7)", ({ header: { jwk } }) =>
    isJsonObject(jwk) && privateMember(jwk) !== undefined
      ? refuseProof("The jwk of the DPoP proof is a private or a symmetric key.", "it must be replaced: everybody on the way has seen it")
      : pass,
  )
  .establish("dpop.key", "RFC 9449 §4.2, RFC 7638 §3.2", ({ header, alg }) => {
    const key = publicKey(header["jwk"], alg)
    return key === undefined
      ? refuseProof(
          "The jwk of the DPoP proof is not a key for its alg.",
          "missing, of another kind or spelling, or no RSA key of 2048 to 4096 bits",
        )
      : prove({ key })
  })
  .establish("dpop.claims", "RFC 9449 §4.3 (3)", ({ claims }) => {
    const [jti, htm, htu, iat] = [text(claims, "jti"), text(claims, "htm"), text(claims, "htu"), moment(claims, "iat")]
    return jti === undefined || htm === undefined || htu === undefined || iat === undefined
      ? refuseProof("The DPoP proof lacks a claim.", "jti, htm and htu must be texts, and iat a number")
      : prove({ jti, htm, htu, iat })
  })
  .rule("dpop.jti-length", "RFC 9449 §11.1", ({ jti }) =>
    jti.length <= longestJti ? pass : refuseProof("The jti of the DPoP proof is too long.", `longer than ${longestJti} characters`),
  )
  .rule("dpop.method", "RFC 9449 §4.3 (8)", ({ htm, method }) =>
    htm === method ? pass : refuseProof("The htm of the DPoP proof is not the method of the request.", `not ${method}`),
  )
  .rule("dpop.address", "RFC 9449 §4.3 (9), RFC 3986 §6.2.2, RFC 8705 §5", ({ htu, addresses }) => {
    if (addresses.includes(htu)) return pass
    const normal = normalAddress(htu)
    return normal !== undefined && addresses.some((each) => normalAddress(each) === normal)
      ? pass
      : refuseProof(
          "The htu of the DPoP proof is not the URL of the request.",
          `not ${addresses.join(" nor ")}, without query and fragment`,
        )
  })
  .rule("dpop.validity", "RFC 7519 §4.1.4, §4.1.5", ({ claims: { nbf, exp }, now }) =>
    (nbf === undefined || (typeof nbf === "number" && nbf <= now + ahead)) && (exp === undefined || (typeof exp === "number" && now < exp))
      ? pass
      : refuseProof("The DPoP proof is not valid now.", "its nbf lies ahead, or its exp behind"),
  )

/** The time of a proof, and the access token that it was made for. */
export interface TimedSeen {
  readonly iat: number
  readonly claims: JsonObject
  readonly now: Instant
  /** The seconds for which a proof is accepted. */
  readonly window: Seconds
  readonly nonceRequired: boolean
  /** The nonce of the proof, if it is from this server and still valid. */
  readonly nonce: LiveNonce | undefined
  /** The hash of the access token that the request presents; undefined if it presents none. */
  readonly ath: string | undefined
}

/** Judges the nonce, the time and the access token of a proof (RFC 9449 §4.3, §8, §9). */
export const timeRules = table<TimedSeen>("dpop/time")
  .rule("dpop.nonce", "RFC 9449 §4.3 (10), §8, §9, §11.3", ({ nonceRequired, nonce, claims }) =>
    !nonceRequired || nonce !== undefined
      ? pass
      : {
          ...refuse(
            "use_dpop_nonce",
            "The DPoP proof needs a nonce of the server.",
            claims["nonce"] === undefined ? "it has none" : "its nonce is not one of ours for this side, or is no longer good",
          ),
          unspent: true,
        },
  )
  .rule("dpop.fresh", "RFC 9449 §4.3 (11), §11.1", ({ iat, now, window, nonce }) => {
    const age = now - iat
    // A nonce is a better proof of the time than the client's clock.
    const isFresh = nonce === undefined ? age <= window && age >= -ahead : age >= -farAhead
    return isFresh ? pass : refuseProof("The iat of the DPoP proof is not a time near now.", `made ${age} s ago, for ${window} s`)
  })
  .rule("dpop.access-token", "RFC 9449 §4.3 (12)", ({ ath, claims }) =>
    ath === undefined || claims["ath"] === ath ? pass : refuseProof("The ath of the DPoP proof is not the hash of the access token."),
  )

/** The signature of a proof. */
export interface SignedSeen {
  /** The reason that its signature was not made by its key; undefined if it was. */
  readonly unverified: string | undefined
}

/** Judges the signature of a proof after all cheaper checks have passed (RFC 9449 §4.3). */
export const signatureRules = table<SignedSeen>("dpop/signature").rule("dpop.signature", "RFC 9449 §4.3 (6)", ({ unverified }) =>
  unverified === undefined ? pass : refuseProof("The signature of the DPoP proof is not of its jwk.", unverified),
)

/** The use of a proof. */
export interface UsedSeen {
  /** True if a proof of this key with this jti was used before. */
  readonly used: boolean
}

/**
 * Judges whether a valid proof is used again. The table is separate because a resource server learns this only when it claims the use
 * (RFC 9449 §11.1).
 */
export const useRules = table<UsedSeen>("dpop/use").rule("dpop.unused", "RFC 9449 §11.1", ({ used }) =>
  used ? refuseProof("The DPoP proof was used before.", "a proof of this key with this jti") : pass,
)
