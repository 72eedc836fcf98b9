import { type JsonObject, parseJsonObject } from "../model/index.ts"
import { decodeBase64Url } from "./base64url.ts"

/** A compact JWS taken apart (RFC 7515 §7.1). Nothing of it is verified: it says what its sender wants to be believed. */
export interface UnverifiedJwt {
  /** The header. */
  readonly header: JsonObject
  /** The claims. */
  readonly claims: JsonObject
}

/** The longest JWT of a stranger that is read before it is verified, in characters: one with a chain of certificates is shorter. */
export const longestJwt = 16_384

/** The parts of a JWS or JWE in compact form: three or five. Of anything else no more than six are made. */
export const jwtParts = (jwt: string): ReadonlyArray<string> => jwt.split(".", 6)

const utf8 = new TextDecoder()

/** Reads a part that is a JSON object in base64url (RFC 7515 §5.2); undefined for anything else. */
export const readJwtPart = (part: string | undefined): JsonObject | undefined => {
  if (part === undefined || !/^[A-Za-z0-9_-]+$/.test(part) || part.length % 4 === 1) return undefined
  return parseJsonObject(utf8.decode(decodeBase64Url(part)))
}

/** Headers that were read lately, by their text. */
const lately = new Map<string, JsonObject>()

/** Headers that are kept, and the longest of them, in characters: of any longer one more is read than is gained. */
const kept = { most: 1000, longest: 2048 }

/**
 * Reads the header of a JWT, as {@link readJwtPart} does; of one that was read lately it gives the same object again, so that whatever is made of it, such as an imported key, can be kept by it. A client
 * begins each of its JWTs with the same text. Gain for a DPoP proof, with its key kept: a third of what it takes from text to verdict where the header has a `kid`.
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

/** Takes a signed JWT apart; undefined for anything else. Total: any text reads as something or nothing. */
export const readJwt = (jwt: string): UnverifiedJwt | undefined => {
  const parts = jwt.length > longestJwt ? [] : jwtParts(jwt)
  const [header, claims] = parts.length === 3 ? [readJwtHeader(parts[0]), readJwtPart(parts[1])] : []
  return header === undefined || claims === undefined ? undefined : { header, claims }
}
