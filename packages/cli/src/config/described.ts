import * as Schema from "effect/Schema"

/** A field that may be left out. */
export const absent = <S extends Schema.Top>(schema: S): Schema.optionalKey<S> => Schema.optionalKey(schema)

/** A text that is not empty, of at most so many characters. */
export const text = (most: number) => Schema.NonEmptyString.check(Schema.isMaxLength(most))

/** A whole number between two bounds, both included. */
export const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

/** The fields of a struct by name, each with its description in the published schema. */
export type Described = Readonly<Record<string, readonly [schema: Schema.Top, description: string]>>

type FieldsOf<Rows extends Described> = { readonly [Name in keyof Rows]: Rows[Name][0] }

/** Gives each field of a struct its description in the published schema. */
export const described = <const Rows extends Described>(rows: Rows): FieldsOf<Rows> => {
  const entries = Object.entries(rows).map(([name, [schema, description]]) => [name, schema.annotateKey({ description })])
  // Annotating a field leaves its type as it is.
  return Object.fromEntries(entries) as FieldsOf<Rows>
}

/** A struct with a name in the published schema, its fields described. */
export const section = <const Rows extends Described>(identifier: string, description: string, rows: Rows) =>
  Schema.Struct(described(rows)).annotate({ identifier, description })
