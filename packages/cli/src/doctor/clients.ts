import { argon2id, sqliteClientStore, sqliteSigningKeyStore, type Specimen, StoreUnavailable } from "@postern/adapter-sqlite"
import type { ClientMetadata } from "@postern/core/model"
import { defaultLifetimes } from "@postern/core/model"
import * as Redacted from "effect/Redacted"
import { writePath } from "../config/fault.ts"
import { algorithmsUsed } from "../config/rules/clients.ts"
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
    if (algorithms.length > 0) found.push(...keyless(metadata, algorithms))
    sound.push(metadata)
    if (setup !== undefined) found.push(...misfits(metadata, place, hasSecret), ...(await shut(metadata, (id) => store.secretOf(id))))
  }
  const sectors = await checkedSectors(sound, setup?.development ?? true)
  return found.length > 0
    ? [...found, ...sectors]
    : [...sectors, ok("clients", `${counted(all.length, "client")} in the database, and nothing that keeps one from working`)]
}

const keyless = (metadata: ClientMetadata, algorithms: ReadonlyArray<string>): ReadonlyArray<Observation> =>
  algorithmsUsed(metadata).flatMap((name) => {
    const wanted = metadata[name] ?? "RS256"
    return algorithms.includes(wanted)
      ? []
      : [
          fault(
            "clients",
            `${metadata.client_id}: ${name} is ${wanted}, and there is no key for that`,
            `add ${wanted} to signing.algorithms, or import the client with one of: ${[...new Set(algorithms)].join(", ")}`,
          ),
        ]
  })

const misfits = (metadata: ClientMetadata, place: DataPlace, hasSecret: boolean): ReadonlyArray<Observation> =>
  clientFindings(metadata, place, hasSecret).map(({ path, message, hint }) =>
    warning("clients", `${metadata.client_id}: ${writePath(path)} ${message}`, `${hint}; then import it again: postern client import FILE`),
  )

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
