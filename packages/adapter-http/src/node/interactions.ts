import type { Provider } from "@postern/core"
import type { InteractionAnswer, InteractionState } from "@postern/core/model"
import { memberFaults, partFaults, refuseFaults } from "@postern/core/options"
import type { Message } from "@postern/core/wire"
import { callerAddress } from "../address.ts"
import { readTarget } from "../message.ts"
import { headersOf } from "./headers.ts"
import type { NodeRequest, NodeResponse } from "./pair.ts"
import { write } from "./write.ts"

/** The functions for your own interaction pages, on a Node server or in Express. */
export interface NodeInteractions {
  /** Returns the user input that the request behind `?interaction=` needs; see `Provider.interaction`. */
  readonly interaction: (request: NodeRequest) => Promise<InteractionState>
  /** Resumes the request and writes the answer; see `Provider.resume`. */
  readonly resume: (request: NodeRequest, response: NodeResponse, answer: InteractionAnswer) => Promise<void>
}

/**
 * Wraps `provider.interaction` and `provider.resume` so that they take Node's requests and responses. The request's body is yours to read
 * beforehand, with any parser. Throws for a trusted proxy that is not an address or network.
 */
export const nodeInteractions = (
  provider: Pick<Provider, "interaction" | "resume">,
  options: { readonly trustedProxies?: ReadonlyArray<string> | undefined } = {},
): NodeInteractions => {
  refuseFaults(
    "nodeInteractions",
    partFaults("provider", provider, { interaction: "function", resume: "function" }, "Provider"),
    memberFaults(options, { trustedProxies: "texts?" }),
  )
  const { trustedProxies = [] } = options
  const address = callerAddress(trustedProxies)
  const messageOf = (request: NodeRequest): Message => {
    refuseFaults("nodeInteractions", partFaults("request", request, { rawHeaders: "texts" }, "IncomingMessage"))
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
