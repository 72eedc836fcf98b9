import { type AuthenticatorPort, type Awaitable, after, type ClientStorePort } from "@postern/core/ports"

/**
 * The client and user stores of a provider, whose calls wait until declared clients and users are stored. Calls about a client already
 * stored as declared don't wait.
 */
export interface Agreement {
  readonly clients: ClientStorePort
  readonly people: AuthenticatorPort
  readonly isReached: () => boolean
  /** Runs the synchronization. Calls made meanwhile are answered after it, or fail with it. */
  readonly reach: <A>(agree: () => Promise<A>) => Promise<A>
}

/**
 * Delays calls to the client and user stores until the declared clients and users are stored. Storing them takes a slow hash for each new
 * password and weak secret, and reads thousands of rows if the file declares thousands of clients. Discovery and the JWK set don't wait for
 * it. A call about a client waits unless `agrees` reports that the client is stored as declared, so that an outdated secret is never
 * checked. Gain: a first token 11 % sooner after a start with 5,000 clients (`node bench/main.ts --only startup`).
 */
export const agreementOf = (
  clients: ClientStorePort,
  people: AuthenticatorPort,
  agrees: (clientId: string) => Awaitable<boolean> = () => false,
): Agreement => {
  let isReached = false
  const { promise: reached, resolve, reject } = Promise.withResolvers<void>()
  // Avoids an unhandled rejection if no call is waiting.
  reached.catch(() => undefined)
  const whenReached = <Asked extends ReadonlyArray<unknown>, A>(ask: (...asked: Asked) => Awaitable<A>) => {
    return (...asked: Asked): Awaitable<A> => (isReached ? ask(...asked) : reached.then(() => ask(...asked)))
  }
  const whenAgreed = <Asked extends readonly [clientId: string, ...ReadonlyArray<unknown>], A>(ask: (...asked: Asked) => Awaitable<A>) => {
    const waiting = whenReached(ask)
    return (...asked: Asked): Awaitable<A> =>
      isReached ? ask(...asked) : after(agrees(asked[0]), (known) => (known ? ask(...asked) : waiting(...asked)))
  }
  return {
    clients: {
      find: whenAgreed(clients.find),
      verifySecret: whenAgreed(clients.verifySecret),
      secretOf: whenAgreed(clients.secretOf),
      ...unsigned(clients),
    },
    people: {
      verify: whenReached(people.verify),
      find: whenReached(people.find),
      admit: whenReached(people.admit),
      ...(people.identify === undefined ? {} : { identify: whenReached(people.identify) }),
    },
    isReached: () => isReached,
    reach: async (agree) => {
      try {
        const agreed = await agree()
        isReached = true
        resolve()
        return agreed
      } catch (error) {
        reject(error)
        throw error
      }
    },
  }
}

/** Returns the part of the store that discovery uses. It doesn't wait and sees the stored clients. */
const unsigned = ({ unsignedRequestObjects }: ClientStorePort): Pick<ClientStorePort, "unsignedRequestObjects"> =>
  unsignedRequestObjects === undefined ? {} : { unsignedRequestObjects }
