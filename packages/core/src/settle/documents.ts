import type * as Deferred from "effect/Deferred"
import type { Instant, JwkSet } from "../model/index.ts"
import type { OutboundAnswer, PortFailed, RequestRecord } from "../ports/index.ts"

/** A document of somebody else as it was fetched, and the key set it turned out to be. */
export interface FetchedDocument {
  readonly answer: OutboundAnswer
  readonly at: Instant
  /** The time it was last fetched, or tried to be. */
  readonly triedAt: Instant
  keys: JwkSet | undefined
}

/** Documents of others that were fetched lately, by URL. One to a provider. */
export interface RemoteDocuments {
  readonly known: Map<string, FetchedDocument>
  /** Fetches under way, shared by everybody who wants the same. */
  readonly underway: Map<string, Deferred.Deferred<FetchedDocument, PortFailed>>
  /** Times at which clients were last found to be of the sectors they name, by the document and the URIs it must list. */
  readonly sectors: Map<string, Instant>
  /** Told of each document that need not be fetched again; undefined where nothing is recorded. */
  readonly reused?: (url: string, answer: OutboundAnswer) => void
}

/** No documents yet. */
export const noDocuments = (): RemoteDocuments => ({ known: new Map(), underway: new Map(), sectors: new Map() })

/**
 * The documents as a request that is recorded sees them: one that was fetched before counts as asked for now, and nothing is shared that others have begun,
 * since the record has to hold all that the request was decided by.
 */
export const documentsNoted = ({ known }: RemoteDocuments, { asked }: RequestRecord): RemoteDocuments => ({
  known,
  underway: new Map(),
  sectors: new Map(),
  reused: (url, answer) => asked("Outbound", "fetch", [url], { _tag: "Answered", value: answer }),
})
