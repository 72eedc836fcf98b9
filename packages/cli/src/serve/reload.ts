import { stripVTControlCharacters } from "node:util"
import type { AdjustableLog } from "@postern/adapter-http"
import type { Declared } from "@postern/stores"
import { loadConfig, type Loaded, setupFor } from "../config/load.ts"
import { changesOf } from "../config/reloadable.ts"
import { Failed } from "../failure.ts"
import type { Setup } from "../config/setup.ts"
import type { Agreed } from "./provider.ts"

/** Reloads of a configuration, one at a time. */
export interface Reloads {
  /** Reads the file again. Asked for while one is under way, it is done once more after that, however often it was asked for. */
  readonly reload: () => void
  /** Reloads no more; resolves when none is under way. */
  readonly end: () => Promise<void>
}

/** A server that can take up another configuration. */
export interface Reloadable {
  readonly log: AdjustableLog
  /** Takes up a setup and the configuration it was made of, or rejects and stays as it is. `certificate` tells whether it has another one. */
  readonly takeUp: (setup: Setup, config: Loaded["config"]) => Promise<Agreed & { readonly certificate: boolean }>
}

/** The source of a server's configuration. */
export interface Origin {
  readonly file: string
  readonly data: string | undefined
}

/** Reloads the configuration of a server once `start` has given it; a file with a fault changes nothing. */
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

/** Takes up the file as it is now, and answers with the configuration that is served from then on. */
const take = async ({ file, data }: Origin, served: Loaded["config"], { log, takeUp }: Reloadable) => {
  const loaded = await loadConfig(file, data)
  const { config, changed, waiting } = changesOf(served, loaded.config)
  const setup = waiting.length === 0 ? loaded.setup : await setupFor(file, config, waiting)
  const { clients, people, certificate } = await takeUp(setup, config)
  log.line("info", "configuration reloaded", { file, changed, ...countOf("clients", clients), ...countOf("people", people), certificate })
  if (waiting.length > 0) log.line("warn", "settings wait for a restart", { file, settings: waiting })
  return config
}

/** So many were added, changed and removed: a secret that is read from another place changes without a word in the file. */
const countOf = (name: string, { added, changed, removed }: Declared) => ({
  [`${name}_added`]: added.length,
  [`${name}_changed`]: changed.length,
  [`${name}_removed`]: removed.length,
})

/** The places of the faults with what is wrong there, as `check-config` tells it. */
const refused = (log: AdjustableLog, { file }: Origin, error: unknown): void => {
  const lines =
    error instanceof Failed && error.details.length > 0 ? error.details : [error instanceof Error ? error.message : String(error)]
  const faults = lines.map((line) => stripVTControlCharacters(line.split("\n")[0] ?? ""))
  log.line("error", "configuration not reloaded", { file, faults })
}
