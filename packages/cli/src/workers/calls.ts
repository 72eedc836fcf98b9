import type { TicketSecret } from "@postern/adapter-http"
import type { ConfigFile } from "../config/schema.ts"
import type { AgreedHashes } from "../serve/provider.ts"

/** The configuration and the parts that a worker is to serve. */
export interface Order {
  /** The configuration file, for the paths in it. */
  readonly file: string
  readonly data: string | undefined
  readonly port: number | undefined
  /** The configuration as the main process serves it: the file may be another by now. */
  readonly config: ConfigFile
  /** Number of workers of the server. */
  readonly workers: number
  /** Secret of TLS session tickets, the same for all of them. */
  readonly tickets: TicketSecret
  /** True for the one that logs what all of them notice. */
  readonly speaks: boolean
}

/** Calls of the main process that a worker answers. */
export type WorkerCalls = {
  /** Opens the stores, and listens. */
  readonly serve: { readonly given: Order; readonly made: { readonly url: string } }
  /** Clients and people agree with the configuration: requests that need one are answered from now on. */
  readonly agree: { readonly given: AgreedHashes; readonly made: undefined }
  /** Makes the provider and pages of a configuration, without serving them. */
  readonly prepare: { readonly given: ConfigFile; readonly made: undefined }
  /** Serves what was prepared, with which clients and people agree, and tells whether it has another certificate. */
  readonly take: { readonly given: AgreedHashes; readonly made: { readonly certificate: boolean } }
  /** Answers at once: its event loop runs. */
  readonly beat: { readonly given: undefined; readonly made: undefined }
  /** Reads the metrics of the worker. */
  readonly metrics: { readonly given: undefined; readonly made: string }
  /** Stops accepting, answers what has begun, and ends the process. */
  readonly stop: { readonly given: undefined; readonly made: undefined }
}

/** Calls of a worker that the main process answers. */
export type MainCalls = {
  /** Reads the metrics of all processes together. */
  readonly metrics: { readonly given: undefined; readonly made: string }
}

/** The word that starts this program as a worker; of no use but to the main process. */
export const workerWord = "serve-as-worker"

/** The file descriptor of a worker on which it sends what is to be written. */
export const writerDescriptor = 4
