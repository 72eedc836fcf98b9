import { closeSync, constants, fstatSync, fsyncSync, openSync, readFileSync, writeSync } from "node:fs"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Beginning, Ending, Entry } from "./entry.ts"

/** The bounds of a recording. */
export interface RecordingLimits {
  /** Requests that are recorded at most. */
  readonly requests: number
  /** Bytes of the file at most. */
  readonly bytes: number
  /** Bytes of one request at most; a longer one is left out. */
  readonly line: number
}

/** The limits where none are given. */
export const defaultRecordingLimits: RecordingLimits = { requests: 10_000, bytes: 64 * 1024 * 1024, line: 1024 * 1024 }

/** A recording that is being written. */
export interface RecordingFile {
  /** Adds a request; one for which there is no room is left out and counted. */
  readonly add: (entry: Entry) => void
  /** Ends it. Answers with the number of requests, and of those left out. */
  readonly end: () => Ending
}

/** Begins a recording in a new file that its owner alone may read. Throws the system's error where there is one of this name already. */
export const beginRecording = (file: string, beginning: Beginning, limits: RecordingLimits = defaultRecordingLimits): RecordingFile => {
  const handle = openSync(file, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600)
  const counts = { requests: 0, left_out: 0 }
  let written = 0
  const write = (line: object): boolean => {
    const text = Buffer.from(`${JSON.stringify(line)}\n`)
    if (text.length > limits.line || written + text.length > limits.bytes) return false
    for (let at = 0; at < text.length;) at += writeSync(handle, text, at)
    written += text.length
    return true
  }
  write(beginning)
  return {
    add: (entry) => {
      if (counts.requests < limits.requests && write(entry)) counts.requests++
      else counts.left_out++
    },
    end: () => {
      // The last line has its place whatever the limit.
      writeSync(handle, `${JSON.stringify(counts)}\n`)
      fsyncSync(handle)
      closeSync(handle)
      return counts
    },
  }
}

/** A recording cannot be read: it is none, is damaged, or of a version that this one does not know. The message names the line. */
export class RecordingUnreadable extends Error {
  override readonly name = "RecordingUnreadable"
}

/** A recording that was read. */
export interface Recording {
  readonly beginning: Beginning
  readonly entries: ReadonlyArray<Entry>
  /** The end; undefined where the recording was cut off. */
  readonly ending: Ending | undefined
}

const most = 256 * 1024 * 1024

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

const first = (message: string): string => message.split("\n", 1)[0]?.slice(0, 300) ?? ""

const decoder = <S extends Schema.Decoder<unknown>>(schema: S) => {
  const decode = Schema.decodeUnknownResult(schema)
  return (value: unknown, line: number): S["Type"] => {
    const found = decode(value, { onExcessProperty: "error" })
    if (Result.isFailure(found)) return refused(line, `does not fit the schema of recordings: ${first(String(found.failure.message))}`)
    return found.success
  }
}

const [asBeginning, asEntry, asEnding] = [decoder(Beginning), decoder(Entry), decoder(Ending)]

const has = (value: unknown, name: string): boolean => typeof value === "object" && value !== null && Object.hasOwn(value, name)

/** Reads the text of a recording. Throws {@link RecordingUnreadable}. */
export const readRecordingText = (text: string): Recording => {
  const lines = text.split("\n")
  // Each line ends; what comes after the last end was being written when the recording was cut off.
  lines.pop()
  const [head, ...rest] = lines
  if (head === undefined) return refused(1, "is no beginning of a recording")
  const opened = json(head, 1)
  if (!has(opened, "postern_recording")) return refused(1, "is no beginning of a recording")
  const { postern_recording: version } = opened as { readonly postern_recording: unknown }
  if (version !== 1) return refused(1, `is of version ${JSON.stringify(version).slice(0, 20)} of recordings; this command reads version 1`)
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

/** Reads the file of a recording. Throws {@link RecordingUnreadable}, or the system's error. */
export const readRecording = (file: string): Recording => {
  const handle = openSync(file, "r")
  try {
    if (fstatSync(handle).size > most) throw new RecordingUnreadable(`it has more than ${most / 1024 / 1024} MB`)
    return readRecordingText(readFileSync(handle, "utf8"))
  } finally {
    closeSync(handle)
  }
}
