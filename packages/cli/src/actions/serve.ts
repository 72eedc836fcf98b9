import * as Effect from "effect/Effect"
import { attempt } from "../action.ts"
import { shownDatabase } from "../config/database.ts"
import { configOfFolder } from "../config/file.ts"
import { loadConfig } from "../config/load.ts"
import { noConfig, type Whereabouts } from "../data/place.ts"
import { reloads } from "../serve/reload.ts"
import { type RunningProvider, runProvider } from "../serve/run.ts"
import { untilStopped } from "../serve/untilStopped.ts"
import { complain, styledError as styled } from "../terminal/output.ts"
import { version } from "../version.ts"
import { workersOf } from "../workerCount.ts"

const counted = ({ added, changed, unchanged }: RunningProvider["clients"], one: string, many: string): string => {
  const count = added.length + changed.length + unchanged.length
  return `${count} ${count === 1 ? one : many}`
}

/** Writes a summary to standard error, because standard output carries the log. */
const report = (
  { setup, url, mutualTlsUrl, clients, people }: Pick<RunningProvider, "setup" | "url" | "mutualTlsUrl" | "clients" | "people">,
  workers: number,
): void => {
  const issuer = new URL(setup.issuer)
  const named = issuer.port || (issuer.protocol === "http:" ? "80" : "443")
  complain(styled("bold", `Postern ${version}`))
  complain(`  issuer     ${setup.issuer}`)
  complain(`  listening  ${url}`)
  if (mutualTlsUrl !== undefined) complain(`             ${mutualTlsUrl}, for client certificates`)
  if (workers > 1) complain(`  workers    ${workers}`)
  complain(`  data       ${shownDatabase(setup.database)}`)
  complain(`  declared   ${counted(clients, "client", "clients")}, ${counted(people, "person", "people")}`)
  if (setup.development)
    complain(`\n${styled("yellow", "Development mode:")} http is accepted on loopback. Do not use it for a provider that others can reach.`)
  if (issuer.protocol === "http:" && named !== new URL(url).port)
    complain(`\n${styled("yellow", "Note:")} the issuer names port ${named}, but the server listens on another port.`)
  complain("\nReady.")
}

/** The parameters of `postern serve`. */
export interface ServeInput extends Whereabouts {
  readonly port: number | undefined
  readonly workers: number | undefined
}

/** Runs the provider of a configuration until interrupted. */
export const serveConfig = Effect.fnUntraced(function* ({ config, data, port, workers }: ServeInput) {
  const file = config ?? configOfFolder()
  if (file === undefined) return yield* noConfig()
  const { reload, start, end } = reloads()
  const serve = Effect.gen(function* () {
    const loaded = yield* attempt(() => loadConfig(file, data))
    const { setup } = loaded
    const count = workersOf(workers ?? setup.workers)
    const running =
      count === 1
        ? yield* runProvider(port === undefined ? setup : { ...setup, listen: { ...setup.listen, port } }, (trails) => trails)
        : yield* (yield* Effect.promise(() => import("../workers/server.ts"))).runWorkers(loaded, { file, data, port }, count)
    yield* Effect.addFinalizer(() => Effect.promise(end))
    report(running, count)
    start({ file, data }, loaded, running)
  })
  yield* untilStopped(serve, reload)
})
