import type { Catalog } from "../model/index.ts"
import { type PageRefusal, refusePage } from "./page.ts"
import { pass, prove, table } from "./rule.ts"

/** Refuses the answer of an embedder's page. */
export const wrong = (reason: string): PageRefusal =>
  refusePage("request_invalid", 400, "invalid_request", "The answer to the interaction is not valid.", reason)

interface ConsentSeen {
  readonly catalog: Catalog
  readonly scopes: unknown
  /** Everything that was asked for. */
  readonly requested: ReadonlyArray<string>
  /** True if it cannot be allowed in part. */
  readonly whole: boolean
}

/** The words of a request that cannot be unticked. */
export const requiredOf = ({ identity, resource }: Catalog, requested: ReadonlyArray<string>): ReadonlyArray<string> =>
  requested.filter((name) => identity.get(name)?.required === true || resource.get(name)?.required === true)

/** Judges the scopes that a person is said to have allowed. */
export const consentRules = table<ConsentSeen, PageRefusal>("interaction/consent")
  .establish("interaction.consent-scopes", "OpenID Connect Core §3.1.2.4", ({ scopes }) =>
    Array.isArray(scopes) && scopes.every((each) => typeof each === "string")
      ? prove({ ticked: scopes })
      : wrong("the scopes of a consent are no list of texts"),
  )
  .rule("interaction.consent-asked", "RFC 6749 §3.3, OpenID Connect Core §3.1.2.4", ({ ticked, requested }) =>
    ticked.every((each) => requested.includes(each)) ? pass : wrong("a consent to more than was asked for"),
  )
  .rule("interaction.consent-required", "OpenID Connect Core §3.1.2.4", ({ ticked, requested, catalog }) =>
    requiredOf(catalog, requested).every((each) => ticked.includes(each))
      ? pass
      : wrong("a consent without a scope that cannot be left out: whoever does not allow it denies the request"),
  )
  .rule("interaction.consent-whole", "RFC 8628 §3.3", ({ ticked, requested, whole }) =>
    !whole || requested.every((each) => ticked.includes(each))
      ? pass
      : wrong("a device is let in with all that it asks for, or not at all"),
  )
