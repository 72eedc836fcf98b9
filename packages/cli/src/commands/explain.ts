import { command } from "./command.ts"
import { argument, config, data, json } from "./options.ts"

const requestId = argument("request-id", "The request id: the x-request-id header of the response, or the id on the error page")

/** `postern explain REQUEST-ID`. */
export const explain = command(
  "explain",
  "Explain a response: the rules that the request passed, and the rule that refused it",
  { requestId, config, data, json },
  async () => (await import("../actions/explain.ts")).explainRequest,
)
