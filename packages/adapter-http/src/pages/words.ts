import { readFileSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { PagesFault } from "./fault.ts"
import { type Formats, formatsOf } from "./formats.ts"
import { escapeHtml } from "./html.ts"

/** The sentences of one language by key; `{name}` marks a placeholder. */
export type Words = Readonly<Record<string, string>>

/** The values for a sentence's placeholders. */
export type Values = Readonly<Record<string, string>>

/** A parsed sentence: the text around its placeholders, and their names. */
interface Sentence {
  readonly plain: ReadonlyArray<string>
  /** The text around the placeholders, escaped. */
  readonly html: ReadonlyArray<string>
  readonly names: ReadonlyArray<string>
}

/** A language: its sentences, and its date, duration and list formats. */
export interface Language extends Formats {
  /** The BCP 47 tag, for the `lang` attribute. */
  readonly tag: string
  readonly dir: "ltr" | "rtl"
  readonly words: Words
  /** Formats the sentence of a key; throws for an unknown key or a missing value. */
  readonly say: (key: string, values?: Values) => string
  /** Formats a sentence as HTML. Everything is escaped, and each value is isolated for its text direction. */
  readonly sayHtml: (key: string, values?: Values) => string
  /** Formats a sentence as HTML with a `<time>` element in place of `{date}`, which a script may convert to the reader's time zone. */
  readonly sayTime: (key: string, shown: ShownTime) => string
  /** Returns the language with the formats of another region. */
  readonly in: (formats: string) => Language
}

/** A moment as shown on a page. */
export interface ShownTime {
  readonly text: string
  /** The moment in ISO 8601. */
  readonly iso: string
  /** The precision shown: the day alone, or the time too. */
  readonly precision: "day" | "minute"
}

/** Returns the placeholder names of a sentence, in order. */
export const placeholders = (sentence: string): ReadonlyArray<string> => [...sentence.matchAll(placeholder)].map(([, name]) => name ?? "")

/**
 * Loads the shipped languages, the sentences of features, and an operator's folder, which takes precedence. A file in that folder may
 * change single sentences of a shipped language or add a complete language.
 */
export const loadLanguages = (
  shipped: string,
  theirs: string | undefined,
  more: ReadonlyArray<readonly [tag: string, words: Words]> = [],
): ReadonlyMap<string, Language> => {
  const catalogs = new Map(readFolder(shipped))
  const usual = catalogs.get("en") ?? {}
  const brought = new Set(theirs === undefined ? [] : readFolder(theirs).map(([tag]) => tag))
  for (const [tag, words] of more) {
    if (!catalogs.has(tag) && !brought.has(tag))
      throw new PagesFault(`pages: there is no language "${tag}"; bring it as locales/${tag}.json`)
    catalogs.set(tag, { ...words, ...catalogs.get(tag) })
  }
  // The sentences of features are part of the known ones, but an operator's language need not include them.
  const english: Words = Object.assign({}, ...more.map(([, words]) => words), usual)
  for (const [tag, words] of theirs === undefined ? [] : readFolder(theirs)) {
    const merged = { ...catalogs.get(tag), ...words }
    const file = join(theirs ?? "", `${tag}.json`)
    const unknown = Object.keys(merged).find((key) => english[key] === undefined)
    if (unknown !== undefined) throw new PagesFault(`${file}: there is no sentence "${unknown}"`)
    const missing = Object.keys(usual).filter((key) => merged[key] === undefined)
    if (missing.length > 0)
      throw new PagesFault(
        `${file}: ${missing.length} sentences are missing: ${missing.slice(0, 5).join(", ")}${missing.length > 5 ? ", …" : ""}`,
      )
    const odd = Object.keys(words).find((key) =>
      placeholders(merged[key] ?? "").some((name) => !placeholders(english[key] ?? "").includes(name)),
    )
    if (odd !== undefined)
      throw new PagesFault(
        `${file}: "${odd}" puts in a value that it is not given; it may use ${
          placeholders(english[odd] ?? "")
            .map((name) => `{${name}}`)
            .join(", ") || "none"
        }`,
      )
    catalogs.set(tag, merged)
  }
  return new Map([...catalogs].map(([tag, words]) => [tag, language(tag, words)]))
}

const placeholder = /\{([a-z_]+)\}/g

const readFolder = (folder: string): ReadonlyArray<readonly [string, Words]> =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .map((name) => [canonical(join(folder, name), name.slice(0, -".json".length)), readWords(join(folder, name))])

const canonical = (file: string, tag: string): string => {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? tag
  } catch {
    throw new PagesFault(`${file}: "${tag}" is not a language tag such as "nl" or "pt-PT"`)
  }
}

