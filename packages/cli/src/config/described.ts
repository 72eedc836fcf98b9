import * as Schema from "effect/Schema"

/** Makes a field optional. */
export const absent = <S extends Schema.Top>(schema: S): Schema.optionalKey<S> => Schema.optionalKey(schema)

/** A non-empty string with a maximum length in characters. */
export const text = (most: number) => Schema.NonEmptyString.check(Schema.isMaxLength(most))

/** The expectation of {@link line}, as the schema tells it. */
export const withoutControl = "a text without control characters"

/** A text without control characters, such as a path, a host, a URL or an identifier: one with NUL, or over two lines, could never work. */
export const line = (most: number) => text(most).check(Schema.isPattern(/^\P{Cc}*$/u, { expected: withoutControl }))

/** A word of printable ASCII characters with a maximum length. */
export const printable = (most: number) =>
  Schema.String.check(
    Schema.isPattern(new RegExp(`^[\\x21-\\x7e]{1,${most}}$`, "u"), { expected: `1 to ${most} printable ASCII characters without space` }),
  )

/** An integer between two bounds, inclusive. */
export const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

/** The fields of a struct by name, each with its description in the published schema. */
export type Described = Readonly<Record<string, readonly [schema: Schema.Top, description: string]>>

type FieldsOf<Rows extends Described> = { readonly [Name in keyof Rows]: Rows[Name][0] }

/** Adds each field's description for the published schema. */
export const described = <const Rows extends Described>(rows: Rows): FieldsOf<Rows> => {
  const entries = Object.entries(rows).map(([name, [schema, description]]) => [name, schema.annotateKey({ description })])
  // Annotating a field doesn't change its type.
  return Object.fromEntries(entries) as FieldsOf<Rows>
}

/** A struct with a name in the published schema and a description for each field. */
export const section = <const Rows extends Described>(identifier: string, description: string, rows: Rows) =>
  Schema.Struct(described(rows)).annotate({ identifier, description })
