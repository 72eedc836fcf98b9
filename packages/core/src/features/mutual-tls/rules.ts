import { type Client, type JwkSet, type Refusal, refuse } from "../../model/index.ts"
import type { PresentedClient } from "../../rules/clientAuthentication.ts"
import { pass, prove, table } from "../../rules/rule.ts"
import type { PeerCertificate } from "../../wire/index.ts"
import type { Certificate } from "./certificate.ts"
import { readDistinguishedName, sameName } from "./distinguishedName.ts"
import { addressBytes } from "./ipAddress.ts"
import { sanDns, sanEmail, sanIp, sanUri, subjectDn } from "./metadata.ts"

/** Refuses without telling the client what is wrong, because the client could be somebody who guesses. */
const unproven = (reason: string): Refusal => refuse("invalid_client", "Client authentication failed.", reason)

interface Shown {
  readonly presented: Pick<PresentedClient, "bodyId">
  readonly shown: PeerCertificate | undefined
  readonly certificate: Certificate | undefined
}

/** Judges whether a client names itself, and presents a certificate at all (RFC 8705 §2). */
export const shownRules = table<Shown>("mutual-tls/shown")
  .rule("mutual-tls.client-id", "RFC 8705 §2", ({ presented: { bodyId } }) =>
    bodyId === undefined ? refuse("invalid_client", "The client_id is missing.", "the request names the client by other means") : pass,
  )
  .present("mutual-tls.certificate-shown", "RFC 8705 §2, §6.5", "shown", () =>
    refuse(
      "invalid_client",
      "The client must show a certificate.",
      "no certificate in the TLS connection, nor from a proxy that is believed",
    ),
  )
  .present("mutual-tls.certificate-legible", "RFC 5280 §4.1", "certificate", () => unproven("the certificate cannot be read"))

interface Verified {
  readonly shown: PeerCertificate
  readonly certificate: Certificate
  readonly client: Client
}

/**
 * Compares the registered name with those of the certificate. Returns the reason that they differ; undefined if they match (RFC 8705
 * §2.1.2).
 */
const nameFault = (client: Client, certificate: Certificate): string | undefined => {
  const [dn, dns, uri, ip, email] = [subjectDn.of(client), sanDns.of(client), sanUri.of(client), sanIp.of(client), sanEmail.of(client)]
  const same = (is: boolean, kind: string): string | undefined => (is ? undefined : `the certificate has not the registered ${kind}`)
  if (dn !== undefined) {
    const name = readDistinguishedName(dn)
    return same(name !== undefined && sameName(name, certificate.subject), "subject")
  }
  if (dns !== undefined)
    return same(
      certificate.dns.some((each) => each.toLowerCase() === dns.toLowerCase()),
      "DNS name",
    )
  if (uri !== undefined) return same(certificate.uris.includes(uri), "URI")
  if (ip !== undefined)
    return same(
      certificate.addresses.some((each) => each === addressBytes(ip)),
      "IP address",
    )
  if (email !== undefined)
    return same(
      certificate.emails.some((each) => sameMailbox(each, email)),
      "e-mail address",
    )
  return "no name of a certificate is registered for the client"
}

/** Compares e-mail addresses, whose host is case-insensitive and whose mailbox may be case-sensitive (RFC 5280 §7.5). */
const sameMailbox = (left: string, right: string): boolean => {
  const folded = (address: string): string => address.replace(/@[^@]*$/, (host) => host.toLowerCase())
  return folded(left) === folded(right)
}

/** Judges a certificate of a certification authority (RFC 8705 §2.1). */
export const authorityRules = table<Verified>("mutual-tls/authority")
  .rule("mutual-tls.chain-verified", "RFC 8705 §2.1, §7.4", ({ shown }) =>
    shown.verified ? pass : unproven("the chain of the certificate was not verified up to a configured authority"),
  )
  .rule("mutual-tls.name", "RFC 8705 §2.1.2, RFC 4514, RFC 5280 §4.2.1.6", ({ client, certificate }) => {
    const fault = nameFault(client, certificate)
    return fault === undefined ? pass : unproven(fault)
  })

interface Own extends Verified {
  readonly keys: JwkSet | undefined
  readonly isOwn: boolean
  /** The reason that there are no keys. */
  readonly reason: string
}

/** Judges a self-signed certificate of the client (RFC 8705 §2.2). */
export const ownRules = table<Own>("mutual-tls/own")
  .establish("mutual-tls.keys-known", "RFC 8705 §2.2.2", ({ keys, reason }) =>
    keys === undefined ? unproven(`the client's keys: ${reason}`) : prove({ keys }),
  )
  .rule("mutual-tls.own-certificate", "RFC 8705 §2.2", ({ isOwn }) =>
    isOwn ? pass : unproven("the certificate, or its key, is none of the client's jwks"),
  )
