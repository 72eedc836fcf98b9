import { type AddressInfo, createServer, type Server } from "node:net"

const listening = (port: number): Promise<Server | undefined> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once("error", () => resolve(undefined))
    server.listen(port, "127.0.0.1", () => resolve(server))
  })

/** Returns distinct free ports of this machine, the preferred ones where possible. */
export const freePorts = async (wished: ReadonlyArray<number>): Promise<ReadonlyArray<number>> => {
  const held: Array<Server> = []
  for (const port of wished) {
    const server = (await listening(port)) ?? (await listening(0))
    if (server !== undefined) held.push(server)
  }
  const ports = held.map((server) => (server.address() as AddressInfo).port)
  await Promise.all(held.map((server) => new Promise((closed) => server.close(closed))))
  return ports
}
