import type { Client, Consent, DetailRules, Instant } from "../model/index.ts"
import { coveredBy } from "./details/known.ts"
import { stillAsAgreed } from "./terms.ts"

/**
 * Returns a remembered consent that is still valid. It must not have expired. If its client registered itself, it must be newer than the
 * client's last change of its redirect URIs; if its client publishes its own metadata, these must be unchanged. Undefined for any other, of
 * which nothing may be reused.
 */
export const standingConsent = (
  consent: Consent | undefined,
  { selfRegistered, document }: Pick<Client, "selfRegistered" | "document">,
  now: Instant,
): Consent | undefined =>
  consent !== undefined &&
  stillAsAgreed(consent, { document }) &&
  consent.grantedAt > (selfRegistered?.consentsSince ?? 0) &&
  (consent.expiresAt === 0 || now < consent.expiresAt)
    ? consent
    : undefined

/** Returns the scope words of a request that a remembered consent covers. */
export const rememberedOf = (
  consent: Consent | undefined,
  words: ReadonlyArray<string>,
  details: DetailRules | undefined,
): ReadonlyArray<string> => (consent === undefined ? [] : coveredBy(consent, words, details))

/**
 * Returns the scope words of a request that a valid consent already covers, if the person is asked for more. It is empty if nothing else is
 * requested, or if the client wants the person to be asked about everything (OpenID Connect Core §3.1.2.1 prompt).
 */
export const heldOf = (
  consent: Consent | undefined,
  words: ReadonlyArray<string>,
  prompt: ReadonlyArray<string>,
  details: DetailRules | undefined,
): ReadonlyArray<string> => {
  const held = prompt.includes("consent") ? [] : rememberedOf(consent, words, details)
  return held.length < words.length ? held : []
}
