import { randomUUID } from "node:crypto"
import { escapeHtml } from "./html.ts"
import type { View, ViewValue } from "./parts.ts"

/** The texts of a view, in order of appearance. */
type Texts = ReadonlyArray<string>

/** Computes the text at a blank from the texts of a view. */
type Fill = (texts: Texts) => string

/** A rendering with blanks in place of texts: HTML pieces with the fills between them. */
interface Script {
  /** The template's comparisons. If one has a different result, the template may render different HTML. */
  readonly holds: ReadonlyArray<(texts: Texts) => boolean>
  readonly parts: ReadonlyArray<string | Fill>
}

/** A rendering with blanks that is in progress. */
export interface Lesson {
  readonly holds: Array<(texts: Texts) => boolean>
  /** The fills in the order in which their marks were written. */
  readonly marked: Array<Fill>
  /** The texts of the current view. */
  readonly texts: Texts
  readonly mark: string
}

declare const open: unique symbol

/** The placeholder for a text in a view. */
export interface Blank {
  readonly [open]: true
}

interface Open {
  readonly lesson: Lesson
  readonly fill: Fill
}

const opens = new WeakMap<object, Open>()

const openOf = (value: unknown): Open | undefined => (typeof value === "object" && value !== null ? opens.get(value) : undefined)

/** Reports whether a template value is a blank. */
export const isBlank = (value: unknown): value is Blank => openOf(value) !== undefined

/** Aborts a lesson, because the template uses a text in a way that cannot be recorded. The template library then renders every view. */
export const spoil = (): never => {
  throw new Error("a template asks for more of a text than to put it out or compare it")
}

/** Returns the mark that stands for a text. */
const put = ({ marked, mark }: Lesson, fill: Fill): string => `${mark}${marked.push(fill) - 1};`

/** Creates a value that may be output, passed on, filled into a sentence and compared. Any other use aborts the lesson. */
const blank = (lesson: Lesson, fill: Fill, isHtml = false): Blank => {
  const equals = (other: unknown): boolean => {
    const also = openOf(other)?.fill
    if (also === undefined && typeof other === "object" && other !== null) return spoil()
    const same = (texts: Texts): boolean => fill(texts) === (also === undefined ? other : also(texts))
    const answer = same(lesson.texts)
    lesson.holds.push((texts) => same(texts) === answer)
    return answer
  }
  // A blank has only the properties that the traps handle.
  const value = new Proxy<Blank>({} as Blank, {
    get: (_, key) => {
      switch (key) {
        // The library reads these to determine the type of a value.
        case "next":
        case "toLiquid":
        case Symbol.toStringTag:
          return undefined
        case "equals":
          return equals
        case "gt":
        case "geq":
        case "lt":
        case "leq":
          return spoil
        case Symbol.toPrimitive:
          return isHtml ? () => put(lesson, fill) : spoil()
        default:
          return spoil()
      }
    },
    has: spoil,
    ownKeys: spoil,
    getOwnPropertyDescriptor: spoil,
  })
  opens.set(value, { lesson, fill })
  return value
}

/** Returns a text escaped, or the mark of a blank. */
export const escaped = (value: unknown, escape: (text: unknown) => string): string => {
  const found = openOf(value)
  return found === undefined ? escape(value) : put(found.lesson, (texts) => escapeHtml(found.fill(texts)))
}

/** Composes a text from named values: at once, or as a blank if one of them is a blank. `isHtml` marks a text that is output unescaped. */
export const composed = (
  values: Readonly<Record<string, string | Blank>>,
  make: (values: Readonly<Record<string, string>>) => string,
  isHtml = false,
): string | Blank => {
  const known: Record<string, string> = {}
  const found: Array<readonly [string, Open]> = []
  for (const [name, value] of Object.entries(values)) {
    const one = openOf(value)
    if (typeof value === "string") known[name] = value
    else if (one !== undefined) found.push([name, one])
  }
  const [first] = found
  if (first === undefined) return make(known)
  const fill: Fill = (texts) => {
    const all = { ...known }
    for (const [name, one] of found) all[name] = one.fill(texts)
    return make(all)
  }
  return blank(first[1].lesson, fill, isHtml)
}

