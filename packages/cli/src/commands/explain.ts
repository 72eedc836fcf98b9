import * as Argument from "effect/cli/Argument"
import { command } from "./command.ts"
import { config, data, json } from "./options.ts"

const requestId = Argument.String("request-id").pipe(
  Argument.withDescription("The request id: the x-request-id header of the response, or the id on the error page"),
)

/** `postern explain REQUEST-ID`. */
export const explain = command(
  "explain",
  "Explain a response: the rules that the request passed, and the rule that refused it",
  { requestId, config, data, json },
  async () => (await import("../actions/explain.ts")).explainRequest,
)
