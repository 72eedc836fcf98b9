import module from "node:module"

/**
 * Writes the compile cache a second after a start, if there was none. Node writes it when the process ends. By then V8 has dropped the
 * compiled code of functions that only a start calls, or the process was killed.
 */
export const keepStartedCode = (): void => {
  setTimeout(() => module.flushCompileCache(), 1000).unref()
}
