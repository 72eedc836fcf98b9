import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Cause from "effect/Cause"
import type * as CliError from "effect/cli/CliError"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { Failed, type Misused } from "./failure.ts"
import { interruptAtHangUp, interruption } from "./terminal/interruption.ts"
import { brief, complain, outputLost, printable, tellLost, tellUnread } from "./terminal/output.ts"

/** Tells a failure and its remedy. */
const complainOf = (error: Failed | Misused): void => {
  if (error._tag === "Failed") for (const line of error.details) complain(line)
  // The message may contain text from the command line or from a file.
  complain(`postern: ${brief(printable(error.message))}`)
  if (error.hint !== undefined) complain(`  ${printable(error.hint)}`)
}

/**
 * Reports an error and returns its exit code: that of the failure, 1 by default and 3 for an unreachable server, or 2 for an invalid
 * invocation.
 */
const exitCode = (error: CliError.CliError | Failed | Misused): number => {
  switch (error._tag) {
    case "Failed":
      complainOf(error)
      return error.code ?? 1
    case "Misused":
      complainOf(error)
      return 2
    default:
      return 2
  }
}

/** Tells how far an interrupted command came; see `stoppable`. */
const tellInterrupted = (cause: Cause.Cause<unknown>): void => {
  for (const reason of cause.reasons) if (Cause.isDieReason(reason) && reason.defect instanceof Failed) complainOf(reason.defect)
}

/** Failures of the system that any file may meet, and that are no defects of this program. */
const shortages: Readonly<Record<string, readonly [string, string]>> = {
  EMFILE: ["this process may open too few files", "raise the limit: `ulimit -n`, or LimitNOFILE of the service"],
  ENFILE: ["this machine has no file left to open", "raise fs.file-max, or stop the program that keeps so many open"],
}

const bug = (defect: unknown): number => {
  const [message, hint] = shortages[defect instanceof Error && "code" in defect ? String(defect.code) : ""] ?? []
  if (message !== undefined) {
    complain(`postern: ${message}`)
    complain(`  ${hint}`)
    return 1
  }
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
  tellLost(lost)
  await outputLost()
  return 1
}

/** Runs a command and ends the process with its exit code. */
export const runProgram = (program: Effect.Effect<void, CliError.CliError | Failed | Misused>): void => {
  interruptAtHangUp()
  NodeRuntime.runMain(
    Effect.flatMap(exitCodeOf(program), (code) => Effect.promise(() => withOutput(code))).pipe(
      Effect.onInterrupt(() => Effect.sync(tellUnread)),
    ),
    {
      disableErrorReporting: true,
      teardown: (exit, onExit) => {
        if (Exit.isFailure(exit)) tellInterrupted(exit.cause)
        onExit(Exit.isSuccess(exit) && typeof exit.value === "number" ? exit.value : interruption.exitCode)
      },
    },
  )
}
