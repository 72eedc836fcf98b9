import { createHash } from "node:crypto"
import type { ProxyReport } from "@postern/adapter-http"
import { promised } from "../action.ts"
import { failed, misused, unreachable } from "../failure.ts"
import { say, sayJson } from "../terminal/output.ts"

/** The parameters of `postern proxy-check`. */
export interface ProxyCheckCall {
  readonly url: string
  readonly json: boolean
}

/** A certificate whose key nobody has to have: that of RFC 8705 appendix A. */
const certificate =
  "MIIBBjCBrAIBAjAKBggqhkjOPQQDAjAPMQ0wCwYDVQQDDARtdGxzMB4XDTE4MTAxODEyMzcwOVoXDTIyMDUwMjEyMzcwOVowDzENMAsGA1UEAwwEbXRsczBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABNcnyxwqV6hY8QnhxxzFQ03C7HKW9OylMbnQZjjJ/Au08/coZwxS7LfA4vOLS9WuneIXhbGGWvsDSb0tH6IxLm8wCgYIKoZIzj0EAwIDSQAwRgIhAP0RC1E+vwJD/D1AGHGzuri+hlV/PpQEKTWUVeORWz83AiEA5x2eXZOVbUlJSGQgjwD5vaUaKlLR50Q2DmFfQj1L+SY="
const thumbprint = "A4DtL2JmUMhAsvJj5tKyn64SqzmuXbMrJa0n761y5v0"
const pem = encodeURIComponent(`-----BEGIN CERTIFICATE-----\n${certificate}\n-----END CERTIFICATE-----\n`)
/** An address of documentation (RFC 5737 §3), which nobody has. */
const address = "192.0.2.66"

/** Forged values by the fields that they are sent in. nginx and HAProxy share a field, and are sent one after the other. */
const forgeries: ReadonlyArray<Readonly<Record<string, string>>> = [
  {
    "client-cert": `:${certificate}:`,
    "client-cert-chain": `:${certificate}:`,
    "x-ssl-client-cert": pem,
    "x-ssl-client-verify": "SUCCESS",
    "x-forwarded-client-cert": `Hash=${Buffer.from(thumbprint, "base64url").toString("hex")};Cert="${pem}"`,
    "x-amzn-mtls-clientcert": pem,
    "x-amzn-mtls-clientcert-leaf": pem,
    "x-forwarded-for": address,
    forwarded: `for=${address}`,
  },
  { "x-ssl-client-cert": certificate, "x-ssl-client-verify": "0" },
]

/** A field as it reached the server. */
interface Reached {
  readonly field: string
  readonly came: "removed" | "replaced" | "as sent"
}

const digest = (text: string): string => createHash("sha256").update(text).digest("base64url")

const isReport = (value: unknown): value is ProxyReport =>
  typeof value === "object" && value !== null && "fields" in value && "certificate" in value && "address" in value

const sent = async (url: URL, headers: Readonly<Record<string, string>>): Promise<ProxyReport> => {
  let answer: Response
  try {
    answer = await fetch(url, { headers, redirect: "manual", signal: AbortSignal.timeout(10_000) })
  } catch (error) {
    throw unreachable(
      `${url.origin} cannot be reached: ${error instanceof Error ? error.message : String(error)}`,
      "check the URL, and that the server runs",
    )
  }
  const read: unknown = answer.status === 200 ? await answer.json().catch(() => undefined) : undefined
  if (!isReport(read))
    throw failed(
      `${url.href} answered ${answer.status} and no report`,
      "set mutual_tls.proxy_check to true, start the server again, and take the setting away after the check",
    )
  return read
}

/** Sends forged headers through the public URL and tells what reached the server. Fails with 1 where a forged certificate or address was believed. */
export const checkProxy = promised(async ({ url, json }: ProxyCheckCall) => {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    throw misused(`${url} is no http or https URL`, "give the public URL: https://id.example.com")
  const place = new URL("/health/proxy", url)
  const reports: Array<readonly [Readonly<Record<string, string>>, ProxyReport]> = []
  for (const headers of forgeries) reports.push([headers, await sent(place, headers)])
  const reached = reports.flatMap(([headers, { fields }], round) =>
    Object.entries(headers).map(([field, value]): Reached => {
      const came = fields[field]
      return {
        field: round === 0 ? field : `${field} (HAProxy's form)`,
        came: came === undefined ? "removed" : came === digest(value) ? "as sent" : "replaced",
      }
    }),
  )
  const believed = {
    certificate: reports.some(([, report]) => report.certificate === thumbprint),
    address: reports.some(([, report]) => report.address === digest(address)),
  }
  if (json) sayJson({ url, fields: reached, believed })
  else {
    const width = Math.max(...reached.map(({ field }) => field.length))
    for (const { field, came } of reached) say(`${field.padEnd(width)}  ${came === "as sent" ? "reached the server as it was sent" : came}`)
    say()
    say(`forged certificate: ${believed.certificate ? "BELIEVED" : "not believed"}`)
    say(`forged address:     ${believed.address ? "BELIEVED" : "not believed"}`)
  }
  if (believed.certificate || believed.address)
    throw failed(
      "a forged header was believed",
      "let the proxy delete these fields of callers before it sets its own; docs/operating.md has the lines for each",
    )
})
