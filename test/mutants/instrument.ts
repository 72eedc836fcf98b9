import { Instrumenter } from "@stryker-mutator/instrumenter"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "./areas.ts"

/** One change of one place in the sources. */
export interface Mutant {
  readonly id: string
  /** From the workspace's root. */
  readonly file: string
  readonly line: number
  /** The line as it is written, without what is around it. */
  readonly text: string
  readonly mutator: string
  readonly original: string
  readonly replacement: string
}

/** Sources with every mutant in them, each asleep until its id is named as the active one. */
export interface Instrumented {
  readonly mutants: ReadonlyArray<Mutant>
  /** Source text by absolute path. */
  readonly sources: Readonly<Record<string, string>>
}

const quiet = () => undefined
const logger = {
  isTraceEnabled: () => false,
  isDebugEnabled: () => false,
  isInfoEnabled: () => false,
  isWarnEnabled: () => false,
  isErrorEnabled: () => false,
  isFatalEnabled: () => false,
  trace: quiet,
  debug: quiet,
  info: quiet,
  warn: quiet,
  error: quiet,
  fatal: quiet,
}

interface Node {
  readonly type: string
  readonly key?: { readonly name?: string }
  readonly callee?: { readonly name?: string }
}

interface Path {
  readonly node: Node
  readonly parent: Node | null
}

/** Words for the operator are not behavior: the `reason` of a refusal, and the message of an error. */
const isWording = ({ node: { type, key, callee }, parent }: Path): boolean =>
  (type === "ObjectProperty" && key?.name === "reason") ||
  (type === "NewExpression" && (callee?.name?.endsWith("Error") === true || parent?.type === "ThrowStatement"))

const instrumenter = new Instrumenter(logger)

/** Instruments files by StrykerJS's mutators. */
export const instrument = async (files: ReadonlyArray<string>): Promise<Instrumented> => {
  const named = files.map((file) => ({ name: file, mutate: true, content: readFileSync(join(root, file), "utf8") }))
  const { files: written, mutants } = await instrumenter.instrument(named, {
    plugins: null,
    excludedMutations: [],
    ignorers: [{ shouldIgnore: (path: Path) => (isWording(path) ? "wording" : undefined) }],
  })
  const linesOf = new Map(named.map(({ name, content }) => [name, content.split("\n")]))
  return {
    mutants: mutants.flatMap(({ id, fileName, location: { start, end }, mutatorName, replacement, status }) => {
      if (status === "Ignored") return []
      const lines = (linesOf.get(fileName) ?? []).slice(start.line, end.line + 1)
      const text = lines[0]?.trim() ?? ""
      const last = lines.length - 1
      const original = lines.map((line, at) => line.slice(at === 0 ? start.column : 0, at === last ? end.column : undefined)).join("\n")
      return [{ id, file: fileName, line: start.line + 1, text, mutator: mutatorName, original, replacement }]
    }),
    sources: Object.fromEntries(written.map(({ name, content }) => [join(root, name), content])),
  }
}
