import * as Result from "effect/Result"
import * as Base64Url from "effect/encoding/Base64Url"

interface Encodes {
  readonly toBase64?: (options: { readonly alphabet: "base64url"; readonly omitPadding: true }) => string
}

interface Decodes {
  readonly fromBase64?: (text: string, options: { readonly alphabet: "base64url" }) => Uint8Array
}

const unpadded = { alphabet: "base64url", omitPadding: true } as const

const engine: typeof Uint8Array & Decodes = Uint8Array

/** Writes bytes as base64url without padding (RFC 4648 §5): by the engine itself where it can. */
export const encodeBase64Url = (bytes: Uint8Array & Encodes): string =>
  bytes.toBase64 === undefined ? Base64Url.encode(bytes) : bytes.toBase64(unpadded)

/** Reads base64url without padding; undefined for anything else. By the engine itself where it can. */
export const decodeBase64Url = (text: string): Uint8Array | undefined => {
  // The engine's own reader skips white space.
  if (/\s/.test(text)) return undefined
  if (engine.fromBase64 === undefined) return Result.getOrUndefined(Base64Url.decode(text))
  try {
    return engine.fromBase64(text, unpadded)
  } catch {
    return undefined
  }
}
