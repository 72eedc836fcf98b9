import { breaker, type JsonLog, logAudit, logTrails, nodeJws, nodeOutbound, type Reading, type TrailLog } from "@postern/adapter-http"
import { PagesFault } from "@postern/adapter-http/pages"
import { createProvider, rowKindsOf } from "@postern/core"
import { joseSigner, tendKeys } from "@postern/core/jose"
import { messageOf, type ClientMetadata } from "@postern/core/model"
import { type AuditPort, type Awaitable, type ReportPort, type TrailPort } from "@postern/core/ports"
import type { Declared, DeclaredHashes, Stores, StoresOptions } from "@postern/stores"
import { systemClock } from "@postern/stores/sql"
import * as Redacted from "effect/Redacted"
import type { Duplex } from "node:stream"
import type { Setup } from "../config/setup.ts"
import { encryptionOf } from "../data/encryption.ts"
import { keptAudit, openStores, storeFailure } from "../data/stores.ts"
import { failed } from "../failure.ts"
import { agreementOf } from "./agreement.ts"
import { keyCareOf, keyFailure } from "../data/keyCare.ts"
import { type Care, patiently, startCare } from "./care.ts"
import { watchKeys } from "./keyWatch.ts"
import { limiting } from "./limiting.ts"
import { queueReadings } from "./readings.ts"
import { type Renewable, renewing } from "./renewable.ts"

/** A provider bound to its stores, keys, and pages, with its background tasks running. */
export interface BoundProvider extends Renewable {
  readonly stores: Stores
  readonly trails: TrailLog
  /** The metrics of the queues. */
  readonly readings: ReadonlyArray<Reading>
  /** Returns the metrics that are added at run time. */
  readonly growing: () => ReadonlyArray<Reading>
  /** Stores the declared clients and users. Calls about any that are not yet stored wait for it. Called once, when the server listens. */
  readonly agree: () => Promise<Agreed>
  /** Reports whether the declared clients and users are stored. */
  readonly agrees: () => boolean
  /**
   * Creates the provider and pages of a new setup, and a function that stores its declared clients and users. If either rejects, nothing
   * may be replaced.
   */
  readonly renew: (setup: Setup) => Promise<Renewable & { readonly declare: (agreed?: AgreedHashes) => Promise<Agreed> }>
  /** Applies a new setup to the background tasks, after its provider is in place. */
  readonly renewCare: (setup: Setup) => void
  /** Stops the background tasks and closes the stores. */
  readonly close: () => Promise<void>
}

/** The changes to the database made by storing declared clients and users. */
export interface Agreed {
  readonly clients: Declared
  readonly people: Declared
}

/** The slow hashes of the declared secrets that the main process has stored. A worker trusts them without hashing again. */
export interface AgreedHashes {
  readonly clients: DeclaredHashes
  readonly people: DeclaredHashes
}

/** The hashes of stores without declared clients and users. */
export const noHashes: AgreedHashes = { clients: [], people: [] }

/** Returns the hashes of declared secrets from the stores. */
export const agreedHashes = ({ clients, people }: Pick<Stores, "clients" | "people">): AgreedHashes => ({
  clients: clients.declaredHashes(),
  people: people.declaredHashes(),
})

/** The role of a worker process. It serves requests and leaves background tasks to the main process. */
export interface WorkerPart {
  /** The number of workers of the server. */
  readonly workers: number
  /** The channel to the process that writes, if only one may write. */
  readonly writing: Duplex | undefined
  /** Resolves when the main process has stored the declared clients and users. */
  readonly agreed: Promise<AgreedHashes>
  /** True for the one worker that logs events which all workers observe. */
  readonly speaks: boolean
}

const unsaid: Pick<JsonLog, "line"> = { line: () => undefined }

/** Returns the stores' options of a setup. */
export const storesOptions = (setup: Setup): StoresOptions => ({
  kinds: rowKindsOf(setup),
  lifetimes: setup.lifetimes,
  encryption: encryptionOf(setup),
  trails: { policy: setup.trail },
  audit: keptAudit(setup),
})

/** Stores the declared clients and users. */
export const declare = async (setup: Setup, stores: Stores): Promise<Agreed> => {
  const [clients, people] = await Promise.all([
    stores.clients.upsertFromConfig(Redacted.value(setup.clients)),
    stores.people.upsertFromConfig(Redacted.value(setup.people)),
  ])
  return { clients, people }
}

/** Returns a function that reports whether a client is already stored as declared. */
const agreesOf = (setup: Setup, { clients }: Stores): ((clientId: string) => Awaitable<boolean>) => {
  let byId: ReadonlyMap<string, ClientMetadata> | undefined
  return (clientId) => {
    byId ??= new Map(Redacted.value(setup.clients).map((metadata) => [metadata.client_id, metadata]))
    return clients.agrees(clientId, byId.get(clientId))
  }
}

const nobody: Declared = { added: [], changed: [], removed: [], unchanged: [] }

/**
 * Loads declared secrets into the memory of a worker. It writes nothing, because a restarted worker must not undo changes made by an
 * operator since the server started.
 */
