import type { Fault } from "../config/fault.ts"
import { printable, styled } from "./output.ts"

/** A fault in two lines: where and what, then how to mend it. */
export const writeFault = (file: string, { path, line, column, message, hint }: Fault): string => {
  const where = styled("dim", `${file}:${line}:${column}`)
  const what = path === "" ? printable(message) : `${styled("bold", printable(path))} ${printable(message)}`
  return `${where} ${what}\n    ${styled("dim", printable(hint))}`
}
