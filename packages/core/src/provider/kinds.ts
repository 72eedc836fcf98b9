import { isJsonObject } from "../model/index.ts"
import { closest } from "../rules/closest.ts"
import { kindOf } from "../rules/members.ts"
import type { CommonPorts, PlainPorts, ProviderOptions, ProviderPorts } from "./options.ts"
import { portNames } from "./portFaults.ts"

/** `own`: a rule of its own judges it. */
type Kind = "text" | "number" | "texts" | "objects" | "object" | "own"

/** The kind of each setting; the type keeps the list whole. */
const settings: Readonly<Record<keyof ProviderOptions, Kind>> = {
  issuer: "own",
  scopes: "objects",
  resources: "objects",
  sessionLifetime: "number",
  interactionLifetime: "number",
  processes: "number",
  portTimeout: "number",
  interactions: "object",
  upstream: "objects",
  acr: "object",
  acrValues: "texts",
  tenants: "texts",
  pairwiseSalt: "own",
  accountKey: "own",
  features: "objects",
  settings: "object",
  grants: "objects",
  profile: "text",
  rulesOff: "texts",
}

/** The kind of each option. */
const kinds: ReadonlyMap<string, Kind> = new Map([
  ...Object.entries(settings),
  ...portNames.map((name): readonly [string, Kind] => [name, "own"]),
])

const words: Readonly<Record<Exclude<Kind, "own">, string>> = {
  text: "a text",
  number: "a number",
  texts: "a list of texts",
  objects: "a list of objects",
  object: "an object",
}

const isText = (value: unknown): boolean => typeof value === "string"

const fitting: Readonly<Record<Kind, (value: unknown) => boolean>> = {
  text: isText,
  number: (value) => typeof value === "number",
  texts: (value) => Array.isArray(value) && value.every(isText),
  objects: (value) => Array.isArray(value) && value.every(isJsonObject),
  object: isJsonObject,
  own: () => true,
}

/** Options whose members have the kinds that their types state, and the faults of the others. */
export interface SoundOptions {
  /** The options without what is of another kind. */
  readonly options: ProviderOptions & CommonPorts & PlainPorts
  /** Unknown names, and values of another kind, in words. */
  readonly faults: ReadonlyArray<string>
}

/** Parts options of a caller without types from their faults, so that the rest can be judged. */
export const soundOptions = (given: ProviderOptions & ProviderPorts): SoundOptions => {
  if (typeof given !== "object" || given === null) throw new TypeError(`createProvider: needs an object of settings and ports`)
  const faults: Array<string> = []
  const sound = Object.entries(given).filter(([name, value]: [string, unknown]) => {
    if (value === undefined) return true
    const kind = kinds.get(name)
    if (kind === undefined) {
      const [near] = closest(name, [...kinds.keys()])
      faults.push(`${name}: is no setting and no port${near === undefined ? "" : `; did you mean ${near}?`}`)
      return false
    }
    if (kind === "own" || fitting[kind](value)) return true
    faults.push(`${name}: is ${kindOf(value)}, and must be ${words[kind]}`)
    return false
  })
  if (faults.length === 0) return { options: given, faults }
  // Each member that is left has the kind of its type.
  return { options: Object.fromEntries(sound) as unknown as SoundOptions["options"], faults }
}
