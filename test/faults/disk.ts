import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"

/** Event of a file, in microseconds since 1970. */
export interface Stroke {
  readonly file: string
  readonly began: number
  readonly ended: number
  readonly what:
    | { readonly _tag: "Write"; readonly at: number; readonly bytes: Buffer }
    | { readonly _tag: "Truncate"; readonly size: number }
    | { readonly _tag: "Sync" }
}

const hex = (text: string): Buffer => Buffer.from(text.replaceAll("\\x", ""), "hex")
const pathOf = (fd: string): string => (fd.startsWith("\\x") ? hex(fd).toString() : fd)

const whole = /^(\w+)\(\d+<([^>]*)>(?:, "([^"]*)"(\.{3})?, (\d+), (\d+)|, (\d+))?\) += (-?\d+)/
const timed = /^(\d+) +(\d+)\.(\d{6}) (.*)$/

/** Reads a trace line by line (`strace -f -ttt -T -y --strings-in-hex=all`), as far as it is about files that are named. */
export const strokeReader = (isNamed: (path: string) => boolean) => {
  const strokes: Array<Stroke> = []
  const open = new Map<string, { readonly at: number; readonly text: string }>()
  const finish = (began: number, ended: number, text: string): void => {
    const [, name = "", fd = "", data, cut, count, at, size, result] = whole.exec(text) ?? []
    const path = pathOf(fd)
    if (!isNamed(path) || Number(result) < 0) return
    const stroke = { file: basename(path), began, ended }
    if (name === "pwrite64") {
      const bytes = hex(data ?? "")
      if (cut !== undefined || bytes.length !== Number(count) || Number(result) !== bytes.length)
        throw new Error("a write is not whole in the trace")
      strokes.push({ ...stroke, what: { _tag: "Write", at: Number(at), bytes } })
    } else if (name === "ftruncate") strokes.push({ ...stroke, what: { _tag: "Truncate", size: Number(size) } })
    else if (name === "fsync" || name === "fdatasync") strokes.push({ ...stroke, what: { _tag: "Sync" } })
  }
  return {
    take: (line: string): void => {
      const [, thread = "", seconds = "0", micros = "0", text = ""] = timed.exec(line) ?? []
      const at = Number(seconds) * 1e6 + Number(micros)
      const resumed = /^<\.\.\. (\w+) resumed>(.*)$/s.exec(text)
      if (text.endsWith("<unfinished ...>")) open.set(thread, { at, text: text.slice(0, -"<unfinished ...>".length).trimEnd() })
      else if (resumed !== null) {
        const before = open.get(thread)
        open.delete(thread)
        if (before !== undefined) finish(before.at, at, before.text + (resumed[2] ?? ""))
      } else finish(at, at + Math.ceil(Number(/<(\d+\.\d+)>$/.exec(text)?.[1] ?? 0) * 1e6), text)
    },
    strokes,
  }
}

/** Bytes that a disk writes whole or not at all. */
const sector = 512

/** A file that grows as it is written to. */
class Plate {
  bytes: Buffer

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  write(at: number, bytes: Buffer): void {
    if (this.bytes.length < at + bytes.length) this.bytes = Buffer.concat([this.bytes, Buffer.alloc(at + bytes.length - this.bytes.length)])
    bytes.copy(this.bytes, at)
  }

  truncate(size: number): void {
    this.bytes =
      size <= this.bytes.length ? this.bytes.subarray(0, size) : Buffer.concat([this.bytes, Buffer.alloc(size - this.bytes.length)])
  }
}

/**
 * A disk that keeps what was synced, and of the rest what chance will have: writes that no finished sync covers may be there or not, each
 * sector by itself, and a truncation too.
 */
export class Disk {
  readonly #durable = new Map<string, Plate>()
  #pending: Array<Stroke> = []
  readonly #strokes: ReadonlyArray<Stroke>
  #next = 0
  /** True if syncs are believed; without, the loss shows that a cut is one. */
  readonly #believes: boolean

  /** `files` are on disk when it begins. */
  constructor(files: ReadonlyMap<string, Buffer>, strokes: ReadonlyArray<Stroke>, believes = true) {
    for (const [name, bytes] of files) this.#durable.set(name, new Plate(Buffer.from(bytes)))
    this.#strokes = [...strokes].sort((left, right) => left.ended - right.ended)
    this.#believes = believes
  }

  /** Lets everything happen that had ended by a moment; moments only go forward. */
  until(moment: number): void {
    for (; this.#next < this.#strokes.length; this.#next++) {
      const stroke = this.#strokes[this.#next]
      if (stroke === undefined || stroke.ended > moment) break
      if (stroke.what._tag !== "Sync") this.#pending.push(stroke)
      else if (this.#believes) {
        const covered = this.#pending.filter(({ file, ended }) => file === stroke.file && ended <= stroke.began)
        for (const each of covered) apply(this.#plate(each.file), each)
        this.#pending = this.#pending.filter((each) => !covered.includes(each))
      }
    }
  }

  /** Writes that no sync has covered yet. */
  get unsynced(): number {
    return this.#pending.length
  }

  /** Writes what a power cut at a moment leaves into a folder; `until` it has been called. */
  cut(moment: number, folder: string, chance: () => number): void {
    const under = this.#strokes.slice(this.#next, this.#next + 50).filter(({ began, what }) => began <= moment && what._tag !== "Sync")
    const left = new Map([...this.#durable].map(([name, plate]) => [name, new Plate(Buffer.from(plate.bytes))]))
    // Now and then nothing of what was not synced is there, or nearly all of it.
    const share = [0, 0.1, 0.5, 0.9, 1][Math.floor(chance() * 5)] ?? 0.5
    for (const stroke of [...this.#pending, ...under]) {
      const plate = left.get(stroke.file) ?? new Plate(Buffer.alloc(0))
      left.set(stroke.file, plate)
      if (stroke.what._tag === "Write") {
        const { at, bytes } = stroke.what
        for (let from = 0; from < bytes.length;) {
          const end = Math.min(bytes.length, from + sector - ((at + from) % sector))
          if (chance() < share) plate.write(at + from, bytes.subarray(from, end))
          from = end
        }
      } else if (chance() < share) apply(plate, stroke)
    }
    mkdirSync(folder, { recursive: true })
    for (const [name, { bytes }] of left) writeFileSync(join(folder, name), bytes, { mode: 0o600 })
  }

  #plate(file: string): Plate {
    const known = this.#durable.get(file) ?? new Plate(Buffer.alloc(0))
    this.#durable.set(file, known)
    return known
  }
}

const apply = (plate: Plate, { what }: Stroke): void => {
  if (what._tag === "Write") plate.write(what.at, what.bytes)
  else if (what._tag === "Truncate") plate.truncate(what.size)
}

/** Files by their names, as they are now. */
export const filesOf = (paths: ReadonlyArray<string>): ReadonlyMap<string, Buffer> =>
  new Map(paths.map((path) => [basename(path), readFileSync(path)]))
