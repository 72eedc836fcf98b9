import { closest } from "@postern/core"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import { withoutControl } from "./described.ts"
import { type Finding, finding, type Path } from "./fault.ts"
import { type JsonSchema, jsonSchemaOf, schemaAt } from "./jsonSchema.ts"

/** The decoded value, or all its faults. */
export type Decoded<A> =
  | { readonly value: A; readonly findings: undefined }
  | { readonly value: undefined; readonly findings: ReadonlyArray<Finding> }

/** Decodes a value and reports all faults at once, at most one for each path. Unknown keys are faults. */
export const decoded = <A>(schema: Schema.ConstraintDecoder<A>, value: unknown): Decoded<A> => {
  const result = Schema.decodeUnknownResult(schema)(value, { errors: "all", onExcessProperty: "error" })
  if (Result.isSuccess(result)) return { value: result.success, findings: undefined }
  const known = jsonSchemaOf(schema)
  const all = findings(result.failure.issue, [], known)
  const first = new Map(all.toReversed().map((each) => [JSON.stringify(each.path), each]))
  return { value: undefined, findings: all.filter((each) => first.get(JSON.stringify(each.path)) === each) }
}

const spoken: Readonly<Record<string, string>> = {
  string: "a text",
  array: "a list",
  object: "an object",
  boolean: "true or false",
  number: "a number",
  "an integer": "a whole number",
}

/** The messages about texts that do not meet these expectations. They say more than `is not …`. */
const told: Readonly<Record<string, string>> = {
  "a value with a length of at least 1": "is empty",
  [withoutControl]: "contains a control character",
}

const expectation = SchemaIssue.makeFormatterStandardSchemaV1()

/** Returns the description of the expected value from the schema. */
const expected = (issue: SchemaIssue.Issue): string => {
  const text = (expectation(issue).issues[0]?.message ?? "").replace(/^Expected /, "").replaceAll(" | ", " or ")
  return spoken[text] ?? text
}

/** Returns the expected type, which says more than the schema's name. */
const kind = (issue: SchemaIssue.InvalidType): string => {
  if (issue.ast._tag === "Objects") return "an object"
  return issue.ast._tag === "Arrays" ? "a list" : expected(issue)
}

const findings = (issue: SchemaIssue.Issue, path: Path, known: JsonSchema): ReadonlyArray<Finding> => {
  switch (issue._tag) {
    case "Pointer":
      return findings(issue.issue, [...path, ...issue.path.map((part) => (typeof part === "number" ? part : String(part)))], known)
    case "Composite":
      return issue.issues.flatMap((each) => findings(each, path, known))
    case "Filter": {
      const message = told[expected(issue)]
      return [message === undefined ? wrong(path, expected(issue), known) : { ...wrong(path, "", known), message }]
    }
    case "AnyOf": {
      const [only, ...others] = issue.issues
      if (only !== undefined && others.length === 0) return findings(only, path, known)
      const wanted = issue.ast.annotations?.["expected"]
      return [wrong(path, typeof wanted === "string" ? wanted : expected(issue), known)]
    }
    case "MissingKey":
      return [{ path, about: "absence", message: "is missing", hint: `add it. ${schemaAt(known, path)?.description ?? ""}`.trimEnd() }]
    case "UnexpectedKey":
      return [unknownKey(path, known)]
    case "InvalidType":
      return [wrong(path, kind(issue), known)]
    default:
      return [wrong(path, expected(issue), known)]
  }
}

const wrong = (path: Path, wanted: string, known: JsonSchema): Finding => {
  const here = schemaAt(known, path)
  if (here?.enum !== undefined) return finding(path, "is not one of the known values", `use one of: ${here.enum.join(", ")}`)
  return finding(path, `is not ${wanted}`, here?.description ?? listAbout(path, known) ?? "correct it")
}

/** Returns the description of the list that a path is an item of. Items have none of their own. */
const listAbout = (path: Path, known: JsonSchema): string | undefined =>
  typeof path.at(-1) === "number" ? schemaAt(known, path.slice(0, -1))?.description : undefined

const unknownKey = (path: Path, known: JsonSchema): Finding => {
  const keys = Object.keys(schemaAt(known, path.slice(0, -1))?.properties ?? {})
  const meant = closest(String(path.at(-1)), keys)
  return {
    path,
    about: "key",
    message: "is not a known key",
    hint: meant.length === 0 ? `remove it; known here: ${keys.join(", ")}` : `did you mean ${meant.join(" or ")}?`,
  }
}
