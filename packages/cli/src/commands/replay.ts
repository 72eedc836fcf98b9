import * as Argument from "effect/cli/Argument"
import { command } from "./command.ts"
import { json, text } from "./options.ts"

const file = Argument.String("file").pipe(Argument.withDescription("The recording"))

/** `postern replay FILE`. */
export const replay = command(
  "replay",
  "Decide recorded requests again, and tell rule by rule what differs (exit status 4)",
  { file, config: text("config", "FILE", "Decide by this configuration, in place of the recorded settings and declared clients"), json },
  async () => (await import("../actions/replay.ts")).replayRecording,
  [
    { command: "postern replay requests.recording", description: "Compare this version with the one that recorded" },
    { command: "postern replay requests.recording --config next.jsonc", description: "Compare another configuration" },
  ],
)
