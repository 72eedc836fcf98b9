/** What an interruption (Ctrl-C, SIGTERM) ends the process with: 130, or 0 for a server that was asked to stop. */
export const interruption = { exitCode: 130 }
