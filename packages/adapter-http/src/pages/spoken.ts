import type { PageDesign } from "./design.ts"
import { languageNames } from "./menu.ts"
import { negotiator } from "./negotiate.ts"
import type { Language } from "./words.ts"

/** A design, and the languages that it is whole in: a page is shown in one language, with its frame. */
export interface Spoken {
  readonly design: PageDesign
  /** Tags of the languages. */
  readonly tags: ReadonlyArray<string>
  /** Their names, for the menu. */
  readonly names: ReadonlyMap<string, string>
  /** Chooses one of them. */
  readonly negotiate: ReturnType<typeof negotiator>
}

/** Finds the languages of a design: those that it has every sentence in. */
export const spoken = (design: PageDesign, languages: ReadonlyMap<string, Language>, locale: string): Spoken => {
  const keys = Object.values(design.words).flatMap((words) => Object.keys(words))
  const tags = [...languages]
    .filter(([tag, { words }]) => design.words[tag] !== undefined || (keys.length > 0 && keys.every((key) => words[key] !== undefined)))
    .map(([tag]) => tag)
  return { design, tags, names: languageNames(tags), negotiate: negotiator(tags, tags.includes(locale) ? locale : (tags[0] ?? locale)) }
}
