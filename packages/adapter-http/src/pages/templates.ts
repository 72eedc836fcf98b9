import { existsSync, readFileSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { Liquid, type Template } from "liquidjs"
import { PagesFault } from "./fault.ts"
import type { View } from "./view.ts"
import type { Language } from "./words.ts"

/** Templates of one folder, or of a folder with another behind it, parsed once. */
export interface Templates {
  readonly render: (name: string, view: View, language: Language) => string
}

/** How the address of an asset is found by its name; undefined when there is none of that name. */
export type AssetPath = (name: string) => string | undefined

/** Parses every template of the folders; one in an earlier folder stands in for one of the same name in a later. */
export const loadTemplates = (folders: ReadonlyArray<string>, assetPath: AssetPath): Templates => {
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
  const parsed = new Map<string, ReadonlyArray<Template>>()
  for (const name of new Set(folders.flatMap(templatesIn)))
    parsed.set(
      name,
      located(folders, () => engine.parseFileSync(name)),
    )
  return {
    render: (name, view, spoken) => {
      const template = parsed.get(name)
      if (template === undefined) throw new PagesFault(`there is no template "${name}.liquid"`)
      return located(folders, () => String(engine.renderSync([...template], {}, { globals: { ...view, language: spoken } })))
    },
  }
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
