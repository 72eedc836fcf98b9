import { closeSync, constants, fstatSync, fsyncSync, ftruncateSync, openSync, readFileSync, unlinkSync, writeSync } from "node:fs"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Beginning, Ending, Entry, readVersions } from "./entry.ts"

/** The limits of a recording. */
export interface RecordingLimits {
  /** The maximum requests. */
  readonly requests: number
  /** The maximum bytes of the file, at most {@link mostRecordingBytes}. */
  readonly bytes: number
  /** The maximum bytes of one request. A longer one is omitted. */
  readonly line: number
}

/** The maximum bytes of a recording, for writing and for reading. */
export const mostRecordingBytes = 256 * 1024 * 1024

/** The default limits. */
export const defaultRecordingLimits: RecordingLimits = { requests: 10_000, bytes: 64 * 1024 * 1024, line: 1024 * 1024 }

/** A recording that is being written. */
export interface RecordingFile {
  /** Adds a request. One that does not fit or cannot be written is omitted and counted. */
  readonly add: (entry: Entry) => void
  /** Counts a request without a record. */
  readonly miss: () => void
  /** Closes the recording, and returns the numbers of recorded and omitted requests. */
  readonly end: () => Ending
}

/** A recording is too small for its first line. */
export class RecordingTooSmall extends Error {
  override readonly name = "RecordingTooSmall"
}

/** The bytes reserved for the last line. */
const lastLine = 64

/**
 * Begins a recording in a new file that only its owner may read. Throws the system's error if a file with this name exists, and {@link
 * RecordingTooSmall}. A record that later cannot be written is omitted, and the file is truncated to the last whole line. `troubled`
 * receives the first error.
 */
export const beginRecording = (
  file: string,
  beginning: Beginning,
  limits: RecordingLimits = defaultRecordingLimits,
  troubled: (error: unknown) => void = () => undefined,
): RecordingFile => {
  const bytes = Math.min(limits.bytes, mostRecordingBytes)
  const head = lineOf(beginning)
  if (head.length + lastLine > bytes)
    throw new RecordingTooSmall(`the settings alone have ${head.length} bytes, and there is room for ${bytes}`)
  const handle = openSync(file, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600)
  const counts = { requests: 0, left_out: 0 }
  let written = 0
  let trouble: "none" | "told" | "lasting" = "none"
  const write = (text: Buffer): void => {
    for (let at = 0; at < text.length;) at += writeSync(handle, text, at, text.length - at, written + at)
    written += text.length
  }
  /** Performs a file operation. False if it fails. */
  const tried = (act: () => void): boolean => {
    if (trouble === "lasting") return false
    try {
      act()
      return true
    } catch (error) {
      if (trouble === "none") troubled(error)
      trouble = "told"
      try {
        ftruncateSync(handle, written)
      } catch {
        // The file ends with half a line, so nothing after it would be readable.
        trouble = "lasting"
      }
      return false
    }
  }
  const noted = (entry: Entry): boolean => {
    const text = lineOf(entry)
    return text.length <= limits.line && written + text.length + lastLine <= bytes && tried(() => write(text))
  }
  try {
    write(head)
  } catch (error) {
    closeSync(handle)
    unlinkSync(file)
    throw error
  }
  return {
    add: (entry) => {
      if (counts.requests < limits.requests && noted(entry)) counts.requests++
      else counts.left_out++
    },
    miss: () => void counts.left_out++,
    end: () => {
      tried(() => write(lineOf(counts)))
      tried(() => fsyncSync(handle))
      tried(() => closeSync(handle))
      return counts
    },
  }
}

const lineOf = (value: object): Buffer => Buffer.from(`${JSON.stringify(value)}\n`)

/** A recording is unreadable: it is not a recording, is damaged, or has an unsupported version. The message names the line. */
export class RecordingUnreadable extends Error {
  override readonly name = "RecordingUnreadable"
}

/** A parsed recording. */
export interface Recording {
  readonly beginning: Beginning
  readonly entries: ReadonlyArray<Entry>
  /** The last line; undefined if the recording was truncated. */
  readonly ending: Ending | undefined
}

const refused = (line: number, why: string): never => {
  throw new RecordingUnreadable(`line ${line}: ${why}`)
}

const json = (text: string, line: number): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return refused(line, "is no JSON")
  }
}

/** The first fault that a schema finds, on one line: what was expected, and at which member. */
const first = (message: string): string => {
  const [expected = "", at = ""] = message.split("\n").map((line) => line.trim())
  return `${expected}${at.startsWith("at ") ? ` ${at}` : ""}`.slice(0, 300)
}

/** Names the request of a line, if the line has one. */
const named = (value: unknown): string => {
  const request = typeof value === "object" && value !== null && "request" in value ? value.request : undefined
  return typeof request === "string" ? ` (request ${request.slice(0, 100)})` : ""
}

const decoder = <S extends Schema.Decoder<unknown>>(schema: S) => {
  const decode = Schema.decodeUnknownResult(schema)
  return (value: unknown, line: number): S["Type"] => {
    const found = decode(value, { onExcessProperty: "error" })
    if (Result.isFailure(found))
      return refused(line, `does not fit the schema of recordings: ${first(String(found.failure.message))}${named(value)}`)
    return found.success
  }
}

const [asBeginning, asEntry, asEnding] = [decoder(Beginning), decoder(Entry), decoder(Ending)]

const has = (value: unknown, name: string): boolean => typeof value === "object" && value !== null && Object.hasOwn(value, name)

/** Parses the text of a recording. Throws {@link RecordingUnreadable}. */
export const readRecordingText = (text: string): Recording => {
  const lines = text.split("\n")
  // Every line ends with a line break. Text after the last one was still being written when the recording was truncated.
  lines.pop()
  const [head, ...rest] = lines
  if (head === undefined) return refused(1, "is no beginning of a recording")
  const opened = json(head, 1)
  if (!has(opened, "postern_recording")) return refused(1, "is no beginning of a recording")
  const { postern_recording: version } = opened as { readonly postern_recording: unknown }
  if (!readVersions.some((each) => each === version))
    return refused(
      1,
      `is of version ${JSON.stringify(version).slice(0, 20)} of recordings; this command reads ${readVersions.join(" and ")}`,
    )
  const beginning = asBeginning(opened, 1)
  const entries: Array<Entry> = []
  let ending: Ending | undefined
  for (const [index, line] of rest.entries()) {
    const at = index + 2
    if (ending !== undefined) return refused(at, "comes after the end")
    const value = json(line, at)
    if (has(value, "left_out")) ending = asEnding(value, at)
    else entries.push(asEntry(value, at))
  }
  if (ending !== undefined && ending.requests !== entries.length)
    return refused(rest.length + 1, `counts ${ending.requests} requests, and there are ${entries.length}`)
  return { beginning, entries, ending }
}

/** Reads a recording from a file. Throws {@link RecordingUnreadable}, or the system's error. */
export const readRecording = (file: string): Recording => {
  // A plain open would block on a pipe without a writer.
  const handle = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const stat = fstatSync(handle)
    // A pipe or a device has no size, and may never end.
    if (!stat.isFile() && !stat.isDirectory()) throw new RecordingUnreadable("it is no regular file")
    if (stat.size > mostRecordingBytes) throw new RecordingUnreadable(`it has more than ${mostRecordingBytes / 1024 / 1024} MB`)
    return readRecordingText(readFileSync(handle, "utf8"))
  } finally {
    closeSync(handle)
  }
}
