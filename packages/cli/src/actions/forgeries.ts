/** The certificate of RFC 8705 appendix A. Its private key is not needed. */
const certificate =
  "MIIBBjCBrAIBAjAKBggqhkjOPQQDAjAPMQ0wCwYDVQQDDARtdGxzMB4XDTE4MTAxODEyMzcwOVoXDTIyMDUwMjEyMzcwOVowDzENMAsGA1UEAwwEbXRsczBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABNcnyxwqV6hY8QnhxxzFQ03C7HKW9OylMbnQZjjJ/Au08/coZwxS7LfA4vOLS9WuneIXhbGGWvsDSb0tH6IxLm8wCgYIKoZIzj0EAwIDSQAwRgIhAP0RC1E+vwJD/D1AGHGzuri+hlV/PpQEKTWUVeORWz83AiEA5x2eXZOVbUlJSGQgjwD5vaUaKlLR50Q2DmFfQj1L+SY="

/** The SHA-256 thumbprint of the certificate, base64url-encoded. */
export const forgedThumbprint = "A4DtL2JmUMhAsvJj5tKyn64SqzmuXbMrJa0n761y5v0"

/** A documentation address (RFC 5737 §3), which is never assigned. */
export const forgedAddress = "192.0.2.66"

const pem = encodeURIComponent(`-----BEGIN CERTIFICATE-----\n${certificate}\n-----END CERTIFICATE-----\n`)

/** Forged header fields, by the format in which a proxy writes them. */
const forms: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "client-cert": { "client-cert": `:${certificate}:`, "client-cert-chain": `:${certificate}:` },
  nginx: { "x-ssl-client-cert": pem, "x-ssl-client-verify": "SUCCESS" },
  envoy: { "x-forwarded-client-cert": `Hash=${Buffer.from(forgedThumbprint, "base64url").toString("hex")};Cert="${pem}"` },
  // HAProxy itself writes 0 if the client sends no certificate, so a forged 0 would be indistinguishable from its own.
  haproxy: { "x-ssl-client-cert": certificate, "x-ssl-client-verify": "forged" },
  alb: { "x-amzn-mtls-clientcert": pem, "x-amzn-mtls-clientcert-leaf": pem },
  address: { "x-forwarded-for": forgedAddress, forwarded: `for=${forgedAddress}` },
}

/** A request with forged header fields of one format. */
export interface Forgery {
  readonly form: string
  readonly fields: Readonly<Record<string, string>>
}

/**
 * The requests to send: each field of each format alone, then all fields of a format together. A proxy may handle some of them but not
 * others.
 */
export const forgeries: ReadonlyArray<Forgery> = Object.entries(forms).flatMap(([form, fields]) => [
  ...Object.entries(fields).map(([name, value]) => ({ form, fields: { [name]: value } })),
  ...(Object.keys(fields).length === 1 ? [] : [{ form, fields }]),
])
