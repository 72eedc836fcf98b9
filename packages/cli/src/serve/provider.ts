import { breaker, type JsonLog, logAudit, logTrails, nodeJws, nodeOutbound, type Reading, type TrailLog } from "@postern/adapter-http"
import { PagesFault } from "@postern/adapter-http/pages"
import { createProvider, rowKindsOf } from "@postern/core"
import { joseSigner, KeyUnreadable, tendKeys } from "@postern/core/jose"
import type { ClientMetadata } from "@postern/core/model"
import type { AuditPort, Awaitable, ReportPort, TrailPort } from "@postern/core/ports"
import type { Declared, DeclaredHashes, Stores, StoresOptions } from "@postern/stores"
import * as Redacted from "effect/Redacted"
import type { Duplex } from "node:stream"
import type { Setup } from "../config/setup.ts"
import { encryptionOf } from "../data/encryption.ts"
import { openStores, storeFailure } from "../data/stores.ts"
import { failed } from "../failure.ts"
import { agreementOf } from "./agreement.ts"
import { type Care, keyCareOf, patiently, startCare, told } from "./care.ts"
import { watchKeys } from "./keyWatch.ts"
import { limiting } from "./limiting.ts"
import { queueReadings } from "./readings.ts"
import { type Renewable, renewing } from "./renewable.ts"

/** A provider bound to its stores, keys and pages, with the care for them going on. */
export interface BoundProvider extends Renewable {
  readonly stores: Stores
  readonly trails: TrailLog
  /** The metrics of its queues. */
  readonly readings: ReadonlyArray<Reading>
  /** Those that come while it serves. */
  readonly growing: () => ReadonlyArray<Reading>
  /** Makes clients and people agree with the configuration; nobody is told of one before. Once, when it listens. */
  readonly agree: () => Promise<Agreed>
  /** Reports whether they agree. */
  readonly agrees: () => boolean
  /** Makes the provider and pages of another setup, and a way to make clients and people agree with it. Either rejects with a failure, and then nothing is to be replaced. */
  readonly renew: (setup: Setup) => Promise<Renewable & { readonly declare: (agreed?: AgreedHashes) => Promise<Agreed> }>
  /** Delivers messages as another setup says, once its provider has taken the place of the one before. */
  readonly renewCare: (setup: Setup) => void
  /** Ends the care and closes the stores. */
  readonly close: () => Promise<void>
}

/** Changes that the declared clients and people made to the database. */
export interface Agreed {
  readonly clients: Declared
  readonly people: Declared
}

/** Slow hashes of the declared secrets as the main process has made clients and people agree with them: a worker takes those secrets for right. */
export interface AgreedHashes {
  readonly clients: DeclaredHashes
  readonly people: DeclaredHashes
}

/** The hashes of stores that nothing was declared to. */
export const noHashes: AgreedHashes = { clients: [], people: [] }

/** The hashes of what was declared to stores. */
export const agreedHashes = ({ clients, people }: Pick<Stores, "clients" | "people">): AgreedHashes => ({
  clients: clients.declaredHashes(),
  people: people.declaredHashes(),
})

/** The part of a server that a worker process takes: it answers, and leaves the care for stores and keys to the main process. */
export interface WorkerPart {
  /** Number of workers of the server. */
  readonly workers: number
  /** The way to the process that writes, where only one may. */
  readonly writing: Duplex | undefined
  /** Resolves when the main process has made clients and people agree with the configuration. */
  readonly agreed: Promise<AgreedHashes>
  /** True for the worker that logs what all of them notice. */
  readonly speaks: boolean
}

const now = (): number => Math.floor(Date.now() / 1000)

const unsaid: Pick<JsonLog, "line"> = { line: () => undefined }

/** The stores' options that a setup comes to. */
export const storesOptions = (setup: Setup): StoresOptions => ({
  kinds: rowKindsOf(setup),
  lifetimes: setup.lifetimes,
  encryption: encryptionOf(setup),
  trails: { policy: setup.trail },
  audit: setup.audit,
})

/** Makes declared clients and people agree with the database. */
export const declare = async (setup: Setup, stores: Stores): Promise<Agreed> => {
  const [clients, people] = await Promise.all([
    stores.clients.upsertFromConfig(Redacted.value(setup.clients)),
    stores.people.upsertFromConfig(Redacted.value(setup.people)),
  ])
  return { clients, people }
}

/** Reports of a client whether it agrees already with the configuration. */
const agreesOf = (setup: Setup, { clients }: Stores): ((clientId: string) => Awaitable<boolean>) => {
  let byId: ReadonlyMap<string, ClientMetadata> | undefined
  return (clientId) => {
    byId ??= new Map(Redacted.value(setup.clients).map((metadata) => [metadata.client_id, metadata]))
    return clients.agrees(clientId, byId.get(clientId))
  }
}

const nobody: Declared = { added: [], changed: [], removed: [], unchanged: [] }

/**
 * Takes declared secrets into the memory of a worker. It writes nothing: a worker that starts again must not undo what an operator has changed
 * since the server started.
 */
const recall = async (setup: Setup, { clients, people }: Stores, hashes: AgreedHashes): Promise<Agreed> => {
  clients.recallFromConfig(Redacted.value(setup.clients), hashes.clients)
  await people.recallFromConfig(Redacted.value(setup.people), hashes.people)
  return { clients: nobody, people: nobody }
}

/**
 * Binds a provider: opens the stores, and makes the keys that are due. `around` may add to where trails go. A worker binds its part alone.
 * `create` may record what the provider is asked.
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
    const keyCare = keyCareOf(setup, stores)
    const signer = joseSigner({ keys: stores.keys.list, now, encryption, policy: setup.keyPolicy, jws: nodeJws })
    if (worker === undefined) await tendKeys(keyCare)
    await signer.refresh()
    const agreement = agreementOf(stores.clients, stores.people, worker === undefined ? agreesOf(setup, stores) : undefined)
    const circuits = breaker({
      changed: (host, isOpen) =>
        log.line(isOpen ? "warn" : "info", isOpen ? "host skipped: it does not answer" : "host answers again", { host }),
    })
    // Said of no host: it would be a stranger who has it said.
    const strangers = breaker()
    const notExchanged = (error: unknown): void => log.line("error", "counts of requests not exchanged", { fault: told(error) })
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
        // A salt that stands in a file of its own may be another one by now, without a word in the configuration.
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
    if (error instanceof KeyUnreadable) throw failed(error.message, "give the key_encryption_key that encrypts the keys in the database")
    throw storeFailure(error)
  }
}

/** Logs the failures that no trail tells of: the line of a request has its own. */
const reporting =
  (log: JsonLog): ReportPort =>
  ({ port, operation, cause, requestId, endpoint }) => {
    if (requestId !== undefined && port !== "Trail" && port !== "Audit") return
    log.line("error", "port failed", { request_id: requestId, endpoint, port, operation, fault: told(cause) })
  }

const rejected = (error: unknown): never => {
  throw error instanceof PagesFault ? failed(error.message) : storeFailure(error)
}

/** The destinations of audit events. */
export const auditing = ({ audit }: Setup, stores: Stores, log: JsonLog): AuditPort => {
  const next = audit.store ? stores.audit : undefined
  return audit.log ? logAudit({ log, next }) : (next ?? { record: () => undefined })
}
