import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { lazily } from "../action.ts"
import { config, data, json } from "./options.ts"

const requestId = Argument.String("request-id").pipe(
  Argument.withDescription("The request id: the x-request-id header of the answer, or the id on the error page"),
)

/** `postern explain REQUEST-ID`. */
export const explain = Command.make(
  "explain",
  { requestId, config, data, json },
  lazily(async () => (await import("../actions/explain.ts")).explainRequest),
).pipe(Command.withDescription("Explain an answer: the rules that the request passed, and the one that refused it"))
