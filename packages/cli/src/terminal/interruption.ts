/** The exit code after an interruption (Ctrl-C, SIGTERM, a closed terminal): 130, or 0 for a server that was stopped. */
export const interruption = { exitCode: 130 }

const interrupt = (): void => void process.emit("SIGTERM")

/** SIGHUPs that came before there was a server to handle them; undefined if they are not kept. */
let kept: number | undefined

const keep = (): void => void (kept = (kept ?? 0) + 1)

/** Keeps each SIGHUP for a server that is about to start. By default one would end the process. Call it before anything else is loaded. */
export const keepHangUp = (): void => {
  kept = 0
  process.on("SIGHUP", keep)
}

/**
 * Makes a SIGHUP, as when the terminal is closed, interrupt the command like SIGTERM, unless it is kept for a server. By default it would end
 * the process between two writes.
 */
export const interruptAtHangUp = (): void => {
  if (kept === undefined) process.on("SIGHUP", interrupt)
}

/** Leaves SIGHUP to a server, which handles it from now on. Returns whether one was kept for it. */
export const leaveHangUp = (): boolean => {
  process.off("SIGHUP", interrupt)
  process.off("SIGHUP", keep)
  return (kept ?? 0) > 0
}
