import { closeSync, existsSync, openSync, rmSync, writeFileSync } from "node:fs"
import { type FormatName, type Report, formats } from "@postern/conformance"
import { misused } from "../failure.ts"
import { unwritable } from "../config/unwritable.ts"

const isFormat = (name: string): name is FormatName => Object.hasOwn(formats, name)

const written = (file: string, write: () => void): void => {
  try {
    write()
  } catch (error) {
    throw unwritable(file, error)
  }
}

/**
 * Validates `--format` and `--out` and returns the function that writes the report. Throws before the tests run if the report could not be
 * written: without a format, with an unknown one, or to a file that cannot be opened. An existing file is replaced only when the report is
 * written.
 */
export const reportTo = ({ format, out }: { readonly format: string | undefined; readonly out: string | undefined }) => {
  if (format === undefined && out !== undefined)
    throw misused(`${out} would hold no report`, `give --format too: ${Object.keys(formats).join(", ")}`)
  if (format !== undefined && !isFormat(format))
    throw misused(`there is no format "${format}"`, `there are ${Object.keys(formats).join(", ")}`)
  if (out !== undefined) {
    const isNew = !existsSync(out)
    written(out, () => closeSync(openSync(out, "a")))
    if (isNew) rmSync(out)
  }
  return (report: Report): void => {
    if (format === undefined) return
    const text = formats[format](report)
    if (out === undefined) process.stdout.write(text)
    else written(out, () => writeFileSync(out, text))
  }
}
