import type { TicketSecret } from "@postern/adapter-http"
import type { ConfigFile } from "../config/schema.ts"
import type { AgreedHashes } from "../serve/provider.ts"
import type { Listening } from "../serve/run.ts"

/** The configuration and the role of a worker. */
export interface Order {
  /** The configuration file, against which paths are resolved. */
  readonly file: string
  readonly data: string | undefined
  readonly port: number | undefined
  /** The configuration that the main process serves. The file may have changed since it was read. */
  readonly config: ConfigFile
  /** The number of workers of the server. */
  readonly workers: number
  /** The secret of TLS session tickets, shared by all workers. */
  readonly tickets: TicketSecret
  /** True for the one worker that logs events which all workers observe. */
  readonly speaks: boolean
}

/** The calls of the main process to a worker. */
export type WorkerCalls = {
  /** Opens the stores and listens. */
  readonly serve: { readonly given: Order; readonly made: Listening }
  /** Signals that the declared clients and users are stored. Requests that wait for them continue. */
  readonly agree: { readonly given: AgreedHashes; readonly made: undefined }
  /** Creates the provider and pages of a configuration without serving them. */
  readonly prepare: { readonly given: ConfigFile; readonly made: undefined }
  /** Serves the prepared configuration with the given hashes. Returns whether the TLS certificate changed. */
  readonly take: { readonly given: AgreedHashes; readonly made: { readonly certificate: boolean } }
  /** Answers at once, which shows that the event loop is running. */
  readonly beat: { readonly given: undefined; readonly made: undefined }
  /** Reads the metrics of the worker. */
  readonly metrics: { readonly given: undefined; readonly made: string }
  /** Stops accepting connections, finishes requests in progress, and exits. */
  readonly stop: { readonly given: undefined; readonly made: undefined }
}

/** The calls of a worker to the main process. */
export type MainCalls = {
  /** Reads the combined metrics of all processes. */
  readonly metrics: { readonly given: undefined; readonly made: string }
}

/** The command that starts this program as a worker. Only the main process uses it. */
export const workerWord = "serve-as-worker"

/** The file descriptor on which a worker sends its writes. */
export const writerDescriptor = 4
