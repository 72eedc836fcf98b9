import { repeats } from "./declaredScopes.ts"
import { isJsonObject } from "./json.ts"
import { type MemberKind, kindFault, kindOf, memberFaults, refuseFaults } from "./members.ts"

/** Finds the faults of a member's value, as text; undefined or an empty list if there are none. */
export type Form = (place: string, value: unknown) => string | undefined | ReadonlyArray<string>

/** The forms of those members that their kinds do not describe completely, which have the kind `own`. */
export type Forms<Of> = { readonly [Name in keyof Of]?: Form }

/** Whole numbers. */
export const whole =
  (least: number, most?: number): Form =>
  (place, value) =>
    Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= (most ?? Infinity)
      ? undefined
      : `${place}: is ${typeof value === "number" ? value : kindOf(value)}, and must be a whole number ${most === undefined ? `from ${least} on` : `from ${least} to ${most}`}`

/** Texts for which a function finds no fault. The fault says what is wrong, and what to do about it. */
export const word =
  (faultOf: (text: string) => string | undefined): Form =>
  (place, value) => {
    const kind = kindFault(place, value, "text")
    if (kind !== undefined) return kind
    const fault = faultOf(String(value))
    return fault && `${place}: ${fault}`
  }

/** Texts that a pattern or a function accepts. */
export const matching = (fits: RegExp | ((text: string) => boolean), words: string): Form =>
  word((text) =>
    (typeof fits === "function" ? fits(text) : fits.test(text))
      ? undefined
      : `is ${JSON.stringify(text.slice(0, 40))}, and must be ${words}`,
  )

/** Texts of at least one character. An empty one matches nothing. */
export const filled: Form = matching((text) => text !== "", "a text that is not empty")

/** Limits of a list. */
interface Limits {
  /** The minimum number of items. */
  readonly least?: number | undefined
  /** True if the list cannot be left out. */
  readonly isNeeded?: boolean | undefined
  /** The maximum number of items. */
  readonly most?: number | undefined
  /** The value that no two items may share: the item itself by default. */
  readonly keyOf?: ((item: never) => unknown) | undefined
  /** The place of that value within an item. */
  readonly key?: string | undefined
}

/** Lists of values of one form. */
export const listOf =
  (each: Form, { least = 0, isNeeded, most = Infinity, keyOf, key = "" }: Limits = {}): Form =>
  (place, value) => {
    const kind = kindFault(place, value, "list")
    if (kind !== undefined) return kind
    // A sparse array has items that are missing.
    const items = Array.from(value as ReadonlyArray<never>)
    if (items.length < least) return `${place}: is empty; name one${isNeeded === true ? "" : ", or leave it out"}`
    if (items.length > most) return `${place}: has more than ${most}; name fewer`
    const faults = items.flatMap((item, at) => each(`${place}[${at}]`, item) ?? [])
    return faults.length > 0 || keyOf === undefined
      ? faults
      : repeats(items, keyOf).map((at) => `${place}[${at}]${key}: is also that of an earlier entry; name each once`)
  }

/** Objects whose members have one form, whatever their names. */
export const recordOf =
  (each: Form): Form =>
  (place, value) =>
    kindFault(place, value, "object") ?? Object.entries(Object(value)).flatMap(([name, member]) => each(`${place}.${name}`, member) ?? [])

type Kinds = Readonly<Record<string, MemberKind>>

const sectionFaults = <Of>(
  within: string,
  given: unknown,
  kinds: Kinds,
  forms: Forms<Of>,
  judge: ((given: Of) => ReadonlyArray<string | undefined>) | undefined,
): ReadonlyArray<string> => {
  const faults = memberFaults(given, kinds, within)
  if (kindFault("", given, "object") !== undefined || !isJsonObject(given)) return faults
  const found = [
    ...faults,
    ...Object.entries<Form | undefined>(forms).flatMap(([name, form]) => {
      const kind = kinds[name]
      const isLeftOut = kind === undefined || (given[name] === undefined && kind.endsWith("?"))
      return isLeftOut ? [] : (form?.(within + name, given[name]) ?? [])
    }),
  ]
  // Members of the wrong kind cannot be judged together.
  return found.length > 0 || judge === undefined ? found : judge(given as Of).flatMap((fault) => fault ?? [])
}

/**
 * Objects with members of these kinds and forms. `judge` finds the faults of members that do not go together, each beginning with the rest
 * of its place: `.hosts: …`.
 */
export const sectionOf =
  <Of>(kinds: Kinds, forms: Forms<Of>, judge?: (given: Of) => ReadonlyArray<string | undefined>): Form =>
  (place, value) =>
    sectionFaults(`${place}.`, value, kinds, forms, judge && ((given: Of) => judge(given).map((fault) => fault && place + fault)))

/** Throws one `TypeError` that lists every fault of a function's options. */
export const refuseMembers = <Of>(
  called: string,
  options: Of,
  kinds: Kinds,
  forms: Forms<Of>,
  judge?: (given: Of) => ReadonlyArray<string | undefined>,
): void => refuseFaults(called, sectionFaults("", options, kinds, forms, judge))
