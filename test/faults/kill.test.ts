import Sqlite from "better-sqlite3"
import { expect, onTestFinished, test } from "vitest"
import { kill } from "./kill.ts"
import { Ledger } from "./ledger.ts"
import { assemble, chanceOf, verifyAll } from "./load.ts"
import { begin, redeem, revoke, rotate } from "./operations.ts"
import { serveIn } from "./process.ts"
import { makeSetting } from "./setting.ts"
import { killWorkers } from "./workers.ts"

const quietly = { seed: 11, say: () => undefined }

test("kill -9 under load: nothing acknowledged is lost, nothing is spent twice, and the database is whole (R1)", async () => {
  const { lost, problems, figures } = await kill({ ...quietly, times: 2 }, 32)
  expect(problems).toEqual([])
  expect(lost).toBe(0)
  expect(Number(figures["facts looked at"])).toBeGreaterThan(50)
}, 180_000)

test("kill -9 of workers and of the process that writes for them: nothing acknowledged is lost, nothing is spent twice (R1)", async () => {
  const { lost, problems, figures } = await killWorkers({ ...quietly, times: 3 }, 32)
  expect(problems).toEqual([])
  expect(lost).toBe(0)
  expect(Number(figures["facts looked at"])).toBeGreaterThan(50)
}, 240_000)

test("the ledger notices what a store forgets, spends twice or revives", async () => {
  const setting = await makeSetting()
  onTestFinished(setting.remove)
  const ledger = new Ledger()
  let server = await serveIn(setting)
  onTestFinished(() => void server.child.kill("SIGKILL"))
  const actors = await assemble(ledger, 32, () => setting.url)
  for (const actor of actors) {
    const chain = await begin(actor)
    if (chain === undefined) throw new Error("no code")
    await redeem(actor, chain)
    await rotate(actor, chain)
    if (actor.client.id === "app-1") await revoke(actor, chain)
  }
  await server.end("SIGKILL")
  expect(ledger.breaches).toEqual([])
  const database = new Sqlite(setting.database)
  // Shapes of a lost transaction, a lost revocation and a lost rotation.
  database.exec(`
    DELETE FROM refresh_tokens WHERE client_id = 'app-0';
    UPDATE grants SET revoked_at = NULL WHERE client_id = 'app-1';
    UPDATE refresh_tokens SET rotated_at = NULL, successor = NULL WHERE client_id = 'app-2';
    DELETE FROM consents WHERE client_id = 'app-3';`)
  database.close()
  server = await serveIn(setting)
  await verifyAll(actors, { chance: chanceOf(3), replayed: 1, dead: 2 })
  await server.end("SIGTERM")
  const found = (client: string): ReadonlyArray<string> => [
    ...new Set(ledger.breaches.filter(({ text }) => text.includes(` at ${client}:`)).map(({ rule }) => rule)),
  ]
  expect(["app-0", "app-1", "app-2", "app-3"].map((client) => found(client)[0])).toEqual(["lost", "revived", "double", "lost"])
}, 180_000)
