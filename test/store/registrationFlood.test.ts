import { openDatabase, sqliteTokenStore } from "@postern/adapter-sqlite"
import { defaultFeatures, registration, rowKindsOf } from "@postern/core"
import { expect, test } from "vitest"
import { post } from "../support/flows.ts"
import { publicApp, register } from "../support/registering.ts"
import { world } from "../support/world.ts"
import { runs } from "../tiers/tier.ts"
import { temporaryPath } from "./support.ts"

const mostUnused = 1000

/** `POSTERN_REGISTRATIONS=100000` for the whole flood, which takes minutes. */
const count = Number(process.env["POSTERN_REGISTRATIONS"] ?? runs(5000, 1200))

test(
  `RFC 7591 §5: ${count} registrations from one address take a bounded number of rows, and others are served as before`,
  { timeout: 3_600_000 },
  async () => {
    const features = [...defaultFeatures, registration({ open: true, mostUnused })]
    const kinds = rowKindsOf({ features })
    const database = openDatabase(temporaryPath(), { kinds })
    const rows = (): number => Number(database.prepare("SELECT count(*) AS rows FROM registration_clients").pluck().get())
    const w = await world({ tokens: sqliteTokenStore(database, undefined, 0, kinds), more: { features } })
    const kept = await register(w, { ...publicApp, client_name: "before" })
    expect(kept.status).toBe(201)
    const statuses = new Map<number, number>()
    let most = 0
    for (let at = 0; at < count; at++) {
      // Every other one has a secret: equal public clients would be one, and these are none.
      const metadata = at % 2 === 0 ? { ...publicApp, client_name: `client ${at}` } : { redirect_uris: [`https://app.example/cb${at}`] }
      const { status } = await register(w, metadata)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      if (at % 100 === 0) {
        most = Math.max(most, rows())
        expect((await post(w, "/connect/token", "web", { grant_type: "client_credentials", scope: "api.read" })).status).toBe(200)
      }
    }
    expect([...statuses]).toEqual([[201, count]])
    expect(Math.max(most, rows())).toBeLessThanOrEqual(mostUnused)
    database.close()
  },
)
