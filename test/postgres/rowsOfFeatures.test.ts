import { invalidateRestored, openDatabase, postgresStores, postgresTokenStore } from "@postern/adapter-postgres"
import { insertion, rowKind } from "@postern/core/features"
import { happening, putting, type RowEvent } from "@postern/core/model"
import { describe, expect, it } from "vitest"
import { appointments } from "../../examples/rows.ts"
import { cheap } from "../store/support.ts"
import { closing, postgresServer, sharedDatabase } from "../support/postgres.ts"
import { atOnceWith } from "../support/proofs.ts"
import { appointmentContract, kinds, raced, sampleAppointment } from "../support/rowsOfFeatures.ts"

const server = postgresServer()
const fresh = async () => (await server()).database()
const shared = sharedDatabase(kinds)

describe("rows of a feature on PostgreSQL", () => {
  for (const { name, run } of appointmentContract) {
    it(name, () =>
      run(async () => {
        const store = postgresTokenStore(await shared(), kinds)
        return { store, sweep: store.sweep }
      }),
    )
  }

  it("law 4: of two requests for one row at once one is refused by the rule that a later one meets", async () => {
    const { tokens } = closing(await postgresStores(await fresh(), { kinds, hashing: cheap }))
    expect(await raced(tokens)).toEqual(['"The hour is taken."', '"The hour is taken."', "200"])
  })

  it("RFC 9449 §11.1: of 16 requests with one DPoP proof at once, one gets tokens", async () => {
    const { tokens } = closing(await postgresStores(await fresh(), { kinds, hashing: cheap }))
    expect(await atOnceWith(tokens)).toEqual(["200", ...Array.from({ length: 15 }, () => "dpop.unused")])
  })

  it("law 13: of several that start at once each finds the table made", async () => {
    const url = await fresh()
    await Promise.all(Array.from({ length: 4 }, async () => closing(await openDatabase(url, { kinds }))))
    const store = postgresTokenStore(closing(await openDatabase(url, { kinds })), kinds)
    expect(await store.commit([putting(appointments, "BookAppointment", sampleAppointment("08"))])).toBe("Committed")
  })

  it("law 13: a column that may be absent is added, and its rows stay; one that may not be is refused", async () => {
    const url = await fresh()
    const store = postgresTokenStore(closing(await openDatabase(url, { kinds })), kinds)
    await store.commit([putting(appointments, "BookAppointment", sampleAppointment("08"))])
    const described = (note: string) => [
      ...kinds.filter((kind) => kind !== appointments),
      rowKind<Record<string, unknown>>("appointments_booked", { ...appointments.columns, note } as never, { key: ["hour"] }),
    ]
    await expect(openDatabase(url, { kinds: described("text") })).rejects.toThrow("its rows lack note")
    const grown = described("text?")
    const later = postgresTokenStore(closing(await openDatabase(url, { kinds: grown })), grown)
    expect(await later.find(grown.at(-1) ?? appointments, { hour: "08" })).toEqual({ ...sampleAppointment("08"), note: undefined })
  })

  it.each<readonly [string, RowEvent<"seats">]>([
    ["removed", { ways: [{ when: [], change: "remove" }], otherwise: "nothing" }],
    ["changed", { ways: [{ when: [], change: [["seats", "set", ":seats"]] }], otherwise: "nothing" }],
  ])("law 4: a row that would be %s if it were there is saved as it is by a command after that, alone and together", async (_, clear) => {
    const places = rowKind<{ readonly place: string; readonly seats: number }>(
      "places_kept",
      { place: "text", seats: "integer" },
      { key: ["place"], events: { SavePlace: insertion, ClearPlace: clear } },
    )
    const all = [...kinds, places]
    const store = postgresTokenStore(closing(await openDatabase(await fresh(), { kinds: all })), all)
    const anew = async (place: string) =>
      store.commit([happening(places, "ClearPlace", { place, seats: 0 }), putting(places, "SavePlace", { place, seats: 5 })])
    expect(await anew("a")).toBe("Committed")
    expect(await Promise.all([anew("b"), anew("c")])).toEqual(["Committed", "Committed"])
    for (const place of ["a", "b", "c"]) expect(await store.find(places, { place })).toEqual({ place, seats: 5 })
  })

  it("behaviour: rows that are good once leave a restored copy, and others stay", async () => {
    const url = await fresh()
    const store = postgresTokenStore(closing(await openDatabase(url, { kinds })), kinds)
    await store.commit([putting(appointments, "BookAppointment", sampleAppointment("08"))])
    const row = () => store.find(appointments, { hour: "08" })
    const spent = kinds.map((kind) => (kind === appointments ? { ...kind, restored: "removed" as const } : kind))
    const alone = { force: true } as const
    await invalidateRestored(url, { ...alone, kinds })
    expect(await row()).toEqual(sampleAppointment("08"))
    await invalidateRestored(url, { ...alone, kinds: spent })
    expect(await row()).toBeUndefined()
  })
})
