/** Any JSON value. */
export type Json = string | number | boolean | null | ReadonlyArray<Json> | { readonly [key: string]: Json }

/** A JSON object: claims, metadata documents, response bodies. */
export type JsonObject = { readonly [key: string]: Json }

/** Reports whether a value is a JSON object, and neither null nor a list. */
export const isJsonObject = (value: unknown): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value)

const utf8 = new TextDecoder("utf-8", { fatal: true })

/** Parses a JSON object, as a text or in UTF-8 (RFC 7515 §5.2, RFC 7519 §7.2); undefined for anything else. */
export const parseJsonObject = (json: string | Uint8Array | undefined): JsonObject | undefined => {
  try {
    const value: unknown = JSON.parse(typeof json === "string" ? json : utf8.decode(json))
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
