import {
  type DetailField,
  type DetailObjectSchema,
  type DetailSchema,
  type DetailTextSchema,
  type Enrichment,
  type Json,
  type Narrowing,
  type TextFormat,
  isJsonObject,
} from "../../model/index.ts"
import { textFormats, valueFitted } from "../../rules/details/check.ts"
import { type Reading, read } from "./reading.ts"

/** The most characters of a text whose schema states no length, and the most of any text. */
const [usualText, longestText] = [200, 1000]

/** The most items of a list whose schema states no length, and the most of any list. */
const [usualList, longestList] = [20, 100]

/** The depth to which objects and lists of a type may be nested. */
const deepest = 5

const kinds: Readonly<Record<string, DetailSchema["kind"]>> = {
  string: "text",
  number: "number",
  integer: "number",
  boolean: "flag",
  array: "list",
  object: "object",
}

/**
 * The keywords of each kind, in addition to those of all kinds. They are those of JSON Schema, except for `narrows`, `absent` and `enrich`.
 */
const keywords: Readonly<Record<DetailSchema["kind"], ReadonlyArray<string>>> = {
  text: ["enum", "minLength", "maxLength", "format", "pattern"],
  number: ["minimum", "maximum"],
  flag: [],
  list: ["items", "minItems", "maxItems"],
  object: ["properties", "required", "additionalProperties"],
}

const ofAll = ["type", "title", "description", "narrows", "absent", "enrich"]

/** The forms of the fields that all types have in common (RFC 9396 §2.2). */
const common: Readonly<
  Record<string, { readonly type: string; readonly items?: Json; readonly narrows?: Narrowing; readonly absent?: string }>
> = {
  locations: { type: "array", items: { type: "string", format: "uri" }, narrows: "subset", absent: "everything" },
  actions: { type: "array", items: { type: "string" }, narrows: "subset" },
  datatypes: { type: "array", items: { type: "string" }, narrows: "subset" },
  privileges: { type: "array", items: { type: "string" }, narrows: "subset" },
  identifier: { type: "string" },
}

/** Reads the schema of a type, which is an object. It always has `locations`, limited to the type's resources. */
export const typeSchemaOf = (stated: Json | undefined, resources: ReadonlyArray<string>, reading: Reading): DetailObjectSchema => {
  const given = isJsonObject(stated) ? stated : {}
  if (stated !== undefined && !isJsonObject(stated)) reading.fault("is not an object", "give a JSON Schema with properties")
  const properties = isJsonObject(given["properties"]) ? given["properties"] : {}
  for (const name of ["type", "locations"])
    if (Object.hasOwn(properties, name))
      reading
        .at("properties", name)
        .fault("is there by itself", name === "type" ? "remove it" : "remove it: locations are among the resources of the type")
  const { locations: _locations, type: _type, ...own } = properties
  const stating = objectOf({ ...given, properties: own }, reading, 1, true)
  const items: DetailTextSchema = { kind: "text", least: 1, longest: longestText, of: resources, narrows: "equal" }
  const locations: DetailField = {
    schema: { kind: "list", items, least: 1, most: longestList, narrows: "subset" },
    required: false,
    absent: "everything",
  }
  return { kind: "object", fields: new Map([["locations", locations], ...stating.fields]) }
}

const objectOf = (stated: { readonly [name: string]: Json }, reading: Reading, depth: number, isTop: boolean): DetailObjectSchema => {
  reading.known(stated, isTop ? ["$schema", "$id", ...ofAll, ...keywords.object] : [...ofAll, ...keywords.object])
  if (stated["additionalProperties"] !== undefined && stated["additionalProperties"] !== false)
    reading.at("additionalProperties").fault("is not false", "remove it: a field that a type does not have is refused (RFC 9396 §5)")
  const properties = isJsonObject(stated["properties"]) ? stated["properties"] : {}
  if (stated["properties"] !== undefined && !isJsonObject(stated["properties"]))
    reading.at("properties").fault("is not an object", "give a schema for each field")
  const names = Object.keys(properties)
  if (names.length > 50) reading.at("properties").fault("has more than 50 fields", "group fields in objects, or make several types")
  const required = read.texts(stated["required"], reading.at("required"))
  for (const [at, name] of required.entries())
    if (!Object.hasOwn(properties, name))
      reading.at("required", at).fault(`${name} is no field`, "declare it under properties, or remove it")
  const fields = names.map((name) => {
    const each = reading.at("properties", name)
    if (!/^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(name))
      each.fault("is no name of a field", "begin with a letter, and use letters, digits, _ and - alone, 64 at most")
    return [name, fieldOf(properties[name], name, each, depth, isTop, required.includes(name))] as const
  })
  return { kind: "object", fields: new Map(fields) }
}

const fieldOf = (
  stated: Json | undefined,
  name: string,
  reading: Reading,
  depth: number,
  isTop: boolean,
  required: boolean,
): DetailField => {
  if (!isJsonObject(stated)) {
    reading.fault("is not an object", 'give its form: { "type": "string" }')
    return { schema: { kind: "flag", narrows: "equal" }, required, absent: "other" }
  }
  const preset = isTop ? common[name] : undefined
  if (preset !== undefined && stated["type"] !== undefined && stated["type"] !== preset.type)
    reading
      .at("type")
      .fault(`is not ${preset.type}`, `${name} has the form that RFC 9396 §2.2 gives it: remove type, or choose another name`)
  const whole = preset === undefined ? stated : { ...preset, ...stated }
  const schema = schemaOf(whole, reading, depth)
  const absent = read.choice(whole["absent"], ["other", "everything", "nothing"], "other", reading.at("absent"))
  if (required && stated["absent"] !== undefined) reading.at("absent").fault("is said of a field that is required", "remove one of the two")
  return { schema, required, absent, enrich: enrichOf(stated["enrich"], schema, reading.at("enrich"), isTop) }
}

