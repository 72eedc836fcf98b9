import {
  type Client,
  type Instant,
  type Json,
  type JsonObject,
  type Settings,
  clockTolerance,
  peerAlgorithms,
  refuse,
  useOnce,
  usedUntilEnd,
} from "../../model/index.ts"
import type { JwtVerdict } from "../../ports/index.ts"
import { mapped, onward, together } from "../../ports/steps.ts"
import { isNotAhead } from "../../rules/ahead.ts"
import { shownNames } from "../../rules/form.ts"
import { allows, profileOf } from "../../rules/profile.ts"
import { isRequestType } from "../authorize/index.ts"
import { pass, prove, table } from "../../rules/rule.ts"
import { toldAlgorithm } from "../../rules/toldAlgorithm.ts"
import { besideSigned, pairsIn } from "../../rules/signedRequest.ts"
import { refuseJson } from "../../settle/programs.ts"
import { verifyBy } from "../../settle/remote.ts"
import { digestOf, isUsed } from "../../settle/request.ts"
import { row } from "../../settle/stage.ts"
import { type Params, jwtParts, paramsOf, readJwtPart } from "../../wire/index.ts"
import { requestSigningAlg } from "./metadata.ts"

/** An authentication request of an authenticated client. */
export interface Carried {
  readonly params: Params
  readonly client: Client
  readonly settings: Settings
  readonly now: Instant
}

interface SignedSeen extends Carried {
  /** The header of the JWT; undefined if there is none. */
  readonly header: JsonObject | undefined
}

/** The longest time between the nbf and the exp of a signed request (FAPI-CIBA §5.2.2). */
const longestLife = 3600

const bad = (reason: string) => refuse("invalid_request", "The signed request is not valid.", reason)

/** Judges how a signed request is carried (CIBA Core §7.1.1). */
const carriedRules = table<SignedSeen>("backchannel-authentication/signed")
  .rule("ciba-request.alone", "CIBA Core §7.1.1", ({ params }) => {
    const more = params.pairs.map(([name]) => name).filter((name) => !besideSigned.has(name))
    return more.length === 0
      ? pass
      : refuse("invalid_request", "A signed request must carry all parameters itself.", `stands beside it: ${shownNames(more)}`)
  })
  .establish("ciba-request.form", "RFC 7515 §7.1", ({ header }) =>
    header === undefined ? bad("no JWS in compact form") : prove({ header }),
  )
  .rule("ciba-request.type", "RFC 8725 §3.11, §3.12", ({ header }) =>
    isRequestType(header["typ"]) ? pass : bad("its typ is not oauth-authz-req+jwt or JWT: made for something else"),
  )
  .establish("ciba-request.algorithm", "CIBA Core §4, §7.1.1, RFC 8725 §3.1", ({ header, client, settings }) => {
    const { alg } = header
    const registered = requestSigningAlg.of(client)
    const { name, parameters } = profileOf(client, settings)
    if (typeof alg !== "string" || !allows(peerAlgorithms, alg) || (registered !== undefined && alg !== registered))
      return bad("its alg is not the backchannel_authentication_request_signing_alg of the client, or none that is known")
    return allows(parameters.algorithms, alg) ? prove({ alg }) : bad(`its alg is not one of the profile ${name}`)
  })

interface VerifiedSeen extends Carried {
  readonly verdict: JwtVerdict
  readonly useKey: string | undefined
  /** True if its `jti` was used before. */
  readonly used: boolean
}

const isNumber = (value: Json | undefined): value is number => typeof value === "number"

/** Judges the claims that a signed request makes about itself (CIBA Core §7.1.1). */
export const verifiedRules = table<VerifiedSeen>("backchannel-authentication/verified")
  .establish("ciba-request.signature", "CIBA Core §7.1.1", ({ verdict }) =>
    verdict._tag === "Verified" ? prove({ claims: verdict.claims }) : bad(verdict.reason),
  )
  .rule("ciba-request.issuer", "CIBA Core §7.1.1", ({ claims, client }) =>
    claims["iss"] === client.clientId && (claims["client_id"] ?? client.clientId) === client.clientId
      ? pass
      : bad("its iss, or a client_id beside that, is another client's"),
  )
  .rule("ciba-request.nested", "RFC 9101 §4", ({ claims }) =>
    claims["request"] === undefined && claims["request_uri"] === undefined ? pass : bad("it carries request or request_uri itself"),
  )
  .rule("ciba-request.audience", "CIBA Core §7.1.1", ({ claims: { aud }, settings: { issuer } }) =>
    aud === issuer || (Array.isArray(aud) && aud.includes(issuer)) ? pass : bad("its aud is not our issuer"),
  )
  .rule("ciba-request.times", "CIBA Core §7.1.1, FAPI-CIBA §5.2.2", ({ claims: { exp, iat, nbf }, now }) => {
    if (!isNumber(exp) || !isNumber(iat) || !isNumber(nbf)) return bad("it needs exp, iat and nbf, each a number")
    if (now >= exp) return bad(`expired ${now - exp} s ago`)
    if (!isNotAhead(nbf, now) || !isNotAhead(iat, now)) return bad(`its nbf or iat is more than ${clockTolerance} s ahead of our clock`)
    return exp - nbf <= longestLife && now - nbf <= longestLife ? pass : bad(`it lives longer than ${longestLife} s`)
  })
  .establish("ciba-request.jti", "CIBA Core §7.1.1", ({ useKey, used }) =>
    useKey === undefined || used ? bad(used ? "its jti was used before" : "it has no jti of at most 256 characters") : prove({ useKey }),
  )

/** The parameters in the claims of a signed request. `requested_expiry` may be a number (CIBA Core §7.1.1). */
export const paramsIn = (claims: JsonObject): Params => paramsOf(pairsIn(claims, (name) => name === "resource"))

/** Opens a signed request, whose claims replace the form that carried it (CIBA Core §7.1.1). It can be used once. */
export const signedRequest = row<Carried>(refuseJson)
  .read(({ params }) => {
    const jwt = params.one("request") ?? ""
    const parts = jwtParts(jwt)
    const header = parts.length === 3 ? readJwtPart(parts[0]) : undefined
    return {
      about: { facts: { "backchannel request": toldAlgorithm(header?.["alg"]) } },
      jwt,
      header,
      inner: parts.length === 3 ? readJwtPart(parts[1]) : undefined,
    }
  })
  .judge(carriedRules)
  .read(({ jwt, alg, client, inner }, inquiry) => {
    const jti = inner?.["jti"]
    const key =
      typeof jti === "string" && jti !== "" && jti.length <= 256
        ? digestOf(inquiry.ports, `postern ciba request ${JSON.stringify([client.clientId, jti])}`)
        : undefined
    const use = key && onward(key, (useKey) => mapped(isUsed(useKey, inquiry), (used) => ({ useKey, used })))
    return mapped(together({ verdict: verifyBy(jwt, client.keys, [alg], inquiry), use }), ({ verdict, use: found }) => ({
      verdict,
      useKey: found?.useKey,
      used: found?.used === true,
    }))
  })
  .judge(verifiedRules)
  .read(({ claims, useKey, now }) => {
    const { exp } = claims
    return { params: paramsIn(claims), spent: [useOnce(useKey, now, usedUntilEnd(isNumber(exp) ? exp : now))] }
  })
