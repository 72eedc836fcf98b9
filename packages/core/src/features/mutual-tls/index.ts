import * as Effect from "effect/Effect"
import type { Client, JsonObject, JwkSet, Settings } from "../../model/index.ts"
import { mapped, onward } from "../../ports/steps.ts"
import { profileOf } from "../../rules/profile.ts"
import { unchallenged } from "../../settle/client.ts"
import type { ClientAuthentication, Confirming, PresentedRequest, ProvingRequest } from "../../settle/inquiry.ts"
import { refuseJson } from "../../settle/programs.ts"
import { keysOf } from "../../settle/remote.ts"
import type { Inquiry } from "../../settle/request.ts"
import { row } from "../../settle/stage.ts"
import { type PeerCertificate, encodeBase64Url } from "../../wire/index.ts"
import { type Certificate, readCertificate } from "./certificate.ts"
import { boundTokens, mutualTlsUrl } from "./metadata.ts"
import { authorityRules, ownRules, shownRules } from "./rules.ts"

interface Known extends PresentedRequest {
  readonly client: Client
}

const isOffered = (settings: Settings): boolean => mutualTlsUrl.of(settings) !== undefined

/** The certificate of the connection, as presented and as parsed. */
const shownBy = ({ message: { peerCertificate } }: PresentedRequest) => ({
  shown: peerCertificate,
  certificate: peerCertificate && readCertificate(peerCertificate.der),
})

/** Authentication by a certificate of a certification authority that contains a registered name (RFC 8705 §2.1). */
const tlsClientAuth: ClientAuthentication = {
  method: "tls_client_auth",
  isOffered,
  prove: row<Known>(unchallenged).read(shownBy).judge(shownRules).judge(authorityRules),
}

/** Authentication by a self-signed certificate, which the client's keys contain (RFC 8705 §2.2). */
const selfSignedTlsClientAuth: ClientAuthentication = {
  method: "self_signed_tls_client_auth",
  isOffered,
  prove: row<Known>(unchallenged)
    .read(shownBy)
    .judge(shownRules)
    .read(({ client, shown, certificate }, inquiry) => ownership(client, shown, certificate, inquiry))
    .judge(ownRules),
}

/** Every method of client authentication by a certificate. */
export const clientAuthentication: ReadonlyArray<ClientAuthentication> = [tlsClientAuth, selfSignedTlsClientAuth]

/** Reports whether a key of a set is that of a certificate, or contains the certificate itself (RFC 8705 §2.2.2). */
const holds = (key: JsonObject, der: string, { key: own }: Certificate): boolean => {
  const { x5c, use } = key
  if (use !== undefined && use !== "sig") return false
  const [first] = Array.isArray(x5c) ? x5c : []
  // A key with certificates stands for those certificates (RFC 8705 §2.2.2), which are in base64 with padding (RFC 7517 §4.7).
  if (typeof first === "string") return first.replace(/=+$/, "").replaceAll("+", "-").replaceAll("/", "_") === der
  return own !== undefined && Object.entries(own).every(([name, value]) => key[name] === value)
}

/** Looks for a certificate in the client's keys. A set without it is fetched once more. */
const ownership = (client: Client, { der }: PeerCertificate, certificate: Certificate, inquiry: Inquiry) => {
  const text = encodeBase64Url(der)
  const isIn = (keys: JwkSet | undefined): boolean => keys?.keys.some((key) => holds(key, text, certificate)) === true
  return onward(keysOf(client.keys, false, inquiry), ({ keys, reason }) => {
    const found = { keys, reason, isOwn: isIn(keys) }
    if (found.isOwn || keys === undefined || client.keys.jwksUri === undefined) return Effect.succeed(found)
    return mapped(keysOf(client.keys, true, inquiry), (again) => ({
      keys: again.keys ?? keys,
      reason: again.reason,
      isOwn: isIn(again.keys),
    }))
  })
}

/**
 * Reports whether a client's tokens are bound to the certificate that its requests present, because the client requires it or its profile
 * requires some binding.
 */
const isBound = (client: Client, settings: Settings): boolean =>
  boundTokens.of(client) || profileOf(client, settings).parameters.senderConstraint !== "by-client"

/**
 * Binds tokens to the certificate of the connection (RFC 8705 §3), for clients that require it. For a presented access token the
 * certificate is always read.
 */
export const byCertificate: Confirming = {
  isRequired: boundTokens.of,
  prove: row<ProvingRequest>(refuseJson).read(({ message: { peerCertificate }, client, accessToken }, { ports }) =>
    peerCertificate === undefined || (accessToken === undefined && !isBound(client, ports.settings))
      ? Effect.succeed({ confirmation: undefined })
      : mapped(ports.digest.sha256(peerCertificate.der), (digest) => ({ confirmation: { "x5t#S256": digest } })),
  ),
}
