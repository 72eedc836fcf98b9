import * as Command from "effect/cli/Command"
import { lazily } from "../action.ts"
import { data, port } from "./options.ts"

/** `postern demo`. */
export const demo = Command.make(
  "demo",
  { port, data },
  lazily(async () => (await import("../actions/demo.ts")).serveDemo),
).pipe(Command.withDescription("Run a demo provider with clients, users and a playground"))
