import type { SendCommand } from "@postern/adapter-redis"
import { afterAll } from "vitest"
import { type Connection, redisServer } from "../support/redisServer.ts"

/** One connection for all tests of a file, to a server without a key each time it is asked for. Functions stay. */
export const sharedRedis = (): (() => Promise<SendCommand>) => {
  const server = redisServer()
  let opened: Promise<Connection> | undefined
  // Runs before the server's own end: hooks run last first.
  afterAll(async () => (await opened)?.close())
  return async () => {
    const { send } = await (opened ??= server().then(({ connect }) => connect()))
    await send(["FLUSHALL"])
    return send
  }
}
