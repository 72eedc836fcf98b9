import * as Flag from "effect/cli/Flag"
import { command } from "./command.ts"
import { config, data, number, port } from "./options.ts"

const most = (name: string, highest: number, description: string) =>
  number(name, "N", description, { from: 1, to: highest }, `a number from 1 to ${highest}`).pipe(Flag.withDefault(undefined))

/** `postern record`. */
export const record = command(
  "record",
  "Run the provider as `serve` does, and record every request with the data it was decided by, without secrets",
  {
    config,
    port,
    data,
    out: Flag.String("out").pipe(Flag.withMetavar("FILE"), Flag.withDescription("The file to write; it must not exist")),
    requests: most("requests", 1_000_000, "Maximum requests to record (default: 10000); the provider keeps running after that"),
    megabytes: most("megabytes", 256, "Maximum megabytes to write, up to 256 (default: 64)"),
  },
  async () => (await import("../actions/record.ts")).recordProvider,
  { "postern record --config postern.jsonc --out requests.recording": "Record until Ctrl-C" },
)
