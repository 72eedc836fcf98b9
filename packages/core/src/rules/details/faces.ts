import {
  type Catalog,
  type ConsentDetail,
  type DetailObjectSchema,
  type DetailSaid,
  type DetailSettings,
  type DetailType,
  type DetailWords,
  type Json,
  type JsonObject,
  type ShownValue,
  isJsonObject,
} from "../../model/index.ts"
import { valueAt } from "./check.ts"
import { resourcesOf } from "./target.ts"
import { typeOf } from "./type.ts"
import { detailOfWord } from "./words.ts"

/** Returns the details of a request, as pages show them. Those that the client already has are marked. */
export const detailFaces = (
  { details: known, catalog }: { readonly details: DetailSettings | undefined; readonly catalog: Catalog },
  words: ReadonlyArray<string>,
  held: ReadonlyArray<string> = [],
): ReadonlyArray<ConsentDetail> =>
  words.flatMap((name): ReadonlyArray<ConsentDetail> => {
    const detail = detailOfWord(name, known)
    const type = detail && typeOf(detail, known?.types)
    if (detail === undefined || type === undefined) return []
    return [
      {
        name,
        type: type.type,
        detail,
        said: Object.fromEntries(Object.entries(type.words).map(([language, words]) => [language, said(detail, type, words)])),
        resources: resourcesOf(detail, type).map((each) => titleOf(each, catalog)),
        ...(held.includes(name) ? { held: true } : {}),
      },
    ]
  })

const titleOf = (identifier: string, { resources }: Catalog): string =>
  resources.find((each) => each.identifier === identifier)?.title ?? identifier

const said = (detail: JsonObject, { schema }: DetailType, { title, summary, fields }: DetailWords): DetailSaid => {
  const phrases = summary.filter((phrase) => typeof phrase !== "string")
  const named = new Set(phrases.flatMap(({ path }) => (valueAt(detail, path) === undefined ? [] : [path.join(".")])))
  return {
    title,
    summary: summary.map((phrase) => (typeof phrase === "string" ? phrase : { value: shown(valueAt(detail, phrase.path)) })),
    fields: leaves(detail, schema, []).flatMap(({ path, value }) => {
      const name = path.join(".")
      // Pages show the resources separately.
      return named.has(name) || name === "locations"
        ? []
        : [{ label: Object.hasOwn(fields, name) ? (fields[name] ?? name) : name, value: shown(value) }]
    }),
  }
}

interface Leaf {
  readonly path: ReadonlyArray<string>
  readonly value: Json
}

/** Returns every value of a detail that is not an object of fields, in the order of its type. */
const leaves = (value: JsonObject, { fields }: DetailObjectSchema, before: ReadonlyArray<string>): ReadonlyArray<Leaf> =>
  [...fields].flatMap(([name, { schema }]): ReadonlyArray<Leaf> => {
    const each = Object.hasOwn(value, name) ? value[name] : undefined
    if (each === undefined) return []
    const path = [...before, name]
    return schema.kind === "object" && isJsonObject(each) ? leaves(each, schema, path) : [{ path, value: each }]
  })

const shown = (value: Json | undefined): ShownValue => {
  if (typeof value === "boolean") return value
  return Array.isArray(value) ? value.map((each: Json) => textOf(each)) : textOf(value)
}

const textOf = (value: Json | undefined): string => {
  if (value === undefined || value === null) return "–"
  if (Array.isArray(value)) return value.map((each: Json) => textOf(each)).join(", ")
  return typeof value === "object" ? Object.values(value).map(textOf).join(" ") : String(value)
}
