interface Encodes {
  readonly toBase64?: (options: { readonly alphabet: "base64url"; readonly omitPadding: true }) => string
}

interface Decodes {
  readonly fromBase64?: (text: string, options: { readonly alphabet: "base64url" }) => Uint8Array
}

const unpadded = { alphabet: "base64url", omitPadding: true } as const

const engine: typeof Uint8Array & Decodes = Uint8Array

/** Encodes bytes as base64url without padding (RFC 4648 §5), with the engine's own function if it has one. */
export const encodeBase64Url = (bytes: Uint8Array & Encodes): string =>
  bytes.toBase64 === undefined ? encodedAsText(bytes) : bytes.toBase64(unpadded)

/** Decodes base64url without padding; undefined for anything else. Uses the engine's own function if it has one. */
export const decodeBase64Url = (text: string): Uint8Array | undefined => {
  // The engine's own reader skips white space, and takes padding.
  if (!/^[\w-]*$/.test(text)) return undefined
  try {
    return engine.fromBase64 === undefined ? decodedAsText(text) : engine.fromBase64(text, unpadded)
  } catch {
    return undefined
  }
}

/** The fallback for engines without such methods: Node before version 25. */
const encodedAsText = (bytes: Uint8Array): string => {
  let text = ""
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")
}

const decodedAsText = (text: string): Uint8Array =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0))
