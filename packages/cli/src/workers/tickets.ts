import { newTicketSecret, type TicketSecret, ticketSecretAt } from "@postern/adapter-http"

/** The secret of TLS session tickets of a server's workers. */
export interface Tickets {
  /** Tells the secret of the period that has begun. */
  readonly current: () => TicketSecret
  /** Tells what is kept. */
  readonly kept: () => TicketSecret
  readonly stop: () => void
}

/** Milliseconds to the next look at the clock, as those who serve look. */
const pause = 60_000

/** Keeps the secret of tickets. None of an earlier period is kept, whether it is asked for or not: what it encrypted could be read with it (RFC 5077 §5.5). */
export const keepTickets = (): Tickets => {
  let secret = newTicketSecret(Date.now())
  const current = (): TicketSecret => (secret = ticketSecretAt(secret, Date.now()))
  const turning = setInterval(current, pause).unref()
  return { current, kept: () => secret, stop: () => clearInterval(turning) }
}
