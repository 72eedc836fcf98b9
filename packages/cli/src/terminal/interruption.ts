/** Exit status after an interruption (Ctrl-C, SIGTERM): 130, or 0 for a server that was asked to stop. */
export const interruption = { exitCode: 130 }
