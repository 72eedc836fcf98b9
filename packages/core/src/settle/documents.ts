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

/** Documents of others that were fetched lately, by URL. */
export interface Fetches {
  readonly known: Map<string, FetchedDocument>
  /** Fetches under way, shared by everybody who wants the same. */
  readonly underway: Map<string, Deferred.Deferred<FetchedDocument, PortFailed>>
  /** Times at which clients were last found to be of the sectors they name, by the document and the URIs it must list. */
  readonly sectors: Map<string, Instant>
}

/** Documents of clients that an operator registered, and apart from them those of strangers: they push out nothing of others. One to a provider. */
export interface RemoteDocuments extends Fetches {
  /** Documents of clients that no operator registered. */
  readonly strangers: Fetches
  /** Told of each document that need not be fetched again; undefined where nothing is recorded. */
  readonly reused?: (url: string, answer: OutboundAnswer) => void
}

const noFetches = (): Fetches => ({ known: new Map(), underway: new Map(), sectors: new Map() })

/** No documents yet. */
export const noDocuments = (): RemoteDocuments => ({ ...noFetches(), strangers: noFetches() })

/** The documents among which those of a client are kept. */
export const fetchesOf = (remote: RemoteDocuments, ofStranger: true | undefined): Fetches =>
  ofStranger === true ? remote.strangers : remote

/**
 * The documents as a request that is recorded sees them: one that was fetched before counts as asked for now, and nothing is shared that others have begun,
 * since the record has to hold all that the request was decided by.
 */
export const documentsNoted = ({ known, strangers }: RemoteDocuments, { asked }: RequestRecord): RemoteDocuments => ({
  ...noFetches(),
  known,
  strangers: { ...noFetches(), known: strangers.known },
  reused: (url, answer) => asked("Outbound", "fetch", [url], { _tag: "Answered", value: answer }),
})
