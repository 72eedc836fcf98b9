import type { Conversation } from "../load/conversation.ts"
import type { Server } from "../servers/launch.ts"

/** Something that is measured. */
export interface Scenario {
  /** What `--only` calls it. */
  readonly id: string
  readonly title: string
  /** Requests of one operation at each server, where they are more than one. */
  readonly requests?: number
  /** Whether the floor does it too: what it costs without a provider. */
  readonly floor: boolean
  /** Whether it is measured without password hashing, on a Postern that verifies each hash only once. */
  readonly unhashed?: boolean
  readonly goal?: Goal
  /** Makes what the connections begin with; answers with what each of them does. Called once for each server. */
  readonly prepare: (server: Server, connections: number) => Promise<Prepared>
}

/** What must be reached, as ratios of one run. */
export interface Goal {
  /** Throughput, of the peer's. */
  readonly peer?: number
  /** How many times less CPU than the peer. */
  readonly peerCpu?: number
  /** Throughput, of the floor's. */
  readonly floor?: number
}

/** The connections of a scenario at a server. */
export interface Prepared {
  /** For each connection, its next operation. */
  readonly operations: ReadonlyArray<() => Conversation | undefined>
  /** Makes ready what a round of so many operations uses up, outside of what is measured. */
  readonly refill?: (operations: number) => Promise<void>
  /** Looks at a sample of what the server did, after a round. */
  readonly examine?: () => Promise<void>
}

/** The same for each connection. */
export const each = <A>(connections: number, make: (connection: number) => A): ReadonlyArray<A> =>
  Array.from({ length: connections }, (_, connection) => make(connection))
