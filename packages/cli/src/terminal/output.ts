import { styleText } from "node:util"

type Style = Parameters<typeof styleText>[0]

// A closed pipe, such as one to `head`, is not a failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0)
  throw error
})

/** Writes a line to standard output. */
export const say = (line = ""): void => void process.stdout.write(`${line}\n`)

/** Writes a line to standard error. */
export const complain = (line = ""): void => void process.stderr.write(`${line}\n`)

/** Escapes the terminal control characters in JSON that JSON itself leaves unescaped. */
export const escaped = (text: string): string =>
  text.replace(/[\u007F-\u009F\p{Cf}\p{Zl}\p{Zp}]/gu, (found) =>
    Array.from({ length: found.length }, (_, at) => `\\u${found.charCodeAt(at).toString(16).padStart(4, "0")}`).join(""),
  )

/** Writes a value as JSON to standard output. */
export const sayJson = (value: unknown): void => say(escaped(JSON.stringify(value, undefined, 2)))

/** Styles text for standard output, if it is a terminal that supports styles. */
export const styled = (style: Style, text: string): string => styleText(style, text, { stream: process.stdout })

/** Styles text for standard error, if it is a terminal that supports styles. */
export const styledError = (style: Style, text: string): string => styleText(style, text, { stream: process.stderr })

/** Formats rows as a table with headings. */
export const table = (headings: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const widths = headings.map((heading, at) => Math.max(heading.length, ...rows.map((row) => row[at]?.length ?? 0)))
  const line = (row: ReadonlyArray<string>): string =>
    row
      .map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at] ?? 0)))
      .join("  ")
      .trimEnd()
  return [styled("dim", line(headings)), ...rows.map(line)].join("\n")
}

/** Formats a time as local date and time to the minute. */
export const moment = (instant: number): string => {
  const date = new Date(instant * 1000)
  const two = (part: number): string => String(part).padStart(2, "0")
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`
}

/** Replaces the control characters of untrusted text, which could manipulate the terminal. */
export const printable = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "\uFFFD")
