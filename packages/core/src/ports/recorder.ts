import type { Trail } from "../model/index.ts"
import type { Answer, Message } from "../wire/index.ts"

/** The answer of a port: a value, or its failure. */
export type PortAnswer =
  | { /** It answered. */ readonly _tag: "Answered"; /** The value. */ readonly value: unknown }
  | { /** It threw or rejected. */ readonly _tag: "Failed"; /** Its error. */ readonly cause: unknown }

/** The call of an embedder's own page that a request comes from, in the place of an endpoint that its path leads to. */
export type PageCall =
  | { /** `provider.interaction`. */ readonly _tag: "Interaction" }
  | {
      /** `provider.resume`. */ readonly _tag: "Resume"
      /** The answer of the page, as it was given. */ readonly answer: Readonly<Record<string, unknown>>
    }

/** The record of one request. */
export interface RequestRecord {
  /** Takes a question to a port, and its answer. `ClientResolvers.judged` tells where in the trail the steps of a resolver begin, and how many they are. */
  readonly asked: (port: string, operation: string, args: ReadonlyArray<unknown>, answer: PortAnswer) => void
  /** Answers for a service of the operator's own that a feature asks, such as the one that knows user codes, when a recorded request is decided again; that service is asked where this is left out. */
  readonly recalled?: (port: string, operation: string, args: ReadonlyArray<unknown>) => PortAnswer
  /** Takes random bytes that were drawn. */
  readonly drew: (bytes: Uint8Array) => void
  /** Takes the end: the answer and the trail. */
  readonly ended: (answer: Answer, trail: () => Trail) => void
}

/**
 * Receives whole requests for recordings: the message, the time, and the answers of every port and of chance. These decide a request alone, so whoever has
 * them can decide it again. They hold secrets in plain text. Must not block; what it throws ends the record of that request.
 */
export interface RecorderPort {
  /** Begins the record of a request, or of the call of a page; undefined leaves it out. */
  readonly begin: (message: Message, millis: number, call: PageCall | undefined) => RequestRecord | undefined
}
