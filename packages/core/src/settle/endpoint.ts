import type * as Effect from "effect/Effect"
import type { Decision } from "../model/index.ts"
import type { PortFailed } from "../ports/index.ts"
import type { RuleTable } from "../rules/rule.ts"
import type { Inquiry } from "./request.ts"
import type { Attempt } from "./stage.ts"
import type { Message } from "../wire/index.ts"

/** A path of the provider, and who may ask what there. */
export interface Place {
  readonly name: string
  /** Path below the issuer's, or undefined for one that RFC 8414 §3.1 puts elsewhere. */
  readonly path: string
  /** True if it answers at every path that begins with its own, from the root of the host on: the path of something else comes after it (RFC 9728 §3.1). */
  readonly isBeforePaths?: true
  /** The path that metrics count it under, where several endpoints are counted as one; its own when not given. */
  readonly countedAs?: string
  readonly methods: ReadonlyArray<"GET" | "POST" | "PUT" | "DELETE">
  /** The reader of the answers: a person with a browser, or a program. */
  readonly audience: "people" | "programs"
  /** True if scripts of any origin may read the answers. Never where a cookie counts (RFC 9700 §2.6). */
  readonly cors: boolean
  /** The scheme of a challenge that its errors carry as well (RFC 6750 §3). */
  readonly challenges?: "Bearer"
}

/** A path of the provider and how it is answered. */
export interface Endpoint extends Place {
  /** Its tables, in the order in which a request meets them. */
  readonly tables?: ReadonlyArray<RuleTable>
  /** Loads and decides, once; nothing is changed. */
  readonly attempt: (message: Message, inquiry: Inquiry) => Effect.Effect<Decision, PortFailed>
}

/** The evidence that every endpoint's row of stages begins with. */
export interface Asked {
  readonly message: Message
}

/** Makes an endpoint of its place and its row of stages. */
export const endpoint = (place: Place, { tables, attempt }: Attempt<Asked>): Endpoint => ({
  ...place,
  tables,
  attempt: (message, inquiry) => attempt({ message }, inquiry),
})
