import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Cause from "effect/Cause"
import * as CliConfig from "effect/cli/CliConfig"
import type * as CliError from "effect/cli/CliError"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { postern } from "./commands/postern.ts"
import type { Failed, Misused } from "./failure.ts"
import { interruption } from "./terminal/interruption.ts"
import { complain, printable, say } from "./terminal/output.ts"
import { version } from "./version.ts"

const formatter = CliOutput.defaultFormatter({ globalFlags: "summary", inheritedFlags: "full" })

/** Help asked for goes to stdout; what is wrong with a call goes to stderr, in a line or two. */
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
          for (const error of event.errors) complain(`postern: ${formatter.formatCliError(error)}`)
          return complain(`Run \`${event.commandPath.join(" ")} --help\` for its usage.`)
      }
    }),
}

const surface = Layer.mergeAll(
  NodeServices.layer,
  CliOutput.layerPresenter(presenter),
  CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] }),
)

const complainOf = ({ message, hint }: Failed | Misused): void => {
  // A message may repeat what was typed, or what stands in a file.
  complain(`postern: ${printable(message)}`)
  if (hint !== undefined) complain(`  ${printable(hint)}`)
}

/** Ends with an exit code: 0 done, 1 failed, 2 not a proper call. */
const exitCode = (error: CliError.CliError | Failed | Misused): number => {
  switch (error._tag) {
    case "Failed":
      for (const line of error.details) complain(line)
      complainOf(error)
      return 1
    case "Misused":
      complainOf(error)
      return 2
    default:
      return 2
  }
}

const bug = (defect: unknown): number => {
  complain(`postern: something went wrong that should not: ${defect instanceof Error ? defect.message : String(defect)}`)
  complain(
    process.env["POSTERN_DEBUG"] === undefined
      ? "  Run the same with POSTERN_DEBUG=1 for the details, and report it."
      : Cause.pretty(Cause.die(defect)),
  )
  return 1
}

/** A request id may begin with a dash; behind `--` it is no flag. */
const requestIdLast = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const id =
    args[0] === "explain" && !args.includes("--")
      ? args.find((arg) => /^-[A-Za-z0-9_-]{15}$/.test(arg) && !arg.startsWith("--"))
      : undefined
  return id === undefined ? args : [...args.filter((arg) => arg !== id), "--", id]
}

/** Runs the command line, and gives back the exit code it comes to. */
export const runLine = (args: ReadonlyArray<string>): Effect.Effect<number> =>
  Command.runWith(postern, { version })(requestIdLast(args)).pipe(
    Effect.as(0),
    Effect.catch((error) => Effect.sync(() => exitCode(error))),
    Effect.catchDefect((defect) => Effect.sync(() => bug(defect))),
    Effect.provide(surface),
  )

/** Runs the command line and ends the process with its exit code. */
export const main = (args: ReadonlyArray<string>): void => {
  NodeRuntime.runMain(runLine(args), {
    disableErrorReporting: true,
    teardown: (exit, onExit) => onExit(Exit.isSuccess(exit) && typeof exit.value === "number" ? exit.value : interruption.exitCode),
  })
}
