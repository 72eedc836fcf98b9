import { printable } from "../terminal/output.ts"

/** Quotes an argument of a command that is shown, if a shell would change or split it. */
export const inShell = (text: string): string =>
  /^[\w./:@%+=,][\w./:@%+=,-]*$/.test(text) ? text : `'${printable(text).replaceAll("'", "'\\''")}'`
