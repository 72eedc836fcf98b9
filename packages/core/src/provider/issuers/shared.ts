import { webEntropy } from "../../platform/webcrypto.ts"
import { type JwtsPort, type Patience, outwardPlaces } from "../../ports/index.ts"
import { composed } from "../composition.ts"
import { catalogOf } from "../settings.ts"
import type { Common } from "../provider.ts"

/** A lifted port, with the time that it has to answer. */
interface LiftedBefore extends Patience {
  readonly made: unknown
}

/** Creates the parts that all providers share. */
export const shared = (jwts: JwtsPort): Common => {
  const compositions: Array<{ readonly key: ReadonlyArray<unknown>; readonly value: ReturnType<Common["compositionOf"]> }> = []
  const lifts = new Map<string, WeakMap<object, LiftedBefore>>()
  const catalogs = new WeakMap<object, WeakMap<object, ReturnType<typeof catalogOf>>>()
  const outward = outwardPlaces
  let places: ReturnType<typeof outwardPlaces> | undefined
  const entropy = webEntropy()
  const nothing: ReadonlyArray<never> = []
  return {
    compositionOf: ({ features, grants }, upstream) => {
      const key = [features, grants, upstream.length === 0 ? nothing : upstream]
      const known = compositions.find((each) => each.key.every((part, at) => part === key[at]))
      if (known !== undefined) return known.value
      const value = composed({ features, grants }, upstream)
      // Few issuers have features of their own. Of those that were looked up again, only the latest matter.
      if (compositions.length >= mostCompositions) compositions.shift()
      compositions.push({ key, value })
      return value
    },
    catalogOf: ({ scopes = nothing, resources = nothing }) => {
      const among = catalogs.get(scopes) ?? new WeakMap<object, ReturnType<typeof catalogOf>>()
      const made = among.get(resources) ?? catalogOf({ scopes, resources })
      catalogs.set(scopes, among.set(resources, made))
      return made
    },
    lifted: (name, port, lift, { timer, milliseconds }) => {
      const among = lifts.get(name) ?? new WeakMap<object, LiftedBefore>()
      lifts.set(name, among)
      const before = among.get(port)
      // The value was created from a port by the lift of this name. Few issuers have a time limit of their own.
      if (before?.timer === timer && before.milliseconds === milliseconds) return before.made as ReturnType<typeof lift>
      const made = lift(port)
      // An invalid port is refused before it is lifted.
      among.set(port, { timer, milliseconds, made })
      return made
    },
    jwts,
    outward: (processes) => (places ??= outward(processes)),
    entropy: () => entropy,
  }
}

const mostCompositions = 64
