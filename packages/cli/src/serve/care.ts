import { type JsonLog, nodeEntropy, nodeJwts, type Reading } from "@postern/adapter-http"
import { type AuditPort, type OutboundPort, type OutboxPort } from "@postern/core/ports"
import { deliveriesOf, logoutMessage, toldLogout } from "@postern/core"
import { messageOf, type Secret } from "@postern/core/model"
import { joseSigner, type KeyCare, tendKeys } from "@postern/core/jose"
import { startDelivering, startSweeping, type Stores, StoreUnavailable } from "@postern/stores"
import { providerOptions } from "../config/providerOptions.ts"
import type { Setup } from "../config/setup.ts"
import { logoutCounts } from "./logoutCounts.ts"
import { outboxReadings } from "./readings.ts"

/** The background tasks for a server's stores and keys, run by one of its processes. */
export interface Care {
  /** Delivers messages that were just written. Waits for their first attempts, up to two seconds. */
  readonly outbox: OutboxPort
  /** The metrics of the tasks. */
  readonly readings: ReadonlyArray<Reading>
  /** Returns the metrics that are added at run time, for each client that is sent logout tokens. */
  readonly growing: () => ReadonlyArray<Reading>
  /** Applies a new setup to later deliveries, after a reload. */
  readonly renew: (setup: Setup) => void
  /** Stops the tasks after those in progress have finished. */
  readonly stop: () => Promise<void>
}

const hour = 3_600_000

/**
 * The maximum time for which a response waits for the first delivery attempts of messages that its request wrote, in milliseconds. The user
 * is waiting to sign out.
 */
const longestWait = 2000

/** The delay of the first sweep, in milliseconds. It starts a thread, which would delay the first responses. */
const beforeSweeping = 1000

/** The server's ports for the background tasks. */
export interface CareOptions {
  /** Sends messages. */
  readonly outbound: OutboundPort
  /** Receives audit events of deliveries. */
  readonly audit: AuditPort
  /** The key of keyed hashes, the same as the provider's. */
  readonly accountKey: Secret
  /** The interval between two polls of the outbox, in milliseconds, if no process announces messages. */
  readonly idle?: number
}

/** Returns the signer of delivered messages. It loads keys on first use. */
const signerOf = ({ store, now, encryption, policy }: KeyCare) => joseSigner({ keys: store.list, now, encryption, policy })

/** Starts the background tasks: it sweeps expired rows, delivers messages, and adds and removes keys when due. */
export const startCare = (setup: Setup, stores: Stores, keys: KeyCare, log: JsonLog, { idle, ...delivery }: CareOptions): Care => {
  const stopSweeping = startSweeping(stores, {
    begin: beforeSweeping,
    failed: (error) => log.line("error", "expired rows not swept", { fault: messageOf(error) }),
  })
  const signer = signerOf(keys)
  const logouts = logoutCounts(async (clientId) => (await stores.clients.find(clientId)) !== undefined)
  const handlersOf = (now: Setup) =>
    logouts.counting(
      deliveriesOf(providerOptions(now), {
        issuer: now.issuer,
        clients: stores.clients,
        tokens: stores.tokens,
        signer,
        jwts: nodeJwts,
        entropy: nodeEntropy,
        now: keys.now,
        ...delivery,
      }),
    )
  let handlers = handlersOf(setup)
  const deliveries = startDelivering(stores, {
    handlers: () => handlers,
    destination: (message) => (message.kind === logoutMessage ? `client ${toldLogout(message).clientId}` : message.kind),
    ...(idle === undefined ? {} : { idle }),
    failed: (error) => log.line("error", "messages not delivered", { fault: messageOf(error) }),
    died: ({ kind, locator }, failure) => log.line("error", "message given up", { kind, locator, fault: failure }),
  })
  const tending = setInterval(() => void tend(keys, log), hour).unref()
  return {
    outbox: { written: (messages) => deliveries.attempted(messages, longestWait) },
    readings: outboxReadings(deliveries.load),
    growing: logouts.readings,
    renew: (next) => void (handlers = handlersOf(next)),
    stop: async () => {
      stopSweeping()
      await deliveries.stop()
      clearInterval(tending)
    },
  }
}

/**
 * Runs an idempotent operation, and retries it for some seconds while another process locks the database. A SIGHUP would not be repeated.
 */
export const patiently = async <A>(run: () => Promise<A>, tries = 10): Promise<A> => {
  try {
    return await run()
  } catch (error) {
    if (tries === 1 || !(error instanceof StoreUnavailable)) throw error
    await new Promise((next) => setTimeout(next, 500))
    return patiently(run, tries - 1)
  }
}

/** Maintains the keys. A failure is retried after an hour, long before a key is needed. */
const tend = async (care: KeyCare, log: JsonLog): Promise<void> => {
  try {
    await patiently(() =>
      tendKeys({
        ...care,
        added: (keys) => {
          if (keys.length > 0) log.line("info", "signing keys added", { kids: keys.map(({ kid }) => kid) })
        },
      }),
    )
  } catch (error) {
    log.line("error", "signing keys not tended", { fault: messageOf(error) })
  }
}
