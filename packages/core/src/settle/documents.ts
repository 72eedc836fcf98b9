import type { Instant, JwkSet } from "../model/index.ts"
import type { OutboundAnswer } from "../ports/index.ts"

/** A document of somebody else as it was fetched, and the key set it turned out to be. */
export interface FetchedDocument {
  readonly answer: OutboundAnswer
  readonly at: Instant
  keys: JwkSet | undefined
}

/** Documents of others that were fetched lately, by URL. One map to a provider. */
export type RemoteDocuments = Map<string, FetchedDocument>
