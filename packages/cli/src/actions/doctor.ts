import { existsSync } from "node:fs"
import { dirname } from "node:path"
import * as Redacted from "effect/Redacted"
import { outbox } from "@postern/core/model"
import type { Stores } from "@postern/stores"
import { systemClock } from "@postern/stores/sql"
import { DatabaseRefused, databaseExists, examine } from "@postern/adapter-sqlite"
import { isPlainText } from "@postern/adapter-postgres/url"
import { promised } from "../action.ts"
import { encryptionOf } from "../data/encryption.ts"
import type { DataPlace, Whereabouts } from "../data/place.ts"
import { openStores, storeFailure } from "../data/stores.ts"
import { checkedClients } from "../doctor/clients.ts"
import { checkedConfiguration } from "../doctor/configuration.ts"
import { checkedBackup, checkedContent, checkedOutbox } from "../doctor/content.ts"
import { checkedDisk } from "../doctor/disk.ts"
import { checkedFile, refusedHint } from "../doctor/file.ts"
import { checkedKeys } from "../doctor/keys.ts"
import { checkedListening } from "../doctor/listening.ts"
import { fault, type Observation, ok, warning } from "../doctor/observation.ts"
import { checkedSectors } from "../doctor/sectors.ts"
import { checkedTls } from "../doctor/tls.ts"
import { checkedWorkers } from "../doctor/workers.ts"
import { Failed, failed } from "../failure.ts"
import { counted } from "../terminal/amounts.ts"
import { printable, say, sayJson, styled } from "../terminal/output.ts"

/** The parameters of `postern doctor`. */
export interface DoctorCall extends Whereabouts {
  readonly strict: boolean
  readonly json: boolean
}

/** Examines the whole installation without changing it. Fails if there is a fault. */
export const examineProvider = promised(async ({ strict, json, ...whereabouts }: DoctorCall) => {
  const { observations: first, place } = await checkedConfiguration(whereabouts)
  const observations = [...first, ...(place === undefined ? [] : await checkedPlace(place, whereabouts.data !== undefined))]
  const count = (state: Observation["state"]): number => observations.filter((each) => each.state === state).length
  const [faults, warnings] = [count("fault"), count("warning")]
  const healthy = faults === 0 && (!strict || warnings === 0)
  if (json) sayJson({ healthy, faults, warnings, checks: observations.map(({ hint = null, ...each }) => ({ ...each, hint })) })
  else for (const each of observations) say(written(each))
  if (!healthy)
    throw failed([...(faults > 0 ? [counted(faults, "fault")] : []), ...(warnings > 0 ? [counted(warnings, "warning")] : [])].join(", "))
  if (!json) say(warnings === 0 ? "\nNo problems found." : `\nNo problems; ${counted(warnings, "warning")}.`)
})

const marks = { ok: styled("green", "✓"), warning: styled("yellow", "!"), fault: styled("red", "✗") }

const written = ({ check, state, message, hint }: Observation): string => {
  const line = `${marks[state]} ${check.padEnd(18)}  ${printable(message)}`
  return hint === undefined ? line : `${line}\n${" ".repeat(22)}${styled("dim", printable(hint))}`
}

const checkedPlace = async (place: DataPlace, named: boolean): Promise<ReadonlyArray<Observation>> => {
  const now = systemClock()
  const { setup, database } = place
  return [
    ...(database._tag === "Sqlite"
      ? [
          ...(await looked("disk", () => checkedDisk(database.file, standing(dirname(database.file))))),
          ...(await looked("database.file", () => checkedDatabase(place, database.file, now))),
        ]
      : await looked("database", () => checkedPostgres(place, named))),
    ...(setup === undefined
      ? []
      : [
          ...(await looked("tls", () => checkedTls(setup, now))),
          ...(await looked("server", () => checkedListening(setup))),
          ...checkedWorkers(setup),
          ...(await looked("sectors", () => checkedSectors(Redacted.value(setup.clients), setup.development))),
        ]),
  ]
}

/** Returns the nearest existing ancestor of a folder, or the folder itself if it exists. */
const standing = (folder: string): string => (existsSync(folder) || dirname(folder) === folder ? folder : standing(dirname(folder)))

