import { randomFillSync } from "node:crypto"
import { join } from "node:path"
import { locatorAt } from "@postern/core/model"
import Database from "better-sqlite3"
import { slotOf } from "../../packages/adapter-sqlite/src/database/slots.ts"

type Row = Readonly<Record<string, string | number | bigint | null>>

const thousands = 50_000

/** Postern's database in a folder it has been started with; `run` is given it, and it is closed. */
export const withDatabase = <A>(folder: string, run: (database: Database.Database) => A): A => {
  const database = new Database(join(folder, "data", "postern.sqlite"))
  try {
    database.pragma("synchronous = OFF")
    return run(database)
  } finally {
    database.pragma("wal_checkpoint(TRUNCATE)")
    database.close()
  }
}

/** Rows to seed. */
export interface Seeds {
  /** An access token and a refresh token that it issued: the others are like them, and have their secrets. */
  readonly accessToken: string
  readonly refreshToken: string
  /** Number of access tokens. */
  readonly accessTokens: number
  /** Number of refresh tokens, each with its grant. */
  readonly refreshTokens: number
  /** From when they can be swept: seconds from now. */
  readonly keep: number
}

/** Handles of what was seeded. */
export interface Seeded {
  readonly accessToken: (at: number) => string
  readonly refreshToken: (at: number) => string
}

/**
 * Fills the tables of a stopped Postern by copying rows that it made itself. Locators are in order and lie behind, as if tokens had been issued for the last hours.
 */
export const seed = (database: Database.Database, { accessToken, refreshToken, accessTokens, refreshTokens, keep }: Seeds): Seeded => {
  const now = Math.floor(Date.now() / 1000)
  const times = { created_at: now - 60, expires_at: now + keep, absolute_expires_at: now + keep, keep_until: now + keep }
  const model = (table: string, key: string, value: unknown): Row => {
    const row = database.prepare<[unknown], Row>(`SELECT * FROM ${table} WHERE ${key} = ?`).get(value)
    if (row === undefined) throw new Error(`${table} has no row to copy`)
    return { ...row, ...Object.fromEntries(Object.entries(times).filter(([name]) => name in row)) }
  }
  const chance = new Uint8Array(6)
  const from = Date.now() - 4 * 3_600_000
  const locators = (count: number): ReadonlyArray<string> =>
    Array.from({ length: count }, (_, at) => locatorAt(from + Math.floor((at * 3_600_000) / count), randomFillSync(chance))).sort()
  const insert = (table: string, row: Row, count: number, own: (at: number) => Row): void => {
    if (count === 0) return
    const names = Object.keys(row)
    const statement = database.prepare(`INSERT INTO ${table} (${names.join(", ")}) VALUES (${names.map((name) => `@${name}`).join(", ")})`)
    const many = database.transaction((begin: number) => {
      for (let at = begin; at < Math.min(count, begin + thousands); at++) statement.run({ ...row, ...own(at) })
    })
    for (let begin = 0; begin < count; begin += thousands) many(begin)
  }
  const access = locators(accessTokens)
  const refresh = locators(refreshTokens)
  // Two of an hour's millions may share a slot, which the store never lets happen: the second gets the next free one, as in an upgrade.
  const slots = access.map(slotOf)
  let last = -(2n ** 64n)
  for (const at of [...slots.keys()].sort((one, other) => Number((slots[one] ?? 0n) - (slots[other] ?? 0n)))) {
    const own = slots[at] ?? 0n
    slots[at] = last = own > last ? own : last + 2n
  }
  const issued = model("refresh_tokens", "locator", locatorOf(refreshToken))
  insert("access_tokens", model("access_tokens", "locator", locatorOf(accessToken)), accessTokens, (at) => ({
    slot: slots[at] ?? 0n,
    locator: access[at] ?? "",
  }))
  insert("grants", model("grants", "id", issued["grant_id"]), refreshTokens, (at) => ({ id: refresh[at] ?? "", session_id: null }))
  insert("refresh_tokens", issued, refreshTokens, (at) => ({ locator: refresh[at] ?? "", grant_id: refresh[at] ?? "" }))
  return {
    accessToken: (at) => `a_${access[at] ?? ""}${accessToken.slice(18)}`,
    refreshToken: (at) => `r_${refresh[at] ?? ""}${refreshToken.slice(18)}`,
  }
}

/** A handle is a letter, `_`, 16 characters of locator, and its secret. */
const locatorOf = (handle: string): string => handle.slice(2, 18)

/** Counts the access tokens that have expired and are still stored. */
export const expired = (folder: string): number => {
  const database = new Database(join(folder, "data", "postern.sqlite"), { readonly: true })
  try {
    const count = database.prepare<[number], number>("SELECT count(*) FROM access_tokens WHERE keep_until <= ?").pluck()
    return count.get(Math.floor(Date.now() / 1000)) ?? 0
  } finally {
    database.close()
  }
}
