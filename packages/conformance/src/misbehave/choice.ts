import { randomInt } from "node:crypto"
import { misbehaviorOf, misbehaviors } from "./catalog.ts"
import { control } from "./ledger.ts"
import type { Misbehavior } from "./misbehavior.ts"
import { chaos, draw, isPreset, presets } from "./presets.ts"

/** No misbehavior has this id. */
export class UnknownFault extends Error {
  override readonly name = "UnknownFault"
}

/** The reason why a fault is unavailable: its id is unknown, or it is not offered. */
export const unknownFault = (id: string): string =>
  misbehaviorOf(id) === undefined ? `no fault "${id}": it is not on offer` : `"${id}" is not on offer`

const known = (id: string): Misbehavior => {
  const found = misbehaviorOf(id)
  if (found === undefined) throw new UnknownFault(`no fault "${id}"`)
  return found
}

/** The request header that selects a fault, for one request or, at the authorization endpoint, for the whole sign-in. */
export const faultHeader = "postern-fault"

/** The parts of a request that a fault can be selected by. */
export interface Choosing {
  readonly client?: string | undefined
  /** The value of `acr_values`. */
  readonly acr?: string | undefined
  /** The value of the header. */
  readonly header?: string | undefined
  /** True for the request that begins a sign-in. */
  readonly begins?: boolean
}

/** The faults that a provider offers, and the selection among them. */
export interface Choice {
  readonly offered: ReadonlyArray<Misbehavior>
  /** The seed of the preset `chaos`; undefined without it. */
  readonly seed: number | undefined
  /** The misbehavior for a request at the plain issuer; undefined for the right behavior. */
  readonly chosen: (asked: Choosing) => Misbehavior | undefined
  /** The id of a requested fault that is not offered; undefined if there is none. */
  readonly missing: (asked: Pick<Choosing, "acr" | "header">) => string | undefined
}

/** The ids that a request names. The first one applies. */
const idsOf = ({ acr = "", header = "" }: Pick<Choosing, "acr" | "header">): ReadonlyArray<string> => {
  const named = [header.trim(), ...Array.from(acr.matchAll(/(?:^|\s)fault:(\S*)/g), ([, id = ""]) => id)]
  return header.trim() === "" ? named.slice(1) : named
}

/** Options for selecting faults. */
export interface ChoiceOptions {
  readonly faults?: ReadonlyArray<string> | undefined
  readonly byClient?: Readonly<Record<string, string>> | undefined
  readonly seed?: number | undefined
  readonly script?: ReadonlyArray<{ readonly fault: string }> | undefined
}

/** Creates a selection of faults. Throws `UnknownFault` for an unknown id, and a `TypeError` for a seed without the preset that uses it. */
export const openChoice = ({ faults, byClient = {}, seed: given, script = [] }: ChoiceOptions): Choice => {
  const ids = new Set(faults?.flatMap((each) => (isPreset(each) ? presets[each] : [each])))
  const asked = faults === undefined ? misbehaviors : [...ids].map(known)
  const clients = new Map(Object.entries(byClient).map(([client, id]) => [client, known(id)]))
  const offered = [...new Set([...asked, ...clients.values(), ...script.map(({ fault }) => known(fault))])]
  const isChaos = faults?.includes("chaos") === true
  if (given !== undefined && !isChaos) throw new TypeError("a seed only applies to the preset chaos")
  const seed = isChaos ? (given ?? randomInt(2 ** 31)) : undefined
  const always = faults?.length === 1 && asked.length === 1 ? asked[0] : undefined
  const begun = new Map<string, number>()
  const drawn = (client: string): Misbehavior | undefined => {
    const nth = (begun.get(client) ?? 0) + 1
    begun.set(client, nth)
    return seed === undefined ? undefined : draw(seed, client, nth, chaos)
  }
  return {
    offered,
    seed,
    chosen: ({ client = "", begins = false, ...named }) => {
      const [id] = idsOf(named)
      if (id === control) return undefined
      const one = offered.find((each) => each.id === id) ?? clients.get(client) ?? always
      return one ?? (begins ? drawn(client) : undefined)
    },
    missing: (named) => idsOf(named).find((id) => id !== control && !offered.some((each) => each.id === id)),
  }
}
