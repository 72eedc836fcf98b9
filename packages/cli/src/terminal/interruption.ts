/** The exit code after an interruption (Ctrl-C, SIGTERM): 130, or 0 for a server that was stopped. */
export const interruption = { exitCode: 130 }
