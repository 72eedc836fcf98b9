import type { Json } from "./json.ts"
import { type Values, values } from "./values.ts"

/** Values that features read by name: client metadata, or settings of a provider. */
export interface Members {
  /** The values by member name, as in JSON. They were validated at registration. */
  readonly members: Readonly<Record<string, Json>>
}

/** An option of `postern client add` that sets a field of client metadata. */
export interface FieldOption {
  /** Its name, without leading dashes. */
  readonly name: string
  /** Its description in the help. */
  readonly description: string
  /** The placeholder of its value in the help text; absent if the option itself implies the value. */
  readonly placeholder?: string
  /** The value that the option implies. */
  readonly states?: Json
  /** True if it may be repeated, for a list. */
  readonly repeats?: boolean
}

/** A field of client metadata (RFC 7591 §2), or of the settings of a provider. */
export interface Field<A extends Json = Json, Name extends string = string> {
  /** Its name in JSON. */
  readonly name: Name
  /** The allowed values. */
  readonly values: Values<A>
  /** Its description in the configuration's schema: one sentence, and `Default: …`. */
  readonly description: string
  /** Its command line options. `--metadata NAME=VALUE` always works. */
  readonly options?: ReadonlyArray<FieldOption>
}

/** A field that its feature reads by {@link Member.of}. */
export interface Member<
  A extends Json = Json,
  Name extends string = string,
  Otherwise extends Json | undefined = Json | undefined,
> extends Field<A, Name> {
  /** Returns its value, or the default if it has none. */
  readonly of: (holder: Members) => A | Otherwise
}

/** Defines a field. */
export const field = <A extends Json, const Name extends string>(
  name: Name,
  values: Values<A>,
  description: string,
  ...options: ReadonlyArray<FieldOption>
): Field<A, Name> => ({ name, values, description, options })

/**
 * Defines a member. The default of an optional member may be `undefined`.
 *
 * ```ts
 * const required = member("require_greeting", values.flag, false, "Requires a greeting. Default: false.")
 * required.of(client) // false, unless the client's metadata says otherwise
 * ```
 */
export const member = <A extends Json, const Name extends string, Otherwise extends A | undefined = A>(
  name: Name,
  values: Values<A>,
  otherwise: Otherwise,
  description: string,
): Member<A, Name, Otherwise> => ({
  ...field(name, values, description),
  // Registered values have been validated.
  of: ({ members }) => (members[name] as A | undefined) ?? otherwise,
})

/** Defines a boolean member that is false by default. */
export const flagMember = <const Name extends string>(name: Name, description: string): Member<boolean, Name, boolean> =>
  member(name, values.flag, false as boolean, description)

/** Defines a member without a default. */
export const optionalMember = <A extends Json, const Name extends string>(
  name: Name,
  form: Values<A>,
  description: string,
): Member<A, Name, undefined> => member(name, form, undefined, description)

/** The type of an object with these fields. */
export type HolderOf<F extends Field> = { readonly [Each in F as Each["name"]]?: Each extends Field<infer A> ? A : never }
