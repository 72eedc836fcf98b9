import { certificateBound, flagMember, optionalMember, values } from "../../model/index.ts"

/** The subject of a client's certificate (RFC 8705 §2.1.2). */
export const subjectDn = optionalMember(
  "tls_client_auth_subject_dn",
  values.text,
  "The subject of its certificate, as RFC 4514 writes it, for tls_client_auth.",
)

/** A DNS name of a client's certificate (RFC 8705 §2.1.2). */
export const sanDns = optionalMember("tls_client_auth_san_dns", values.text, "A DNS name of its certificate, for tls_client_auth.")

/** A URI of a client's certificate (RFC 8705 §2.1.2). */
export const sanUri = optionalMember("tls_client_auth_san_uri", values.text, "A URI of its certificate, for tls_client_auth.")

/** An IP address of a client's certificate (RFC 8705 §2.1.2). */
export const sanIp = optionalMember("tls_client_auth_san_ip", values.text, "An IP address of its certificate, for tls_client_auth.")

/** An e-mail address of a client's certificate (RFC 8705 §2.1.2). */
export const sanEmail = optionalMember(
  "tls_client_auth_san_email",
  values.text,
  "An e-mail address of its certificate, for tls_client_auth.",
)

/** The names of a client's certificate, of which a client registers one. */
export const certificateNames = [subjectDn, sanDns, sanUri, sanIp, sanEmail] as const

/** Binds all access tokens of a client to its certificate (RFC 8705 §3.4). */
export const boundTokens = flagMember(certificateBound[1], "Binds its access tokens to its TLS certificate (RFC 8705). Default: false.")

/** The base of the URLs at which clients present certificates (RFC 8705 §5); undefined if they cannot. */
export const mutualTlsUrl = optionalMember(
  "mutual_tls_url",
  values.matching(/^https:\/\/[^\s\p{Cc}?#/]+(?:\/[^\s\p{Cc}?#]*[^\s\p{Cc}?#/])?$/u, "an https URL without query and last slash", 1000),
  "URL of the host that asks clients for TLS certificates, with the issuer's path; the issuer itself where that host does. Default: no mutual TLS.",
)
