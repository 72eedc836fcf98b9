import type * as Schema from "effect/Schema"
import type { Finding, Path } from "./fault.ts"
import { decoded } from "./issues.ts"

/** What of a file can be judged further although some of it is wrong. */
export interface Tolerated<A> {
  /** Undefined when nothing remains. */
  readonly value: A | undefined
  /** Everything the schema holds against the file. */
  readonly findings: ReadonlyArray<Finding>
  /** Whether a path of the file is left out of `value`, by itself or with what it lies in. */
  readonly leftOut: (path: Path) => boolean
  /** Whether nothing at or below a path of the file is left out. */
  readonly whole: (path: Path) => boolean
  /** A path of `value` as a path of the file. */
  readonly original: (path: Path) => Path
}

const rounds = 8

/**
 * Decodes what can be decoded: whatever the schema refuses is left out, field by field, so that one fault does not hide the others.
 * An item is left out as a whole when the fault is in one of its decisive fields: what the rest means depends on them.
 */
export const tolerated = <A>(schema: Schema.ConstraintDecoder<A>, file: unknown, decisive: ReadonlySet<string>): Tolerated<A> => {
  const first = decoded(schema, file)
  let attempt = first
  const dropped: Array<Path> = []
  for (let round = 0; attempt.findings !== undefined && round < rounds; round++) {
    dropped.push(...attempt.findings.map((found) => original(dropped, goesWith(found, decisive))))
    attempt = decoded(schema, without(file, dropped))
  }
  return {
    value: attempt.value,
    findings: first.findings ?? [],
    leftOut: (path) => dropped.some((gone) => startsWith(path, gone) || isListOf(path, gone)),
    whole: (path) => !dropped.some((gone) => startsWith(gone, path) || startsWith(path, gone)),
    original: (path) => original(dropped, path),
  }
}

/** What goes with a fault: the unknown key alone; the object that lacks a key; otherwise the field, or the one value in a field's list. */
const goesWith = ({ path, about }: Finding, decisive: ReadonlySet<string>): Path => {
  if (about === "key") return path
  const gone = about === "absence" ? path.slice(0, -1) : path
  if (typeof gone[1] !== "number") return gone.slice(0, 2)
  if (decisive.has(String(gone[2]))) return gone.slice(0, 2)
  return gone.slice(0, typeof gone[3] === "number" ? 4 : 3)
}

const startsWith = (path: Path, start: Path): boolean => start.every((part, at) => path[at] === part)

/** Whether a path is a field's list that lost a value: too little can be said of it as a whole. */
const isListOf = (path: Path, gone: Path): boolean =>
  gone.length === 4 && path.length === 3 && typeof gone[3] === "number" && startsWith(gone, path)

const without = (value: unknown, dropped: ReadonlyArray<Path>, here: Path = []): unknown => {
  const stays = (part: string | number): boolean =>
    !dropped.some((gone) => gone.length === here.length + 1 && gone.at(-1) === part && startsWith(gone, here))
  if (Array.isArray(value)) return value.flatMap((item: unknown, at) => (stays(at) ? [without(item, dropped, [...here, at])] : []))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => (stays(key) ? [[key, without(item, dropped, [...here, key])]] : [])),
  )
}

/** Counts back in, at each position, the list items before it that were left out. */
const original = (dropped: ReadonlyArray<Path>, path: Path): Path =>
  path.reduce<Path>((found, part) => {
    if (typeof part !== "number") return [...found, part]
    const gone = new Set(dropped.filter((each) => each.length === found.length + 1 && startsWith(each, found)).map((each) => each.at(-1)))
    let at = part
    for (let position = 0; position <= at; position++) if (gone.has(position)) at++
    return [...found, at]
  }, [])
