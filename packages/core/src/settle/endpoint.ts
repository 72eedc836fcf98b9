import type * as Effect from "effect/Effect"
import type { Decision } from "../model/index.ts"
import type { PortFailed } from "../ports/index.ts"
import type { RuleTable } from "../rules/rule.ts"
import type { Inquiry } from "./request.ts"
import type { Attempt } from "./stage.ts"
import type { Message } from "../wire/index.ts"

/** A path of the provider, with its methods and audience. */
export interface Place {
  readonly name: string
  /** The path below the issuer's path. */
  readonly path: string
  /**
   * True if it answers at every path that begins with its own at the root of the host, because the path of another resource follows (RFC
   * 9728 §3.1).
   */
  readonly isBeforePaths?: true
  /** The path under which metrics count it, if several endpoints are counted as one; its own by default. */
  readonly countedAs?: string
  readonly methods: ReadonlyArray<"GET" | "POST" | "PUT" | "DELETE">
  /** The audience of the answers: a person with a browser, or a program. */
  readonly audience: "people" | "programs"
  /** True if scripts of any origin may read the answers. Never true if cookies matter (RFC 9700 §2.6). */
  readonly cors: boolean
  /** The scheme of the challenge that its errors also contain (RFC 6750 §3). */
  readonly challenges?: "Bearer"
}

/** A path of the provider with its handler. */
export interface Endpoint extends Place {
  /** Its tables, in the order of evaluation. */
  readonly tables?: ReadonlyArray<RuleTable>
  /** Loads and decides once, without any change. */
  readonly attempt: (message: Message, inquiry: Inquiry) => Effect.Effect<Decision, PortFailed>
}

/** The input of every endpoint's row of stages. */
export interface Asked {
  readonly message: Message
}

/** Builds an endpoint from its place and its row of stages. */
export const endpoint = (place: Place, { tables, attempt }: Attempt<Asked>): Endpoint => ({
  ...place,
  tables,
  attempt: (message, inquiry) => attempt({ message }, inquiry),
})
