import type { Client, Consent, DetailRules, Instant } from "../model/index.ts"
import { coveredBy } from "./details/known.ts"
import { stillAsAgreed } from "./terms.ts"

/**
 * A remembered consent that counts: one that has not ended, and that was given since its client, if it registered itself, last changed where people are
 * sent to; one that publishes its own metadata must be as it was then. Undefined for any other, of which nothing may be carried on.
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

/** The words of a request that a remembered consent covers. */
export const rememberedOf = (
  consent: Consent | undefined,
  words: ReadonlyArray<string>,
  details: DetailRules | undefined,
): ReadonlyArray<string> => (consent === undefined ? [] : coveredBy(consent, words, details))

/**
 * The words of a request that a client has already, for a person who is asked for more: those that a standing consent covers. None where nothing else is
 * asked for, or where the client wants the person asked about everything (OpenID Connect Core §3.1.2.1 prompt).
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
