import type { AuthenticatorPort, Awaitable, ClientStorePort } from "@postern/core/ports"

/** Clients and people of whom a provider hears nothing until they agree with the configuration. */
export interface Agreement {
  readonly clients: ClientStorePort
  readonly people: AuthenticatorPort
  readonly isReached: () => boolean
  /** Runs what makes them agree; what was asked meanwhile is answered after it, or fails with it. */
  readonly reach: <A>(agree: () => Promise<A>) => Promise<A>
}

/**
 * To agree takes a slow hash for each new password and weak secret in the file. Discovery and keys need not wait for that; who asks about a client or a person
 * has to, so that a secret which the file has changed is not judged by the one before.
 */
export const agreementOf = (clients: ClientStorePort, people: AuthenticatorPort): Agreement => {
  let isReached = false
  const { promise: reached, resolve, reject } = Promise.withResolvers<void>()
  // There may be nobody who waits.
  reached.catch(() => undefined)
  const after = <Asked extends ReadonlyArray<unknown>, A>(ask: (...asked: Asked) => Awaitable<A>) => {
    return (...asked: Asked): Awaitable<A> => (isReached ? ask(...asked) : reached.then(() => ask(...asked)))
  }
  return {
    clients: {
      find: after(clients.find),
      verifySecret: after(clients.verifySecret),
      secretOf: after(clients.secretOf),
      ...unsigned(clients),
    },
    people: {
      verify: after(people.verify),
      find: after(people.find),
      admit: after(people.admit),
      ...(people.identify === undefined ? {} : { identify: after(people.identify) }),
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

/** Discovery does not wait: it is told of the clients that are stored. */
const unsigned = ({ unsignedRequestObjects }: ClientStorePort): Pick<ClientStorePort, "unsignedRequestObjects"> =>
  unsignedRequestObjects === undefined ? {} : { unsignedRequestObjects }
