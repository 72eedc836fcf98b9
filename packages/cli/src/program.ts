import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Cause from "effect/Cause"
import type * as CliError from "effect/cli/CliError"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Failed, Misused } from "./failure.ts"
import { interruptAtHangUp, interruption } from "./terminal/interruption.ts"
import { brief, complain, outputLost, printable } from "./terminal/output.ts"

const complainOf = ({ message, hint }: Failed | Misused): void => {
  // The message may contain text from the command line or from a file.
  complain(`postern: ${brief(printable(message))}`)
  if (hint !== undefined) complain(`  ${printable(hint)}`)
}

/**
 * Reports an error and returns its exit code: that of the failure, 1 by default and 3 for an unreachable server, or 2 for an invalid
 * invocation.
 */
const exitCode = (error: CliError.CliError | Failed | Misused): number => {
  switch (error._tag) {
    case "Failed":
      for (const line of error.details) complain(line)
      complainOf(error)
      return error.code ?? 1
    case "Misused":
      complainOf(error)
      return 2
    default:
      return 2
  }
}

const bug = (defect: unknown): number => {
  complain(`postern: internal error: ${defect instanceof Error ? defect.message : String(defect)}`)
  complain(
    process.env["POSTERN_DEBUG"] === undefined
      ? "  Run it again with POSTERN_DEBUG=1 for details, and report it."
      : Cause.pretty(Cause.die(defect)),
  )
  return 1
}

/** Runs a command and returns its exit code. */
export const exitCodeOf = (program: Effect.Effect<void, CliError.CliError | Failed | Misused>): Effect.Effect<number> =>
  program.pipe(
    Effect.as(0),
    Effect.catch((error) => Effect.sync(() => exitCode(error))),
    Effect.catchDefect((defect) => Effect.sync(() => bug(defect))),
  )

/** Returns the exit code of a command after its output: 1 if a part of that is lost, such as a secret that is shown only once. */
const withOutput = async (code: number): Promise<number> => {
  const lost = await outputLost()
  if (lost === undefined || code !== 0) return code
  complain(`postern: standard output cannot be written: ${lost}`)
  complain("  the command was carried out, and its output is lost")
  await outputLost()
  return 1
}

/** Runs a command and ends the process with its exit code. */
export const runProgram = (program: Effect.Effect<void, CliError.CliError | Failed | Misused>): void => {
  interruptAtHangUp()
  NodeRuntime.runMain(
    Effect.flatMap(exitCodeOf(program), (code) => Effect.promise(() => withOutput(code))),
    {
      disableErrorReporting: true,
      teardown: (exit, onExit) => onExit(Exit.isSuccess(exit) && typeof exit.value === "number" ? exit.value : interruption.exitCode),
    },
  )
}
