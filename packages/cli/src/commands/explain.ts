import * as Argument from "effect/cli/Argument"
import { command } from "./command.ts"
import { config, data, json } from "./options.ts"

const requestId = Argument.String("request-id").pipe(
  Argument.withDescription("The request id: the x-request-id header of the answer, or the id on the error page"),
)

/** `postern explain REQUEST-ID`. */
export const explain = command(
  "explain",
  "Explain an answer: the rules that the request passed, and the one that refused it",
  { requestId, config, data, json },
  async () => (await import("../actions/explain.ts")).explainRequest,
)
