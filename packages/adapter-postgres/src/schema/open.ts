import type { RowKind } from "@postern/core/model"
import { kindFault, type MemberKinds, memberFaults, refuseFaults, rowKindsFault } from "@postern/core/options"
import { DatabaseRefused, StoreUnavailable } from "@postern/stores"
import { isRestored } from "./mark.ts"
import { type ConnectionOptions, type Database, connect } from "../database/connect.ts"
import { type Migration, migrate, schemaState } from "./migrate.ts"
import { prepareCommits } from "./commits.ts"
import { shownUrl, urlFault } from "../database/place.ts"
import { migrations } from "./schema.ts"

/** Options of opening a database. */
export interface DatabaseOptions extends ConnectionOptions {
  /** Creates the schema if it does not exist, which is the default. If false, such a database is refused. */
  readonly made?: boolean
  /** Opens a database that was restored from a dump and not invalidated since. By default it is refused. */
  readonly restored?: boolean
  /** Opens the database to read it, and changes neither its schema nor anything else. An older schema is refused. Defaults to false. */
  readonly unchanged?: boolean
  /** The kinds of rows that are kept. Defaults to those of core. The tables of other kinds are created from their descriptions. */
  readonly kinds?: ReadonlyArray<RowKind>
  /** The schema's migration steps, for tests. */
  readonly steps?: ReadonlyArray<Migration>
}

/** The kinds of the options of opening a database. */
export const databaseKinds: MemberKinds<DatabaseOptions> = {
  connections: "number?",
  patience: "number?",
  made: "boolean?",
  restored: "boolean?",
  unchanged: "boolean?",
  kinds: "own?",
  steps: "objects?",
}

/** The oldest supported version, PostgreSQL 15. */
const oldest = 150_000

/**
 * Opens Postern's schema in a PostgreSQL database, creates it if it does not exist, and migrates it. Rejects with `DatabaseRefused` and
 * leaves the database unchanged if it is unreachable, too old, read-only, another program's, newer or restored.
 */
export const openDatabase = async (url: string, options: DatabaseOptions = {}): Promise<Database> => {
  const faults = memberFaults(options, databaseKinds)
  refuseFaults("openDatabase", kindFault("url", url, "text"), faults, faults.length > 0 ? undefined : rowKindsFault(options.kinds))
  return openPlace(url, options)
}

/** Opens a database by options that were checked before. */
export const openPlace = async (
  url: string,
  { steps = migrations, kinds, made = true, restored = false, unchanged = false, ...options }: DatabaseOptions,
): Promise<Database> => {
  const place = shownUrl(url)
  const fault = urlFault(url)
  if (fault !== undefined) throw new DatabaseRefused(place, "inaccessible", fault)
  const database = await connect(url, options)
  try {
    await refuseUnless(place, database, steps.length, { made: made && !unchanged, restored, unchanged })
    if (unchanged) return database
    await migrate(database, steps)
    await prepareCommits(database, kinds)
    return database
  } catch (error) {
    await database.close()
    throw refusalOf(place, error)
  }
}

const refuseUnless = async (
  place: string,
  database: Database,
  newest: number,
  { made, restored, unchanged }: Required<Pick<DatabaseOptions, "made" | "restored" | "unchanged">>,
): Promise<void> => {
  const [[version, shown, readOnly] = []] = await database.read(
    "read the server's version",
    "SELECT current_setting('server_version_num'), current_setting('server_version'), current_setting('transaction_read_only')",
  )
  if (Number(version) < oldest)
    throw new DatabaseRefused(place, "inaccessible", `the server is PostgreSQL ${String(shown)}; Postern needs version 15 or later`)
  if (readOnly === "on")
    throw new DatabaseRefused(place, "inaccessible", "the server is read-only, as a standby is; name the one that takes writes")
  const state = await schemaState(database)
  if (state.foreign)
    throw new DatabaseRefused(place, "foreign", "its schema postern holds tables of another program; give Postern a database of its own")
  if (state.version === 0 && !made)
    throw new DatabaseRefused(place, "inaccessible", "there is nothing of Postern's in it yet; start the provider once")
  if (state.version > newest) {
    throw new DatabaseRefused(
      place,
      "newer",
      `its schema is version ${state.version} and this Postern knows versions up to ${newest}; use the newer Postern that wrote it`,
    )
  }
  if (unchanged && state.version < newest)
    throw new DatabaseRefused(place, "older", `version ${state.version}; the next start upgrades it to ${newest}`)
  if (state.version > 0 && !restored && (await isRestored(database))) {
    throw new DatabaseRefused(
      place,
      "inaccessible",
      "it was restored from a dump, and what was spent or revoked since would be good again; run `postern restore --invalidate` first",
    )
  }
}

/** Translates a failure to open into a refusal for the operator. */
const refusalOf = (place: string, error: unknown): unknown => {
  if (error instanceof TypeError) return new DatabaseRefused(place, "foreign", error.message, error)
  if (!(error instanceof StoreUnavailable)) return error
  const { code } = error
  const refused = (text: string): DatabaseRefused => new DatabaseRefused(place, "inaccessible", `${text} (${code})`, error)
  if (code === "DISCONNECTED" || code === "TIMEOUT" || code.startsWith("08"))
    return refused("the server cannot be reached; check host and port, and that it runs and accepts TLS as the URL asks")
  if (code.startsWith("28")) return refused("the server does not let this user in; check user and password")
  if (code === "3D000") return refused("there is no such database on the server; make it with createdb")
  if (code === "42501") return refused("this user may not do that; it needs CREATE on the database, or a schema postern of its own")
  if (code === "57P03") return refused("the server is starting or stopping; try again in a moment")
  if (code === "53300")
    return refused(
      "the server has no connection left for this user; run fewer servers, of which each takes ten, or raise max_connections or the user's own limit",
    )
  if (code === "55P03" || code === "57014")
    return refused("another transaction keeps its tables locked; end that, which pg_stat_activity shows, or try again later")
  if (code === "53100") return refused("the disk of the server is full; free some space there")
  return refused(`the server cannot ${error.operation}`)
}
