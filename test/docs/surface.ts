import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"

/** A statement at the top of a declaration file. */
interface Statement {
  readonly text: string
  readonly names: ReadonlyArray<string>
}

const withoutComments = (text: string): string =>
  text
    .replaceAll(/^[ \t]*\/\*\*?[\s\S]*?\*\/[ \t]*\r?\n/gm, "")
    .replaceAll(/ ?\/\*\*[\s\S]*?\*\//g, "")
    .replaceAll(/^[ \t]*\/\/.*\r?\n/gm, "")

/** Splits a declaration file at each line that begins a statement: everything inside of one is indented, or closes it. */
const statementsOf = (text: string): ReadonlyArray<string> =>
  withoutComments(text)
    .split(/^(?=(?:export|import|declare|type|interface|class|const|function|abstract)\b)/m)
    .map((each) => each.trimEnd())
    .filter((each) => each !== "")

const declared = /^(?:export )?(?:default )?(?:declare )?(?:abstract )?(?:const|let|function|class|interface|type|enum|namespace) ([\w$]+)/
const renamed = (part: string): readonly [from: string, to: string] => {
  const [from = "", to = from] = part
    .trim()
    .replace(/^type /, "")
    .split(/ as /)
  return [from, to]
}

const parsed = new Map<string, ReadonlyArray<Statement>>()
const fileOf = (path: string): ReadonlyArray<Statement> => {
  const known = parsed.get(path)
  if (known !== undefined) return known
  const found = statementsOf(readFileSync(path, "utf8")).map((text) => ({ text, names: [declared.exec(text)?.[1] ?? ""] }))
  parsed.set(path, found)
  return found
}

const beside = (path: string, module: string): string => join(dirname(path), module.replace(/\.[jt]s$/, ".d.ts"))

/** Names of other packages and of Node stand as they are: they are no surface of ours. */
const isForeign = (module: string): boolean => !module.startsWith(".")

/** Every name that a declaration file exports, with its text, wherever it is declared. */
export const surfaceOf = (path: string, seen: ReadonlySet<string> = new Set()): ReadonlyMap<string, string> => {
  const all = new Map<string, string>()
  if (seen.has(path)) return all
  const met = new Set([...seen, path])
  for (const { text, names } of fileOf(path)) {
    const again = /^export (?:type )?(?:\* as (?<as>[\w$]+)|\*|\{(?<list>[\s\S]*?)\})(?: from "(?<module>[^"]+)")?/.exec(text)?.groups
    if (again === undefined || (again["module"] === undefined && again["list"] === undefined)) {
      const [name = ""] = names
      if (text.startsWith("export ") && name !== "") all.set(name, joined(all.get(name), text))
      continue
    }
    const { as, list, module } = again
    if (module !== undefined && isForeign(module)) {
      for (const [, to] of (list ?? as ?? "*").split(",").map(renamed)) all.set(to, `export { ${to} } from "${module}"`)
      continue
    }
    const from = module === undefined ? ownOf(path, met) : surfaceOf(beside(path, module), met)
    if (as !== undefined) all.set(as, `export * as ${as} from "${module}"`)
    else if (list === undefined) for (const [name, each] of from) all.set(name, all.get(name) ?? each)
    else
      for (const [name, to] of list
        .split(",")
        .filter((each) => each.trim() !== "")
        .map(renamed))
        all.set(to, (from.get(name) ?? `export { ${name} }`).replace(new RegExp(`\\b${name}\\b`), to))
  }
  return all
}

/** Every name that a declaration file declares, exported there or not, or imports. */
const ownOf = (path: string, seen: ReadonlySet<string>): ReadonlyMap<string, string> => {
  const all = new Map<string, string>()
  for (const { text, names } of fileOf(path)) {
    const [name = ""] = names
    if (name !== "") all.set(name, joined(all.get(name), text))
    const imported = /^import (?:type )?\{([\s\S]*?)\} from "(\.[^"]+)"/.exec(text)
    if (imported === null) continue
    const from = surfaceOf(beside(path, imported[2] ?? ""), seen)
    for (const [each, to] of (imported[1] ?? "")
      .split(",")
      .filter((part) => part.trim() !== "")
      .map(renamed))
      all.set(to, from.get(each) ?? "")
  }
  return all
}

/** Overloads of a function, and an interface beside a class of the same name, stand together. */
const joined = (before: string | undefined, text: string): string => (before === undefined ? text : `${before}\n${text}`)
