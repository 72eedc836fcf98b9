import type { Client } from "../model/index.ts"
import { stale } from "./ownForm.ts"
import type { PageRefusal } from "./page.ts"
import { pass, table } from "./rule.ts"

/** A person's answer about a client, and the version of the client that was shown. */
export interface ShownSeen {
  readonly client: Client
  readonly version: string | undefined
}

/**
 * Checks that the person was shown the current version of the client, because one that publishes its own metadata may change it while a
 * page is open.
 */
export const shownRules = table<ShownSeen, PageRefusal>("consent/shown").rule(
  "consent.client-as-shown",
  "draft-ietf-oauth-client-id-metadata-document §6.3",
  ({ client: { document }, version }) =>
    document === undefined || document.digest === version ? pass : stale("the client's document has changed since the page was shown"),
)

/** Returns the CSRF token of an embedder's page, with the version of the client that the page shows. A posted token contains both. */
export const csrfWithVersion = (csrf: string, { document }: Pick<Client, "document">): string =>
  document === undefined ? csrf : `${csrf}.${document.digest}`

/** Splits such a token. */
export const csrfParts = (csrf: unknown): { readonly csrf: unknown; readonly version: string | undefined } => {
  const [token, version] = typeof csrf === "string" ? csrf.split(".", 2) : []
  return token === undefined ? { csrf, version: undefined } : { csrf: token, version }
}
