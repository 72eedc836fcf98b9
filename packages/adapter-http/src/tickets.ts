import { hkdfSync, randomBytes, X509Certificate } from "node:crypto"

/**
 * The secret from which keys of TLS session tickets (RFC 8446 §4.6.1) are derived, in the period it is of. Servers that begin with the same one
 * resume each other's sessions.
 */
export interface TicketSecret {
  /** The period, counted from 1970. */
  readonly period: number
  /** 32 random bytes, in base64url. */
  readonly secret: string
}

/** Seconds for which a session can be resumed: a client that asks for a token each hour resumes. */
export const sessionLifetime = 7200

/** Milliseconds after which tickets have other keys. Whoever learns a key can read resumed TLS 1.2 connections of its period (RFC 5077 §5.5). */
const period = 12 * 3_600_000

/** Draws a secret. */
export const newTicketSecret = (now: number): TicketSecret => ({
  period: Math.floor(now / period),
  secret: randomBytes(32).toString("base64url"),
})

/** Derives the secret of the period that a time is in. No earlier one can be computed from it. */
export const ticketSecretAt = ({ period: from, secret }: TicketSecret, now: number): TicketSecret => {
  const until = Math.max(from, Math.floor(now / period))
  let next = secret
  for (let at = from; at < until; at++) next = derived(next, "next", 32).toString("base64url")
  return { period: until, secret: next }
}

/**
 * Derives the keys of tickets for a certificate, in PEM. One with the same names has the same keys, so that sessions outlive its renewal; one with
 * other names has others, since a client that resumes does not see the certificate (RFC 8446 §2.2).
 */
export const ticketKeys = ({ secret }: TicketSecret, certificate: string): Buffer => derived(secret, `keys for ${namesOf(certificate)}`, 48)

const namesOf = (certificate: string): string => {
  const { subject, subjectAltName } = new X509Certificate(certificate)
  return (subjectAltName ?? subject).split(", ").sort().join(", ")
}

const derived = (secret: string, use: string, length: number): Buffer =>
  Buffer.from(hkdfSync("sha256", Buffer.from(secret, "base64url"), "", `postern TLS tickets: ${use}`, length))
