import type * as Deferred from "effect/Deferred"
import type { Instant, JwkSet } from "../model/index.ts"
import type { OutboundAnswer, PortFailed, RequestRecord } from "../ports/index.ts"

/** A fetched document of another party, and the key set parsed from it. */
export interface FetchedDocument {
  readonly answer: OutboundAnswer
  readonly at: Instant
  /** The time of the last fetch or attempt. */
  readonly triedAt: Instant
  keys: JwkSet | undefined
}

/** Recently fetched documents of other parties, by URL. */
export interface Fetches {
  readonly known: Map<string, FetchedDocument>
  /** Fetches in progress, which all requests for the same URL share. */
  readonly underway: Map<string, Deferred.Deferred<FetchedDocument, PortFailed>>
  /** The times at which clients were last verified to belong to their sector, by the document and the URIs it must list. */
  readonly sectors: Map<string, Instant>
}

/** Documents of clients that an operator registered, separate from those of strangers, which must not evict them. Each provider has one. */
export interface RemoteDocuments extends Fetches {
  /** Documents of clients that no operator registered. */
  readonly strangers: Fetches
  /** Called with each document that need not be fetched again; undefined if nothing is recorded. */
  readonly reused?: (url: string, answer: OutboundAnswer) => void
}

const noFetches = (): Fetches => ({ known: new Map(), underway: new Map(), sectors: new Map() })

/** Creates an empty cache of documents. */
export const noDocuments = (): RemoteDocuments => ({ ...noFetches(), strangers: noFetches() })

/** Returns the cache for the documents of a client. */
export const fetchesOf = (remote: RemoteDocuments, ofStranger: true | undefined): Fetches =>
  ofStranger === true ? remote.strangers : remote

/**
 * Returns the documents for a recorded request. A cached document is recorded as if it were fetched now, and fetches in progress are not
 * shared, because the record must contain everything that determined the decision.
 */
export const documentsNoted = ({ known, strangers }: RemoteDocuments, { asked }: RequestRecord): RemoteDocuments => ({
  ...noFetches(),
  known,
  strangers: { ...noFetches(), known: strangers.known },
  reused: (url, answer) => asked("Outbound", "fetch", [url], { _tag: "Answered", value: answer }),
})
