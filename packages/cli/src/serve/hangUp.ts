import { isatty } from "node:tty"
import * as Effect from "effect/Effect"

/** Standard streams that were a terminal at the start. */
const terminals = [0, 1, 2].filter((stream) => isatty(stream))

/** Reports whether SIGHUP tells of the end of the terminal that this process belongs to. On Windows it always does. */
const isTerminalGone = (): boolean => process.platform === "win32" || (terminals.length > 0 && !terminals.some((stream) => isatty(stream)))

/**
 * Succeeds when the terminal has hung up, so that what was started by hand ends in order with it. Any other SIGHUP asks for `reload`; where there
 * is nothing to reload it means the end too. Once heard, SIGHUP never ends the process by itself.
 */
export const hungUp = (reload?: () => void): Effect.Effect<void> =>
  Effect.callback((resume) => {
    process.on("SIGHUP", () => (reload === undefined || isTerminalGone() ? resume(Effect.void) : reload()))
  })
