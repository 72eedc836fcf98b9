import { newTicketSecret, type TicketSecret, ticketSecretAt } from "@postern/adapter-http"

/** The shared secret of TLS session tickets. */
export interface Tickets {
  /** Returns the secret of the current period. */
  readonly current: () => TicketSecret
  /** Returns the stored secret without checking the clock. */
  readonly kept: () => TicketSecret
  readonly stop: () => void
}

/** The interval between two checks of the clock, in milliseconds, the same as that of the servers. */
const pause = 60_000

/**
 * Holds the ticket secret and replaces it in each period. Secrets of earlier periods are erased even if none is requested, because they
 * could decrypt recorded sessions (RFC 5077 §5.5).
 */
export const keepTickets = (): Tickets => {
  let secret = newTicketSecret(Date.now())
  const current = (): TicketSecret => (secret = ticketSecretAt(secret, Date.now()))
  const turning = setInterval(current, pause).unref()
  return { current, kept: () => secret, stop: () => clearInterval(turning) }
}