const enrichOf = (stated: Json | undefined, schema: DetailSchema, reading: Reading, isTop: boolean): Enrichment | undefined => {
  if (stated === undefined) return undefined
  if (!isTop) reading.fault("is said of a field inside another one", "enrich fields of the detail itself")
  if (isJsonObject(stated) && Object.keys(stated).length === 1) {
    const { claim, value } = stated
    if (typeof claim === "string" && claim !== "") return { claim }
    if (value !== undefined) {
      const found = valueFitted(value, schema, "")
      if ("fault" in found) reading.at("value").fault(found.fault.problem, "give a value that fits the field")
      return { value }
    }
  }
  reading.fault("is not a source", 'write { "claim": "NAME" } for a claim of the person, or { "value": … }')
  return undefined
}

/** Reads the form of a value. */
const schemaOf = (stated: { readonly [name: string]: Json }, reading: Reading, depth: number): DetailSchema => {
  const type = typeof stated["type"] === "string" ? stated["type"] : undefined
  const kind = type === undefined ? undefined : kinds[type]
  const unread: DetailSchema = { kind: "flag", narrows: "equal" }
  if (kind === undefined) {
    reading.at("type").fault(type === undefined ? "is missing" : `${type} is no type`, `use one of: ${Object.keys(kinds).join(", ")}`)
    return unread
  }
  if (depth > deepest) {
    reading.fault(`is nested deeper than ${deepest} levels`, "make the detail flatter")
    return unread
  }
  if (kind === "object") return objectOf(stated, reading, depth + 1, false)
  reading.known(stated, [...ofAll, ...keywords[kind]])
  switch (kind) {
    case "flag":
      return { kind, narrows: read.choice(stated["narrows"], ["equal"], "equal", reading.at("narrows")) }
    case "number": {
      const whole = type === "integer"
      const minimum = read.number(stated["minimum"], whole ? 0 : -1e15, reading.at("minimum"))
      const maximum = read.number(stated["maximum"], whole ? Number.MAX_SAFE_INTEGER : 1e15, reading.at("maximum"))
      if (minimum > maximum) reading.at("maximum").fault("is below minimum", "swap them")
      return {
        kind,
        whole,
        minimum,
        maximum,
        narrows: read.choice(stated["narrows"], ["equal", "at-most", "at-least"], "equal", reading.at("narrows")),
      }
    }
    case "list": {
      const least = read.whole(stated["minItems"], 0, longestList, 0, reading.at("minItems"))
      const most = read.whole(stated["maxItems"], 1, longestList, Math.max(least, usualList), reading.at("maxItems"))
      if (least > most) reading.at("maxItems").fault("is below minItems", "swap them")
      const items = isJsonObject(stated["items"]) ? schemaOf(stated["items"], reading.at("items"), depth + 1) : unread
      if (!isJsonObject(stated["items"])) reading.at("items").fault("is missing", 'give the form of each item: { "type": "string" }')
      return { kind, items, least, most, narrows: read.choice(stated["narrows"], ["equal", "subset"], "equal", reading.at("narrows")) }
    }
    case "text":
      return textOf(stated, reading)
  }
}

const textOf = (stated: { readonly [name: string]: Json }, reading: Reading): DetailTextSchema => {
  const least = read.whole(stated["minLength"], 0, longestText, 1, reading.at("minLength"))
  const longest = read.whole(stated["maxLength"], 1, longestText, Math.max(least, usualText), reading.at("maxLength"))
  if (least > longest) reading.at("maxLength").fault("is below minLength", "swap them")
  const format: TextFormat | undefined =
    stated["format"] === undefined ? undefined : read.choice(stated["format"], textFormats, "uri", reading.at("format"))
  const of = stated["enum"] === undefined ? undefined : read.texts(stated["enum"], reading.at("enum"))
  if (of?.length === 0) reading.at("enum").fault("is empty", "give the values, or remove it")
  const isOrdered = format === "decimal" || format === "date" || format === "date-time"
  const narrows = read.choice<Narrowing>(
    stated["narrows"],
    isOrdered ? ["equal", "at-most", "at-least"] : ["equal"],
    "equal",
    reading.at("narrows"),
    isOrdered ? undefined : "give it the format decimal, date or date-time to compare it otherwise",
  )
  return { kind: "text", least, longest, of, format, pattern: patternOf(stated["pattern"], reading.at("pattern")), narrows }
}

/**
 * Characters and character classes, each optionally repeated. Groups are not allowed, because matching them could take more than linear
 * time.
 */
const simple = /^\^?(?:(?:\[(?:[^\]\\]|\\.)+\]|\\[dws]|\\[^A-Za-z0-9]|[^\\[\](){}|^$*+?.])(?:\{\d{1,3}(?:,\d{0,3})?\}|[*+?])?)+\$?$/u

const patternOf = (stated: Json | undefined, reading: Reading): RegExp | undefined => {
  if (stated === undefined) return undefined
  const hint = "use signs, classes and counts alone, such as ^[A-Z]{2}[0-9]+$, with two counts that vary at most"
  const text = typeof stated === "string" ? stated : ""
  const repeats = text.replaceAll(/\[(?:[^\]\\]|\\.)+\]/gu, "x").match(/\{\d+,\d*\}|[*+?]/g) ?? []
  if (!simple.test(text) || repeats.length > 2) {
    reading.fault("is no simple pattern", hint)
    return undefined
  }
  try {
    return new RegExp(`^(?:${text.replace(/^\^/, "").replace(/\$$/, "")})$`, "u")
  } catch {
    reading.fault("is no pattern", hint)
    return undefined
  }
}
