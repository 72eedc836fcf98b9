import type { Fault } from "./fault.ts"
import { printable, styled } from "../terminal/output.ts"

/** Writes a fault, or what `kind` calls it, in two lines: place and message, then the remedy. */
export const writeFault = (file: string, { path, line, column, message, hint }: Fault, kind = ""): string => {
  const where = styled("dim", `${file}:${line}:${column}`)
  const what = path === "" ? printable(message) : `${styled("bold", printable(path))} ${printable(message)}`
  return `${where} ${kind}${what}\n    ${styled("dim", printable(hint))}`
}
