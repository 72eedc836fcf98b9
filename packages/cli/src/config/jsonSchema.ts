import { isJsonObject } from "@postern/core/model"
import * as Schema from "effect/Schema"
import { ConfigFile } from "./schema.ts"

/** The part of a JSON Schema document that this package reads. */
export interface JsonSchema {
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, JsonSchema>>
  readonly description?: string
  readonly type?: string
  readonly enum?: ReadonlyArray<unknown>
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly items?: JsonSchema
  readonly anyOf?: ReadonlyArray<JsonSchema>
}

/**
 * Caches the document of each schema. Each validation round of a faulty file needs the same document, and generating it takes longer than
 * the rest of the round.
 */
const made = new WeakMap<Schema.Constraint, JsonSchema>()

/** Returns the JSON Schema (draft 2020-12) of an Effect Schema. Unknown keys are refused. */
export const jsonSchemaOf = (described: Schema.Constraint): JsonSchema => {
  const known = made.get(described)
  if (known !== undefined) return known
  const { schema, definitions } = Schema.toJsonSchemaDocument(described, { onExcessProperty: "error" })
  // The emitter returns plain JSON in the shape that the specification defines.
  const document = folded({ $schema: "https://json-schema.org/draft/2020-12/schema", ...schema, $defs: definitions }) as JsonSchema
  made.set(described, document)
  return document
}

/** The published JSON Schema of the configuration file. */
export const configJsonSchema = (): JsonSchema => jsonSchemaOf(ConfigFile)

/**
 * Merges `allOf` wrappers, which the emitter puts around descriptions, into the schema that they describe. The result is equivalent and
 * easier to read.
 */
const folded = (node: unknown): unknown => {
  if (Array.isArray(node)) return node.map(folded)
  if (!isJsonObject(node)) return node
  const { allOf, ...rest } = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, folded(value)]))
  const parts: ReadonlyArray<unknown> = Array.isArray(allOf) ? allOf : []
  const keys = parts.flatMap((part) => (isJsonObject(part) ? Object.keys(part) : [""]))
  const mergeable = parts.every(isJsonObject) && new Set(keys).size === keys.length && !keys.some((key) => key in rest)
  return mergeable ? Object.assign({}, rest, ...parts) : { ...rest, ...(allOf === undefined ? {} : { allOf }) }
}

/** Returns the subschema for a path, or undefined if there is none. */
export const schemaAt = (root: JsonSchema, path: ReadonlyArray<string | number>): JsonSchema | undefined => {
  let here: JsonSchema | undefined = root
  for (const part of path) {
    const whole: JsonSchema | undefined = here === undefined ? undefined : resolved(root, here)
    here = typeof part === "number" ? whole?.items : ownProperty(whole?.properties, part)
  }
  return here === undefined ? undefined : { ...resolved(root, here), ...here }
}

/** Looks up own properties only, because a key of the file may be the name of an inherited property. */
const ownProperty = (properties: JsonSchema["properties"], name: string): JsonSchema | undefined =>
  properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined

/** Follows a reference. Of several alternatives, returns the one with keys. */
const resolved = (root: JsonSchema, node: JsonSchema): JsonSchema => {
  const target = node.$ref === undefined ? undefined : root.$defs?.[node.$ref.replace("#/$defs/", "")]
  if (target !== undefined) return resolved(root, target)
  const object = node.anyOf?.find(({ $ref, properties }) => $ref !== undefined || properties !== undefined)
  return object === undefined || object.properties !== undefined ? node : resolved(root, object)
}
