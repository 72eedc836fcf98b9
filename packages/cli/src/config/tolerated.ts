import type * as Schema from "effect/Schema"
import type { Finding, Path } from "./fault.ts"
import { decoded } from "./issues.ts"
import { type JsonSchema, jsonSchemaOf, schemaAt } from "./jsonSchema.ts"

/** The decodable part of a faulty file. */
export interface Tolerated<A> {
  /** Undefined if nothing could be decoded. */
  readonly value: A | undefined
  /** All findings of the schema. */
  readonly findings: ReadonlyArray<Finding>
  /**
   * Reports whether a path of the file was changed or left out in `value`, by itself, with an ancestor, or because list items at it were
   * left out.
   */
  readonly leftOut: (path: Path) => boolean
  /** Reports whether `value` contains everything at or below a path of the file. */
  readonly whole: (path: Path) => boolean
  /** Returns the keys of an object of `value`, given by its path, of which something was left out. */
  readonly lost: (path: Path) => ReadonlyArray<string>
  /** Translates a path of `value` to a path of the file. */
  readonly original: (path: Path) => Path
}

/** The maximum number of rounds. Each handles the faults that the previous one uncovered. */
const rounds = 12

/** A change to the file: a path that is left out, or a string or list that replaces a missing value. */
interface Change {
  readonly path: Path
  readonly standIn?: unknown
}

/**
 * Decodes as much of a file as possible, so that one fault doesn't hide others. Invalid values are left out, and missing required values
 * are replaced by placeholders. The caller must ignore later findings about either.
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

/**
 * Returns the change that removes a finding's cause. A missing string or list gets a placeholder; an object that lacks any other value is
 * left out.
 */
const changeFor = ({ path, about }: Finding, before: Change | undefined, known: JsonSchema): Change => {
  const whole = { path: path.slice(0, -1) }
  if (before !== undefined && "standIn" in before) return whole
  if (about !== "absence") return { path }
  const { type } = schemaAt(known, path) ?? {}
  // Placeholders are unique, so that two missing values are not reported as duplicates.
  if (type === "string") return { path, standIn: `missing-${path.filter((part) => typeof part === "number").join("-")}` }
  return type === "array" ? { path, standIn: [] } : whole
}

const keyOf = (path: Path): string => JSON.stringify(path)

/** Indexes changes by path, because a file may have thousands of faults. */
const changesOf = () => {
  const byPath = new Map<string, Change>()
  /** The keys at or below which something was changed, by the path of their object or list. */
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
    /** Reports whether a path or an ancestor of it was changed. */
    covers: (path: Path): boolean =>
      Array.from({ length: path.length + 1 }, (_, length) => at(path.slice(0, length))).some((change) => change !== undefined),
    /**
     * Translates a path of the changed file to a path of the original. List indexes are increased by the number of items left out before
     * them.
     */
    original: (path: Path): Path =>
      path.reduce<Path>((found, part) => {
        if (typeof part !== "number" || !below.has(keyOf(found))) return [...found, part]
        let position = part
        for (let item = 0; item <= position; item++) if (at([...found, item]) !== undefined) position++
        return [...found, position]
      }, []),
  }
}
