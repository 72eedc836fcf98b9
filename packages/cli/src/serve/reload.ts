import { stripVTControlCharacters } from "node:util"
import type { AdjustableLog } from "@postern/adapter-http"
import type { Declared } from "@postern/stores"
import { loadConfig, type Loaded, setupFor } from "../config/load.ts"
import { changesOf } from "../config/reloadable.ts"
import { Failed } from "../failure.ts"
import type { Setup } from "../config/setup.ts"
import type { Agreed } from "./provider.ts"

/** Configuration reloads, run one at a time. */
export interface Reloads {
  /** Reloads the file. Any number of calls during a reload cause a single further one. */
  readonly reload: () => void
  /** Prevents further reloads. Resolves when none is in progress. */
  readonly end: () => Promise<void>
}

/** A server that can apply another configuration. */
export interface Reloadable {
  readonly log: AdjustableLog
  /** Applies a setup and its configuration, or rejects and changes nothing. `certificate` is true if the TLS certificate changed. */
  readonly takeUp: (setup: Setup, config: Loaded["config"]) => Promise<Agreed & { readonly certificate: boolean }>
}

/** The source of a server's configuration. */
export interface Origin {
  readonly file: string
  readonly data: string | undefined
}

/** Reloads the configuration of a server. Calls before `start` are deferred. A file with a fault changes nothing. */
export const reloads = (): Reloads & { readonly start: (origin: Origin, loaded: Loaded, running: Reloadable) => void } => {
  let run: (() => Promise<void>) | undefined
  let asked = false
  let ended = false
  let underWay: Promise<void> | undefined
  const all = async (): Promise<void> => {
    while (asked && !ended) {
      asked = false
      await run?.()
    }
    underWay = undefined
  }
  const reload = (): void => {
    asked = true
    if (run !== undefined) underWay ??= all()
  }
  return {
    reload,
    start: (origin, { config }, running) => {
      let served = config
      run = async () => {
        try {
          served = await take(origin, served, running)
        } catch (error) {
          refused(running.log, origin, error)
        }
      }
      if (asked) reload()
    },
    end: async () => {
      ended = true
      await underWay
    },
  }
}

/** Applies the current file and returns the configuration that is active from then on. */
const take = async ({ file, data }: Origin, served: Loaded["config"], { log, takeUp }: Reloadable) => {
  const loaded = await loadConfig(file, data)
  const { config, changed, waiting } = changesOf(served, loaded.config)
  const setup = waiting.length === 0 ? loaded.setup : await setupFor(file, config, waiting)
  const { clients, people, certificate } = await takeUp(setup, config)
  log.line("info", "configuration reloaded", { file, changed, ...countOf("clients", clients), ...countOf("people", people), certificate })
  if (waiting.length > 0) log.line("warn", "settings wait for a restart", { file, settings: waiting })
  return config
}

/**
 * Returns the numbers of added, changed, and removed items. They also show secrets that changed in another file, without a change of the
 * configuration.
 */
const countOf = (name: string, { added, changed, removed }: Declared) => ({
  [`${name}_added`]: added.length,
  [`${name}_changed`]: changed.length,
  [`${name}_removed`]: removed.length,
})

/** Logs the faults and their positions as `check-config` reports them. */
const refused = (log: AdjustableLog, { file }: Origin, error: unknown): void => {
  const lines =
    error instanceof Failed && error.details.length > 0 ? error.details : [error instanceof Error ? error.message : String(error)]
  const faults = lines.map((line) => stripVTControlCharacters(line.split("\n")[0] ?? ""))
  log.line("error", "configuration not reloaded", { file, faults })
}
