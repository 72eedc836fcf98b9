import type { Provider } from "@postern/core"
import type { InteractionAnswer, InteractionState } from "@postern/core/model"
import type { Message } from "@postern/core/wire"
import { callerAddress } from "../address.ts"
import { readTarget } from "../message.ts"
import { headersOf } from "./headers.ts"
import type { NodeRequest, NodeResponse } from "./pair.ts"
import { write } from "./write.ts"

/** The functions for pages of your own, on a Node server or in Express. */
export interface NodeInteractions {
  /** Tells what the request behind `?interaction=` needs of its person; see `Provider.interaction`. */
  readonly interaction: (request: NodeRequest) => Promise<InteractionState>
  /** Goes on with it, and writes the answer; see `Provider.resume`. */
  readonly resume: (request: NodeRequest, response: NodeResponse, answer: InteractionAnswer) => Promise<void>
}

/**
 * Takes requests and responses of Node where `provider.interaction` and `provider.resume` take messages. The request's body is yours: read it before, by any
 * parser. Throws for a trusted proxy that is no address.
 */
export const nodeInteractions = (
  provider: Pick<Provider, "interaction" | "resume">,
  { trustedProxies = [] }: { readonly trustedProxies?: ReadonlyArray<string> | undefined } = {},
): NodeInteractions => {
  const address = callerAddress(trustedProxies)
  const messageOf = (request: NodeRequest): Message => {
    const headers = headersOf(request.rawHeaders)
    return {
      method: request.method ?? "GET",
      ...readTarget(request.originalUrl ?? request.url ?? "/"),
      headers,
      body: "",
      address: address(request.socket?.remoteAddress, headers["x-forwarded-for"]),
    }
  }
  return {
    interaction: (request) => provider.interaction(messageOf(request)),
    resume: async (request, response, answer) => write(request, response, await provider.resume(messageOf(request), answer), false),
  }
}
