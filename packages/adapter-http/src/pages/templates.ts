import { existsSync, readFileSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { CaptureTag, type Context, type FilterImplOptions, Liquid, type Template, filters } from "liquidjs"
import { PagesFault } from "./fault.ts"
import { once } from "./once.ts"
import { type Blank, type Lesson, composed, escaped, isBlank, type replaying, spoil } from "./replay.ts"
import type { View } from "./parts.ts"
import type { Language } from "./words.ts"

/** The templates of a folder, or of several folders in order of precedence. Each is parsed once, on first use. */
export interface Templates {
  readonly render: (name: string, view: View, language: Language) => string
  /** Parses the remaining templates; throws for the first with an error. */
  readonly parseAll: () => void
}

/** Returns the path of an asset by its name; undefined for an unknown name. */
export type AssetPath = (name: string) => string | undefined

/**
 * Creates the templates of some folders. A template in an earlier folder overrides one of the same name in a later folder, and one of a
 * feature.
 */
export const templatesOf = (
  folders: ReadonlyArray<string>,
  assetPath: AssetPath,
  replayed: ReturnType<typeof replaying>,
  texts: ReadonlyMap<string, string> = new Map(),
): Templates => {
  const engine = once(() => engineOf(folders, assetPath))
  const names = once(() => new Set(folders.flatMap(templatesIn)))
  const parsed = new Map<string, ReadonlyArray<Template>>()
  const template = (name: string): ReadonlyArray<Template> => {
    const before = parsed.get(name)
    if (before !== undefined) return before
    const text = texts.get(name)
    if (!names().has(name) && text === undefined) throw new PagesFault(`there is no template "${name}.liquid"`)
    const fresh = located(folders, () =>
      names().has(name) || text === undefined ? engine().parseFileSync(name) : engine().parse(text, `${name}.liquid`),
    )
    parsed.set(name, fresh)
    return fresh
  }
  return {
    render: (name, view, language) => {
      const from = template(name)
      return located(folders, () =>
        replayed(`${name} ${language.tag} `, view, (shown, lesson) => {
          const globals: Globals = { ...shown, language, [learning]: lesson }
          return String(engine().renderSync([...from], {}, { globals }))
        }),
      )
    },
    parseAll: () => {
      for (const name of [...names(), ...texts.keys()]) template(name)
    },
  }
}

const learning = Symbol("learning")

/** The values that a template is rendered with, in addition to its view. */
interface Globals {
  readonly language: Language
  readonly [learning]: Lesson | undefined
}

// The library passes the globals to filters and tags without a type.
const globalsOf = (context: Context): Globals => context.globals as Globals

const engineOf = (folders: ReadonlyArray<string>, assetPath: AssetPath): Liquid => {
  const engine = new Liquid({
    root: [...folders],
    extname: ".liquid",
    cache: true,
    relativeReference: false,
    outputEscape,
    strictVariables: true,
    strictFilters: true,
    ownPropertyOnly: true,
    // Far more than any page needs. A template with an infinite loop must not stop the server.
    memoryLimit: 10_000_000,
  })
  onlyWithTexts(engine)
  // The context is `this`, and the arguments are pairs of a name and a value.
  engine.registerFilter("t", function (key: unknown, ...values: ReadonlyArray<unknown>) {
    const { language } = globalsOf(this.context)
    return composed(named(values), (filled) => language.say(String(key), filled))
  })
  engine.registerFilter("t_rich", {
    raw: true,
    handler(key: unknown, ...values: ReadonlyArray<unknown>) {
      const { language } = globalsOf(this.context)
      return composed(named(values), (filled) => language.sayHtml(String(key), filled), true)
    },
  })
  engine.registerFilter("t_time", {
    raw: true,
    handler(key: unknown, ...values: ReadonlyArray<unknown>) {
      const { language } = globalsOf(this.context)
      const { date = "", iso = "", precision } = named(values)
      const shown = precision === "day" ? "day" : "minute"
      return composed(
        { date, iso },
        (filled) => language.sayTime(String(key), { text: filled["date"] ?? "", iso: filled["iso"] ?? "", precision: shown }),
        true,
      )
    },
  })
  engine.registerFilter("asset", function (name: unknown) {
    const path = assetPath(String(name))
    if (path === undefined) throw new Error(`there is no asset "${String(name)}"`)
    const { base_path } = this.context.globals as { readonly base_path: string | Blank }
    return composed({ base_path }, (filled) => `${filled["base_path"]}/assets/${path}`)
  })
  return engine
}

const outputEscape = function (this: ThisParameterType<FilterHandler>, value: unknown): string {
  // Output that was captured is plain text from then on, with the marks of blanks in it.
  const lesson = globalsOf(this.context)[learning]
  if (lesson !== undefined && typeof value === "string" && value.includes(lesson.mark)) spoil()
  return escaped(value, (text) => String(handlerOf(filters["escape"]).call(this, text)))
}

/**
 * Disables the library's own filters and `capture` for a rendering with blanks. Some filters read the clock or use randomness, and
 * `capture` turns output into text.
 */
const onlyWithTexts = (engine: Liquid): void => {
  for (const [name, filter] of Object.entries(engine.filters))
    engine.registerFilter(name, {
      raw: typeof filter !== "function" && filter.raw,
      handler(value: unknown, ...more: ReadonlyArray<unknown>): unknown {
        if (globalsOf(this.context)[learning] !== undefined) spoil()
        return handlerOf(filter).call(this, value, ...more)
      },
    })
  engine.registerTag(
    "capture",
    class extends CaptureTag {
      override *render(context: Context): Generator<unknown, void, string> {
        if (globalsOf(context)[learning] !== undefined) spoil()
        yield* super.render(context)
      }
    },
  )
}

type FilterHandler = Exclude<FilterImplOptions, { readonly raw: boolean }>

const handlerOf = (filter: FilterImplOptions | undefined): FilterHandler => {
  if (filter === undefined) throw new Error("the library has no such filter")
  return typeof filter === "function" ? filter : filter.handler
}

const templatesIn = (folder: string): ReadonlyArray<string> =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => name.endsWith(".liquid"))
        .map((name) => name.slice(0, -".liquid".length))
    : []

const named = (values: ReadonlyArray<unknown>): Readonly<Record<string, string | Blank>> => {
  const pairs: Record<string, string | Blank> = {}
  for (const pair of values)
    if (Array.isArray(pair)) {
      const blank: unknown = pair[1]
      pairs[String(pair[0])] = isBlank(blank) ? blank : pair[1] === null || pair[1] === undefined ? "" : String(pair[1])
    }
  return pairs
}

/** Runs a function that may throw a template error, and adds the template's file, line and column to that error. */
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
  // The library appends its own position to the message. Ours comes first, in the format of a compiler.
  const message = cause.message.replace(/, (?:file:.*, )?line:\d+, col:\d+$/, "")
  const file = token?.file ?? fileOf(token?.input, folders)
  if (file === undefined) return message
  const [line = 1, column = 1] = token?.getPosition?.() ?? []
  return `${file}:${line}:${column}: ${message}`
}

/** Finds the file with this text. For an undefined name, the library's error contains the text but not the file. */
const fileOf = (text: string | undefined, folders: ReadonlyArray<string>): string | undefined =>
  folders
    .flatMap((folder) => templatesIn(folder).map((name) => join(folder, `${name}.liquid`)))
    .find((file) => readFileSync(file, "utf8") === text)
