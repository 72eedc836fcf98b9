import type * as Schema from "effect/Schema"
import type { Finding, Path } from "./fault.ts"
import { decoded } from "./issues.ts"
import { type JsonSchema, jsonSchemaOf, schemaAt } from "./jsonSchema.ts"

/** What of a file can be judged further although some of it is wrong. */
export interface Tolerated<A> {
  /** Undefined when nothing remains. */
  readonly value: A | undefined
  /** Everything the schema holds against the file. */
  readonly findings: ReadonlyArray<Finding>
  /** Whether a path of the file is not in `value` as the file has it, by itself or with what it lies in. */
  readonly leftOut: (path: Path) => boolean
  /** Whether everything at or below a path of the file is in `value`. */
  readonly whole: (path: Path) => boolean
  /** Keys of an object of `value`, by its path, of which something is left out. */
  readonly lost: (path: Path) => ReadonlyArray<string>
  /** A path of `value` as a path of the file. */
  readonly original: (path: Path) => Path
}

/** Rounds of leaving out: each one reaches what the one before uncovered. */
const rounds = 12

/** A change to the file: a path that is left out, or a text or list that stands there instead of nothing. */
interface Change {
  readonly path: Path
  readonly standIn?: unknown
}

/**
 * Decodes what can be decoded: just what the schema refuses is left out, and what is missing and required is stood in for, so that one
 * fault does not hide the others. What is said of either is for the caller to leave out.
 */
export const tolerated = <A>(schema: Schema.ConstraintDecoder<A>, file: unknown): Tolerated<A> => {
  const first = decoded(schema, file)
  const known = first.findings === undefined ? {} : jsonSchemaOf(schema)
  let attempt = first
  let changes: ReadonlyArray<Change> = []
  for (let round = 0; attempt.findings !== undefined && round < rounds; round++) {
    for (const found of attempt.findings) {
      const path = original(changes, found.path)
      const next = changeFor(path, found, changes, known)
      changes = [...changes.filter((before) => !startsWith(before.path, next.path)), next]
    }
    attempt = decoded(schema, changed(file, changes))
  }
  const gone = changes.map(({ path }) => path)
  return {
    value: attempt.value,
    findings: first.findings ?? [],
    leftOut: (path) => gone.some((each) => startsWith(path, each) || isListOf(path, each)),
    whole: (path) => !gone.some((each) => startsWith(each, path) || startsWith(path, each)),
    lost: (path) => {
      const at = original(changes, path)
      return [...new Set(gone.flatMap((each) => (each.length > at.length && startsWith(each, at) ? [String(each[at.length])] : [])))]
    },
    original: (path) => original(changes, path),
  }
}

/** What a finding makes of the file: what is missing is stood in for where a text or a list will do; an object goes where nothing will. */
const changeFor = (path: Path, { about }: Finding, changes: ReadonlyArray<Change>, known: JsonSchema): Change => {
  const whole = { path: path.slice(0, -1) }
  if (changes.some((before) => "standIn" in before && isSame(before.path, path))) return whole
  if (about !== "absence") return { path }
  const { type } = schemaAt(known, path) ?? {}
  if (type === "string") return { path, standIn: `missing-${changes.length}` }
  return type === "array" ? { path, standIn: [] } : whole
}

const isSame = (left: Path, right: Path): boolean => left.length === right.length && startsWith(left, right)

const startsWith = (path: Path, start: Path): boolean => start.every((part, at) => path[at] === part)

/** Whether a path is a list that lost a value: too little can be said of it as a whole. */
const isListOf = (path: Path, gone: Path): boolean =>
  gone.length === path.length + 1 && typeof gone.at(-1) === "number" && startsWith(gone, path)

const changed = (value: unknown, changes: ReadonlyArray<Change>, here: Path = []): unknown => {
  const own = changes.filter(({ path }) => path.length === here.length + 1 && startsWith(path, here))
  const stays = (part: string | number): boolean => !own.some(({ path }) => path.at(-1) === part)
  const within = (part: string | number, item: unknown): unknown => changed(item, changes, [...here, part])
  if (Array.isArray(value)) return value.flatMap((item: unknown, at) => (stays(at) ? [within(at, item)] : []))
  if (typeof value !== "object" || value === null) return value
  const kept = Object.entries(value).filter(([key]) => stays(key))
  const added = own.flatMap((each) => ("standIn" in each ? [[String(each.path.at(-1)), each.standIn] as const] : []))
  return Object.fromEntries([...kept.map(([key, item]) => [key, within(key, item)] as const), ...added])
}

/** Counts back in, at each position, the list items before it that were left out. */
const original = (changes: ReadonlyArray<Change>, path: Path): Path =>
  path.reduce<Path>((found, part) => {
    if (typeof part !== "number") return [...found, part]
    const gone = new Set(
      changes.filter((each) => each.path.length === found.length + 1 && startsWith(each.path, found)).map((each) => each.path.at(-1)),
    )
    let at = part
    for (let position = 0; position <= at; position++) if (gone.has(position)) at++
    return [...found, at]
  }, [])
