import { sqliteSigningKeyStore, type Specimen } from "@postern/adapter-sqlite"
import { isSealed, KeyUnreadable, listKeys, privateKeyOf, type RingKey } from "@postern/core/jose"
import { keyCareOf } from "../data/keyCare.ts"
import type { DataPlace } from "../data/place.ts"
import { counted } from "../terminal/amounts.ts"
import { moment } from "../terminal/output.ts"
import { fault, type Observation, ok, warning } from "./observation.ts"

const day = 86_400

/** Checks the signing and decryption keys. */
export const checkedKeys = async ({ database }: Specimen, place: DataPlace): Promise<ReadonlyArray<Observation>> => {
  const care = keyCareOf({ keys: sqliteSigningKeyStore(database) }, place)
  const ring = (await listKeys(care)).filter(({ state }) => state !== "expired")
  if (ring.length === 0) return [ok("keys", "no keys yet: the first start creates them")]
  const sealed = ring.filter(({ key }) => isSealed(key.privateJwk))
  const found: ReadonlyArray<Observation> = [
    ...(place.setup === undefined && sealed.length > 0 ? [] : await unreadable(ring, care.encryption)),
    ...(place.setup === undefined ? [] : missing(ring, care.algorithms)),
    ...overdue(ring, care.algorithms, care.policy.active - care.policy.lead, care.now()),
    ...(place.setup === undefined && sealed.length < ring.length
      ? [
          warning(
            "keys.sealing",
            `${counted(ring.length - sealed.length, "key")} of ${ring.length} stored unencrypted`,
            "set key_encryption_key in the configuration, then: postern keys rotate",
          ),
        ]
      : []),
    ...(care.encryption !== undefined && sealed.length < ring.length
      ? [
          warning(
            "keys.sealing",
            `${counted(ring.length - sealed.length, "key")} of ${ring.length} ${ring.length - sealed.length === 1 ? "was" : "were"} made before there was a key_encryption_key, and ${ring.length - sealed.length === 1 ? "is" : "are"} not encrypted`,
            "create new ones, which are encrypted: postern keys rotate; the old ones are removed in time",
          ),
        ]
      : []),
  ]
  const kind = sealed.length === ring.length ? "encrypted" : sealed.length === 0 ? "not encrypted" : `${sealed.length} of them encrypted`
  return found.length > 0 ? found : [ok("keys", `${counted(ring.length, "key")}, ${kind}: ${algorithmsOf(ring).join(", ")}`)]
}

const algorithmsOf = (ring: ReadonlyArray<RingKey>): ReadonlyArray<string> => [...new Set(ring.map(({ key }) => key.alg))]

const unreadable = async (
  ring: ReadonlyArray<RingKey>,
  encryption: Parameters<typeof privateKeyOf>[1],
): Promise<ReadonlyArray<Observation>> => {
  const looked = ring.map(async ({ key }): Promise<ReadonlyArray<Observation>> => {
    try {
      await privateKeyOf(key, encryption)
      return []
    } catch (error) {
      if (!(error instanceof KeyUnreadable)) throw error
      const hint = isSealed(key.privateJwk)
        ? "give the key_encryption_key that the database was created with: the provider does not start without it"
        : "restore a backup, or remove this key's row: the provider does not start with it"
      return [fault("keys.readable", error.message, hint)]
    }
  })
  return (await Promise.all(looked)).flat()
}

const missing = (ring: ReadonlyArray<RingKey>, algorithms: ReadonlyArray<string>): ReadonlyArray<Observation> => {
  const has = algorithmsOf(ring)
  return algorithms
    .filter((alg) => !has.includes(alg))
    .map((alg) =>
      warning(
        "keys.algorithms",
        `no key for ${alg}, which is in signing.algorithms of the configuration`,
        "the next start creates one; or: postern keys rotate",
      ),
    )
}

/** Reports keys whose successor is over a day late. A running provider creates it when due, so none is running, or it failed. */
const overdue = (
  ring: ReadonlyArray<RingKey>,
  algorithms: ReadonlyArray<string>,
  successorAfter: number,
  now: number,
): ReadonlyArray<Observation> =>
  ring.flatMap(({ key, state, retiresAt }) => {
    const due = key.activeAt + successorAfter
    return state !== "active" || retiresAt !== undefined || !algorithms.includes(key.alg) || now < due + day
      ? []
      : [
          warning(
            "keys.rotation",
            `a successor of the ${key.alg} key ${key.kid} was due ${moment(due)}`,
            "a running provider creates it: start it, or search its log for: signing keys not tended; or: postern keys rotate",
          ),
        ]
  })
