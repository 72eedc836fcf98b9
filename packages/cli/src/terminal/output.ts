import { styleText } from "node:util"

type Style = Parameters<typeof styleText>[0]

let lost: string | undefined

/** Tells what the output has that is shown only once, and the remedy if it is lost; undefined if it has nothing of the kind. */
let shownOnce: Once | undefined

/** A thing that was made and is shown only once, such as a client with its secret. */
export interface Once {
  /** The sentence that says what was made, and that nobody knows its secret. */
  readonly made: string
  readonly remedy: string
}

/** Notes a failure of standard output. A closed pipe, such as one to `head`, is one only if the output is shown once. */
const lose = ({ code = "EIO" }: NodeJS.ErrnoException): void => {
  if (code !== "EPIPE" || shownOnce !== undefined) lost ??= code
}
// The command goes on: to exit here would leave what it does half done.
process.stdout.on("error", lose)
// There is no other place to report to.
process.stderr.on("error", () => undefined)

/** Resolves when a stream has taken everything that was written, or has failed. */
const taken = (stream: NodeJS.WriteStream): Promise<Error | null | undefined> =>
  new Promise((resolve) => stream.write("", (error) => resolve(error)))

/**
 * Resolves when standard output and standard error have taken everything: a pipe takes 64 KiB at once, and exiting would cut off the rest.
 * Returns the system's error code if a part of standard output could not be written, as on a full disk. Output that nobody reads any more is
 * not an error.
 */
export const outputLost = async (): Promise<string | undefined> => {
  const [error] = await Promise.all([taken(process.stdout), taken(process.stderr)])
  if (error) lose(error)
  return lost
}

/** Notes that the output, from now on, has something that is shown only once. */
export const showOnce = (once: Once): void => void (shownOnce = once)

const tell = (what: string): void => {
  complain(`postern: ${what}`)
  complain(`  ${shownOnce?.made ?? "the command was carried out, and its output is lost"}`)
  if (shownOnce !== undefined) complain(`  ${shownOnce.remedy}`)
}

/** Tells that a part of standard output is lost, and what follows from that. */
export const tellLost = (reason: string): void => tell(`standard output cannot be written: ${reason}`)

/** Tells that the command was interrupted while something that is shown only once was still to be written, if that is so. */
export const tellUnread = (): void => {
  if (shownOnce !== undefined && process.stdout.writableLength > 0) tell("interrupted while it waited for the reader of standard output")
}

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

/** The maximum characters of a message about an argument, which may be of any length. */
const longest = 2000

/** Shortens an untrusted text in the middle of a message, and replaces its control characters, line by line. */
export const brief = (text: string): string =>
  (text.length > longest ? `${text.slice(0, longest / 2)} … ${text.slice(-longest / 4)}` : text).split("\n").map(printable).join("\n")
