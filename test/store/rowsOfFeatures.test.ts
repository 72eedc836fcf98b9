import { defaultFeatures } from "@postern/core"
import { rowKind } from "@postern/core/features"
import { memoryTokenStore } from "@postern/core/memory"
import { inMemory, openDatabase, restore, sqliteTokenStore } from "@postern/adapter-sqlite"
import { describe, expect, it } from "vitest"
import { casesElsewhere } from "../support/contracts.ts"
import { appointmentContract, features, kinds, raced, sampleAppointment } from "../support/rowsOfFeatures.ts"
import { world } from "../support/world.ts"
import { appointments } from "../../examples/rows.ts"
import { putting } from "@postern/core/model"
import { temporaryDatabase, temporaryPath, temporaryStores } from "./support.ts"

const memory = () => {
  const store = memoryTokenStore(kinds)
  return { store, sweep: async (now: number) => store.sweep(now) }
}
const sqlite = (path: string) => () => {
  const store = sqliteTokenStore(temporaryDatabase(path, { kinds }), undefined, 0, kinds)
  return { store, sweep: store.sweep }
}
const threaded = () => {
  const { tokens, sweep } = temporaryStores(temporaryPath(), { thread: true, kinds })
  return { store: tokens, sweep }
}

describe("rows of a feature", () => {
  for (const { name, run } of appointmentContract) {
    it(`memory: ${name}`, () => run(memory))
    it(`SQLite in memory: ${name}`, () => run(sqlite(inMemory)))
  }
  for (const { name, run } of casesElsewhere(appointmentContract)) it(`SQLite with a writing thread: ${name}`, () => run(threaded))

  it.each([
    ["memory", memory],
    ["SQLite with a writing thread", threaded],
  ] as const)("law 4: of two requests for one row at once one is refused by the rule that a later one meets, in %s", async (_, subject) => {
    expect(await raced(subject().store)).toEqual(['"The hour is taken."', '"The hour is taken."', "200"])
  })

  it("law 10: a provider is refused whose store keeps no table of a feature, or whose feature names one that is not its own", async () => {
    await expect(world({ tokens: memoryTokenStore(), more: { features } })).rejects.toThrow("tokens: keeps no table appointments_booked")
    const thief = { name: "thief", rows: [appointments] }
    await expect(world({ tokens: memoryTokenStore(kinds), more: { features: [...features, thief] } })).rejects.toThrow(
      "there is a table of rows named appointments_booked already",
    )
    await expect(world({ tokens: memoryTokenStore(kinds), more: { features: [...defaultFeatures, thief] } })).rejects.toThrow(
      "the table appointments_booked of thief is not named thief_…",
    )
  })
})

describe("tables of features on SQLite", () => {
  const described = (columns: Parameters<typeof rowKind>[1], key = ["hour"]) => [
    ...kinds.filter((kind) => kind !== appointments),
    rowKind<Record<string, unknown>>("appointments_booked", columns as never, {
      key,
      events: { BookAppointment: appointments.events["BookAppointment"] ?? { ways: [] } },
    }),
  ]
  const path = () => {
    const made = temporaryPath()
    const { tokens, close } = temporaryStores(made, { kinds })
    void tokens.commit([putting(appointments, "BookAppointment", sampleAppointment("08"))])
    void close()
    return made
  }

  it("law 13: a column that may be absent is added to a table that is there, and its rows stay", () => {
    const grown = described({ ...appointments.columns, note: "text?" })
    const { tokens } = temporaryStores(path(), { kinds: grown })
    const [kind] = grown.slice(-1)
    expect(tokens.find(kind as never, { hour: "08" })).toEqual({ ...sampleAppointment("08"), note: undefined })
  })

  it.each([
    [{ ...appointments.columns, note: "text" }, "its rows lack note; describe it as one that may be absent, or name another table"],
    [{ hour: "text" }, "its column client_id is described no longer; name another table"],
  ] as const)("law 13: a database is refused whose rows do not fit the description (%#), and stays as it is", (columns, reason) => {
    const at = path()
    expect(() => openDatabase(at, { kinds: described(columns as never) })).toThrow(`table appointments_booked: ${reason}`)
    expect(temporaryStores(at, { kinds }).tokens.find(appointments, { hour: "08" })).toEqual(sampleAppointment("08"))
  })

  it("behaviour: rows that are good once leave a restored copy, and others stay", async () => {
    const spent = kinds.map((kind) => (kind === appointments ? { ...kind, restored: "removed" as const } : kind))
    for (const [of, left] of [
      [kinds, sampleAppointment("08")],
      [spent, undefined],
    ] as const) {
      const to = temporaryPath("restored.db")
      await restore(path(), to, { kinds: of })
      expect(temporaryStores(to, { kinds }).tokens.find(appointments, { hour: "08" })).toEqual(left)
    }
  })

  it("behaviour: without the feature the table stays, and with it again its rows are there", () => {
    const at = path()
    temporaryStores(at).close()
    expect(temporaryStores(at, { kinds }).tokens.find(appointments, { hour: "08" })).toEqual(sampleAppointment("08"))
  })
})
