import { type Instant, offlineAccess } from "@postern/core/model"
import type { TokenStorePort } from "@postern/core/ports"
import type { Sweep } from "@postern/stores"
import { deviceDocument, type Document, interactionDocument } from "@postern/stores/rows"
import type { Database } from "../database/connect.ts"
import { reading } from "../database/failure.ts"
import { lookupOf } from "../database/lookup.ts"
import { read } from "../database/text.ts"
import { writeCommand } from "./commands.ts"
import { committer } from "./committer.ts"
import { sweepOf } from "./sweep.ts"
import type { Table } from "./table.ts"
import { tablesOf } from "./tables.ts"

/** A token store on a PostgreSQL database. Every failure is a `StoreUnavailable`. */
export interface PostgresTokenStore extends TokenStorePort {
  /** One slice of sweeping. Call it again while there is more; any number of processes may sweep at once. */
  readonly sweep: (now: Instant) => Promise<Sweep>
}

/** Said so that the order asked for is the order of the index that begins with the subject, and of no other: not everybody's are gone through. */
const ofSubject = "subject >= $1 AND subject <= $1"

/** Keeps grants, codes, tokens, sessions, interactions and consents in a database that {@link openDatabase} opened. */
export const postgresTokenStore = (database: Database): PostgresTokenStore => {
  const tables = tablesOf(database)
  const { grants, codes, accessTokens, refreshTokens, sessions, consents } = tables
  const write = writeCommand(tables)
  const commit = committer(database)

  const document = <Row>(operation: string, kind: Document<Row>, from: string, key: string) => {
    const look = lookupOf(database, { operation, columns: "content", from, key })
    return async (value: string): Promise<Row | undefined> => {
      const [content] = (await look(value)) ?? []
      return typeof content === "string" ? reading(operation, () => kind.read(read(content))) : undefined
    }
  }
  /** Finds a row and its grant in one statement; `kept` says which rows without one are found all the same. */
  const withGrant = <Row>(operation: string, table: Table<Row>, join: string) => {
    const columns = `${table.selectedFrom("t")}, ${grants.selectedFrom("g")}`
    const look = lookupOf(database, { operation, columns, from: `${table.name} t ${join}`, key: "t.locator" })
    return async (locator: string) => {
      const found = await look(locator)
      if (found === undefined) return undefined
      const granted = found.slice(table.width)
      return {
        row: table.read(operation, found.slice(0, table.width)),
        // Its id is never null.
        grant: granted[0] === null ? undefined : grants.read(operation, granted),
      }
    }
  }
  const granted = `JOIN ${grants.name} g ON g.id = t.grant_id`
  const findCode = withGrant("read a code", codes, granted)
  const findRefreshToken = withGrant("read a refresh token", refreshTokens, granted)
  const findAccessToken = withGrant("read an access token", accessTokens, `LEFT ${granted}`)
  const findAttempts = lookupOf(database, { operation: "read attempts", columns: "count, reset_at", from: "postern.attempts", key: "key" })

  return {
    findGrant: grants.lookup("read a grant"),
    grantsOf: (subject) =>
      grants.list(
        "list grants",
        // A scope is a JSON list of names that hold no quotes.
        `SELECT ${grants.selected} FROM ${grants.name} WHERE ${ofSubject} AND revoked_at IS NULL
          AND (extension IS NULL OR strpos(scope, '"${offlineAccess}"') > 0) ORDER BY subject DESC, id DESC LIMIT 100`,
        [subject],
      ),
    findCode: async (locator) => {
      const found = await findCode(locator)
      return found?.grant && { code: found.row, grant: found.grant }
    },
    findAccessToken: async (locator) => {
      const found = await findAccessToken(locator)
      // What was made from a grant is not found without it.
      if (found === undefined || (found.grant === undefined && found.row.grantId !== undefined)) return undefined
      return { token: found.row, grant: found.grant }
    },
    findRefreshToken: async (locator) => {
      const found = await findRefreshToken(locator)
      return found?.grant && { token: found.row, grant: found.grant }
    },
    findSession: sessions.lookup("read a session"),
    sessionsOf: (subject) =>
      sessions.list(
        "list sessions",
        `SELECT ${sessions.selected} FROM ${sessions.name} WHERE ${ofSubject} AND ended_at IS NULL ORDER BY subject DESC, locator DESC LIMIT 100`,
        [subject],
      ),
    findInteraction: document("read an interaction", interactionDocument, "postern.interactions", "locator"),
    findDevice: document("read a device", deviceDocument, "postern.devices", "locator"),
    findDeviceByUserCode: document("read a device", deviceDocument, "postern.devices", "user_code"),
    findAttempts: async (key) => {
      const found = await findAttempts(key)
      return found && { key, count: Number(found[0]), resetAt: Number(found[1]) }
    },
    findConsent: (subject, clientId) => consents.find("read a consent", subject, clientId),
    consentsOf: (subject) =>
      consents.list(
        "list consents",
        `SELECT ${consents.selected} FROM ${consents.name} WHERE subject = $1 ORDER BY granted_at DESC, client_id LIMIT 100`,
        [subject],
      ),
    commit: async (commands) => {
      if (commands.length === 0) return "Committed"
      return commit(JSON.stringify(commands.map(write)))
    },
    sweep: sweepOf(database),
  }
}
