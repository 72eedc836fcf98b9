import {
  type DetailObjectSchema,
  type DetailPhrase,
  type DetailType,
  type DetailWords,
  type Json,
  type JsonObject,
  isJsonObject,
} from "../../model/index.ts"
import { closest } from "../../model/closest.ts"
import { fieldAt } from "../../rules/details/check.ts"
import { type Reading, type TypeFault, read, readingInto } from "./reading.ts"
import { typeSchemaOf } from "./schema.ts"

export type { TypeFault } from "./reading.ts"

/** The types in a configuration. {@link typeFaults} reports its faults. */
export const detailTypesOf = (stated: JsonObject): ReadonlyMap<string, DetailType> => typesIn(stated, undefined, [])

/** Finds every fault of the types in a configuration. Their resources are not checked if the provider's resources are not known. */
export const typeFaults = (stated: JsonObject, resources: ReadonlyArray<string> | undefined): ReadonlyArray<TypeFault> => {
  const faults: Array<TypeFault> = []
  typesIn(stated, resources, faults)
  return faults
}

const typesIn = (
  stated: JsonObject,
  resources: ReadonlyArray<string> | undefined,
  faults: Array<TypeFault>,
): ReadonlyMap<string, DetailType> => {
  const reading = readingInto(faults)
  const names = Object.keys(stated)
  if (names.length > 100) reading.fault("has more than 100 types", "merge those that are alike")
  return new Map(names.map((name) => [name, typeOf(name, stated[name], resources, reading.at(name))]))
}

const typeOf = (type: string, stated: Json | undefined, known: ReadonlyArray<string> | undefined, reading: Reading): DetailType => {
  if (!/^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/.test(type))
    reading.fault("is no identifier of a type", 'use 1 to 200 printable ASCII characters without space, " and \\')
  const given = read.object(stated, reading, "give it resources, a schema and words")
  reading.known(given, ["resources", "consent", "without_person", "schema", "words"])
  const resources = read.texts(given["resources"], reading.at("resources"))
  if (resources.length === 0) reading.at("resources").fault("names no resource", "name the resources that its details are for")
  for (const [at, each] of resources.entries())
    if (known?.includes(each) === false) {
      const near = closest(each, known)
      reading
        .at("resources", at)
        .fault(`${each} is no declared resource`, near.length === 0 ? "declare it under resources" : `did you mean ${near.join(" or ")}?`)
    }
  if (given["without_person"] !== undefined && typeof given["without_person"] !== "boolean")
    reading.at("without_person").fault("is neither true nor false", "correct it")
  const schema = typeSchemaOf(given["schema"], resources, reading.at("schema"))
  return {
    type,
    resources,
    schema,
    consent: read.choice(given["consent"], ["remembered", "each"], "remembered", reading.at("consent")),
    withoutPerson: given["without_person"] === true,
    words: wordsOf(given["words"], schema, reading.at("words")),
  }
}

const wordsOf = (stated: Json | undefined, schema: DetailObjectSchema, reading: Reading): DetailType["words"] => {
  const hint = 'tell people what it is: { "en": { "title": "Payment", "summary": "Pay {amount} to {creditor}" } }'
  const languages = Object.entries(read.object(stated, reading, hint))
  if (isJsonObject(stated) && languages.length === 0) reading.fault("has no language", hint)
  return Object.fromEntries(
    languages.map(([tag, words]) => {
      const each = reading.at(tag)
      if (!/^[a-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,3}$/.test(tag)) each.fault("is no language tag", "write en, pt-PT or the like (RFC 5646)")
      return [tag, inLanguage(words, schema, each)]
    }),
  )
}

const inLanguage = (stated: Json, schema: DetailObjectSchema, reading: Reading): DetailWords => {
  const given = read.object(stated, reading, "give a title and a summary")
  reading.known(given, ["title", "summary", "fields"])
  const summary = reading.at("summary")
  const fields = given["fields"] === undefined ? {} : read.object(given["fields"], reading.at("fields"), "give a name for each field")
  const named = Object.entries(fields).map(([path, label]) => {
    const each = reading.at("fields", path)
    if (fieldAt(schema, path.split(".")) === undefined) each.fault("is no field of the type", "write the path of a field, with dots")
    return [path, read.text(label, 100, each, "give the name of the field")] as const
  })
  return {
    title: read.text(given["title"], 100, reading.at("title"), "name the type in a word or two"),
    summary: phrasesOf(read.text(given["summary"], 300, summary, "say in a sentence what is allowed"), schema, summary),
    fields: Object.fromEntries(named),
  }
}

/** Splits a sentence at the fields that it names in braces. */
const phrasesOf = (summary: string, schema: DetailObjectSchema, reading: Reading): ReadonlyArray<DetailPhrase> =>
  summary.split(/(\{[^{}]*\})/).flatMap((part): ReadonlyArray<DetailPhrase> => {
    if (part === "") return []
    if (!/[{}]/.test(part)) return [part]
    const path = part.slice(1, -1).split(".")
    const field = /^\{[^{}]+\}$/.test(part) ? fieldAt(schema, path) : undefined
    if (field === undefined || field.schema.kind === "object") {
      reading.fault(`${part} names no field`, "write the path of a field in braces, with dots: {amount.value}")
      return []
    }
    return [{ path }]
  })
