/** Any JSON value. */
export type Json = string | number | boolean | null | ReadonlyArray<Json> | { readonly [key: string]: Json }

/** A JSON object: claims, metadata documents, response bodies. */
export type JsonObject = { readonly [key: string]: Json }

/** Reports whether a value is a JSON object, and neither null nor a list. */
export const isJsonObject = (value: unknown): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value)

/** Parses a JSON object; undefined for any other text. */
export const parseJsonObject = (text: string): JsonObject | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
