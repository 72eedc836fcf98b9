import { readFileSync } from "node:fs"
import { cases } from "../cases/index.ts"
import { registrationCases } from "../cases/registration.ts"
import type { Shown } from "./line.ts"

const root = new URL("../../", import.meta.url)

interface Titled {
  readonly title: string
  readonly rule: string | undefined
}

const byFile = new Map<string, ReadonlyArray<Titled>>([
  ...Object.entries(cases).map(([name, each]) => [`test/cases/${name}.ts`, each] as const),
  ["test/cases/registration.ts", registrationCases] as const,
])

/** A literal where titles stand: as the first argument of a call, or as a `title` or `name`. */
const literals = /(?:\(|\b(?:title|name): )\s*(?:"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`)/g

const written = new Map<string, ReadonlySet<string>>()

/** The titles that stand in a file, as they are written: a template with its `${…}`. */
const titlesIn = (file: string): ReadonlySet<string> => {
  const found = written.get(file)
  if (found !== undefined) return found
  const source = readFileSync(new URL(file, root), "utf8")
  const titles = new Set([...source.matchAll(literals)].map(([, a, b, c]) => (a ?? b ?? c ?? "").replaceAll(/\\(["'`])/g, "$1")))
  written.set(file, titles)
  return titles
}

/** Tells if a test exists: a case by its title, any other by the literal in its file. */
export const exists = ({ file, title }: Shown): boolean =>
  byFile.get(file)?.some((each) => each.title === title) ?? titlesIn(file).has(title)

/** The rule that a test shows refusing, if it is a case that shows one. */
export const ruleShownBy = ({ file, title }: Shown): string | undefined => byFile.get(file)?.find((each) => each.title === title)?.rule
