import { postgresStores } from "@postern/adapter-postgres"
import { describe, expect, it } from "vitest"
import { cheap } from "../store/support.ts"
import { presentedAtOnce, takenOnce } from "../support/idJags.ts"
import { closing, postgresServer } from "../support/postgres.ts"

const server = postgresServer()

describe("ID-JAGs on four nodes with one PostgreSQL (draft-ietf-oauth-identity-assertion-authz-grant §4.4.1)", () => {
  it("RFC 7523 §3 (7): one that comes sixteen times at once is taken once", async () => {
    const url = await (await server()).database()
    const stores = await Promise.all(Array.from({ length: 4 }, async () => closing(await postgresStores(url, { hashing: cheap })).tokens))
    expect(await presentedAtOnce(stores)).toEqual(takenOnce)
  })
})
