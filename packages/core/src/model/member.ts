import type { Json } from "./json.ts"
import { type Values, values } from "./values.ts"

/** Values that features read by name: client metadata, or settings of a provider. */
export interface Members {
  /** Each value by the name of its member, as JSON carries it; checked when it was registered. */
  readonly members: Readonly<Record<string, Json>>
}

/** An option of `postern client add` that states a field of client metadata. */
export interface FieldOption {
  /** Its name, without dashes before it. */
  readonly name: string
  /** Its description in the help. */
  readonly description: string
  /** The word that stands for its value in the help; an option that states a value of its own has none. */
  readonly placeholder?: string
  /** The value that it states by itself. */
  readonly states?: Json
  /** True if it may be given several times, for a list. */
  readonly repeats?: boolean
}

/** A field of client metadata (RFC 7591 §2), or of the settings of a provider. */
export interface Field<A extends Json = Json, Name extends string = string> {
  /** Its name, as JSON carries it. */
  readonly name: Name
  /** The values it may have. */
  readonly values: Values<A>
  /** Its description in the configuration's schema: one sentence, and `Default: …`. */
  readonly description: string
  /** Its options on the command line; `--metadata NAME=VALUE` states it in any case. */
  readonly options?: ReadonlyArray<FieldOption>
}

/** A field that its feature reads by {@link Member.of}. */
export interface Member<
  A extends Json = Json,
  Name extends string = string,
  Otherwise extends Json | undefined = Json | undefined,
> extends Field<A, Name> {
  /** Returns its value, or its default where none is stated. */
  readonly of: (holder: Members) => A | Otherwise
}

/** Makes a field. */
export const field = <A extends Json, const Name extends string>(
  name: Name,
  values: Values<A>,
  description: string,
  ...options: ReadonlyArray<FieldOption>
): Field<A, Name> => ({ name, values, description, options })

/**
 * Makes a member; one that may be left out without a default has `undefined` for one.
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
  // Registered values have been judged.
  of: ({ members }) => (members[name] as A | undefined) ?? otherwise,
})

/** Makes a member that is true where it is stated so, and false by default. */
export const flagMember = <const Name extends string>(name: Name, description: string): Member<boolean, Name, boolean> =>
  member(name, values.flag, false as boolean, description)

/** Makes a member without a default. */
export const optionalMember = <A extends Json, const Name extends string>(
  name: Name,
  form: Values<A>,
  description: string,
): Member<A, Name, undefined> => member(name, form, undefined, description)

/** A holder of fields, as their types state it. */
export type HolderOf<F extends Field> = { readonly [Each in F as Each["name"]]?: Each extends Field<infer A> ? A : never }
