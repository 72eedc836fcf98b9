import type { Fault } from "./fault.ts"
import { printable, styled } from "../terminal/output.ts"

/** Formats a fault in two lines, the position and the message, then the remedy. `kind` names it if it is not a fault. */
export const writeFault = (file: string, { path, line, column, message, hint }: Fault, kind = ""): string => {
  const where = styled("dim", `${file}:${line}:${column}`)
  const what = path === "" ? printable(message) : `${styled("bold", printable(path))} ${printable(message)}`
  return `${where} ${kind}${what}\n    ${styled("dim", printable(hint))}`
}
