import type { Client } from "../model/index.ts"
import { stale } from "./ownForm.ts"
import type { PageRefusal } from "./page.ts"
import { pass, table } from "./rule.ts"

/** A person's answer about a client, and the version of the client that they were shown. */
export interface ShownSeen {
  readonly client: Client
  readonly version: string | undefined
}

/** Judges whether the person was shown the client as it is now: one that publishes its own metadata may change them while a page is open. */
export const shownRules = table<ShownSeen, PageRefusal>("consent/shown").rule(
  "consent.client-as-shown",
  "draft-ietf-oauth-client-id-metadata-document §6.5",
  ({ client: { document }, version }) =>
    document === undefined || document.digest === version ? pass : stale("the client's document has changed since the page was shown"),
)

/** The CSRF token of an embedder's page, with the version of the client that the page shows: a posted token states both. */
export const csrfWithVersion = (csrf: string, { document }: Pick<Client, "document">): string =>
  document === undefined ? csrf : `${csrf}.${document.digest}`

/** The parts of such a token. */
export const csrfParts = (csrf: unknown): { readonly csrf: unknown; readonly version: string | undefined } => {
  const [token, version] = typeof csrf === "string" ? csrf.split(".", 2) : []
  return token === undefined ? { csrf, version: undefined } : { csrf: token, version }
}