/** Returns the shape of a view, which is everything except its texts, and collects those in `texts`. */
const shapeOf = (value: ViewValue, texts: Array<string>): string => {
  if (typeof value === "string") {
    texts.push(value)
    return "s"
  }
  if (typeof value !== "object" || value === null) return `${value},`
  let shape = ""
  if (isList(value)) {
    for (const each of value) shape += shapeOf(each, texts)
    return `[${shape}]`
  }
  // The length of each name is included, so that no two views have the same shape.
  for (const name of Object.keys(value)) shape += `${name.length}:${name}:${shapeOf(value[name] ?? null, texts)}`
  return `{${shape}}`
}

const isList = (value: View | ReadonlyArray<ViewValue>): value is ReadonlyArray<ViewValue> => Array.isArray(value)

/** Returns a view with blanks for its texts, in the order of {@link shapeOf}. */
const blanked = (value: ViewValue, next: () => Blank): unknown => {
  if (typeof value === "string") return next()
  if (typeof value !== "object" || value === null) return value
  if (isList(value)) return value.map((each) => blanked(each, next))
  return Object.fromEntries(Object.keys(value).map((name) => [name, blanked(value[name] ?? null, next)]))
}

/** Renders a view directly, or with blanks and the lesson they belong to. */
export type Rendering = (view: object, lesson: Lesson | undefined) => string

/** Renders a view with blanks and records the result; undefined if the template uses a text in a way that cannot be recorded. */
const learn = (view: View, texts: Texts, render: Rendering): Script | undefined => {
  const lesson: Lesson = { holds: [], marked: [], texts, mark: `${randomUUID()}:` }
  let at = 0
  const next = (): Blank => {
    const own = at++
    return blank(lesson, (filled) => filled[own] ?? "")
  }
  try {
    const [start = "", ...rest] = render(blanked(view, next) as object, lesson).split(lesson.mark)
    const parts: Array<string | Fill> = [start]
    for (const each of rest) {
      const end = each.indexOf(";")
      parts.push(lesson.marked[Number(each.slice(0, end))] ?? spoil(), each.slice(end + 1))
    }
    return rest.length === lesson.marked.length ? { holds: lesson.holds, parts } : undefined
  } catch {
    // The error recurs when the library renders the actual texts.
    return undefined
  }
}

const play = ({ parts }: Script, texts: Texts): string => {
  let html = ""
  for (const part of parts) html += typeof part === "string" ? part : part(texts)
  return html
}

const fits = ({ holds }: Script, texts: Texts): boolean => holds.every((hold) => hold(texts))

/** The recorded scripts of one view shape. */
interface Known {
  readonly scripts: Array<Script>
  learns: boolean
}

/**
 * The maximum number of remembered shapes, and of scripts per shape. An installation has a few dozen shapes, and a script is as long as its
 * page.
 */
const shapes = 192
const scriptsOfShape = 4

/**
 * Renders views by recorded scripts. The second view of a shape is rendered with blanks for its texts, too. If the template only outputs
 * them, fills them into sentences and compares them, and the script gives the same HTML, later views of that shape are filled into it.
 *
 * Gain: a full sign-in takes 44 % less CPU than with the template library alone (`node bench/beside.ts`, scenario `signin`).
 */
export const replaying = (): ((name: string, view: View, render: Rendering) => string) => {
  const memory = new Map<string, Known>()
  return (name, view, render) => {
    const texts: Array<string> = []
    const key = name + shapeOf(view, texts)
    const known = memory.get(key)
    if (known === undefined) {
      if (memory.size >= shapes) memory.clear()
      memory.set(key, { scripts: [], learns: true })
      return render(view, undefined)
    }
    for (const script of known.scripts) if (fits(script, texts)) return play(script, texts)
    const html = render(view, undefined)
    if (!known.learns) return html
    const script = learn(view, texts, render)
    if (script !== undefined && play(script, texts) === html) known.scripts.push(script)
    else known.learns = false
    if (known.scripts.length >= scriptsOfShape) known.learns = false
    return html
  }
}
