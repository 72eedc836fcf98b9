import * as Schema from "effect/Schema"
import type { Json } from "./json.ts"
import { scopeName } from "./fieldValues.ts"
import type { Field } from "./member.ts"
import { type ListForm, type ObjectForm, type TextForm, type ValueForm, type Values, valuesOf } from "./values.ts"

const textSchema = ({ least, longest, pattern }: TextForm): Schema.Codec<Json> => {
  const text = least === undefined ? Schema.String : Schema.NonEmptyString
  const bounded = longest === undefined ? text : text.check(Schema.isMaxLength(longest))
  return pattern === undefined ? bounded : bounded.check(Schema.isPattern(pattern.matches, { expected: pattern.expected }))
}

const listSchema = ({ of, least = 0, most }: ListForm): Schema.Codec<Json> => {
  const list = Schema.Array(formSchema(of))
  const bounded = most === undefined ? list : list.check(Schema.isMaxLength(most))
  return least === 0 ? bounded : bounded.check(Schema.isMinLength(least))
}

const objectSchema = ({ of }: ObjectForm): Schema.Codec<Json> => {
  if (of === undefined) return Schema.Record(Schema.String, Schema.Json)
  const fields = Object.entries(of).map(([name, { form, description }]) => [name, formSchema(form).annotate({ description })] as const)
  return Schema.Struct(Object.fromEntries(fields)) as unknown as Schema.Codec<Json>
}

const formSchema = (form: ValueForm): Schema.Codec<Json> => {
  switch (form.kind) {
    case "flag":
      return Schema.Boolean
    case "text":
      return textSchema(form)
    case "whole": {
      const { least: minimum, most: maximum } = form
      return Schema.Int.check(maximum === undefined ? Schema.isGreaterThanOrEqualTo(minimum) : Schema.isBetween({ minimum, maximum }))
    }
    case "one of":
      return Schema.Literals(form.of)
    case "list":
      return listSchema(form)
    case "object":
      return objectSchema(form)
    case "schema":
      return form.schema
    case "judged":
      return Schema.Json.check(Schema.makeFilter((value) => form.fits(value), { expected: "a value that it may have" }))
  }
}

/** Builds the schema of values. */
export const schemaOf = <A extends Json>({ form }: Values<A>): Schema.Codec<A> =>
  // The form is that of these very values.
  formSchema(form) as unknown as Schema.Codec<A>

/** A scope token (RFC 6749 §3.3). */
export const ScopeName: Schema.Codec<string> = schemaOf(scopeName)

/** Defines values by a custom schema, for members that `values` cannot describe. It adds the schema library to a provider. */
export const valuesOfSchema = <A extends Json>(schema: Schema.Codec<A>): Values<A> =>
  valuesOf({ kind: "schema", schema: schema as unknown as Schema.Codec<Json>, fits: Schema.is(schema) })

/** Returns the fields of a schema, each of them optional. */
export const fieldsOf = (fields: ReadonlyArray<Field>): Readonly<Record<string, Schema.optionalKey<Schema.Codec<Json>>>> =>
  Object.fromEntries(fields.map(({ name, values }) => [name, Schema.optionalKey(schemaOf(values))]))
