import { expect, test } from "vitest"
import { full } from "../tiers/tier.ts"
import { Skipped } from "./row.ts"
import { callsOf, orderOf, synced } from "./synced.ts"

const socket = "TCP:[127.0.0.1:80->127.0.0.1:5000]"
const asked = `7 100.000100 read(20<${socket}>, "POST /connect/token HTTP/1.1\\r\\n"..., 65536) = 300 <0.000010>`
const answered = `7 100.002000 write(20<${socket}>, "HTTP/1.1 200 OK\\r\\n"..., 900) = 900 <0.000010>`
const began = `8 100.000500 fsync(31</data/postern.sqlite-wal> <unfinished ...>`
const ended = `8 100.001500 <... fsync resumed>) = 0 <0.001000>`

test("an answer counts as synced only when a sync of the log began after its request and ended before it", () => {
  const order = (...lines: ReadonlyArray<string>) => orderOf(callsOf(lines.join("\n")))
  expect(order(asked, began, ended, answered)).toMatchObject({ acknowledged: 1, unsynced: [], syncs: 1 })
  expect(order(began, asked, ended, answered).unsynced).toHaveLength(0)
  expect(order(asked, answered).unsynced).toHaveLength(1)
  expect(order(asked, began, ended.replace("100.001500", "100.002500"), answered).unsynced).toHaveLength(1)
  expect(order(asked.replace("100.000100", "100.000900"), began, ended, answered).unsynced).toHaveLength(1)
  expect(order(asked, began, ended.replace("= 0", "= -1"), answered).unsynced).toHaveLength(1)
  expect(order(asked, began.replace("-wal", ""), ended, answered).unsynced).toHaveLength(1)
})

test.runIf(full).for([1, 2])(
  "every acknowledged write was synced before its answer, as the kernel saw it (R2), with %i workers",
  { timeout: 180_000 },
  async (workers, { skip }) => {
    const row = await synced({ times: 40, seed: 14, say: () => undefined }, 4, workers).catch((error: unknown) => {
      if (error instanceof Skipped) return skip(error.message)
      throw error
    })
    expect(row.problems).toEqual([])
    expect(row.lost).toBe(0)
  },
)
