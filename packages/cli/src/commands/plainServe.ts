import type { ServeInput } from "../actions/serve.ts"
import { mostWorkers } from "../workerCount.ts"

const names = new Map<string, keyof ServeInput>([
  ["--config", "config"],
  ["-c", "config"],
  ["--port", "port"],
  ["-p", "port"],
  ["--data", "data"],
  ["--workers", "workers"],
  ["-w", "workers"],
])

/**
 * Parses a simple invocation of `serve`: each flag at most once, with its value as the next argument. A starting server then needn't load
 * the command line parser. Returns undefined for any other invocation, which that parser handles.
 */
export const plainServe = ([command, ...words]: ReadonlyArray<string>): ServeInput | undefined => {
  if (command !== "serve" || words.length % 2 !== 0) return undefined
  const given = new Map<keyof ServeInput, string>()
  for (let at = 0; at < words.length; at += 2) {
    const name = names.get(words[at] ?? "")
    const value = words[at + 1] ?? ""
    if (name === undefined || given.has(name) || value === "" || value.startsWith("-")) return undefined
    given.set(name, value)
  }
  const port = given.get("port")
  if (port !== undefined && (!/^(?:0|[1-9]\d{0,4})$/.test(port) || Number(port) > 65_535)) return undefined
  const workers = given.get("workers")
  if (workers !== undefined && (!/^(?:0|[1-9]\d?)$/.test(workers) || Number(workers) > mostWorkers)) return undefined
  return {
    config: given.get("config"),
    data: given.get("data"),
    port: port === undefined ? undefined : Number(port),
    workers: workers === undefined ? undefined : Number(workers),
  }
}
