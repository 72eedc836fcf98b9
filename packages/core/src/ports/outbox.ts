import type { OutboxMessage } from "../model/index.ts"
import type { Awaitable } from "./awaitable.ts"

/** Delivers messages of the outbox soon. */
export interface OutboxPort {
  /**
   * Told of messages once the commit that wrote them is durable. The answer to the request waits for it, so it must end within a few seconds: a person who signs out waits
   * for the first attempts to tell their clients. What it throws or rejects with is dropped, since the messages are delivered all the same.
   */
  readonly written: (messages: ReadonlyArray<OutboxMessage>) => Awaitable<void>
}
