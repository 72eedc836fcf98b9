import * as Effect from "effect/Effect"
import type { Locator } from "../../model/index.ts"
import type { PortFailed } from "../../ports/index.ts"
import { mapped } from "../../ports/steps.ts"
import { keyedHash } from "../../settle/account.ts"
import type { Inquiry } from "../../settle/request.ts"
import { decodeBase64Url, encodeBase64Url } from "../../wire/index.ts"

/** Computes a keyed hash of texts, base64url, with the key that all machines of a provider share. */
export type Keyed = (texts: ReadonlyArray<string>) => Promise<string>

/**
 * The texts whose keyed hash is the secret half of a request's `auth_req_id`. A result can thus name the secret although no row stores it.
 */
export const secretTexts = (locator: Locator): ReadonlyArray<string> => ["ciba auth_req_id", locator]

/** Bytes of a pad. */
const padLength = 32

/** The texts for each pad that seals a content of the given number of bytes. No two contents of one purpose share a locator. */
const padsOf = (purpose: string, locator: Locator, length: number): ReadonlyArray<ReadonlyArray<string>> =>
  Array.from({ length: Math.ceil(length / padLength) }, (_, at) => [`ciba ${purpose}`, locator, String(at)])

const under = (content: Uint8Array, pads: ReadonlyArray<string>): Uint8Array => {
  const stream = pads.map((pad) => decodeBase64Url(pad) ?? new Uint8Array(padLength))
  return content.map((byte, at) => byte ^ (stream[Math.floor(at / padLength)]?.[at % padLength] ?? 0))
}

/**
 * Seals a text that must be sent later, so that the database alone does not reveal it (architecture law 9). The pads can be computed only
 * with the provider's key.
 */
export const sealed = (text: string, purpose: string, locator: Locator, inquiry: Inquiry): Effect.Effect<string, PortFailed> => {
  const content = new TextEncoder().encode(text)
  const pads = padsOf(purpose, locator, content.length).map((texts) => keyedHash(texts, inquiry))
  return mapped(Effect.all(pads, { concurrency: "unbounded" }), (made) => encodeBase64Url(under(content, made)))
}

/** Opens a text that {@link sealed} has sealed. */
export const opened = async (value: string, purpose: string, locator: Locator, keyed: Keyed): Promise<string> => {
  const content = decodeBase64Url(value) ?? new Uint8Array()
  const pads = await Promise.all(padsOf(purpose, locator, content.length).map(keyed))
  return new TextDecoder().decode(under(content, pads))
}
