import { spawn } from "node:child_process"
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { fileURLToPath } from "node:url"
import { cpuOf } from "../load/accounts.ts"
import { figure } from "../figures.ts"
import type { MachineResult } from "../results.ts"
import { onCore } from "../servers/launch.ts"

const [roundTrips, connections] = [10_000, 2_000]

/** Measures the price of 200 bytes there and back for a bare node server on the loopback device: over a kept connection, and over a new one each time. */
export const measureSockets = async (atEnd: (end: () => unknown) => void): Promise<MachineResult["costs"]> => {
  const [command, args] = onCore(0, [fileURLToPath(new URL("echo.mjs", import.meta.url))])
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] })
  atEnd(() => child.kill())
  const [said] = (await once(child.stdout, "data")) as [Buffer]
  const [port, pid] = [Number(said.toString()), child.pid ?? 0]
  const kept = await dialed(port)
  const overKept = await timed(pid, roundTrips, () => echoed(kept))
  kept.destroy()
  const overNew = await timed(pid, connections, async () => {
    const socket = await dialed(port)
    await echoed(socket)
    socket.destroy()
  })
  return [
    { id: "socket", title: "200 bytes there and back over a kept connection", ...overKept },
    { id: "connection", title: "the same over a new connection", ...overNew },
  ]
}

const message = Buffer.alloc(200, "a")

const dialed = async (port: number): Promise<Socket> => {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true })
  await once(socket, "connect")
  return socket
}

const echoed = async (socket: Socket): Promise<void> => {
  socket.write(message)
  await once(socket, "data")
}

/** CPU of the server's side for each, and the median time. */
const timed = async (pid: number, times: number, run: () => Promise<void>): Promise<{ readonly cpu: number; readonly wall: number }> => {
  for (let at = 0; at < times / 4; at++) await run()
  const walls: Array<number> = []
  const before = cpuOf(pid)
  for (let at = 0; at < times; at++) {
    const from = performance.now()
    await run()
    walls.push((performance.now() - from) * 1000)
  }
  return { cpu: (cpuOf(pid) - before) / times, wall: figure(walls).median }
}
