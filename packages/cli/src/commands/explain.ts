import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { lazily } from "./lazily.ts"
import { config, data, json } from "./options.ts"

const requestId = Argument.String("request-id").pipe(
  Argument.withDescription("What the answer carried as x-request-id, or the error page shows"),
)

/** `postern explain REQUEST-ID`. */
export const explain = Command.make(
  "explain",
  { requestId, config, data, json },
  lazily(async () => (await import("../actions/explain.ts")).explainRequest),
).pipe(Command.withDescription("Show why a request was answered as it was: the rules it passed, and the one that refused it"))
