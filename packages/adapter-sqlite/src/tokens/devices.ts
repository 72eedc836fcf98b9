import type { Attempts, Command, Device, Instant } from "@postern/core/model"
import { deviceDocument } from "@postern/stores/rows"
import type { Database } from "better-sqlite3"

/** Devices that wait for a person. They change as a whole and by their version alone, so they are kept as one JSON text. */
export interface Devices {
  /** False when the locator or the user code is taken. */
  readonly insert: (device: Device) => boolean
  /** Reports whether the stored version was the replacement's less one. */
  readonly replace: (device: Device) => boolean
  readonly find: (locator: string) => Device | undefined
  readonly findByUserCode: (userCode: string) => Device | undefined
}

const read = (content: string | undefined): Device | undefined => (content === undefined ? undefined : deviceDocument.read(content))

/** Prepares the statements on devices. */
export const devicesOf = (database: Database): Devices => {
  const insert = database.prepare(
    "INSERT INTO devices (locator, user_code, version, keep_until, content) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
  )
  const replace = database.prepare("UPDATE devices SET version = ?, keep_until = ?, content = ? WHERE locator = ? AND version = ?")
  const find = database.prepare<[string], string>("SELECT content FROM devices WHERE locator = ?").pluck()
  const findByUserCode = database.prepare<[string], string>("SELECT content FROM devices WHERE user_code = ?").pluck()
  return {
    insert: (device) =>
      insert.run(device.locator, device.userCode, device.version, device.keepUntil, deviceDocument.write(device)).changes === 1,
    replace: (device) =>
      replace.run(device.version, device.keepUntil, deviceDocument.write(device), device.locator, device.version - 1).changes === 1,
    find: (locator) => read(find.get(locator)),
    findByUserCode: (userCode) => read(findByUserCode.get(userCode)),
  }
}

/** Counted attempts. */
export interface AttemptCounts {
  readonly count: (key: string, at: Instant, resetAt: Instant) => void
  /** False when `most` were counted and their time is not over. */
  readonly reserve: (command: Extract<Command, { readonly _tag: "ReserveAttempt" }>) => boolean
  readonly takeBack: (key: string, until: Instant) => void
  readonly forget: (key: string) => void
  /** False when the key was used and its time is not over. */
  readonly use: (key: string, at: Instant, until: Instant) => boolean
  readonly find: (key: string) => Attempts | undefined
}

/** Prepares the statements on attempts. */
export const attemptsOf = (database: Database): AttemptCounts => {
  const count = database.prepare(`
    INSERT INTO attempts (key, count, reset_at) VALUES (:key, 1, :resetAt)
    ON CONFLICT (key) DO UPDATE SET
      count = CASE WHEN reset_at <= :at THEN 1 ELSE count + 1 END,
      reset_at = CASE WHEN reset_at <= :at THEN :resetAt ELSE reset_at END`)
  const reserve = database.prepare(`
    INSERT INTO attempts (key, count, reset_at) VALUES (:key, 1, iif(:most = 1, coalesce(:fullUntil, :resetAt), :resetAt))
    ON CONFLICT (key) DO UPDATE SET
      count = CASE WHEN reset_at <= :at THEN 1 ELSE count + 1 END,
      reset_at = CASE
        WHEN reset_at <= :at THEN excluded.reset_at
        WHEN count + 1 = :most THEN coalesce(:fullUntil, reset_at)
        ELSE reset_at END
      WHERE reset_at <= :at OR count < :most`)
  const takeBack = database.prepare("UPDATE attempts SET count = count - 1 WHERE key = ? AND count > 0 AND reset_at <= ?")
  const forget = database.prepare("DELETE FROM attempts WHERE key = ?")
  const use = database.prepare(`
    INSERT INTO attempts (key, count, reset_at) VALUES (:key, 1, :until)
    ON CONFLICT (key) DO UPDATE SET count = 1, reset_at = :until WHERE reset_at <= :at`)
  const find = database.prepare<[string], Attempts>("SELECT key, count, reset_at AS resetAt FROM attempts WHERE key = ?")
  return {
    count: (key, at, resetAt) => void count.run({ key, at, resetAt }),
    reserve: ({ key, at, most, resetAt, fullUntil = null }) => reserve.run({ key, at, most, resetAt, fullUntil }).changes === 1,
    takeBack: (key, until) => void takeBack.run(key, until),
    forget: (key) => void forget.run(key),
    use: (key, at, until) => use.run({ key, at, until }).changes === 1,
    find: (key) => find.get(key),
  }
}
