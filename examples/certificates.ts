/**
 * A feature that adds a way of client authentication: clients show the certificate that they are registered with, in the TLS connection itself. It is in discovery,
 * in registration and at every endpoint that clients authenticate at, without a line elsewhere.
 */
import type { AnyFeature, PeerCertificate } from "@postern/core"
import {
  type ClientAuthentication,
  type Fault,
  type PresentedRequest,
  type Registration,
  defineFeature,
  member,
  pass,
  refuse,
  refuseJson,
  row,
  table,
  values,
} from "@postern/core/features"

/** The certificate of a client, as base64url of its DER form. */
const registered = member("registered_certificate", values.text, "", "The client's certificate, DER-encoded, as base64url. Default: none.")

/** The text of a certificate. */
export const textOf = (certificate: PeerCertificate | undefined): string | undefined =>
  certificate && Buffer.from(certificate.der).toString("base64url")

interface Shown {
  /** The certificate that the request came with. */
  readonly shown: string | undefined
  /** The certificate of the client. */
  readonly own: string
}

const rules = table<Shown>("certificates")
  .present("certificates.shown", "RFC 8705 §2", "shown", () => refuse("invalid_client", "A certificate is needed."))
  .rule("certificates.own", "RFC 8705 §2.2", ({ shown, own }) =>
    shown === own ? pass : refuse("invalid_client", "Client authentication failed.", "the certificate is not the client's"),
  )

const byCertificate: ClientAuthentication = {
  method: "certificate",
  prove: row<PresentedRequest & { readonly client: Parameters<typeof registered.of>[0] }>(refuseJson)
    .read(({ message, client }) => ({ shown: textOf(message.peerCertificate), own: registered.of(client) }))
    .judge(rules),
}

const registration = table<Registration, Fault>("registration/certificates").rule("registration.certificate", "RFC 8705 §2.2.2", (s) =>
  s.client.token_endpoint_auth_method !== "certificate" || registered.of(s) !== ""
    ? pass
    : { path: ["registered_certificate"], reason: "is missing", hint: "give the client's certificate" },
)

/** The feature. */
export const certificates: AnyFeature = defineFeature({
  name: "certificates",
  clientAuthentication: [byCertificate],
  clientMetadata: [registered],
  registration,
})
