import { type Finding, isSamePath, type Path } from "./fault.ts"

/** A renamed key of every object at a path, in which `*` matches any key. */
interface Renamed {
  readonly within: ReadonlyArray<string>
  readonly before: string
  readonly now: string
}

const renamedKeys: ReadonlyArray<Renamed> = [
  { within: ["pages"], before: "colours", now: "colors" },
  { within: ["pages", "tenants", "*"], before: "colours", now: "colors" },
]

/** A configuration in which renamed keys have their current names. */
export interface Renaming {
  readonly value: unknown
  /** A warning for each renamed key. */
  readonly warnings: ReadonlyArray<Finding>
  /** Translates a path of `value` to the path in the file. */
  readonly original: (path: Path) => Path
}

/** Replaces old key names with the current ones. If the file has both names, the old one stays and is reported as unknown. */
export const withPresentNames = (file: unknown): Renaming => {
  const found = renamedKeys.flatMap((renamed) => placesOf(file, renamed.within).map((at) => ({ ...renamed, at })))
  const due = found.filter(({ at, before, now }) => {
    const object = valueAt(file, at)
    return isObject(object) && Object.hasOwn(object, before) && !Object.hasOwn(object, now)
  })
  return {
    value: due.reduce<unknown>((value, { at, before, now }) => changedAt(value, at, (object) => withKey(object, before, now)), file),
    warnings: due.map(({ at, before, now }) => ({
      path: [...at, before],
      about: "key",
      message: `is called ${now} now`,
      hint: "rename it; later versions will not accept the old name",
    })),
    original: (path) => {
      const renamed = due.find(({ at, now }) => isSamePath(path.slice(0, at.length + 1), [...at, now]))
      return renamed === undefined ? path : [...renamed.at, renamed.before, ...path.slice(renamed.at.length + 1)]
    },
  }
}

type Members = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Members => typeof value === "object" && value !== null && !Array.isArray(value)

const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>((at, part) => (isObject(at) && Object.hasOwn(at, part) ? at[part] : undefined), value)

/** Returns the path of every object that matches a pattern. */
const placesOf = (file: unknown, within: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> =>
  within.reduce<ReadonlyArray<ReadonlyArray<string>>>(
    (paths, part) =>
      paths.flatMap((path) => {
        if (part !== "*") return [[...path, part]]
        const object = valueAt(file, path)
        return isObject(object) ? Object.keys(object).map((key) => [...path, key]) : []
      }),
    [[]],
  )

const changedAt = (value: unknown, [key, ...rest]: ReadonlyArray<string>, change: (object: Members) => Members): unknown => {
  if (!isObject(value)) return value
  return key === undefined ? change(value) : { ...value, [key]: changedAt(value[key], rest, change) }
}

const withKey = (object: Members, before: string, now: string): Members =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key === before ? now : key, value]))