/**
 * Reports whether PostgreSQL answers, has the current schema, and holds keys that can be decrypted. Anything else is left to PostgreSQL's
 * own tools. A database named on the command line was not checked with the configuration, so its TLS setting is checked here.
 */
const checkedPostgres = async (place: DataPlace, named: boolean): Promise<ReadonlyArray<Observation>> => {
  const stores = await lookedAt(place)
  if ("state" in stores) return [stores]
  try {
    const keys = await stores.keys.list()
    const declared = new Set((place.setup === undefined ? [] : Redacted.value(place.setup.clients)).map(({ client_id }) => client_id))
    const added = (await stores.clients.list()).map(({ metadata }) => metadata).filter(({ client_id }) => !declared.has(client_id))
    const sectors = await checkedSectors(added, place.setup?.development ?? true)
    return [
      ...sectors,
      await outboxOf(stores),
      ok("database", `${stores.place} answers, with its schema up to date and ${keys.length} signing keys`),
      ...(named && place.database._tag === "Postgres" && isPlainText(Redacted.value(place.database.url))
        ? [
            warning(
              "database.tls",
              "is on another machine, and its URL does not require TLS: passwords and rows may cross the network in the clear",
              "add ?sslmode=require to the URL",
            ),
          ]
        : []),
    ]
  } finally {
    await stores.close()
  }
}

/** Opens the stores without changing the database, which an older server may use. Returns the state of an older schema instead. */
const lookedAt = async ({ database, setup }: DataPlace): Promise<Stores | Observation> => {
  try {
    return await openStores(database, { made: false, unchanged: true, encryption: encryptionOf(setup) })
  } catch (error) {
    if (error instanceof DatabaseRefused && error.reason === "older") return ok("database.schema", error.message)
    throw error
  }
}

/** Reports the state of the outbox. The lists are limited to 100 messages, which is exact enough. */
const outboxOf = async ({ tokens }: Pick<Stores, "tokens">): Promise<Observation> => {
  const now = systemClock()
  const [due, late, dead] = await Promise.all([
    tokens.list(outbox, "due", { now }),
    tokens.list(outbox, "due", { now: now - 3600 }),
    tokens.list(outbox, "dead", {}),
  ])
  return checkedOutbox({ waiting: due.length, late: late.length, dead: dead.length })
}

const checkedDatabase = async (place: DataPlace, path: string, now: number): Promise<ReadonlyArray<Observation>> => {
  const { setup } = place
  if (!databaseExists(path))
    return [
      warning(
        "database.file",
        `no database at ${path}`,
        "the first start creates one; if there was one before, restore its backup: postern restore BACKUP",
      ),
    ]
  const outside = await looked("database.file", () => checkedFile(path))
  const inside = looked("database", () =>
    examine(path, async (specimen) => {
      const content = checkedContent(specimen, now)
      // A damaged database, or one with another schema version, cannot be examined further.
      const readable =
        specimen.schema.version === specimen.schema.newest &&
        content.every(({ check, state }) => check !== "database.integrity" || state === "ok")
      return [
        ...content,
        ...(readable
          ? [
              ...(await looked("keys", () => checkedKeys(specimen, place))),
              ...(await looked("clients", () => checkedClients(specimen, place))),
              checkedBackup(specimen, now, setup?.development ?? false),
            ]
          : []),
      ]
    }),
  )
  return [...outside, ...(await inside)]
}

/** Runs a check, and reports a failure of the check itself as a finding. */
const looked = async (
  check: string,
  look: () => ReadonlyArray<Observation> | Promise<ReadonlyArray<Observation>>,
): Promise<ReadonlyArray<Observation>> => {
  try {
    return await look()
  } catch (error) {
    if (error instanceof DatabaseRefused) return [fault(`database.${error.reason}`, error.message, refusedHint(error.place, error))]
    // The message of a store says what to do.
    const told = storeFailure(error)
    if (told instanceof Failed) return [fault(check, told.message, told.hint ?? "then run this again")]
    if (!(error instanceof Error)) throw error
    return [fault(check, `could not be checked: ${error.message}`, "fix the other findings first, then run this again")]
  }
}
