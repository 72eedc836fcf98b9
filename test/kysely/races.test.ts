import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { kyselyStores } from "@postern/adapter-kysely"
import {
  type Command,
  countAttempt,
  happening,
  putting,
  removeConsent,
  requireConsent,
  revokeGrants,
  rotateRefreshToken,
  rowKind,
  saveConsent,
  saveGrant,
  saveRefreshToken,
  useOnce,
} from "@postern/core/model"
import { sampleConsent, sampleGrant, sampleLocator, sampleRefreshToken, sampleTime } from "@postern/core/testing"
import { describe, expect, it } from "vitest"
import { type Place, places, sharedStores } from "./databases.ts"

const sixteen = Array.from({ length: 16 }, (_, each) => each)

for (const [name, isThere, open] of places) {
  describe.skipIf(!isThere)(`at once, over Kysely on ${name}`, () => {
    const fresh = sharedStores(open)
    const several = async () => {
      const { place, stores } = await fresh()
      // SQLite's driver waits for a lock without letting its process go on: there, only another process is another.
      const pools = place.dialect === "sqlite" ? [] : [1, 2, 3].map(() => place.connect())
      const others = await Promise.all(pools.map((pool) => kyselyStores(pool, { dialect: place.dialect })))
      const all = [stores, ...others].map(({ tokens }) => tokens)
      const each = (commands: (each: number) => ReadonlyArray<Command>) =>
        Promise.all(sixteen.map(async (at) => all[at % all.length]?.commit(commands(at))))
      return { tokens: stores.tokens, each, end: () => Promise.all(pools.map((pool) => pool.destroy())) }
    }

    it("R1: of sixteen commits that use one value, one is done", async () => {
      const { each, end } = await several()
      for (const round of ["a", "b", "c"])
        expect((await each(() => [useOnce(round, sampleTime, sampleTime + 60)])).filter((done) => done === "Committed")).toHaveLength(1)
      await end()
    })

    it("R1: of sixteen that rotate one refresh token, each into another, one is done", async () => {
      const { tokens, each, end } = await several()
      await tokens.commit([saveGrant(sampleGrant(1)), saveRefreshToken(sampleRefreshToken(2))])
      const done = await each((at) => [
        saveRefreshToken(sampleRefreshToken(100 + at)),
        rotateRefreshToken(sampleLocator(2), sampleTime, { locator: sampleLocator(100 + at), sealed: "s" }),
      ])
      expect(done.filter((one) => one === "Committed")).toHaveLength(1)
      const saved = await Promise.all(sixteen.map(async (at) => tokens.findRefreshToken(sampleLocator(100 + at))))
      expect(saved.map((found) => found !== undefined)).toEqual(done.map((one) => one === "Committed"))
      await end()
    })

    it("law 4: sixteen that count at once are sixteen", async () => {
      const { tokens, each, end } = await several()
      expect(new Set(await each(() => [countAttempt("key", sampleTime, sampleTime + 900)]))).toEqual(new Set(["Committed"]))
      expect((await tokens.findAttempts("key"))?.count).toBe(16)
      await end()
    })

    it("law 4: a consent given and one withdrawn at once come one after the other, with their grants", async () => {
      const { tokens, each, end } = await several()
      const consent = sampleConsent("ann", "one")
      for (let round = 0; round < 6; round++) {
        await tokens.commit([removeConsent("ann", "one")])
        const grant = (at: number) => sampleGrant(round * 100 + at, { subject: "ann", clientId: "one" })
        const done = await each((at) =>
          at % 2 === 0
            ? [saveConsent(consent, undefined), requireConsent(consent), saveGrant(grant(at))]
            : [removeConsent("ann", "one"), revokeGrants({ subject: "ann", clientId: "one" }, sampleTime)],
        )
        expect(done.filter((_, at) => at % 2 === 1)).toEqual(Array(8).fill("Committed"))
        // The grant of the consent that stands, or none: those before it were revoked with theirs.
        const isGiven = (await tokens.findConsent("ann", "one")) !== undefined
        expect((await tokens.grantsOf("ann")).filter(({ revokedAt }) => revokedAt === undefined)).toHaveLength(isGiven ? 1 : 0)
      }
      await end()
    })

    it("R1: of what two processes spend, each value is spent by one", async () => {
      const { place } = await fresh()
      const spent = await Promise.all([spend(place, 60), spend(place, 60)])
      expect(spent.flat().toSorted((left, right) => left - right)).toEqual(Array.from({ length: 60 }, (_, each) => each))
    })
  })

  describe.skipIf(!isThere)(`values that move, over Kysely on ${name}`, () => {
    const seats = rowKind<{ readonly seat: string; readonly person: string }>(
      "seats_taken",
      { seat: "text", person: "text" },
      {
        key: ["seat"],
        unique: ["person"],
        events: {
          TakeSeat: { ways: [{ when: "absent", change: "insert" }] },
          LeaveSeat: { ways: [{ when: [], change: "remove" }] },
        },
      },
    )
    const fresh = sharedStores(open, { kinds: [seats] })
    it("law 13: a value that no two rows have goes from one row to another within a commit", async () => {
      const { tokens } = (await fresh()).stores
      const take = (seat: string) => putting(seats, "TakeSeat", { seat, person: "ann" })
      await tokens.commit([take("1")])
      expect(await tokens.commit([take("2")])).toBe("Conflict")
      for (let seat = 1; seat < 8; seat++) {
        const moves = [happening(seats, "LeaveSeat", { seat: String(seat) }), take(String(seat + 1))]
        expect(await tokens.commit(moves)).toBe("Committed")
        expect(await tokens.find(seats, { person: "ann" })).toEqual({ seat: String(seat + 1), person: "ann" })
      }
    })
  })
}

/** Values that another process was told it has spent. */
const spend = async ({ dialect, address }: Place, count: number): Promise<ReadonlyArray<number>> => {
  const script = fileURLToPath(new URL("spender.ts", import.meta.url))
  const child = spawn(process.execPath, [script, dialect, address, "0", String(count)], { stdio: ["ignore", "pipe", "inherit"] })
  const spent: Array<number> = []
  for await (const line of createInterface({ input: child.stdout })) if (line !== "ready") spent.push(Number(line))
  return spent
}