const recall = async (setup: Setup, { clients, people }: Stores, hashes: AgreedHashes): Promise<Agreed> => {
  clients.recallFromConfig(Redacted.value(setup.clients), hashes.clients)
  await people.recallFromConfig(Redacted.value(setup.people), hashes.people)
  return { clients: nobody, people: nobody }
}

/**
 * Binds a provider: opens the stores and creates the keys that are due. `around` may wrap the trail port. A worker binds only its part.
 * `create` may wrap the provider to record requests.
 */
export const bindProvider = async (
  setup: Setup,
  log: JsonLog,
  around: (trails: TrailPort) => TrailPort,
  worker?: WorkerPart,
  create: typeof createProvider = createProvider,
): Promise<BoundProvider> => {
  const encryption = encryptionOf(setup)
  const { workers, writing } = worker ?? {}
  const stores = await openStores(setup.database, { ...storesOptions(setup), serves: true, workers, writing })
  try {
    const keyCare = keyCareOf(stores, { setup })
    const signer = joseSigner({ keys: stores.keys.list, now: systemClock, encryption, policy: setup.keyPolicy, jws: nodeJws })
    if (worker === undefined) await tendKeys(keyCare)
    await signer.refresh()
    const agreement = agreementOf(stores.clients, stores.people, worker === undefined ? agreesOf(setup, stores) : undefined)
    const circuits = breaker({
      changed: (host, isOpen) =>
        log.line(isOpen ? "warn" : "info", isOpen ? "host skipped: it does not answer" : "host answers again", { host }),
    })
    // Its changes are not logged, because third parties choose these hosts and could fill the log.
    const strangers = breaker()
    const notExchanged = (error: unknown): void => log.line("error", "counts of requests not exchanged", { fault: messageOf(error) })
    const limits = limiting(setup.limits, stores, notExchanged, workers)
    const trails = logTrails({ log, next: around(stores.trails) })
    const audit = auditing(setup, stores, log)
    let care: Care | undefined
    const accountKey = await stores.accountKey()
    const make = renewing({
      accountKey,
      stores,
      agreement,
      signer,
      trails,
      audit,
      outbox: worker === undefined ? { written: async (messages) => care?.outbox.written(messages) } : undefined,
      report: reporting(log),
      limiter: limits?.limiter,
      log,
      breaker: circuits,
      strangers,
      create,
      processes: workers,
    })
    const { provider, pages } = await make(setup)
    if (worker === undefined)
      care = startCare(setup, stores, keyCare, log, {
        outbound: nodeOutbound({ loopback: setup.development, breaker: circuits, strangers }),
        audit,
        accountKey,
      })
    const stopWatching = watchKeys(signer, worker?.speaks === false ? unsaid : log)
    let agreeing: Promise<unknown> | undefined
    const agree: BoundProvider["agree"] = async () => {
      const agreed = agreement.reach(async () => {
        const agreed = worker === undefined ? await declare(setup, stores) : await recall(setup, stores, await worker.agreed)
        stores.serving()
        pages.warm()
        return agreed
      })
      agreeing = agreed.catch(() => undefined)
      return agreed.catch((error: unknown) => Promise.reject(storeFailure(error)))
    }
    const renew: BoundProvider["renew"] = async (next) => {
      try {
        // The salt stays the same until a restart. Its own file may have changed without a change of the configuration.
        const made = await make({ ...next, pairwiseSalt: setup.pairwiseSalt })
        const agree = (hashes: AgreedHashes) => (worker === undefined ? declare(next, stores) : recall(next, stores, hashes))
        return { ...made, declare: (hashes = noHashes) => patiently(() => agree(hashes)).catch(rejected) }
      } catch (error) {
        return rejected(error)
      }
    }
    const close = async (): Promise<void> => {
      await care?.stop()
      stopWatching()
      await agreeing
      await limits?.close()
      await stores.close()
    }
    return {
      provider,
      pages,
      stores,
      trails,
      readings: [...queueReadings(stores, [circuits, strangers]), ...(care?.readings ?? [])],
      growing: care?.growing ?? (() => []),
      agree,
      agrees: agreement.isReached,
      renew,
      renewCare: (next) => care?.renew(next),
      close,
    }
  } catch (error) {
    await stores.close()
    throw storeFailure(keyFailure(error))
  }
}

/** Logs failures that have no trail. Those of a request are in its log line. */
const reporting =
  (log: JsonLog): ReportPort =>
  ({ port, operation, cause, requestId, endpoint }) => {
    if (requestId !== undefined && port !== "Trail" && port !== "Audit") return
    log.line("error", "port failed", { request_id: requestId, endpoint, port, operation, fault: messageOf(cause) })
  }

const rejected = (error: unknown): never => {
  throw error instanceof PagesFault ? failed(error.message) : storeFailure(error)
}

/** Returns the destinations of audit events. */
export const auditing = ({ audit }: Setup, stores: Stores, log: JsonLog): AuditPort => {
  const next = audit.store ? stores.audit : undefined
  return audit.log ? logAudit({ log, next }) : (next ?? { record: () => undefined })
}
