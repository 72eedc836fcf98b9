import { type JsonObject, parseJsonObject } from "../model/index.ts"
import { decodeBase64Url } from "./base64url.ts"

/** A parsed compact JWS (RFC 7515 §7.1). Nothing in it is verified. */
export interface UnverifiedJwt {
  /** The header. */
  readonly header: JsonObject
  /** The claims. */
  readonly claims: JsonObject
}

/**
 * The maximum length of an untrusted JWT that is parsed before verification, in characters. One with a chain of certificates is shorter.
 */
export const longestJwt = 16_384

/** Splits a JWS or JWE in compact form into three or five parts. Any other text yields at most six. */
export const jwtParts = (jwt: string): ReadonlyArray<string> => jwt.split(".", 6)

/** Decodes a part that is a JSON object in base64url (RFC 7515 §5.2); undefined for anything else. */
export const readJwtPart = (part = ""): JsonObject | undefined => parseJsonObject(decodeBase64Url(part))

/** Recently parsed headers, by their text. */
const lately = new Map<string, JsonObject>()

/** The maximum number of cached headers, and their maximum length in characters. For longer ones, caching costs more than it saves. */
const kept = { most: 1000, longest: 2048 }

/**
 * Reads the header of a JWT, as {@link readJwtPart} does. For a recently read header, it returns the identical object, so that data derived
 * from it, such as an imported key, can be cached by it. A client begins each of its JWTs with the same text. For a DPoP proof with a
 * cached key and a `kid` in its header, this saves a third of the time from text to verdict.
 */
export const readJwtHeader = (part: string | undefined): JsonObject | undefined => {
  if (part === undefined || part.length > kept.longest) return readJwtPart(part)
  const known = lately.get(part)
  if (known !== undefined) return known
  const header = readJwtPart(part)
  if (header === undefined) return undefined
  if (lately.size >= kept.most) lately.clear()
  lately.set(part, header)
  return header
}

/** Parses a signed JWT; undefined for anything else. It never throws. */
export const readJwt = (jwt: string): UnverifiedJwt | undefined => {
  const parts = jwt.length > longestJwt ? [] : jwtParts(jwt)
  const [header, claims] = parts.length === 3 ? [readJwtHeader(parts[0]), readJwtPart(parts[1])] : []
  return header === undefined || claims === undefined ? undefined : { header, claims }
}
