import type { PageDesign } from "./design.ts"
import { languageNames } from "./menu.ts"
import { negotiator } from "./negotiate.ts"
import type { Language } from "./words.ts"

/** A design and the languages in which it is complete. A page and its frame are shown in one language. */
export interface Spoken {
  readonly design: PageDesign
  /** Tags of the languages. */
  readonly tags: ReadonlyArray<string>
  /** The names of the languages, for the menu. */
  readonly names: ReadonlyMap<string, string>
  /** Chooses one of the languages. */
  readonly negotiate: ReturnType<typeof negotiator>
}

/** Finds the languages in which a design is complete. */
export const spoken = (design: PageDesign, languages: ReadonlyMap<string, Language>, locale: string): Spoken => {
  const keys = Object.values(design.words).flatMap((words) => Object.keys(words))
  const tags = [...languages]
    .filter(([tag, { words }]) => design.words[tag] !== undefined || (keys.length > 0 && keys.every((key) => words[key] !== undefined)))
    .map(([tag]) => tag)
  return { design, tags, names: languageNames(tags), negotiate: negotiator(tags, tags.includes(locale) ? locale : (tags[0] ?? locale)) }
}
