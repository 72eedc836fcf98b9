import type { Breaker, Reading } from "@postern/adapter-http"
import type { DeliveryLoad, HashKind, Stores } from "@postern/stores"

const kinds: ReadonlyArray<HashKind> = ["client_secret", "sign_in", "password_grant", "operator"]

/** Returns the number of requests waiting for a slow hash. */
export const hashesWaiting = ({ hashLoad }: Pick<Stores, "hashLoad">): number =>
  kinds.reduce((sum, kind) => sum + (kind === "operator" ? 0 : hashLoad(kind).waiting), 0)

const messages: ReadonlyArray<readonly [count: keyof DeliveryLoad, description: string, counts?: boolean]> = [
  ["due", "Messages of the outbox that were due at the last look, up to 100"],
  ["running", "Messages of the outbox that are being delivered"],
  ["delivered", "Messages of the outbox delivered since the start", true],
  ["failed", "Attempts to deliver a message of the outbox that failed, since the start", true],
  ["dead", "Messages of the outbox given up since the start", true],
]

/** The metrics of the outbox. */
export const outboxReadings = (deliveries: () => DeliveryLoad): ReadonlyArray<Reading> =>
  messages.map(([count, description, counts = false]) => ({
    name: `postern_outbox_${count}`,
    description,
    counts,
    read: () => deliveries()[count],
  }))

const sum = (breakers: ReadonlyArray<Pick<Breaker, "load">>, name: "open" | "refused"): number =>
  breakers.reduce((all, { load }) => all + load()[name], 0)

/** The metrics of a process's queues: running and waiting hashes, and hosts skipped by a circuit breaker. */
export const queueReadings = (
  { hashLoad }: Pick<Stores, "hashLoad">,
  breakers: ReadonlyArray<Pick<Breaker, "load">>,
): ReadonlyArray<Reading> => [
  ...kinds.flatMap((kind): ReadonlyArray<Reading> => {
    const attributes = { kind }
    return [
      { name: "postern_hash_running", description: "Secrets that are being hashed", attributes, read: () => hashLoad(kind).running },
      { name: "postern_hash_waiting", description: "Secrets that wait to be hashed", attributes, read: () => hashLoad(kind).waiting },
      {
        name: "postern_hash_refused",
        description: "Secrets that were not hashed since too many waited, since the start",
        attributes,
        counts: true,
        read: () => hashLoad(kind).refused,
      },
    ]
  }),
  {
    name: "postern_outbound_circuits_open",
    description: "Hosts that are left alone since they do not answer",
    read: () => sum(breakers, "open"),
  },
  {
    name: "postern_outbound_circuit_refused",
    description: "Calls not made to hosts that are left alone, since the start",
    counts: true,
    read: () => sum(breakers, "refused"),
  },
]
