import type { IncomingMessage, ServerResponse } from "node:http"
import type { Message } from "@postern/core/wire"
import type { CallerAddress } from "./address.ts"
import { type CallerCertificate, withoutCertificates } from "./certificates.ts"

/** The target of a request. */
export interface Target {
  readonly path: string
  /** Without its question mark. */
  readonly query: string
}

/** Path and query of a request target, as they were sent (RFC 9112 §3.2). */
export const readTarget = (target: string): Target => {
  // A proxy may send the absolute form; whose name stands in it is nothing we believe.
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
 * Reads a body as UTF-8, up to a bound: at once what has come whole. Never rejects: a caller that goes away is an answer too. A caller who
 * waits to be told goes on only where `outgoing` is given.
 */
export const readBody = (incoming: IncomingMessage, outgoing: ServerResponse | undefined, longest: number): Body | Promise<Body> => {
  const { method } = incoming
  if (method === "GET" || method === "HEAD") return empty
  const { headers } = incoming
  const length = headers["content-length"]
  // In HTTP/2 a body needs neither (RFC 9113 §8.1).
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

/** The body of a request that has come to its end before anybody read of it. */
const wholeBody = (incoming: IncomingMessage, longest: number): Body => {
  const chunks: Array<Buffer> = []
  for (let chunk: Buffer | null = incoming.read(); chunk !== null; chunk = incoming.read()) chunks.push(chunk)
  if (chunks.length === 0) return incoming.destroyed ? gone : empty
  const bytes = joined(chunks)
  return bytes.length > longest ? tooLong : { _tag: "Text", text: bytes.toString("utf8") }
}

const joined = (chunks: ReadonlyArray<Buffer>): Buffer => (chunks.length === 1 ? (chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(chunks))

/** The message that a request is, for core. */
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
    // Of all header fields node leaves only `set-cookie` a list, which no request has use for.
    headers: headers as Message["headers"],
    body,
    address: address(socket.remoteAddress, one(headers["x-forwarded-for"])),
    peerCertificate,
  }
}

/** A header's value as one text. */
const one = (value: string | ReadonlyArray<string> | undefined): string | undefined =>
  typeof value === "string" ? value : value?.join(", ")