const readWords = (file: string): Words => {
  let parsed: unknown
  try {
    parsed = JSON.parse(readFileSync(file, "utf8"))
  } catch (cause) {
    throw new PagesFault(`${file}: ${cause instanceof Error ? cause.message : String(cause)}`)
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed))
    throw new PagesFault(`${file}: an object of sentences is expected`)
  return Object.fromEntries(
    Object.entries(parsed).map(([key, sentence]) => {
      if (typeof sentence !== "string" || sentence === "") throw new PagesFault(`${file}: "${key}" is not a sentence`)
      return [key, sentence]
    }),
  )
}

const rightToLeft = new Set(["ar", "dv", "fa", "he", "ku", "ps", "sd", "ug", "ur", "yi"])

/** The maximum number of regions per language whose formats are cached. */
const mostRegions = 64

const language = (tag: string, words: Words): Language => {
  const split = new Map<string, Sentence>()
  const sentenceOf = (key: string): Sentence => {
    const before = split.get(key)
    if (before !== undefined) return before
    const text = words[key]
    if (text === undefined) throw new PagesFault(`there is no sentence "${key}"`)
    const parts = text.split(placeholder)
    const plain = parts.filter((_, at) => at % 2 === 0)
    const sentence = { plain, html: plain.map(escapeHtml), names: parts.filter((_, at) => at % 2 === 1) }
    split.set(key, sentence)
    return sentence
  }
  const fill = (pieces: ReadonlyArray<string>, names: ReadonlyArray<string>, value: (name: string) => string): string => {
    let text = pieces[0] ?? ""
    for (let at = 0; at < names.length; at++) text += value(names[at] ?? "") + (pieces[at + 1] ?? "")
    return text
  }
  const given = (key: string, values: Values, name: string): string => {
    const value = values[name]
    if (value === undefined) throw new PagesFault(`"${key}" needs a value for {${name}}`)
    return value
  }
  const regions = new Map<string, Language>()
  const own: Language = {
    ...formatsOf(tag),
    tag,
    dir: rightToLeft.has(tag.split("-")[0] ?? tag) ? "rtl" : "ltr",
    words,
    say: (key, values = {}) => {
      const { plain, names } = sentenceOf(key)
      return fill(plain, names, (name) => given(key, values, name))
    },
    sayHtml: (key, values = {}) => {
      const { html, names } = sentenceOf(key)
      return fill(html, names, (name) => `<bdi class="name">${escapeHtml(given(key, values, name))}</bdi>`)
    },
    sayTime: (key, { text, iso, precision }) => {
      const { html, names } = sentenceOf(key)
      const time = `<time datetime="${escapeHtml(iso)}" data-precision="${precision}">${escapeHtml(text)}</time>`
      return fill(html, names, (name) => given(key, { date: time }, name))
    },
    in: (formats) => {
      if (formats === tag) return own
      const before = regions.get(formats)
      if (before !== undefined) return before
      if (regions.size >= mostRegions) regions.clear()
      const region = { ...own, ...formatsOf(formats) }
      regions.set(formats, region)
      return region
    },
  }
  return own
}
