import type { Conversation } from "../load/conversation.ts"
import type { Link } from "../load/wire.ts"
import type { Server } from "../servers/launch.ts"

/**
 * Ways in which a scenario starts its servers other than as usual: without password hashing; with TLS of their own; behind nginx, which has the TLS; as behind a proxy that
 * passes the certificates of clients on.
 */
export type Setting = "unhashed" | "tls" | "nginx" | "certificates"

/** Something that is measured. */
export interface Scenario {
  /** Name for `--only`. */
  readonly id: string
  readonly title: string
  /** Requests of one operation at each server, where they are more than one. */
  readonly requests?: number
  /** True if the floor does it too: its cost without a provider. */
  readonly floor: boolean
  readonly setting?: Setting
  /** Life of connections; `kept` when not given. */
  readonly link?: Link
  /** Connections at once, where the scenario is about their number. */
  readonly connections?: number
  /** Operations a second, sent when they are due: what part of the load of a machine this is. As many as there can be when not given. */
  readonly perSecond?: () => number
  readonly goal?: Goal
  /** Makes what the connections begin with; answers with what each of them does. Called once for each server. */
  readonly prepare: (server: Server, connections: number) => Promise<Prepared>
}

/** Goals, as ratios of one run. */
export interface Goal {
  /** Throughput, of the peer's. */
  readonly peer?: number
  /** Factor by which the CPU must be less than the peer's. */
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

/** The same for each connection, a few at once: of more than fifty people at once from one address some would be refused. */
export const eachInTurn = async <A>(connections: number, make: (connection: number) => Promise<A>): Promise<ReadonlyArray<A>> => {
  const made: Array<A> = []
  for (let at = 0; at < connections; at += 16)
    made.push(...(await Promise.all(each(Math.min(16, connections - at), (next) => make(at + next)))))
  return made
}
