import type { Trail } from "../model/index.ts"
import type { Answer, Message } from "../wire/index.ts"

/** The answer of a port: a value, or its failure. */
export type PortAnswer =
  | { /** It answered. */ readonly _tag: "Answered"; /** The value. */ readonly value: unknown }
  | { /** It threw or rejected. */ readonly _tag: "Failed"; /** Its error. */ readonly cause: unknown }

/** The call of an embedder's own page that a request comes from, instead of an endpoint. */
export type PageCall =
  | { /** `provider.interaction`. */ readonly _tag: "Interaction" }
  | {
      /** `provider.resume`. */
      readonly _tag: "Resume"
      /** The answer of the page, as given. */
      readonly answer: Readonly<Record<string, unknown>>
    }

/** The record of one request. */
export interface RequestRecord {
  /**
   * Records a port call and its answer. `ClientResolvers.judged` states where in the trail the steps of a resolver begin, and how many
   * there are.
   */
  readonly asked: (port: string, operation: string, args: ReadonlyArray<unknown>, answer: PortAnswer) => void
  /**
   * Answers for an operator's service, such as the one that knows user codes, when a recorded request is replayed. If omitted, the service
   * itself is called.
   */
  readonly recalled?: (port: string, operation: string, args: ReadonlyArray<unknown>) => PortAnswer
  /** Records generated random bytes. */
  readonly drew: (bytes: Uint8Array) => void
  /** Records the end of the request: its response and its trail. */
  readonly ended: (answer: Answer, trail: () => Trail) => void
}

/**
 * Records whole requests: the message, the time, and the answers of every port and of the random source. These alone determine the outcome
 * of a request, so it can be replayed from them. They contain secrets in plain text. It must not block; an error that it throws ends the
 * record of that request.
 */
export interface RecorderPort {
  /** Begins the record of a request or of the call of a page; undefined skips it. */
  readonly begin: (message: Message, millis: number, call: PageCall | undefined) => RequestRecord | undefined
}
