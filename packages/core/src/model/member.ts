import * as Schema from "effect/Schema"
import type { Json } from "./json.ts"

/** Values that features read by name: client metadata, or settings of a provider. */
export interface Members {
  /** Each value by the name of its member, as JSON carries it; checked when it was registered. */
  readonly members: Readonly<Record<string, Json>>
}

/** A member that a feature adds to client metadata (RFC 7591 §2) or to the settings of a provider. */
export interface Member<A extends Json = Json, Name extends string = string, Otherwise extends Json | undefined = Json | undefined> {
  /** Its name, as JSON carries it. */
  readonly name: Name
  /** The values it may have. */
  readonly schema: Schema.Codec<A>
  /** Reports whether a value is one of them. It is judged where the member was made: a schema of another copy of its library says nothing. */
  readonly fits: (value: unknown) => boolean
  /** Its description in the configuration's schema: one sentence, and `Default: …`. */
  readonly description: string
  /** Returns its value, or its default where none is stated. */
  readonly of: (holder: Members) => A | Otherwise
}

/**
 * Makes a member; one that may be left out without a default has `undefined` for one.
 *
 * ```ts
 * const required = member("require_greeting", Schema.Boolean, false, "Requires a greeting. Default: false.")
 * required.of(client) // false, unless the client's metadata says otherwise
 * ```
 */
export const member = <A extends Json, const Name extends string, Otherwise extends A | undefined = A>(
  name: Name,
  schema: Schema.Codec<A>,
  otherwise: Otherwise,
  description: string,
): Member<A, Name, Otherwise> => ({
  name,
  schema,
  description,
  fits: (value) => Schema.is(schema)(value),
  // Registered values have passed the schema.
  of: ({ members }) => (members[name] as A | undefined) ?? otherwise,
})

/** A holder of a member, as its type states it. */
export type HolderOf<M> = M extends Member<infer A, infer Name> ? { readonly [Key in Name]?: A } : never

/** The fields of members in a schema, each of which may be left out. */
export const fieldsOf = (members: ReadonlyArray<Member>): Readonly<Record<string, Schema.optionalKey<Schema.Codec<Json>>>> =>
  Object.fromEntries(members.map(({ name, schema }) => [name, Schema.optionalKey(schema)]))
