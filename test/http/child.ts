// A server of its own process, for what only a process shows: exit codes, signals, file limits, its standard output.
import { jsonLog, logTrails, runUntilStopped, serveProvider } from "@postern/adapter-http"
import * as Effect from "effect/Effect"
import { fakeProvider, pages } from "./server.ts"

const log = jsonLog()
const trails = logTrails({ log })
const provider = fakeProvider(async (message) => {
  const wait = Number(/^\/wait\/(\d+)$/.exec(message.path)?.[1] ?? 0)
  if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
  return { status: 200, headers: [["x-request-id", "r1"]], body: "done" }
})

runUntilStopped(
  Effect.tap(
    serveProvider({
      provider,
      pages,
      listen: { port: Number(process.env["PORT"] ?? 0) },
      log,
      trails,
      stopTimes: { quiet: 200, drain: 1_500 },
    }),
    ({ port }) => Effect.sync(() => process.stdout.write(`${JSON.stringify({ port })}\n`)),
  ),
)
