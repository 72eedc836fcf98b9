import { command } from "./command.ts"
import { argument, json, text } from "./options.ts"

const file = argument("file", "The recording")

/** `postern replay FILE`. */
export const replay = command(
  "replay",
  "Decide recorded requests again, and report what differs, rule by rule (exit status 4 if anything does)",
  { file, config: text("config", "FILE", "Use this configuration instead of the recorded settings and declared clients"), json },
  async () => (await import("../actions/replay.ts")).replayRecording,
  {
    "postern replay requests.recording": "Compare this version with the one that made the recording",
    "postern replay requests.recording --config next.jsonc": "Try another configuration",
  },
)
