import * as Effect from "effect/Effect"
import { type JwkSet, useOnce } from "../../model/index.ts"
import { mapped, onward, together } from "../../ports/steps.ts"
import { profileOf } from "../../rules/profile.ts"
import { toldAlgorithm } from "../../rules/toldAlgorithm.ts"
import type { Confirming, ForetellingRequest, Inquiry, ProvingRequest } from "../../settle/inquiry.ts"
import { refuseJson } from "../../settle/programs.ts"
import { digestOf, isUsed } from "../../settle/request.ts"
import { type Stage, Decided, row } from "../../settle/stage.ts"
import { publicUrls } from "../../settle/urls.ts"
import { jwtParts, readJwtPart } from "../../wire/index.ts"
import { bindingOf } from "./binding.ts"
import { foretoldRules } from "./foretold.ts"
import { boundTokens, noncesRequired, proofLifetime } from "./metadata.ts"
import { freshNonce, liveNonce } from "./nonce.ts"
import type { Side } from "./nonceText.ts"
import { proofAlgorithms, proofFacts, proofKeys, thumbprintText, useText, usedUntil } from "./proof.ts"
import { proofRules, signatureRules, timeRules, useRules } from "./rules.ts"

/** The header that carries a proof (RFC 9449 §4.1). */
export const proofHeader = "dpop"

/** The header that supplies a nonce (RFC 9449 §8.1). */
export const nonceHeader = "dpop-nonce"

type WithProof = ProvingRequest & { readonly sent: string }

const sideOf = ({ accessToken }: ProvingRequest): Side => (accessToken === undefined ? "token" : "resource")

const verified = (jwt: string, keys: JwkSet, alg: string, { ports: { jwts } }: Inquiry) =>
  mapped(jwts.verify(jwt, keys, [alg]), (verdict) => (verdict._tag === "Verified" ? undefined : verdict.reason))

/** Judges a proof (RFC 9449 §4.3): first the checks that cost nothing, then those that need computation, and the signature last. */
const judged = row<WithProof>(refuseJson)
  .read(({ sent, message: { method: answered, sentMethod: method = answered, path }, client }, inquiry) => {
    const { now, ports } = inquiry
    const addresses = publicUrls(path, inquiry)
    const profile = profileOf(client, ports.settings)
    const alg = toldAlgorithm(readJwtPart(jwtParts(sent)[0])?.["alg"])
    return { method, addresses, now, profile, about: { facts: proofFacts({ alg, htm: method, htu: addresses.join(" ") }) } }
  })
  .judge(proofRules)
  .read((s, inquiry) => {
    const { now, ports } = inquiry
    const side = sideOf(s)
    const nonceRequired = noncesRequired.of(ports.settings)
    const reads = together({
      // Asked for each time: a thumbprint from an earlier request would be missing in the record of this one, which could not be replayed.
      jkt: digestOf(ports, thumbprintText(s.key)),
      ath: s.accessToken === undefined ? undefined : digestOf(ports, s.accessToken),
      nonce: nonceRequired ? liveNonce(s.claims["nonce"], side, inquiry) : undefined,
      fresh: nonceRequired ? freshNonce(side, inquiry) : undefined,
    })
    return mapped(reads, ({ jkt, ath, nonce, fresh }) => {
      const window = proofLifetime.of(ports.settings)
      const facts = proofFacts({ jkt, ath, age: now - s.iat, window })
      const headers = fresh === undefined ? [] : [[nonceHeader, fresh] as const]
      return { jkt, ath, nonce, nonceRequired, window, headers, about: { facts } }
    })
  })
  .judge(timeRules)
  .read(({ sent, header, key, alg, jkt, jti }, inquiry) => {
    const use = onward(digestOf(inquiry.ports, useText(jkt, jti)), (useKey) =>
      mapped(isUsed(useKey, inquiry), (used) => ({ useKey, used })),
    )
    return mapped(
      together({ unverified: verified(sent, proofKeys(key, header["kid"]), alg, inquiry), use }),
      ({ unverified, use: found }) => ({
        ...found,
        unverified,
      }),
    )
  })
  .judge(signatureRules)
  .judge(useRules)
  .read(({ jkt, iat, nonce, window, useKey, now }) => ({
    confirmation: { jkt },
    spent: [useOnce(useKey, now, usedUntil(iat, window, nonce?.until))],
  }))

const prove: Confirming["prove"] = {
  tables: judged.tables,
  run: (request, inquiry) => {
    const sent = request.message.headers[proofHeader]
    return sent === undefined ? Effect.succeed({}) : judged.run({ ...request, sent }, inquiry)
  },
}

/** Reads the key that an authorization request names, and the key that it proves if its client sends it directly. */
const named = row<ForetellingRequest>(refuseJson)
  .read(({ params, message, client }, inquiry) => {
    const jkt = params.one("dpop_jkt")
    if (message === undefined) return { jkt, proved: undefined }
    return mapped(prove.run({ message, client, accessToken: undefined }, inquiry), (end) => {
      if (end instanceof Decided) return end
      const { confirmation } = end
      return { jkt, proved: confirmation !== undefined && "jkt" in confirmation ? confirmation.jkt : undefined }
    })
  })
  .judge(foretoldRules)
  .read(({ jkt, proved = jkt }) => (proved === undefined ? {} : { confirmation: { jkt: proved }, kept: [["dpop_jkt", proved] as const] }))

const foretell: NonNullable<Confirming["foretell"]> = named satisfies Stage<ForetellingRequest, object>

/** Binds tokens to the keys whose possession requests prove (RFC 9449). */
export const byProof: Confirming = {
  scheme: "DPoP",
  challenge: `algs="${proofAlgorithms.join(" ")}"`,
  isRequired: boundTokens.of,
  binds: bindingOf,
  prove,
  foretell,
}
