import type { IncomingMessage, ServerResponse } from "node:http"
import type { Message } from "@postern/core/wire"
import type { CallerAddress } from "./address.ts"
import type { Arriving } from "./arriving.ts"
import { type CallerCertificate, withoutCertificates } from "./certificates.ts"
import { pieces } from "./pieces.ts"

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
export type Body =
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "TooLong" }
  | { readonly _tag: "Gone" }
  /** It gave way to others that were arriving at the same time. */
  | { readonly _tag: "Crowded" }
  /** It is compressed, and not read. */
  | { readonly _tag: "Coded" }

const empty: Body = { _tag: "Text", text: "" }
const tooLong: Body = { _tag: "TooLong" }
const gone: Body = { _tag: "Gone" }
const crowded: Body = { _tag: "Crowded" }
const coded: Body = { _tag: "Coded" }

/** A body that is read as it arrives. */
export interface ReadingBody {
  /** Returns the body, at once if it has ended. Never rejects. */
  readonly ended: () => Body | Promise<Body>
}

/** Reports whether a body is coded, such as compressed; `identity` means that it is not (RFC 9110 §8.4.1). */
const isCoded = (field: string | undefined): boolean => field !== undefined && !/^[\s,]*(?:identity[\s,]*)*$/i.test(field)

const hasNone = ({ method }: IncomingMessage): boolean => method === "GET" || method === "HEAD"

/**
 * Begins to read a body that comes in chunks; undefined for any other. Called before the first chunk is parsed: up to 2 MiB of a connection are
 * parsed in one turn of the event loop, and each chunk that nobody reads is kept as an object of 300 bytes, even if it has one byte.
 */
export const beginChunks = (incoming: IncomingMessage, longest: number, arriving: Arriving): ReadingBody | undefined => {
  if (incoming.headers["transfer-encoding"] === undefined) return undefined
  if (!hasNone(incoming)) return begin(incoming, longest, arriving)
  incoming.resume()
  return undefined
}

/**
 * Reads a body as UTF-8, up to a limit. A body that has arrived completely is returned synchronously. Never rejects, because a caller's
 * disconnect is reported as a result. `100 Continue` is sent only if `outgoing` is given. A body that is still arriving is counted with all others.
 */
export const readBody = (
  incoming: IncomingMessage,
  outgoing: ServerResponse | undefined,
  longest: number,
  arriving: Arriving,
  begun?: ReadingBody,
): Body | Promise<Body> => {
  const { headers } = incoming
  if (hasNone(incoming)) {
    // Nobody else reads what is not wanted.
    if (headers["transfer-encoding"] !== undefined) incoming.resume()
    return empty
  }
  const length = headers["content-length"]
  // In HTTP/2 a body needs neither field (RFC 9113 §8.1).
  if ((length === undefined || length === "0") && headers["transfer-encoding"] === undefined && incoming.httpVersionMajor < 2) return empty
  if (Number(length ?? 0) > longest) return tooLong
  if (isCoded(headers["content-encoding"])) return coded
  const known = begun?.ended()
  if (known !== undefined && !("then" in known)) return known
  if (known === undefined && incoming.complete) return wholeBody(incoming, longest)
  if (incoming.destroyed) return gone
  if (headers.expect !== undefined) outgoing?.writeContinue()
  return known ?? begin(incoming, longest, arriving).ended()
}

/** Reads a body from its next byte on. What comes after its end, or beyond the limit, is dropped. */
const begin = (incoming: IncomingMessage, longest: number, arriving: Arriving): ReadingBody => {
  const text = pieces()
  let ended: Body | undefined
  let tell = (_: Body): void => undefined
  const end = (body: Body): void => {
    if (ended !== undefined) return
    ended = body
    counted.leave()
    tell(body)
  }
  const counted = arriving.enter(() => end(crowded))
  incoming
    .on("data", (piece: Buffer) => {
      if (ended !== undefined) return
      if (text.length() + piece.length > longest) return end(tooLong)
      text.add(piece)
      counted.grow(piece.length)
    })
    .on("end", () => end({ _tag: "Text", text: text.whole().toString("utf8") }))
    .on("close", () => end(gone))
  return { ended: () => ended ?? new Promise((settle) => void (tell = settle)) }
}

/** Reads the body of a request that was received completely before it was read. */
const wholeBody = (incoming: IncomingMessage, longest: number): Body => {
  const chunks: Array<Buffer> = []
  for (let chunk: Buffer | null = incoming.read(); chunk !== null; chunk = incoming.read()) chunks.push(chunk)
  if (chunks.length === 0) return incoming.destroyed ? gone : empty
  const bytes = chunks.length === 1 ? (chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(chunks)
  return bytes.length > longest ? tooLong : { _tag: "Text", text: bytes.toString("utf8") }
}

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
