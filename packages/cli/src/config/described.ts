import * as Schema from "effect/Schema"

/** A field that may be left out. */
export const absent = <S extends Schema.Top>(schema: S): Schema.optionalKey<S> => Schema.optionalKey(schema)

/** A text that is not empty, of at most so many characters. */
export const text = (most: number) => Schema.NonEmptyString.check(Schema.isMaxLength(most))

/** A whole number between two bounds, both included. */
export const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

/** Gives each field of a struct its description in the published schema. */
export const described = <Fields extends Record<string, Schema.Top>>(
  fields: Fields,
  texts: Readonly<Record<keyof Fields, string>>,
): Fields => {
  const entries = Object.entries(fields).map(([name, field]) => [name, field.annotateKey({ description: texts[name] ?? "" })])
  // Annotating a field leaves its type as it is.
  return Object.fromEntries(entries) as Fields
}
