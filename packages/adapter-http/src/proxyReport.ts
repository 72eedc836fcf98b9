import { createHash } from "node:crypto"
import type { IncomingMessage } from "node:http"
import type { Answer } from "@postern/core/wire"
import type { CallerAddress } from "./address.ts"
import { type CallerCertificate, certificateFields } from "./certificates.ts"

/** Header fields that a proxy must not forward as received from a caller. */
const proxyFields: ReadonlyArray<string> = [...certificateFields, "x-forwarded-for", "forwarded"]

/** A report of the data that reached the server through its proxies. Values are given as digests, which their sender can compare. */
export interface ProxyReport {
  /** The received fields, each with the SHA-256 digest of its value in base64url. */
  readonly fields: Readonly<Record<string, string>>
  /** The fields that the server reads from this peer, which is a caller or a proxy in front of the server. */
  readonly read: ReadonlyArray<string>
  /** The digest of the certificate that the server would accept as the caller's; null if there is none. */
  readonly certificate: string | null
  /** The digest of the address that the server would accept as the caller's; null if there is none. */
  readonly address: string | null
}

const digest = (content: string | Uint8Array): string => createHash("sha256").update(content).digest("base64url")

/** Reports the data that reached the server, for `postern proxy-check`. */
export const proxyReport = (
  incoming: IncomingMessage,
  certificate: CallerCertificate,
  address: CallerAddress,
  readOf: (incoming: IncomingMessage) => ReadonlyArray<string>,
): Answer => {
  const { headers, socket } = incoming
  const text = (name: string): string | undefined => {
    const value = headers[name]
    return typeof value === "string" ? value : undefined
  }
  const found = certificate(incoming)
  const from = address(socket.remoteAddress, text("x-forwarded-for"))
  const report: ProxyReport = {
    fields: Object.fromEntries(
      proxyFields.flatMap((name) => {
        const value = text(name)
        return value === undefined ? [] : [[name, digest(value)]]
      }),
    ),
    read: readOf(incoming),
    certificate: found === undefined ? null : digest(found.der),
    address: from === undefined ? null : digest(from),
  }
  return {
    status: 200,
    headers: [
      ["content-type", "application/json"],
      ["cache-control", "no-store"],
    ],
    body: JSON.stringify(report),
  }
}
