import { type JsonLog, logAudit, logTrails, nodeDigest, nodeEntropy, nodeJws, nodeOutbound, type TrailLog } from "@postern/adapter-http"
import { type LiquidPages, liquidPages } from "@postern/adapter-http/pages"
import { createProvider, type Provider } from "@postern/core"
import { joseSigner, type KeyCare, KeyUnreadable, tendKeys } from "@postern/core/jose"
import { secretOf } from "@postern/core/model"
import { type AuditPort, noIdentityProviders, type ReportPort, type TrailPort } from "@postern/core/ports"
import { type Declared, type Stores, startSweeping } from "@postern/stores"
import * as Redacted from "effect/Redacted"
import type { Setup } from "../config/setup.ts"
import { encryptionOf } from "../data/encryption.ts"
import { openStores, storeFailure } from "../data/stores.ts"
import { failed } from "../failure.ts"
import { agreementOf } from "./agreement.ts"
import { watchKeys } from "./keyWatch.ts"
import { limiting } from "./limiting.ts"

/** A provider bound to its stores, keys and pages, with the care for them going on. */
export interface BoundProvider {
  readonly provider: Provider
  readonly pages: LiquidPages
  readonly stores: Stores
  readonly trails: TrailLog
  /** Makes clients and people agree with the configuration; nobody is told of one before. Once, when it listens. */
  readonly agree: () => Promise<{ readonly clients: Declared; readonly people: Declared }>
  /** Whether they agree. */
  readonly agrees: () => boolean
  /** Ends the care and closes the stores. */
  readonly close: () => Promise<void>
}

const hour = 3_600_000

const now = (): number => Math.floor(Date.now() / 1000)

const told = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Binds a provider: opens the stores, and makes the keys that are due. `around` may add to where trails go. */
export const bindProvider = async (setup: Setup, log: JsonLog, around: (trails: TrailPort) => TrailPort): Promise<BoundProvider> => {
  const encryption = encryptionOf(setup)
  const stores = await openStores(setup.database, {
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
    const pages = liquidPages({
      ...setup.pages,
      onFault: (fault) => log.line("error", "page not shown from its template", { fault: fault.message }),
    })
    const others = Redacted.value(setup.upstreamProviders)
    // What speaks with other providers is loaded only where there are any.
    const identityProviders =
      others.length === 0 ? noIdentityProviders : (await import("@postern/adapter-http/upstream")).upstreamProviders(others)
    const limits = limiting(setup.limits, stores, (error) => log.line("error", "counts of requests not exchanged", { fault: told(error) }))
    const trails = logTrails({ log, next: around(stores.trails) })
    const provider = createProvider({
      issuer: setup.issuer,
      scopes: setup.catalogue.identityScopes,
      resources: setup.catalogue.resources,
      grants: setup.grants,
      ...(setup.pairwiseSalt === undefined ? {} : { pairwiseSalt: secretOf(Redacted.value(setup.pairwiseSalt)) }),
      sessionLifetime: setup.sessionLifetime,
      interactionLifetime: setup.interactionLifetime,
      upstream: setup.upstream,
      acr: setup.acr,
      tenants: Object.keys(setup.pages.tenants ?? {}),
      identityProviders,
      clients: agreement.clients,
      tokens: stores.tokens,
      authenticator: agreement.people,
      signer,
      pages,
      trails,
      audit: auditing(setup, stores, log),
      report: reporting(log),
      ...(limits === undefined ? {} : { limiter: limits.limiter }),
      outbound: nodeOutbound({ loopback: setup.development }),
      digest: nodeDigest,
      entropy: nodeEntropy,
      clock: Date.now,
    })
    const stopSweeping = startSweeping(stores, { failed: (error) => log.line("error", "not swept", { fault: told(error) }) })
    const tending = setInterval(() => void tend(care, log), hour).unref()
    const stopWatching = watchKeys(signer, log)
    let agreeing: Promise<unknown> | undefined
    const agree: BoundProvider["agree"] = async () => {
      const agreed = agreement.reach(async () => {
        const [clients, people] = await Promise.all([
          stores.clients.upsertFromConfig(Redacted.value(setup.clients)),
          stores.people.upsertFromConfig(Redacted.value(setup.people)),
        ])
        stores.serving()
        pages.warm()
        return { clients, people }
      })
      agreeing = agreed.catch(() => undefined)
      return agreed.catch((error: unknown) => Promise.reject(storeFailure(error)))
    }
    const close = async (): Promise<void> => {
      stopSweeping()
      clearInterval(tending)
      stopWatching()
      await agreeing
      await limits?.close()
      await stores.close()
    }
    return { provider, pages, stores, trails, agree, agrees: agreement.isReached, close }
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
    log.line("error", "failed", { request_id: requestId, endpoint, port, operation, fault: told(cause) })
  }

/** Where audit events go. */
const auditing = ({ audit }: Setup, stores: Stores, log: JsonLog): AuditPort => {
  const next = audit.store ? stores.audit : undefined
  return audit.log ? logAudit({ log, next }) : (next ?? { record: () => undefined })
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
