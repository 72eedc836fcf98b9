import { existsSync, readFileSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { Liquid, type Template } from "liquidjs"
import { PagesFault } from "./fault.ts"
import { once } from "./once.ts"
import type { View } from "./view.ts"
import type { Language } from "./words.ts"

/** Templates of one folder, or of a folder with another behind it; each is parsed once, when it is first needed. */
export interface Templates {
  readonly render: (name: string, view: View, language: Language) => string
  /** Parses those that are not yet; throws for the first with a fault. */
  readonly parseAll: () => void
}

/** How the address of an asset is found by its name; undefined when there is none of that name. */
export type AssetPath = (name: string) => string | undefined

/** The templates of some folders; one in an earlier folder stands in for one of the same name in a later. */
export const templatesOf = (folders: ReadonlyArray<string>, assetPath: AssetPath): Templates => {
  const engine = once(() => engineOf(folders, assetPath))
  const names = once(() => new Set(folders.flatMap(templatesIn)))
  const parsed = new Map<string, ReadonlyArray<Template>>()
  const template = (name: string): ReadonlyArray<Template> => {
    const before = parsed.get(name)
    if (before !== undefined) return before
    if (!names().has(name)) throw new PagesFault(`there is no template "${name}.liquid"`)
    const fresh = located(folders, () => engine().parseFileSync(name))
    parsed.set(name, fresh)
    return fresh
  }
  return {
    render: (name, view, language) => {
      const from = template(name)
      return located(folders, () => String(engine().renderSync([...from], {}, { globals: { ...view, language } })))
    },
    parseAll: () => {
      for (const name of names()) template(name)
    },
  }
}

const engineOf = (folders: ReadonlyArray<string>, assetPath: AssetPath): Liquid => {
  const engine = new Liquid({
    root: [...folders],
    extname: ".liquid",
    cache: true,
    relativeReference: false,
    outputEscape: "escape",
    strictVariables: true,
    strictFilters: true,
    ownPropertyOnly: true,
    // Far beyond any page; a loop without end must not stop the server.
    memoryLimit: 10_000_000,
  })
  // A filter is told where it stands; what it is given are pairs of a name and a value.
  const language = (globals: object): Language => (globals as { readonly language: Language }).language
  engine.registerFilter("t", function (key: unknown, ...values: ReadonlyArray<unknown>) {
    return language(this.context.globals).say(String(key), named(values))
  })
  engine.registerFilter("t_rich", {
    raw: true,
    handler(key: unknown, ...values: ReadonlyArray<unknown>) {
      return language(this.context.globals).sayHtml(String(key), named(values))
    },
  })
  engine.registerFilter("asset", function (name: unknown) {
    const path = assetPath(String(name))
    if (path === undefined) throw new Error(`there is no asset "${String(name)}"`)
    const { base_path } = this.context.globals as { readonly base_path: string }
    return `${base_path}/assets/${path}`
  })
  return engine
}

const templatesIn = (folder: string): ReadonlyArray<string> =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => name.endsWith(".liquid"))
        .map((name) => name.slice(0, -".liquid".length))
    : []

const named = (values: ReadonlyArray<unknown>): Readonly<Record<string, string>> => {
  const pairs: Record<string, string> = {}
  for (const pair of values)
    if (Array.isArray(pair)) pairs[String(pair[0])] = pair[1] === null || pair[1] === undefined ? "" : String(pair[1])
  return pairs
}

/** Runs what may meet a fault in a template, and tells it with the template's file, line and column. */
const located = <A>(folders: ReadonlyArray<string>, run: () => A): A => {
  try {
    return run()
  } catch (cause) {
    if (cause instanceof PagesFault) throw cause
    throw new PagesFault(describe(cause, folders), { cause })
  }
}

const describe = (cause: unknown, folders: ReadonlyArray<string>): string => {
  if (!(cause instanceof Error)) return String(cause)
  const { token } = cause as { token?: { file?: string; input?: string; getPosition?: () => ReadonlyArray<number> } }
  // The library adds its own account of the place to the message; ours comes first and reads like a compiler's.
  const message = cause.message.replace(/, (?:file:.*, )?line:\d+, col:\d+$/, "")
  const file = token?.file ?? fileOf(token?.input, folders)
  if (file === undefined) return message
  const [line = 1, column = 1] = token?.getPosition?.() ?? []
  return `${file}:${line}:${column}: ${message}`
}

/** The file of a template's text: the library's account of an undefined name carries the text, not the file. */
const fileOf = (text: string | undefined, folders: ReadonlyArray<string>): string | undefined =>
  folders
    .flatMap((folder) => templatesIn(folder).map((name) => join(folder, `${name}.liquid`)))
    .find((file) => readFileSync(file, "utf8") === text)
