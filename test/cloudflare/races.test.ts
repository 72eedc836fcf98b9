import {
  type Command,
  countAttempt,
  happening,
  insertion,
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
import { apart, places, sharedWorkerd } from "./places.ts"

const workerd = sharedWorkerd()
const sixteen = Array.from({ length: 16 }, (_, each) => each)

describe.each(places)("at once, on %s", (_, open) => {
  /** Stores that were opened apart, as several Workers do. */
  const several = async () => {
    const options = apart()
    const all = await Promise.all([1, 2, 3, 4].map(async () => (await open(workerd().origin(), options)).tokens))
    const each = (commands: (each: number) => ReadonlyArray<Command>) =>
      Promise.all(sixteen.map(async (at) => all[at % all.length]?.commit(commands(at))))
    const [tokens = (await open(workerd().origin(), options)).tokens] = all
    return { tokens, each }
  }

  it("R1: of sixteen commits that use one value, one is done", async () => {
    const { each } = await several()
    for (const round of ["a", "b", "c"])
      expect((await each(() => [useOnce(round, sampleTime, sampleTime + 60)])).filter((done) => done === "Committed")).toHaveLength(1)
  })

  it("R1: of sixteen that rotate one refresh token, each into another, one is done, and nothing of the others", async () => {
    const { tokens, each } = await several()
    await tokens.commit([saveGrant(sampleGrant(1)), saveRefreshToken(sampleRefreshToken(2))])
    const done = await each((at) => [
      saveRefreshToken(sampleRefreshToken(100 + at)),
      rotateRefreshToken(sampleLocator(2), sampleTime, { locator: sampleLocator(100 + at), sealed: "s" }),
    ])
    expect(done.filter((one) => one === "Committed")).toHaveLength(1)
    const saved = await Promise.all(sixteen.map(async (at) => tokens.findRefreshToken(sampleLocator(100 + at))))
    expect(saved.map((found) => found !== undefined)).toEqual(done.map((one) => one === "Committed"))
  })

  it("law 4: sixteen that count at once are sixteen", async () => {
    const { tokens, each } = await several()
    expect(new Set(await each(() => [countAttempt("key", sampleTime, sampleTime + 900)]))).toEqual(new Set(["Committed"]))
    expect((await tokens.findAttempts("key"))?.count).toBe(16)
  })

  it("law 4: a consent given and one withdrawn at once come one after the other, with their grants", async () => {
    const { tokens, each } = await several()
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
  })

  const seats = rowKind<{ readonly seat: string; readonly person: string }>(
    "seats_taken",
    { seat: "text", person: "text" },
    {
      key: ["seat"],
      unique: ["person"],
      events: {
        TakeSeat: insertion,
        KeepSeat: {
          ways: [
            { when: "absent", change: "insert" },
            { when: [], change: "replace" },
          ],
        },
        LeaveSeat: { ways: [{ when: [], change: "remove" }] },
      },
    },
  )

  it("law 13: a value that no two rows have goes from one row to another within a commit", async () => {
    const { tokens } = await open(workerd().origin(), apart({ kinds: [seats] }))
    const take = (seat: string) => putting(seats, "TakeSeat", { seat, person: "ann" })
    await tokens.commit([take("1")])
    expect(await tokens.commit([take("2")])).toBe("Conflict")
    expect(await tokens.commit([putting(seats, "KeepSeat", { seat: "2", person: "ann" })])).toBe("Conflict")
    for (let seat = 1; seat < 8; seat++) {
      const moves = [happening(seats, "LeaveSeat", { seat: String(seat) }), take(String(seat + 1))]
      expect(await tokens.commit(moves)).toBe("Committed")
      expect(await tokens.find(seats, { person: "ann" })).toEqual({ seat: String(seat + 1), person: "ann" })
    }
  })
})
