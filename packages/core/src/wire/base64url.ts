import * as Base64Url from "effect/encoding/Base64Url"

interface Encodes {
  readonly toBase64?: (options: { readonly alphabet: "base64url"; readonly omitPadding: true }) => string
}

const unpadded = { alphabet: "base64url", omitPadding: true } as const

/** Writes bytes as base64url without padding (RFC 4648 §5): by the engine itself where it can. */
export const encodeBase64Url = (bytes: Uint8Array & Encodes): string =>
  bytes.toBase64 === undefined ? Base64Url.encode(bytes) : bytes.toBase64(unpadded)
