import * as Flag from "effect/cli/Flag"
import { command } from "./command.ts"
import { config, data, port } from "./options.ts"

const most = (name: string, description: string) =>
  Flag.Int(name).pipe(
    Flag.withMetavar("N"),
    Flag.withDescription(description),
    Flag.filter(
      (value) => value >= 1 && value <= 1_000_000,
      () => "a number from 1 to 1000000",
    ),
    Flag.withDefault(undefined),
  )

/** `postern record`. */
export const record = command(
  "record",
  "Run the provider as `serve` does, and record every request with what it was decided by, without its secrets",
  {
    config,
    port,
    data,
    out: Flag.String("out").pipe(Flag.withMetavar("FILE"), Flag.withDescription("The file to write; it must not exist")),
    requests: most("requests", "Requests to record at most (default: 10000); the provider goes on without recording"),
    megabytes: most("megabytes", "Megabytes to write at most (default: 64)"),
  },
  async () => (await import("../actions/record.ts")).recordProvider,
  [{ command: "postern record --config postern.jsonc --out requests.recording", description: "Record until Ctrl-C" }],
)
