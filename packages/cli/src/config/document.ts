import type { Node, ParseError } from "jsonc-parser"
import type { Document as YamlDocument } from "yaml"
import type { Fault, Path, Place } from "./fault.ts"

type Yaml = typeof import("./yaml.ts")

/** A parsed configuration file, with the source position of each value. */
export interface SourceDocument {
  readonly value: unknown
  /** Syntax faults, and faults of keys. */
  readonly faults: ReadonlyArray<Fault>
  /** True if the value can be validated despite the faults. */
  readonly readable: boolean
  /** Returns the position of a value or of its key, or of the nearest parent if it is absent. */
  readonly placeOf: (path: Path, key: boolean) => Place
}

/** Parses JSON with comments, or YAML if the file name ends in .yaml or .yml. */
export const readDocument = async (name: string, text: string): Promise<SourceDocument> => {
  // Either line break ends a line of JSON and YAML (YAML 1.2 §5.4), and no value may hold one of its own. Offsets stay the same.
  text = text.replace(/\r(?!\n)/g, "\n")
  // A file of zeros is what a crash or a full disk leaves of one.
  if (text.includes("\0")) return binaryDocument
  const yaml = /\.ya?ml$/i.test(name) ? await import("./yaml.ts") : undefined
  const jsonc = yaml === undefined ? await import("jsonc-parser") : undefined
  if (yaml !== undefined && isNestedTooDeep(text)) return tooDeep
  try {
    const read = yaml !== undefined ? readYaml(text, yaml) : jsonc !== undefined ? readJson(text, jsonc) : emptyDocument
    return isTooDeep(read.value, deepest) ? tooDeep : read
  } catch (error) {
    // The parsers are recursive, so deep nesting overflows the stack.
    if (error instanceof RangeError) return tooDeep
    throw error
  }
}

const faultAtStart = (message: string, hint: string): SourceDocument => ({
  value: undefined,
  readable: false,
  faults: [{ path: "", message, hint, line: 1, column: 1 }],
  placeOf: () => ({ line: 1, column: 1 }),
})

const emptyDocument = faultAtStart("the file is empty", "`postern init` writes a first configuration")

const binaryDocument = faultAtStart("the file holds NUL bytes, and is no text", "restore it from a copy, or save it as UTF-8")

/** The maximum nesting depth, which no real configuration reaches. */
const deepest = 100

const tooDeep = faultAtStart(`is nested deeper than ${deepest} levels`, "reduce the nesting")

const isTooDeep = (value: unknown, levels: number): boolean =>
  typeof value === "object" && value !== null && (levels === 0 || Object.values(value).some((each) => isTooDeep(each, levels - 1)))

/**
 * Reports whether a YAML text is nested far deeper than any configuration, before it is parsed: the parser takes seconds for each hundred
 * thousand levels. Brackets in texts count too, so the limit leaves room for them.
 */
const isNestedTooDeep = (text: string): boolean => {
  const most = 10 * deepest
  let open = 0
  for (const character of text) {
    if (character === "[" || character === "{") open++
    else if (character === "]" || character === "}") open = Math.max(0, open - 1)
    if (open > most) return true
  }
  const indents: Array<number> = []
  for (const [line, before = ""] of text.matchAll(/^([ ]*)(?:[-?:][ \t]+)*/gm)) {
    while ((indents.at(-1) ?? -1) >= before.length) indents.pop()
    indents.push(before.length)
    // Each indicator on the line opens a level of its own.
    if (indents.length + (line.length - before.length) / 2 > most) return true
  }
  return false
}

/** A key with a special meaning for JavaScript objects. */
const unusable = "__proto__"

const unusableKey = (at: Place): Fault => ({
  path: unusable,
  message: "is not a key that can be used",
  hint: "give it another name",
  ...at,
})

const places = (text: string): ((offset: number) => Place) => {
  const starts = [0]
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1)
  return (offset) => {
    // Binary search for the last line that starts at or before the offset, because a file may have as many faults as lines.
    let [line, after] = [0, starts.length]
    while (after - line > 1) {
      const middle = (line + after) >> 1
      if ((starts[middle] ?? 0) <= offset) line = middle
      else after = middle
    }
    return { line: line + 1, column: offset - (starts[line] ?? 0) + 1 }
  }
}

/** Returns the result of `find` for the longest prefix of the path that has one, or 0. */
const nearest = (path: Path, find: (path: Path) => number | undefined): number => {
  for (let length = path.length; length >= 0; length--) {
    const offset = find(path.slice(0, length))
    if (offset !== undefined) return offset
  }
  return 0
}

const jsonErrors: Readonly<Record<string, readonly [string, string]>> = {
  CommaExpected: ["a comma is missing before this", "put a comma after the value above"],
  ColonExpected: ["a colon is missing here", 'write "key": value'],
  PropertyNameExpected: ["a key was expected here", "write keys in double quotes, and remove anything else"],
  ValueExpected: ["a value was expected here", "write a value, or remove the key or comma before it"],
  CloseBraceExpected: ["a closing } is missing", "close every {"],
  CloseBracketExpected: ["a closing ] is missing", "close every ["],
  EndOfFileExpected: ["something follows the end of the configuration", "the file holds one object: remove what comes after it"],
  InvalidSymbol: ["this is not JSON", "write strings and keys in double quotes"],
  InvalidNumberFormat: ["this is not a number", "write digits only, without leading zeros"],
  UnexpectedEndOfString: ["this text has no closing quote", "end it with a double quote on the same line"],
  UnexpectedEndOfComment: ["this comment is never closed", "end it with */"],
}

