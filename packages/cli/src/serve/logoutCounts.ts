import type { Reading } from "@postern/adapter-http"
import { logoutMessage, toldLogout } from "@postern/core"
import type { DeliveryHandler } from "@postern/stores"

/** The outcomes of an attempt to deliver a logout token. */
const outcomes = {
  delivered: "Logout tokens that the client took, since the start",
  refused: "Logout tokens that the client refused, since the start",
  failed: "Attempts to deliver a logout token to the client that failed, since the start",
} as const

type Outcome = keyof typeof outcomes

/**
 * The maximum number of declared clients that are counted by name. All others are counted together, so that the number of time series is
 * bounded.
 */
const mostNamed = 100

/** The label for all other clients. It can't collide, because labels of clients have no parentheses. */
const others = "(other)"

/** Converts a client id to a label that every parser of the format accepts. */
const labelOf = (clientId: string): string => clientId.slice(0, 200).replace(/[^!#-'*-[\]-~]/g, "_")

/** Counts of logout tokens by client. */
export interface LogoutCounts {
  /** Wraps the handler of logout tokens so that its attempts are counted. */
  readonly counting: (handlers: Readonly<Record<string, DeliveryHandler>>) => Readonly<Record<string, DeliveryHandler>>
  /** Returns the metrics of the clients counted so far. */
  readonly readings: () => ReadonlyArray<Reading>
}

/**
 * Counts delivery attempts by client. Clients unknown to the client store are counted together, because third parties can choose their ids.
 */
export const logoutCounts = (isDeclared: (clientId: string) => Promise<boolean>, most = mostNamed): LogoutCounts => {
  const counted = new Map<string, Record<Outcome, number>>()
  const readings: Array<Reading> = []
  const countsOf = (clientId: string, isKnown: boolean): Record<Outcome, number> => {
    const label = labelOf(clientId)
    const named = counted.size - (counted.has(others) ? 1 : 0)
    const client = isKnown && (counted.has(label) || named < most) ? label : others
    const known = counted.get(client)
    if (known !== undefined) return known
    const counts = { delivered: 0, refused: 0, failed: 0 }
    counted.set(client, counts)
    for (const [outcome, description] of Object.entries(outcomes) as ReadonlyArray<[Outcome, string]>)
      readings.push({ name: `postern_logout_${outcome}`, description, attributes: { client }, counts: true, read: () => counts[outcome] })
    return counts
  }
  return {
    counting: (handlers) => {
      const deliver = handlers[logoutMessage]
      if (deliver === undefined) return handlers
      const counting: DeliveryHandler = async (message, signal) => {
        const { clientId } = toldLogout(message)
        const isKnown = await isDeclared(clientId)
        try {
          const undelivered = await deliver(message, signal)
          countsOf(clientId, isKnown)[undelivered === undefined ? "delivered" : undelivered._tag === "Refused" ? "refused" : "failed"]++
          return undelivered
        } catch (error) {
          countsOf(clientId, isKnown).failed++
          throw error
        }
      }
      return { ...handlers, [logoutMessage]: counting }
    },
    readings: () => readings,
  }
}
