import { once } from "node:events"
import { Worker } from "node:worker_threads"
import { figure } from "../figures.ts"

const times = 3000

/** A message to another thread and its answer: what handing work to a thread costs, CPU of both. */
export const threadRoundTrip = async (): Promise<{ readonly cpu: number; readonly wall: number }> => {
  const worker = new Worker(
    'const { parentPort } = require("node:worker_threads"); parentPort.on("message", (said) => parentPort.postMessage(said))',
    {
      eval: true,
    },
  )
  await once(worker, "online")
  const walls: Array<number> = []
  const before = process.cpuUsage()
  for (let at = 0; at < times; at++) {
    const from = performance.now()
    worker.postMessage(at)
    await once(worker, "message")
    walls.push((performance.now() - from) * 1000)
  }
  const { user, system } = process.cpuUsage(before)
  await worker.terminate()
  return { cpu: (user + system) / times, wall: figure(walls).median }
}
