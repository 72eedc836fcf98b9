import type * as Schema from "effect/Schema"
import type { Json } from "./json.ts"

/** True or false. */
export interface FlagForm {
  /** Its name. */
  readonly kind: "flag"
}

/** A text. */
export interface TextForm {
  /** Its name. */
  readonly kind: "text"
  /** The least characters that it may have. */
  readonly least?: 1 | undefined
  /** The most characters that it may have. */
  readonly longest?: number | undefined
  /** The pattern that it matches. */
  readonly pattern?: Pattern | undefined
}

/** A whole number. */
export interface WholeForm {
  /** Its name. */
  readonly kind: "whole"
  /** The least that it may be. */
  readonly least: number
  /** The most that it may be. */
  readonly most?: number | undefined
}

/** One of some texts. */
export interface ChoiceForm {
  /** Its name. */
  readonly kind: "one of"
  /** The texts. */
  readonly of: ReadonlyArray<string>
}

/** A list of values of one form. */
export interface ListForm {
  /** Its name. */
  readonly kind: "list"
  /** The form of each. */
  readonly of: ValueForm
  /** The least number of them. */
  readonly least?: number | undefined
  /** The most of them. */
  readonly most?: number | undefined
}

/** The form of a member of an object. */
export interface MemberForm {
  /** The form of its value. */
  readonly form: ValueForm
  /** Its description. */
  readonly description: string
}

/** Any JSON object, or one that has certain members. */
export interface ObjectForm {
  /** Its name. */
  readonly kind: "object"
  /** The members that it has, with their words. */
  readonly of?: Readonly<Record<string, MemberForm>> | undefined
}

/** Values that a schema takes. */
export interface SchemaForm {
  /** Its name. */
  readonly kind: "schema"
  /** The schema. */
  readonly schema: Schema.Codec<Json>
  /** Reports whether the schema takes a value; a schema of another copy of its library can be asked in no other way. */
  readonly fits: (value: unknown) => boolean
}

/** Values that a function takes. */
export interface JudgedForm {
  /** Its name. */
  readonly kind: "judged"
  /** Reports whether a value is one of them. */
  readonly fits: (value: unknown) => boolean
}

/**
 * The form of values, as data. It is judged without a library; the schemas of configurations and metadata are made of it, where somebody asks for
 * them.
 */
export type ValueForm = FlagForm | TextForm | WholeForm | ChoiceForm | ListForm | ObjectForm | SchemaForm | JudgedForm

/** A pattern that a text has to match as a whole, and its description: `an http or https URL`. */
export interface Pattern {
  /** The expression, anchored at both ends and without flags but `u`. */
  readonly matches: RegExp
  /** Its description for whoever stated another text. */
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

// A list with holes has fewer values than it says.
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

/** Makes the values of a form, whose type is the caller's to state. */
export const valuesOf = <A extends Json>(form: ValueForm): Values<A> => ({ form, fits: (value): value is A => isOf(form, value) })

const longestText = 1000

/** Makes texts of 1 to so many characters that match a pattern, if one is given. */
const textOf = (longest: number, pattern?: Pattern): Values<string> => valuesOf({ kind: "text", least: 1, longest, pattern })

/** Makes texts that match a pattern. */
const matching = (matches: RegExp, expected: string, longest?: number): Values<string> =>
  valuesOf({ kind: "text", longest, pattern: { matches, expected } })

/** Makes whole numbers between two bounds, both included. */
const whole = (least: number, most?: number): Values<number> => valuesOf({ kind: "whole", least, most })

/** Makes a choice of texts. */
const oneOf = <const Text extends string>(of: ReadonlyArray<Text>): Values<Text> => valuesOf({ kind: "one of", of })

/** Makes lists of values, of at least and at most so many, where that is said. */
const listOf = <A extends Json>({ form }: Values<A>, least?: number, most?: number): Values<ReadonlyArray<A>> =>
  valuesOf({ kind: "list", of: form, least, most })

/** Values that a member may have. */
export const values = {
  /** True or false. */
  flag: valuesOf<boolean>({ kind: "flag" }),
  /** A text of 1 to 1,000 characters. */
  text: textOf(longestText),
  /** A list of at most 100 such texts. */
  texts: listOf(textOf(longestText), 0, 100),
  /** Any text, the empty one too. */
  anyText: valuesOf<string>({ kind: "text" }),
  /** Whole seconds, 1 at least. */
  seconds: whole(1),
  /** An http or https URL of at most 2,000 characters. */
  url: matching(/^https?:\/\/\S+$/u, "an http or https URL", 2000),
  /** Any JSON object. */
  object: valuesOf<{ readonly [Name in string]: Json }>({ kind: "object" }),
  textOf,
  matching,
  whole,
  oneOf,
  listOf,
} as const
