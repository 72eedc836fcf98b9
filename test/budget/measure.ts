import { once } from "node:events"
import { Agent, type IncomingMessage, createServer, request } from "node:http"
import type { AddressInfo } from "node:net"

/** CPU time below this, in microseconds, is not to be told from none: the system counts it in steps. */
const resolution = 20_000

/** CPU time that some work takes on this thread, in microseconds. What other threads and processes do does not count. */
const cpuTime = async (work: () => unknown): Promise<number> => {
  for (let repetitions = 4; ; repetitions *= 4) {
    const before = process.threadCpuUsage()
    for (let time = 0; time < repetitions; time++) {
      const working = work()
      if (working instanceof Promise) await working
    }
    const { user, system } = process.threadCpuUsage(before)
    if (user + system >= resolution) return (user + system) / repetitions
  }
}

/** The least time that some work takes, in microseconds. Its CPU time is never more, so this can acquit it, and never convict. */
const leastTime = async (work: () => unknown, enough: number): Promise<number> => {
  let least = Number.POSITIVE_INFINITY
  for (let time = 0; time < 8 && least > enough; time++) {
    const before = performance.now()
    const working = work()
    if (working instanceof Promise) await working
    least = Math.min(least, (performance.now() - before) * 1000)
  }
  return least
}

/**
 * Measures the cost of a request to a server beside answering it, in microseconds of CPU: a body of so many characters read from a connection, and an answer
 * written to one. Measured over loopback, where the same thread does as much for the client.
 */
export const exchangeCost = async (length: number): Promise<number> => {
  const server = createServer((incoming, outgoing) => {
    incoming.resume()
    incoming.on("end", () => outgoing.end("{}"))
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  const agent = new Agent({ keepAlive: true })
  const body = "a".repeat(length)
  const ask = async (): Promise<void> => {
    const asking = request({ port, host: "127.0.0.1", method: "POST", agent })
    asking.end(body)
    const [answer] = (await once(asking, "response")) as [IncomingMessage]
    answer.resume()
    await once(answer, "end")
  }
  const both = Math.min(await cpuTime(ask), await cpuTime(ask))
  agent.destroy()
  server.close()
  return both / 2
}

/** Plain work, and what it costs. */
export interface Plain {
  readonly work: () => unknown
  /** In microseconds, with what any request costs. */
  readonly cost: number
  readonly besides: number
}

/** Measures plain work. `besides` is what any request costs beside it, in microseconds. */
export const measured = async (work: () => unknown, besides: number): Promise<Plain> => ({
  work,
  cost: (await cpuTime(work)) + besides,
  besides,
})

/**
 * Compares other work with plain work: what both cost, where the other is over the bound, else undefined. Nothing is found over the bound but by CPU
 * time on this thread, the least of several tries.
 */
export const overBound = async ({ work, cost, besides }: Plain, other: () => unknown, bound: number): Promise<string | undefined> => {
  let plain = cost
  let dear = (await leastTime(other, bound * cost - besides)) + besides
  for (let time = 0; time < 5 && dear > bound * plain; time++) {
    dear = Math.min(dear, (await cpuTime(other)) + besides)
    // The machine may do everything more slowly now than when the plain work was measured.
    if (dear > bound * plain) plain = Math.max(plain, (await cpuTime(work)) + besides)
  }
  return dear > bound * plain ? `${dear.toFixed(0)} µs, plain ${plain.toFixed(0)} µs` : undefined
}