const readJson = (text: string, jsonc: typeof import("jsonc-parser")): SourceDocument => {
  const errors: Array<ParseError> = []
  const tree = jsonc.parseTree(text, errors, { allowTrailingComma: true })
  const place = places(text)
  if (tree === undefined) return emptyDocument
  const syntax = errors.map(({ error, offset }) => {
    const [message, hint] = jsonErrors[jsonc.printParseErrorCode(error)] ?? [
      "this is not JSON",
      "see the example that `postern init` writes",
    ]
    return { path: "", message, hint, ...place(offset) }
  })
  const twice = repeatedKeys(tree).map(([key, offset]) => ({
    path: key,
    message: "appears twice",
    hint: "keep one of them: only the last one would apply",
    ...place(offset),
  }))
  const faults = [...syntax, ...twice, ...keysNamed(tree, unusable).map((offset) => unusableKey(place(offset)))]
  // A missing comma is unambiguous, and the last of duplicate keys wins.
  const readable = errors.every(({ error }) => jsonc.printParseErrorCode(error) === "CommaExpected")
  return {
    value: readable ? valueOf(tree) : undefined,
    faults,
    readable,
    placeOf: (path, key) =>
      place(
        nearest(path, (shorter) => {
          const node = jsonc.findNodeAtLocation(tree, [...shorter])
          return key && node?.parent?.type === "property" ? node.parent.offset : node?.offset
        }),
      ),
  }
}

/** Returns the value of a tree, without unusable keys. */
const valueOf = ({ type, children = [], value }: Node): unknown => {
  if (type === "array") return children.map(valueOf)
  if (type !== "object") return value
  return Object.fromEntries(
    children.flatMap(({ children: [key, item] = [] }) =>
      key === undefined || item === undefined || key.value === unusable ? [] : [[String(key.value), valueOf(item)] as const],
    ),
  )
}

const repeatedKeys = (node: Node): ReadonlyArray<readonly [string, number]> => {
  const seen = new Set<string>()
  return (node.children ?? []).flatMap((child) => {
    const key = node.type === "object" ? String(child.children?.[0]?.value) : ""
    const repeated = node.type === "object" && seen.has(key)
    seen.add(key)
    return [...(repeated ? [[key, child.offset] as const] : []), ...repeatedKeys(child)]
  })
}

/** Returns the offsets of all keys with a name. */
const keysNamed = (node: Node, name: string): ReadonlyArray<number> => [
  ...(node.type === "property" && node.children?.[0]?.value === name ? [node.offset] : []),
  ...(node.children ?? []).flatMap((child) => keysNamed(child, name)),
]

/** Replacements for parser messages that are too technical, or whose remedy isn't indentation or quotes. */
const yamlErrors: Readonly<Record<string, readonly [string, string]>> = {
  MULTIPLE_DOCS: ["a second document begins here", "the file holds one document: remove what comes after the ---"],
  DUPLICATE_KEY: ["this key appears twice", "keep one of them: only the last one would apply"],
}

const readYaml = (text: string, yaml: Yaml): SourceDocument => {
  const document = yaml.parseDocument(text, { prettyErrors: false })
  if (document.contents === null && document.errors.length === 0) return emptyDocument
  const place = places(text)
  // The parser is recursive and reports its own stack overflow as a syntax error.
  if (document.errors.some(({ message }) => message.startsWith("Maximum call stack size exceeded"))) return tooDeep
  // A warning is an unknown tag, whose value is not converted as intended, so it counts as a fault.
  const syntax = [...document.errors, ...document.warnings].map(({ code, message, pos }) => {
    const [said, hint] = yamlErrors[code] ?? [message.replace(/\s+/g, " "), "check the indentation and the quotes around here"]
    return { path: "", message: said, hint, ...place(pos[0]) }
  })
  const keys: Array<Fault> = []
  yaml.visit(document, {
    Pair: (_, { key }) => {
      if (yaml.isScalar(key) && key.value === unusable) keys.push(unusableKey(place(key.range?.[0] ?? 0)))
    },
  })
  const faults = [...syntax, ...keys]
  // The last of duplicate keys wins.
  const readable = document.warnings.length === 0 && document.errors.every(({ code }) => code === "DUPLICATE_KEY")
  return {
    ...(readable ? unfolded(document, faults) : { value: undefined, faults, readable }),
    placeOf: (path, key) => place(nearest(path, (shorter) => yamlOffset(document, shorter, key, yaml))),
  }
}

/** Returns the value of a document. The number of aliases is limited, because nested aliases could expand to more than fits in memory. */
const unfolded = (document: YamlDocument, faults: ReadonlyArray<Fault>): Omit<SourceDocument, "placeOf"> => {
  try {
    return { value: usable(document.toJS({ maxAliasCount: 100 })), faults, readable: true }
  } catch (error) {
    if (error instanceof ReferenceError) return faultAtStart("its aliases expand to too much", "write the values out")
    throw error
  }
}

/** Returns a value without unusable keys. */
const usable = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(usable)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).flatMap(([key, item]) => (key === unusable ? [] : [[key, usable(item)] as const])))
}

const yamlOffset = (document: YamlDocument, path: Path, key: boolean, yaml: Yaml): number | undefined => {
  const last = path.at(-1)
  const parent = path.length === 0 ? undefined : path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true)
  if (key && yaml.isMap(parent)) {
    const pair = parent.items.find((item) => yaml.isScalar(item.key) && item.key.value === last)
    return yaml.isScalar(pair?.key) ? pair.key.range?.[0] : undefined
  }
  const node = path.length === 0 ? document.contents : document.getIn(path, true)
  return yaml.isNode(node) ? node.range?.[0] : undefined
}
