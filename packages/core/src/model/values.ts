import type * as Schema from "effect/Schema"
import type { Json } from "./json.ts"

/** True or false. */
export interface FlagForm {
  /** Its name. */
  readonly kind: "flag"
}

/** A string. */
export interface TextForm {
  /** Its name. */
  readonly kind: "text"
  /** The minimum length, in characters. */
  readonly least?: 1 | undefined
  /** The maximum length, in characters. */
  readonly longest?: number | undefined
  /** The pattern that it must match. */
  readonly pattern?: Pattern | undefined
}

/** An integer. */
export interface WholeForm {
  /** Its name. */
  readonly kind: "whole"
  /** The minimum. */
  readonly least: number
  /** The maximum. */
  readonly most?: number | undefined
}

/** One of several strings. */
export interface ChoiceForm {
  /** Its name. */
  readonly kind: "one of"
  /** The strings. */
  readonly of: ReadonlyArray<string>
}

/** A list of values with the same form. */
export interface ListForm {
  /** Its name. */
  readonly kind: "list"
  /** The form of each item. */
  readonly of: ValueForm
  /** The minimum number of items. */
  readonly least?: number | undefined
  /** The maximum number of items. */
  readonly most?: number | undefined
}

/** The form of a member of an object. */
export interface MemberForm {
  /** The form of its value. */
  readonly form: ValueForm
  /** Its description. */
  readonly description: string
}

/** Any JSON object, or one that must have certain members. */
export interface ObjectForm {
  /** Its name. */
  readonly kind: "object"
  /** The required members, with their descriptions. */
  readonly of?: Readonly<Record<string, MemberForm>> | undefined
}

/** Values that a schema accepts. */
export interface SchemaForm {
  /** Its name. */
  readonly kind: "schema"
  /** The schema. */
  readonly schema: Schema.Codec<Json>
  /** Reports whether the schema accepts a value. This works even if the schema comes from another copy of its library. */
  readonly fits: (value: unknown) => boolean
}

/** Values that a function accepts. */
export interface JudgedForm {
  /** Its name. */
  readonly kind: "judged"
  /** Reports whether a value is one of them. */
  readonly fits: (value: unknown) => boolean
}

/**
 * The form of values, as data. Values are checked against it without a library; the schemas of configurations and metadata are built from
 * it on demand.
 */
export type ValueForm = FlagForm | TextForm | WholeForm | ChoiceForm | ListForm | ObjectForm | SchemaForm | JudgedForm

/** A pattern that a whole string must match, and its description: `an http or https URL`. */
export interface Pattern {
  /** The expression, anchored at both ends, with no flag but `u`. */
  readonly matches: RegExp
  /** Its description in the error message for another value. */
  readonly expected: string
}

/** Values that a member may have. */
export interface Values<A extends Json = Json> {
  /** Reports whether a value is one of them. */
  readonly fits: (value: unknown) => value is A
  /** Their form. */
  readonly form: ValueForm
}

const isText = ({ least, longest = Infinity, pattern }: TextForm, value: unknown): boolean =>
  typeof value === "string" && value.length >= (least ?? 0) && value.length <= longest && pattern?.matches.test(value) !== false

// A sparse array has fewer keys than its length.
const isList = ({ of, least = 0, most = Infinity }: ListForm, value: unknown): boolean =>
  Array.isArray(value) &&
  value.length >= least &&
  value.length <= most &&
  Object.keys(value).length === value.length &&
  value.every((each) => isOf(of, each))

const isObject = ({ of = {} }: ObjectForm, value: unknown): boolean => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false
  const members: Readonly<Record<string, unknown>> = { ...value }
  return Object.entries(of).every(([name, { form }]) => Object.hasOwn(members, name) && isOf(form, members[name]))
}

/** Reports whether a value has a form. */
const isOf = (form: ValueForm, value: unknown): boolean => {
  switch (form.kind) {
    case "flag":
      return typeof value === "boolean"
    case "text":
      return isText(form, value)
    case "whole":
      return Number.isSafeInteger(value) && Number(value) >= form.least && Number(value) <= (form.most ?? Infinity)
    case "one of":
      return form.of.some((each) => each === value)
    case "list":
      return isList(form, value)
    case "object":
      return isObject(form, value)
    case "schema":
    case "judged":
      return form.fits(value)
  }
}

/** Defines values by a form. The caller states their type. */
export const valuesOf = <A extends Json>(form: ValueForm): Values<A> => ({ form, fits: (value): value is A => isOf(form, value) })

const longestText = 1000

/** Defines strings of 1 to `longest` characters that match a pattern, if one is given. */
const textOf = (longest: number, pattern?: Pattern): Values<string> => valuesOf({ kind: "text", least: 1, longest, pattern })

/** Defines strings that match a pattern. */
const matching = (matches: RegExp, expected: string, longest?: number): Values<string> =>
  valuesOf({ kind: "text", longest, pattern: { matches, expected } })

/** Defines integers between two inclusive bounds. */
const whole = (least: number, most?: number): Values<number> => valuesOf({ kind: "whole", least, most })

/** Defines a choice of strings. */
const oneOf = <const Text extends string>(of: ReadonlyArray<Text>): Values<Text> => valuesOf({ kind: "one of", of })

/** Defines lists of values, with an optional minimum and maximum length. */
const listOf = <A extends Json>({ form }: Values<A>, least?: number, most?: number): Values<ReadonlyArray<A>> =>
  valuesOf({ kind: "list", of: form, least, most })

/** Values that a member may have. */
export const values = {
  /** True or false. */
  flag: valuesOf<boolean>({ kind: "flag" }),
  /** A string of 1 to 1,000 characters. */
  text: textOf(longestText),
  /** A list of at most 100 such strings. */
  texts: listOf(textOf(longestText), 0, 100),
  /** Any string, including the empty one. */
  anyText: valuesOf<string>({ kind: "text" }),
  /** Whole seconds, at least 1. */
  seconds: whole(1),
  /** An http or https URL of at most 2,000 characters. */
  url: matching(/^https?:\/\/[^\s\p{Cc}]+$/u, "an http or https URL", 2000),
  /** Any JSON object. */
  object: valuesOf<{ readonly [Name in string]: Json }>({ kind: "object" }),
  textOf,
  matching,
  whole,
  oneOf,
  listOf,
} as const
