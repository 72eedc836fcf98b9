import * as NodeServices from "@effect/platform-node/NodeServices"
import * as CliConfig from "effect/cli/CliConfig"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { postern } from "./commands/postern.ts"
import { exitCodeOf, runProgram } from "./program.ts"
import { brief, complain, say } from "./terminal/output.ts"
import { version } from "./version.ts"

const formatter = CliOutput.defaultFormatter({ globalFlags: "summary", inheritedFlags: "full" })

/** Writes requested help to stdout, and a short message about an invalid invocation to stderr. */
const presenter: CliOutput.Presenter = {
  present: (event) =>
    Effect.sync(() => {
      switch (event._tag) {
        case "Version":
          return say(`postern ${event.version}`)
        case "Help":
          return event.reason === "Requested"
            ? say(formatter.formatHelpDoc(event.helpDoc))
            : complain(formatter.formatHelpDoc(event.helpDoc))
        case "InvalidInvocation":
          for (const error of event.errors) complain(`postern: ${brief(formatter.formatCliError(error))}`)
          return complain(`Run \`${event.commandPath.join(" ")} --help\` for its usage.`)
      }
    }),
}

const surface = Layer.mergeAll(
  NodeServices.layer,
  CliOutput.layerPresenter(presenter),
  CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] }),
)

/** Moves a request id that starts with a dash behind `--`, so that it isn't parsed as a flag. */
const requestIdLast = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const id =
    args[0] === "explain" && !args.includes("--")
      ? args.find((arg) => /^-[A-Za-z0-9_-]{15}$/.test(arg) && !arg.startsWith("--"))
      : undefined
  return id === undefined ? args : [...args.filter((arg) => arg !== id), "--", id]
}

/**
 * Loads the options of `client add`. They import every feature, which takes 16 ms at startup, so they are loaded only if the command line
 * may need them.
 */
const clientOptionsFor = async (args: ReadonlyArray<string>) =>
  args.some((arg) => arg === "client" || arg.startsWith("--completions")) ? (await import("./actions/clientOptions.ts")).clientOptions : []

const line = (args: ReadonlyArray<string>) =>
  Effect.flatMap(
    Effect.promise(async () => clientOptionsFor(args)),
    (options) => Command.runWith(postern(options), { version })(requestIdLast(args)),
  ).pipe(Effect.provide(surface))

/** Runs the command line and returns its exit code. */
export const runLine = (args: ReadonlyArray<string>): Effect.Effect<number> => exitCodeOf(line(args))

/** Runs the command line and ends the process with its exit code. */
export const main = (args: ReadonlyArray<string>): void => runProgram(line(args))
