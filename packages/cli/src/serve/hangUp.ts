import { isatty } from "node:tty"
import * as Effect from "effect/Effect"
import { leaveHangUp } from "../terminal/interruption.ts"

/** The standard streams that were a terminal at startup. */
const terminals = [0, 1, 2].filter((stream) => isatty(stream))

/** Reports whether SIGHUP means that the terminal of this process was closed. On Windows it always does. */
const isTerminalGone = (): boolean => process.platform === "win32" || (terminals.length > 0 && !terminals.some((stream) => isatty(stream)))

/**
 * Succeeds when the terminal hangs up, so that a process started by hand shuts down cleanly. Any other SIGHUP calls `reload`, or also
 * succeeds if there is none. SIGHUP no longer terminates the process by itself.
 */
export const hungUp = (reload?: () => void): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const hangUp = (): void => (reload === undefined || isTerminalGone() ? resume(Effect.void) : reload())
    process.on("SIGHUP", hangUp)
    if (leaveHangUp()) hangUp()
  })
