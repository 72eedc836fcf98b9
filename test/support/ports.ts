import { once } from "node:events"
import { createServer } from "node:net"

/** Ports below those that systems give to connections: there one that was free a moment ago may be in use by anybody's request. */
const [first, count] = [20_000, 12_000]

/** A port of 127.0.0.1 that nothing listens on. */
export const freePort = async (): Promise<number> => {
  for (let tries = 0; tries < 100; tries++) {
    const port = first + Math.floor(Math.random() * count)
    const server = createServer().listen(port, "127.0.0.1")
    try {
      await once(server, "listening")
    } catch {
      continue
    }
    server.close()
    await once(server, "close")
    return port
  }
  throw new Error(`none of 100 ports from ${first} on is free`)
}
