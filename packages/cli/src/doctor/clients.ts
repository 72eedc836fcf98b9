import { argon2id, sqliteClientStore, sqliteSigningKeyStore, type Specimen, StoreUnavailable } from "@postern/adapter-sqlite"
import type { ClientMetadata } from "@postern/core/model"
import { defaultLifetimes } from "@postern/core/model"
import * as Redacted from "effect/Redacted"
import { writePath } from "../config/fault.ts"
import { clientFindings } from "../data/clientFindings.ts"
import { encryptionOf } from "../data/encryption.ts"
import type { DataPlace } from "../data/place.ts"
import { counted } from "../terminal/amounts.ts"
import { checkedSectors } from "./sectors.ts"
import { fault, type Observation, ok, warning } from "./observation.ts"

/** Checks that stored clients can work with this configuration. Declared clients are checked with the configuration itself. */
export const checkedClients = async ({ database }: Specimen, place: DataPlace): Promise<ReadonlyArray<Observation>> => {
  const { setup } = place
  const encryption = encryptionOf(setup)
  const store = sqliteClientStore(database, {
    lifetimes: setup?.lifetimes ?? defaultLifetimes,
    hashing: argon2id(),
    encryption,
    now: () => 0,
  })
  const keys = await sqliteSigningKeyStore(database).list()
  const algorithms: ReadonlyArray<string> = setup?.algorithms ?? keys.map(({ alg }) => alg)
  const declared = new Set((setup === undefined ? [] : Redacted.value(setup.clients)).map(({ client_id }) => client_id))
  const all = await store.list()
  const found: Array<Observation> = []
  const sound: Array<ClientMetadata> = []
  for (const { metadata, hasSecret, origin } of all) {
    // Declared clients are updated or removed at the next start.
    if (setup !== undefined && (declared.has(metadata.client_id) || origin === "config")) continue
    sound.push(metadata)
    found.push(...misfits(metadata, place, hasSecret, algorithms))
    if (setup !== undefined) found.push(...(await shut(metadata, (id) => store.secretOf(id))))
  }
  const sectors = await checkedSectors(sound, setup?.development ?? true)
  return found.length > 0
    ? [...found, ...sectors]
    : [...sectors, ok("clients", `${counted(all.length, "client")} in the database, and nothing that keeps one from working`)]
}

/** Returns the findings about a client. Without a configuration, only the keys are known, which are those in the database. */
const misfits = (
  metadata: ClientMetadata,
  place: DataPlace,
  hasSecret: boolean,
  algorithms: ReadonlyArray<string>,
): ReadonlyArray<Observation> =>
  clientFindings(metadata, place, hasSecret, algorithms.length === 0 ? undefined : algorithms).flatMap(({ path, message, hint }) => {
    const isKeyless = String(path[0]).endsWith("_signed_response_alg")
    if (place.setup === undefined && !isKeyless) return []
    // Each response with such an algorithm fails.
    const observation = isKeyless ? fault : warning
    return [
      observation(
        "clients",
        `${metadata.client_id}: ${writePath(path)} ${message}`,
        `${hint}; then import it again: postern client import FILE`,
      ),
    ]
  })

const shut = async ({ client_id }: ClientMetadata, secretOf: (clientId: string) => unknown): Promise<ReadonlyArray<Observation>> => {
  try {
    await secretOf(client_id)
    return []
  } catch (error) {
    if (!(error instanceof StoreUnavailable) || error.code !== "SEALED") throw error
    return [
      fault(
        "clients",
        `${client_id}: its secret is sealed with another key_encryption_key, so that it cannot authenticate`,
        "give the key that it was sealed with, or import the client again with its secret: postern client import FILE",
      ),
    ]
  }
}
