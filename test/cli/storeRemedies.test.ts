import { StoreUnavailable } from "@postern/stores"
import { expect, it, onTestFinished } from "vitest"
import { storeFailure } from "../../packages/cli/src/data/stores.ts"
import { freePort } from "../support/ports.ts"
import { posternLine } from "./lines.ts"
import { folder } from "./run.ts"

it.for([
  ["55P03", "nothing was changed; another transaction keeps it locked: end that, which pg_stat_activity shows, or try again later"],
  ["25006", "nothing was changed; the server is read-only, as a standby is: name the one that takes writes, and try again"],
  ["42501", "nothing was changed; this user lacks a right to it: make the user the owner of the schema postern, and try again"],
  ["SQLITE_BUSY", "nothing was changed; another process keeps the database locked: try again when it is done"],
  ["DAMAGED_ROW", "nothing was changed; a row cannot be read: restore the last backup"],
  ["53100", "nothing was changed: the disk of the database is full; free some space and try again"],
  ["XX000", "nothing was changed; try again"],
  ["DISCONNECTED", "whether it was done is not known: look, and try again"],
] as const)("a command that the database refuses with %s says what to do", ([code, hint]) => {
  expect(storeFailure(new StoreUnavailable("list clients", code))).toMatchObject({ _tag: "Failed", hint })
})

it("doctor repeats what a database says of itself, and points to no other finding", async () => {
  const { cwd, remove } = folder({ issuer: "https://id.example.com", data: `postgres://postern@127.0.0.1:${await freePort()}/postern` })
  onTestFinished(remove)
  const { code, out } = await posternLine(["doctor"], { cwd })
  expect(code).toBe(1)
  expect(out).toMatch(
    /✗ database +postgres:\S+: the server cannot be reached; check host and port[^\n]*\(DISCONNECTED\)\n +then run this again\n/,
  )
})
