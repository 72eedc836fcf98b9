import { type AdjustableLog, jsonLog, nodeOutbound, type Reading, readingsText } from "@postern/adapter-http"
import { tendKeys } from "@postern/core/jose"
import type { Stores } from "@postern/stores"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Duplex } from "node:stream"
import { attempt } from "../action.ts"
import type { Loaded } from "../config/load.ts"
import type { Setup } from "../config/setup.ts"
import { keyCareOf, keyFailure } from "../data/keyCare.ts"
import { openStores, storeFailure } from "../data/stores.ts"
import type { Failed, Misused } from "../failure.ts"
import { type Care, patiently, startCare } from "../serve/care.ts"
import { type Agreed, agreedHashes, auditing, declare, storesOptions } from "../serve/provider.ts"
import { keepHeapSmall } from "../serve/heap.ts"
import type { Reloadable } from "../serve/reload.ts"
import type { Listening } from "../serve/run.ts"
import { type Pool, type PoolOptions, startPool } from "./pool.ts"

/** A running server of several processes. */
export interface RunningServer extends Agreed, Reloadable, Listening {
  readonly setup: Setup
}

/** The parts of the main process: its stores, the background tasks, and the function that writes for workers. */
interface Main {
  readonly stores: Stores
  readonly care: Care
  readonly writeFor: ((stream: Duplex) => void) | undefined
}

/**
 * Runs a provider with several worker processes until the scope ends. The main process serves no requests. It accepts connections and
 * distributes them, performs the workers' writes if the database has a single writer, and runs the background tasks for stores and keys.
 */
export const runWorkers = (
  { setup, config }: Loaded,
  order: PoolOptions["order"],
  count: number,
): Effect.Effect<RunningServer, Failed | Misused, Scope.Scope> =>
  Effect.gen(function* () {
    const log = jsonLog({ level: setup.logLevel })
    yield* Effect.addFinalizer(() => Effect.promise(() => log.flush()))
    const { stores, care, writeFor } = yield* Effect.acquireRelease(
      attempt(() => bindMain(setup, log)),
      ({ care, stores }) => Effect.promise(async () => (await care.stop(), stores.close())),
    )
    const options: PoolOptions = {
      count,
      order,
      config,
      log,
      writeFor,
      ownMetrics: (workers) => metricsText([...care.readings, ...care.growing(), ...workers]),
      ownHashes: () => agreedHashes(stores),
    }
    const pool = yield* Effect.acquireRelease(
      Effect.sync(() => startPool(options)),
      ({ stop }) => Effect.promise(stop),
    )
    const at = yield* attempt(() => pool.listens)
    const { clients, people } = yield* attempt(() => agree(setup, stores, pool))
    keepHeapSmall()
    const takeUp: RunningServer["takeUp"] = async (next, config) => {
      const [certificate, agreed] = await pool.renew(config, () => patiently(() => declare(next, stores)))
      care.renew(next)
      log.setLevel(next.logLevel)
      return { ...agreed, certificate }
    }
    return { setup, log, ...at, clients, people, takeUp }
  })

const bindMain = async (setup: Setup, log: AdjustableLog): Promise<Main> => {
  const stores = await openStores(setup.database, { ...storesOptions(setup), serves: true, writing: "shared" })
  try {
    const keys = keyCareOf(stores, { setup })
    await tendKeys(keys)
    // Created by the main process, so that workers don't create different ones.
    const accountKey = await stores.accountKey()
    return {
      stores,
      // Workers write messages without notifying this process, so it polls every second.
      care: startCare(setup, stores, keys, log, {
        outbound: nodeOutbound({ loopback: setup.development }),
        audit: auditing(setup, stores, log),
        accountKey,
        idle: 1000,
      }),
      writeFor: "writeFor" in stores ? (stores.writeFor as Main["writeFor"]) : undefined,
    }
  } catch (error) {
    await stores.close()
    throw storeFailure(keyFailure(error))
  }
}

const agree = async (setup: Setup, stores: Stores, pool: Pool): Promise<Agreed> => {
  try {
    const agreed = await declare(setup, stores)
    stores.serving()
    await pool.agree()
    return agreed
  } catch (error) {
    throw storeFailure(error)
  }
}

/** Returns the metrics of the main process: its background tasks and its memory. */
const metricsText = (readings: ReadonlyArray<Reading>): string =>
  readingsText([
    ...readings,
    { name: "process_resident_memory_bytes", description: "Resident memory", read: () => process.memoryUsage.rss() },
    {
      name: "process_start_time_seconds",
      description: "Start of the process, in seconds since 1970",
      read: () => Math.round(performance.timeOrigin / 1000),
    },
  ])
