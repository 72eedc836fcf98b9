import { breaker, type JsonLog, logAudit, logTrails, nodeJws, type Reading, type TrailLog } from "@postern/adapter-http"
import { PagesFault } from "@postern/adapter-http/pages"
import { rowKindsOf } from "@postern/core"
import { joseSigner, type KeyCare, KeyUnreadable, tendKeys } from "@postern/core/jose"
import type { AuditPort, ReportPort, TrailPort } from "@postern/core/ports"
import { type Declared, type DeliveryHandler, startDelivering, startSweeping, type Stores, StoreUnavailable } from "@postern/stores"
import * as Redacted from "effect/Redacted"
import type { Setup } from "../config/setup.ts"
import { encryptionOf } from "../data/encryption.ts"
import { openStores, storeFailure } from "../data/stores.ts"
import { failed } from "../failure.ts"
import { agreementOf } from "./agreement.ts"
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
  /** Makes clients and people agree with the configuration; nobody is told of one before. Once, when it listens. */
  readonly agree: () => Promise<Agreed>
  /** Reports whether they agree. */
  readonly agrees: () => boolean
  /** Makes clients and people agree with another setup, and the provider and pages that it describes. Rejects with a failure, and then nothing is to be replaced. */
  readonly renew: (setup: Setup) => Promise<Renewable & Agreed>
  /** Ends the care and closes the stores. */
  readonly close: () => Promise<void>
}

/** Changes that the declared clients and people made to the database. */
export interface Agreed {
  readonly clients: Declared
  readonly people: Declared
}

/** The handler of each kind of message that something writes to the outbox. Nothing does yet. */
const deliveryHandlers: Readonly<Record<string, DeliveryHandler>> = {}

const hour = 3_600_000

const now = (): number => Math.floor(Date.now() / 1000)

const told = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Binds a provider: opens the stores, and makes the keys that are due. `around` may add to where trails go. */
export const bindProvider = async (setup: Setup, log: JsonLog, around: (trails: TrailPort) => TrailPort): Promise<BoundProvider> => {
  const encryption = encryptionOf(setup)
  const stores = await openStores(setup.database, {
    kinds: rowKindsOf(setup),
    lifetimes: setup.lifetimes,
    encryption,
    trails: { policy: setup.trail },
    audit: setup.audit,
    serves: true,
  })
  try {
    const algorithms = [...setup.algorithms, ...setup.encryptionAlgorithms]
    const care: KeyCare = { store: stores.keys, algorithms, policy: setup.keyPolicy, encryption, now }
    const signer = joseSigner({ keys: stores.keys.list, now, encryption, policy: setup.keyPolicy, jws: nodeJws })
    await tendKeys(care)
    await signer.refresh()
    const agreement = agreementOf(stores.clients, stores.people)
    const circuits = breaker({
      changed: (host, isOpen) =>
        log.line(isOpen ? "warn" : "info", isOpen ? "host left alone: it does not answer" : "host answers again", { host }),
    })
    const limits = limiting(setup.limits, stores, (error) => log.line("error", "counts of requests not exchanged", { fault: told(error) }))
    const trails = logTrails({ log, next: around(stores.trails) })
    const make = renewing({
      accountKey: await stores.accountKey(),
      stores,
      agreement,
      signer,
      trails,
      audit: auditing(setup, stores, log),
      report: reporting(log),
      limiter: limits?.limiter,
      log,
      breaker: circuits,
    })
    const { provider, pages } = await make(setup)
    const declare = async (of: Setup): Promise<Agreed> => {
      const [clients, people] = await Promise.all([
        stores.clients.upsertFromConfig(Redacted.value(of.clients)),
        stores.people.upsertFromConfig(Redacted.value(of.people)),
      ])
      return { clients, people }
    }
    const stopSweeping = startSweeping(stores, { failed: (error) => log.line("error", "expired rows not swept", { fault: told(error) }) })
    const deliveries = startDelivering(stores, {
      handlers: deliveryHandlers,
      failed: (error) => log.line("error", "messages not delivered", { fault: told(error) }),
      died: ({ kind, locator }, failure) => log.line("error", "message given up", { kind, message: locator, fault: failure }),
    })
    const tending = setInterval(() => void tend(care, log), hour).unref()
    const stopWatching = watchKeys(signer, log)
    let agreeing: Promise<unknown> | undefined
    const agree: BoundProvider["agree"] = async () => {
      const agreed = agreement.reach(async () => {
        const agreed = await declare(setup)
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
        return { ...made, ...(await patiently(() => declare(next))) }
      } catch (error) {
        throw error instanceof PagesFault ? failed(error.message) : storeFailure(error)
      }
    }
    const close = async (): Promise<void> => {
      stopSweeping()
      await deliveries.stop()
      clearInterval(tending)
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
      readings: queueReadings(stores, circuits, deliveries.load),
      agree,
      agrees: agreement.isReached,
      renew,
      close,
    }
  } catch (error) {
    await stores.close()
    if (error instanceof KeyUnreadable) throw failed(error.message, "give the key_encryption_key that the database was used with")
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

/** The destinations of audit events. */
const auditing = ({ audit }: Setup, stores: Stores, log: JsonLog): AuditPort => {
  const next = audit.store ? stores.audit : undefined
  return audit.log ? logAudit({ log, next }) : (next ?? { record: () => undefined })
}

/** Runs something that may be repeated, again for some seconds while another process keeps the database: nobody repeats a SIGHUP. */
const patiently = async <A>(run: () => Promise<A>, tries = 10): Promise<A> => {
  try {
    return await run()
  } catch (error) {
    if (tries === 1 || !(error instanceof StoreUnavailable)) throw error
    await new Promise((next) => setTimeout(next, 500))
    return patiently(run, tries - 1)
  }
}

/** Looks after the keys; what fails is tried again in an hour, long before any key is missed. */
const tend = async (care: KeyCare, log: JsonLog): Promise<void> => {
  try {
    const added = await tendKeys(care)
    if (added.length > 0) log.line("info", "signing keys added", { kids: added.map(({ kid }) => kid) })
  } catch (error) {
    log.line("error", "signing keys not tended", { fault: told(error) })
  }
}
