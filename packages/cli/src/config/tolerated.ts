import type * as Schema from "effect/Schema"
import type { Finding, Path } from "./fault.ts"
import { decoded } from "./issues.ts"
import { type JsonSchema, jsonSchemaOf, schemaAt } from "./jsonSchema.ts"

/** The part of a faulty file that can be judged further. */
export interface Tolerated<A> {
  /** Undefined when nothing remains. */
  readonly value: A | undefined
  /** Everything the schema holds against the file. */
  readonly findings: ReadonlyArray<Finding>
  /** Reports whether a path of the file is not in `value` as the file has it, by itself or with what it lies in. */
  readonly leftOut: (path: Path) => boolean
  /** Reports whether everything at or below a path of the file is in `value`. */
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
  const changes = changesOf()
  for (let round = 0; attempt.findings !== undefined && round < rounds; round++) {
    const found = attempt.findings.map((each) => ({ ...each, path: changes.original(each.path) }))
    for (const each of found) changes.add(changeFor(each, changes.at(each.path), known))
    attempt = decoded(schema, changes.applied(file))
  }
  return {
    value: attempt.value,
    findings: first.findings ?? [],
    leftOut: (path) => changes.covers(path) || changes.under(path).some((part) => typeof part === "number" && changes.at([...path, part])),
    whole: (path) => !changes.covers(path) && changes.under(path).length === 0,
    lost: (path) => changes.under(changes.original(path)).map(String),
    original: changes.original,
  }
}

/** The file without a finding's place: a text or a list stands in for a missing value, and an object that nothing can stand in for is left out. */
const changeFor = ({ path, about }: Finding, before: Change | undefined, known: JsonSchema): Change => {
  const whole = { path: path.slice(0, -1) }
  if (before !== undefined && "standIn" in before) return whole
  if (about !== "absence") return { path }
  const { type } = schemaAt(known, path) ?? {}
  // A text of its own, so that nothing is said of two that are missing.
  if (type === "string") return { path, standIn: `missing-${path.filter((part) => typeof part === "number").join("-")}` }
  return type === "array" ? { path, standIn: [] } : whole
}

const keyOf = (path: Path): string => JSON.stringify(path)

/** Changes by their paths: a file may have thousands of faults. */
const changesOf = () => {
  const byPath = new Map<string, Change>()
  /** By the path of an object or list, the keys at or below which something was changed. */
  const below = new Map<string, Set<string | number>>()
  const at = (path: Path): Change | undefined => byPath.get(keyOf(path))
  const under = (path: Path): ReadonlyArray<string | number> => [...(below.get(keyOf(path)) ?? [])]

  const applied = (value: unknown, here: Path = []): unknown => {
    const touched = below.get(keyOf(here))
    if (touched === undefined || typeof value !== "object" || value === null) return value
    const kept = (part: string | number, item: unknown): ReadonlyArray<unknown> => {
      if (!touched.has(part)) return [item]
      return at([...here, part]) === undefined ? [applied(item, [...here, part])] : []
    }
    if (Array.isArray(value)) return value.flatMap((item: unknown, position) => kept(position, item))
    const entries = Object.entries(value).flatMap(([key, item]) => kept(key, item).map((left) => [key, left] as const))
    const added = [...touched].flatMap((key) => {
      const change = at([...here, key])
      return change !== undefined && "standIn" in change ? [[String(key), change.standIn] as const] : []
    })
    return Object.fromEntries([...entries, ...added])
  }

  return {
    at,
    under,
    applied,
    add: (change: Change): void => {
      byPath.set(keyOf(change.path), change)
      change.path.forEach((part, depth) => {
        const key = keyOf(change.path.slice(0, depth))
        below.set(key, (below.get(key) ?? new Set()).add(part))
      })
    },
    /** Reports whether a path was changed, by itself or with what it lies in. */
    covers: (path: Path): boolean =>
      Array.from({ length: path.length + 1 }, (_, length) => at(path.slice(0, length))).some((change) => change !== undefined),
    /** A path of the changed file as one of the file: counts back in, at each position, the list items before it that were left out. */
    original: (path: Path): Path =>
      path.reduce<Path>((found, part) => {
        if (typeof part !== "number" || !below.has(keyOf(found))) return [...found, part]
        let position = part
        for (let item = 0; item <= position; item++) if (at([...found, item]) !== undefined) position++
        return [...found, position]
      }, []),
  }
}
