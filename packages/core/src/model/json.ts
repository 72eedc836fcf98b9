/** Any value that JSON can carry. */
export type Json = string | number | boolean | null | ReadonlyArray<Json> | { readonly [key: string]: Json }

/** A JSON object: claims, metadata documents, response bodies. */
export type JsonObject = { readonly [key: string]: Json }
