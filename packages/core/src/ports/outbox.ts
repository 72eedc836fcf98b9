import type { OutboxMessage } from "../model/index.ts"
import type { Awaitable } from "./awaitable.ts"

/** Delivers messages of the outbox promptly. */
export interface OutboxPort {
  /**
   * Called with the messages once the commit that wrote them is durable. The response to the request waits for it, so it must settle within
   * a few seconds: a person who signs out waits for the first attempts to notify their clients. Errors are dropped, because the outbox
   * delivers the messages anyway.
   */
  readonly written: (messages: ReadonlyArray<OutboxMessage>) => Awaitable<void>
}
