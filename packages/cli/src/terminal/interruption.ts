/** The exit code after an interruption (Ctrl-C, SIGTERM, a closed terminal): 130, or 0 for a server that was stopped. */
export const interruption = { exitCode: 130 }

const interrupt = (): void => void process.emit("SIGTERM")

/**
 * Makes a SIGHUP, as when the terminal is closed, interrupt the command like SIGTERM. By default it would end the process between two
 * writes.
 */
export const interruptAtHangUp = (): void => void process.on("SIGHUP", interrupt)

/** Leaves SIGHUP to a server, which handles it itself. */
export const leaveHangUp = (): void => void process.off("SIGHUP", interrupt)
