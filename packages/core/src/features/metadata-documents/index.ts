import type { Feature } from "../feature.ts"
import { type MetadataDocumentOptions, policiesFaults, settingsOf } from "./options.ts"
import { documentResolver } from "./resolver.ts"
import { keepForGrant, metadataDocuments as rows } from "./rows.ts"
import { documentRules, fetchRules, fetchedRules, hostRules, identifierRules } from "./rules.ts"

export { type DocumentPolicy, type MetadataDocumentOptions, documentHostPattern } from "./options.ts"
export { type MetadataDocumentRow, metadataDocuments as metadataDocumentRows } from "./rows.ts"

/**
 * Clients that are identified by a metadata document at their own id, a URL (draft-ietf-oauth-client-id-metadata-document), without
 * registration. It is not one of the default features. Pass it to `createProvider` in addition to them, together with an `outbound` port,
 * and pass `rowKindsOf` to the store. Throws a `TypeError` for invalid options.
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
    settingFaults: (_settings, provider) => policiesFaults(settings, provider),
    clientResolvers: (provider) => [documentResolver(provider, settings)],
    discovery: () => ({ client_id_metadata_document_supported: true }),
  }
}
