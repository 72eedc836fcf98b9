import { sqliteAuthenticator } from "@postern/adapter-sqlite"
import { argon2id } from "@postern/stores"
import type { UserRow } from "@postern/stores/rows"
import { sampleTime } from "@postern/core/testing"
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from "vitest"
import { logOf } from "../../packages/adapter-sqlite/src/database/log.ts"
import { usersOf } from "../../packages/adapter-sqlite/src/people/users.ts"
import { cheap, emptyPath, temporaryDatabase } from "./support.ts"

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }))
afterEach(() => void vi.useRealTimers())

const late: UserRow = {
  subject: "late",
  username: "late",
  usernameKey: "late",
  passwordHash: undefined,
  claims: {},
  disabled: false,
  tenant: undefined,
  origin: "command",
  createdAt: sampleTime,
  updatedAt: sampleTime,
}

it("whom another process adds while a turn of the event loop shares a snapshot is nobody in that turn, and found a quarter of a second later", async () => {
  const path = emptyPath()
  const log = logOf(path)
  onTestFinished(log.close)
  const people = sqliteAuthenticator(temporaryDatabase(path), { hashing: argon2id(cheap), now: () => sampleTime }, log)
  const another = usersOf(temporaryDatabase(path))
  const find = async (subject: string): Promise<string | undefined> => (await people.find(subject))?.subject
  // The absence of this person is remembered, so the next question asks for the revision.
  expect([await find("nobody"), await find("nobody")]).toEqual([undefined, undefined])
  vi.advanceTimersByTime(250)
  expect(another.insert(late)).toBe(true)
  expect([await find("nobody"), await find("late")]).toEqual([undefined, undefined])
  log.renew()
  vi.advanceTimersByTime(250)
  expect(await find("late")).toBe("late")
})
