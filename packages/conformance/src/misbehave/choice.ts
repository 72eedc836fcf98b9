import { randomInt } from "node:crypto"
import { misbehaviorOf, misbehaviors } from "./catalogue.ts"
import { control } from "./ledger.ts"
import type { Misbehavior } from "./misbehavior.ts"
import { draw, isPreset, presets } from "./presets.ts"

/** There is no misbehavior of this id. */
export class UnknownFault extends Error {
  override readonly name = "UnknownFault"
}

const known = (id: string): Misbehavior => {
  const found = misbehaviorOf(id)
  if (found === undefined) throw new UnknownFault(`there is no fault "${id}"`)
  return found
}

/** The request header that chooses a fault for a request, or at the authorization endpoint for the sign-in. */
export const faultHeader = "postern-fault"

/** Everything about a request that a fault can be chosen by. */
export interface Choosing {
  readonly client?: string | undefined
  /** The value of `acr_values`. */
  readonly acr?: string | undefined
  /** The value of the header. */
  readonly header?: string | undefined
  /** True for the request that begins a sign-in. */
  readonly begins?: boolean
}

/** The faults that a provider offers, and the choice among them. */
export interface Choice {
  readonly offered: ReadonlyArray<Misbehavior>
  /** The seed of the preset `chaos`; undefined without it. */
  readonly seed: number | undefined
  /** The misbehavior of a request at the issuer itself; undefined where it is to be right. */
  readonly chosen: (asked: Choosing) => Misbehavior | undefined
}

/** Ways to choose. */
export interface ChoiceOptions {
  readonly faults?: ReadonlyArray<string> | undefined
  readonly byClient?: Readonly<Record<string, string>> | undefined
  readonly seed?: number | undefined
}

/** Opens a choice. Throws `UnknownFault` for an id that there is not. */
export const openChoice = ({ faults, byClient = {}, seed: given }: ChoiceOptions): Choice => {
  const ids = new Set(faults?.flatMap((each) => (isPreset(each) ? presets[each] : [each])))
  const offered = faults === undefined ? misbehaviors : [...ids].map(known)
  const clients = new Map(Object.entries(byClient).map(([client, id]) => [client, known(id)]))
  const isChaos = faults?.includes("chaos") === true
  const seed = isChaos ? (given ?? randomInt(2 ** 31)) : undefined
  const always = faults?.length === 1 && offered.length === 1 ? offered[0] : undefined
  const begun = new Map<string, number>()
  const drawn = (client: string): Misbehavior | undefined => {
    const nth = (begun.get(client) ?? 0) + 1
    begun.set(client, nth)
    return seed === undefined ? undefined : draw(seed, client, nth, offered)
  }
  return {
    offered,
    seed,
    chosen: ({ client = "", acr = "", header = "", begins = false }) => {
      const id = header.trim() || /(?:^| )fault:([\w.-]+)/.exec(acr)?.[1]
      if (id === control) return undefined
      const asked = offered.find((each) => each.id === id) ?? clients.get(client) ?? always
      return asked ?? (begins ? drawn(client) : undefined)
    },
  }
}
