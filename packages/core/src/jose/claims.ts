import { type JsonObject, parseJsonObject } from "../model/index.ts"

/** Parses the claims of a payload; undefined for anything but a JSON object. */
export const readClaims: (payload: Uint8Array) => JsonObject | undefined = parseJsonObject
