import type { IncomingMessage, ServerResponse } from "node:http"
import type { Message } from "@postern/core/wire"
import type { CallerAddress } from "./address.ts"
import { type CallerCertificate, withoutCertificates } from "./certificates.ts"

/** The target of a request. */
export interface Target {
  readonly path: string
  /** The query without its question mark. */
  readonly query: string
}

/** Splits a request target into path and query, as they were sent (RFC 9112 §3.2). */
export const readTarget = (target: string): Target => {
  // A proxy may send the absolute form. The host in it is not trusted.
  const origin = target.startsWith("/") ? target : target.replace(/^https?:\/\/[^/?#]*(?=([/?#]|$))/i, "")
  const at = origin.indexOf("?")
  if (at < 0) return { path: origin === "" ? "/" : origin, query: "" }
  return { path: at === 0 ? "/" : origin.slice(0, at), query: origin.slice(at + 1) }
}

/** The result of reading a body. */
export type Body = { readonly _tag: "Text"; readonly text: string } | { readonly _tag: "TooLong" } | { readonly _tag: "Gone" }

const empty: Body = { _tag: "Text", text: "" }
const tooLong: Body = { _tag: "TooLong" }
const gone: Body = { _tag: "Gone" }

/**
 * Reads a body as UTF-8, up to a limit. A body that has arrived completely is returned synchronously. Never rejects, because a caller's
 * disconnect is reported as a result. `100 Continue` is sent only if `outgoing` is given.
 */
export const readBody = (incoming: IncomingMessage, outgoing: ServerResponse | undefined, longest: number): Body | Promise<Body> => {
  const { method } = incoming
  if (method === "GET" || method === "HEAD") return empty
  const { headers } = incoming
  const length = headers["content-length"]
  // In HTTP/2 a body needs neither field (RFC 9113 §8.1).
  if ((length === undefined || length === "0") && headers["transfer-encoding"] === undefined && incoming.httpVersionMajor < 2) return empty
  if (Number(length ?? 0) > longest) return tooLong
  if (incoming.complete) return wholeBody(incoming, longest)
  if (incoming.destroyed) return gone
  if (headers.expect !== undefined) outgoing?.writeContinue()
  return new Promise((settle) => {
    const chunks: Array<Buffer> = []
    let size = 0
    const end = (body: Body): void => {
      incoming.off("data", onData).off("end", onEnd).off("close", onGone)
      settle(body)
    }
    const onData = (chunk: Buffer): void => {
      size += chunk.length
      if (size > longest) {
        incoming.pause()
        end(tooLong)
      } else chunks.push(chunk)
    }
    const onEnd = (): void => end({ _tag: "Text", text: joined(chunks).toString("utf8") })
    const onGone = (): void => end(gone)
    incoming.on("data", onData).on("end", onEnd).on("close", onGone)
  })
}

/** Reads the body of a request that was received completely before it was read. */
const wholeBody = (incoming: IncomingMessage, longest: number): Body => {
  const chunks: Array<Buffer> = []
  for (let chunk: Buffer | null = incoming.read(); chunk !== null; chunk = incoming.read()) chunks.push(chunk)
  if (chunks.length === 0) return incoming.destroyed ? gone : empty
  const bytes = joined(chunks)
  return bytes.length > longest ? tooLong : { _tag: "Text", text: bytes.toString("utf8") }
}

const joined = (chunks: ReadonlyArray<Buffer>): Buffer => (chunks.length === 1 ? (chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(chunks))

/** Builds core's message from a request. */
export const messageOf = (
  incoming: IncomingMessage,
  { path, query }: Target,
  body: string,
  { address, certificate }: { readonly address: CallerAddress; readonly certificate: CallerCertificate },
): Message => {
  const { headers, method = "GET", socket } = incoming
  const peerCertificate = certificate(incoming)
  withoutCertificates(headers)
  return {
    method,
    path,
    query,
    // Node leaves only `set-cookie` as a list, and requests do not use it.
    headers: headers as Message["headers"],
    body,
    address: address(socket.remoteAddress, one(headers["x-forwarded-for"])),
    peerCertificate,
  }
}

/** Returns a header's value as a single string. */
const one = (value: string | ReadonlyArray<string> | undefined): string | undefined =>
  typeof value === "string" ? value : value?.join(", ")
