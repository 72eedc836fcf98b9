import type { Catalog, Settings } from "../model/index.ts"
import { detailWord, isDetailWord } from "./details/index.ts"
import { allowedDetails, detailsOfWords } from "./details/known.ts"
import { type PageRefusal, invalidPage } from "./page.ts"
import { pass, prove, table } from "./rule.ts"

/** Refuses the answer of an embedder's page. */
export const wrong = (reason: string): PageRefusal => invalidPage("request_invalid", "The answer to the interaction is not valid.", reason)

interface ConsentSeen {
  readonly settings: Pick<Settings, "catalog" | "details">
  readonly scopes: unknown
  /** Authorization details, in full, that the answer contains. */
  readonly details?: unknown
  /** Everything that was requested. */
  readonly requested: ReadonlyArray<string>
  /** True if a partial consent is not possible. */
  readonly whole: boolean
}

/** Returns the scopes of a request that cannot be unchecked. */
export const requiredOf = ({ identity, resource }: Catalog, requested: ReadonlyArray<string>): ReadonlyArray<string> =>
  requested.filter((name) => identity.get(name)?.required === true || resource.get(name)?.required === true)

/** Validates the scopes that a person has allowed according to the embedder. */
// The annotation lets bundles without consent pages omit it.
export const consentRules = /* @__PURE__ */ table<ConsentSeen, PageRefusal>("interaction/consent")
  .establish("interaction.consent-scopes", "OpenID Connect Core §3.1.2.4", ({ scopes, details = [] }) =>
    Array.isArray(scopes) && scopes.every((each) => typeof each === "string") && Array.isArray(details)
      ? prove({ ticked: [...scopes, ...details.map((each) => detailWord(each))] })
      : wrong("the scopes of a consent are no list of texts, or its details no list"),
  )
  .rule("interaction.consent-asked", "RFC 6749 §3.3, OpenID Connect Core §3.1.2.4", ({ ticked, requested }) =>
    ticked.every((each) => isDetailWord(each) || requested.includes(each)) ? pass : wrong("a consent to more than was asked for"),
  )
  .rule("interaction.consent-details", "RFC 9396 §7", ({ ticked, requested, settings: { details: known } }) => {
    const stated = ticked.filter(isDetailWord)
    return allowedDetails(stated, detailsOfWords(requested, known), known).length === stated.length
      ? pass
      : wrong("a consent to authorization details that go beyond those that were asked for")
  })
  .rule("interaction.consent-required", "OpenID Connect Core §3.1.2.4", ({ ticked, requested, settings: { catalog } }) =>
    requiredOf(catalog, requested).every((each) => ticked.includes(each))
      ? pass
      : wrong("a consent without a scope that cannot be left out: whoever does not allow it denies the request"),
  )
  .rule("interaction.consent-whole", "RFC 8628 §3.3", ({ ticked, requested, whole }) =>
    !whole || requested.every((each) => ticked.includes(each))
      ? pass
      : wrong("a device or a backchannel request is allowed all that it asks for, or nothing"),
  )
