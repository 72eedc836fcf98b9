import { type JsonLog, nodeEntropy, nodeJwts, type Reading } from "@postern/adapter-http"
import type { AuditPort, OutboundPort, OutboxPort } from "@postern/core/ports"
import { deliveriesOf, logoutMessage, toldLogout } from "@postern/core"
import type { Secret } from "@postern/core/model"
import { joseSigner, type KeyCare, tendKeys } from "@postern/core/jose"
import { startDelivering, startSweeping, type Stores, StoreUnavailable } from "@postern/stores"
import { providerOptions } from "../config/providerOptions.ts"
import type { Setup } from "../config/setup.ts"
import { encryptionOf } from "../data/encryption.ts"
import { logoutCounts } from "./logoutCounts.ts"
import { outboxReadings } from "./readings.ts"

/** The care for a server's stores and keys, which one of its processes takes. */
export interface Care {
  /** Delivers messages that were just written; waits for their first attempts, two seconds at most. */
  readonly outbox: OutboxPort
  /** The metrics of what it does. */
  readonly readings: ReadonlyArray<Reading>
  /** Those that come as it does more: of each client that is sent logout tokens. */
  readonly growing: () => ReadonlyArray<Reading>
  /** Delivers messages from now on as another setup says, which the server has taken up. */
  readonly renew: (setup: Setup) => void
  /** Ends it once what has begun is done. */
  readonly stop: () => Promise<void>
}

const hour = 3_600_000

/** Milliseconds that the answer to a request waits for the first attempts to deliver what it has written: a person is on their way out. */
const longestWait = 2000

/** Milliseconds before the first sweep, which needs a thread: to start that would keep the first answers waiting. */
const beforeSweeping = 1000

/** The ports of the care that are the server's. */
export interface CareOptions {
  /** Sends messages. */
  readonly outbound: OutboundPort
  /** Receives audit events of what was sent. */
  readonly audit: AuditPort
  /** The key of what was sealed for messages. */
  readonly accountKey: Secret
  /** Milliseconds between looks at the outbox where nothing tells of a message. */
  readonly idle?: number
}

/** The text of an error. */
export const told = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** The care for the signing keys of a setup. */
export const keyCareOf = (setup: Setup, { keys }: Pick<Stores, "keys">): KeyCare => ({
  store: keys,
  algorithms: [...setup.algorithms, ...setup.encryptionAlgorithms],
  policy: setup.keyPolicy,
  encryption: encryptionOf(setup),
  now: () => Math.floor(Date.now() / 1000),
})

/** The signer of what is delivered. It reads keys when it first signs. */
const signerOf = ({ store, now, encryption, policy }: KeyCare) => joseSigner({ keys: store.list, now, encryption, policy })

/** Sweeps what has expired, delivers messages, and makes and drops keys when they are due, until it is stopped. */
export const startCare = (setup: Setup, stores: Stores, keys: KeyCare, log: JsonLog, { idle, ...delivery }: CareOptions): Care => {
  const stopSweeping = startSweeping(stores, {
    begin: beforeSweeping,
    failed: (error) => log.line("error", "expired rows not swept", { fault: told(error) }),
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
    failed: (error) => log.line("error", "messages not delivered", { fault: told(error) }),
    died: ({ kind, locator }, failure) => log.line("error", "message given up", { kind, message: locator, fault: failure }),
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

/** Runs something that may be repeated, again for some seconds while another process keeps the database: nobody repeats a SIGHUP. */
export const patiently = async <A>(run: () => Promise<A>, tries = 10): Promise<A> => {
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
    const added = await patiently(() => tendKeys(care))
    if (added.length > 0) log.line("info", "signing keys added", { kids: added.map(({ kid }) => kid) })
  } catch (error) {
    log.line("error", "signing keys not tended", { fault: told(error) })
  }
}
