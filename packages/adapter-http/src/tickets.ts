import { hkdfSync, randomBytes, X509Certificate } from "node:crypto"

/**
 * The secret from which the keys of TLS session tickets (RFC 8446 §4.6.1) are derived, in one period. Servers that start with the same
 * secret resume each other's sessions.
 */
export interface TicketSecret {
  /** The number of the period since 1970. */
  readonly period: number
  /** 32 random bytes, in base64url. */
  readonly secret: string
}

/** The number of seconds for which a session can be resumed, so that a client that requests a token every hour resumes. */
export const sessionLifetime = 7200

/**
 * The milliseconds after which ticket keys are rotated. An attacker with a key can read resumed TLS 1.2 connections of its period (RFC 5077
 * §5.5).
 */
const period = 12 * 3_600_000

/** Generates a random secret. */
export const newTicketSecret = (now: number): TicketSecret => ({
  period: Math.floor(now / period),
  secret: randomBytes(32).toString("base64url"),
})

/** Derives the secret of the period that contains a time. Earlier secrets cannot be computed from it. */
export const ticketSecretAt = ({ period: from, secret }: TicketSecret, now: number): TicketSecret => {
  const until = Math.max(from, Math.floor(now / period))
  let next = secret
  for (let at = from; at < until; at++) next = derived(next, "next", 32).toString("base64url")
  return { period: until, secret: next }
}

/**
 * Derives the ticket keys for a certificate, in PEM. A certificate with the same names has the same keys, so that sessions survive its
 * renewal. One with other names has different keys, because a resuming client does not see the certificate (RFC 8446 §2.2).
 */
export const ticketKeys = ({ secret }: TicketSecret, certificate: string): Buffer => derived(secret, `keys for ${namesOf(certificate)}`, 48)

const namesOf = (certificate: string): string => {
  const { subject, subjectAltName } = new X509Certificate(certificate)
  return (subjectAltName ?? subject).split(", ").sort().join(", ")
}

const derived = (secret: string, use: string, length: number): Buffer =>
  Buffer.from(hkdfSync("sha256", Buffer.from(secret, "base64url"), "", `postern TLS tickets: ${use}`, length))
