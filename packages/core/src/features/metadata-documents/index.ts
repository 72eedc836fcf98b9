import type { Feature } from "../feature.ts"
import { type MetadataDocumentOptions, settingsOf } from "./options.ts"
import { documentResolver } from "./resolver.ts"
import { keepForGrant, metadataDocuments as rows } from "./rows.ts"
import { documentRules, fetchRules, fetchedRules, hostRules, identifierRules } from "./rules.ts"

export type { DocumentPolicy, MetadataDocumentOptions } from "./options.ts"
export { type MetadataDocumentRow, metadataDocuments as metadataDocumentRows } from "./rows.ts"

/**
 * Clients that are known by a document at their own id, a URL (draft-ietf-oauth-client-id-metadata-document): nobody registers them. Not among the default
 * features: give it to `createProvider` beside them with an `outbound` port, and `rowKindsOf` to the store. Throws a `TypeError` for options that are none.
 *
 * ```ts
 * createProvider({ ...options, features: [...defaultFeatures, metadataDocuments({ policies: [{ hosts: ["claude.ai"], verified: true }] })] })
 * ```
 */
export const metadataDocuments = (options: MetadataDocumentOptions = {}): Feature => {
  const settings = settingsOf(options)
  return {
    name: "metadata-documents",
    rows: [rows],
    tables: [identifierRules, hostRules, fetchRules, fetchedRules, documentRules],
    grantKeepings: [keepForGrant],
    clientResolvers: (provider) => [documentResolver(provider, settings)],
    discovery: () => ({ client_id_metadata_document_supported: true }),
  }
}
