import type { Seconds } from "../model/index.ts"

/** Counts requests against what their senders may send. */
export interface LimiterPort {
  /** Takes one request of a sender, at a moment in milliseconds; 0 when it was left, else after how many seconds one will be. Answers at once. */
  readonly take: (of: "client" | "address", sender: string, millis: number) => Seconds
}
