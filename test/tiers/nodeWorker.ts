import { init, runBaseTests, setupEnvironment } from "vitest/worker"

// A process for test files, started by `nodePool.ts`. It differs from Vitest's own in one thing: of the modules that Node loads, the main process is told once of
// each that belongs to the tests, so that it can show the line that failed. Telling it of each import of each module costs more than the import.

// Tests may put others in their place.
const send = process.send?.bind(process)
if (send === undefined) throw new Error("Vitest starts this file.")
const exit = process.exit.bind(process)
const end = (): void => exit(1)
process.on("disconnect", end)

const tests = new URL("..", import.meta.url).href
const told = new Set<string>()

init({
  post: (message) => send(message),
  on: (listener) => process.on("message", listener),
  off: (listener) => process.off("message", listener),
  teardown: () => {
    process.removeAllListeners("message")
    process.off("disconnect", end)
    process.exit = exit
  },
  runTests: (state, traces) => runBaseTests("run", state, traces),
  collectTests: (state, traces) => runBaseTests("collect", state, traces),
  setup: (context) => {
    const { rpc } = context
    const ensureModuleGraphEntry = async (id: string, importer: string): Promise<void> => {
      if (!id.startsWith(tests) || told.has(id)) return
      told.add(id)
      await rpc.ensureModuleGraphEntry(id, importer)
    }
    // A proxy itself: it has no members to copy.
    const quieter = new Proxy(rpc, {
      get: (of, name) => (name === "ensureModuleGraphEntry" ? ensureModuleGraphEntry : Reflect.get(of, name)),
    })
    return setupEnvironment({ ...context, rpc: quieter })
  },
})
