import { it } from "vitest"
import { postgresServer } from "../support/postgres.ts"
import { idleServerNotices } from "../support/idle.ts"

const server = postgresServer()

it("a server that nobody asks for anything knows a rotated key, a changed client and a disabled person of another server within ten seconds, with its first answer (PostgreSQL)", async () => {
  await idleServerNotices(await (await server()).database())
}, 120_000)
