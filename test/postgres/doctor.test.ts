import { openDatabase } from "@postern/adapter-postgres"
import { expect, it, onTestFinished } from "vitest"
import { posternLine } from "../cli/lines.ts"
import { folder } from "../cli/run.ts"
import { closing, postgresServer } from "../support/postgres.ts"

const server = postgresServer()

it(
  "doctor changes nothing in a database of PostgreSQL that an older server may use: it tells of its schema, and of none",
  { timeout: 60_000 },
  async () => {
    const { database: make, run } = await server()
    const url = await make()
    const { cwd, remove } = folder({ issuer: "https://id.example.com", data: url })
    onTestFinished(remove)
    const seen = async () => (await posternLine(["doctor"], { cwd })).out.split("\n").filter((line) => / database/.test(line))
    expect(await seen()).toEqual([
      expect.stringMatching(/^✗ database .*: there is nothing of Postern's in it yet; start the provider once$/),
    ])
    const database = closing(await openDatabase(url))
    await run(url, "DELETE FROM postern.migrations WHERE version > 2")
    expect(await seen()).toEqual([expect.stringMatching(/^✓ database.schema +\S+: version 2; the next start upgrades it to \d+$/)])
    expect(await database.read("look", "SELECT max(version) FROM postern.migrations")).toEqual([[2n]])
  },
)
