import { type AuthenticatorPort, type Awaitable, after, type ClientStorePort } from "@postern/core/ports"

/** Clients and people of whom a provider hears nothing until they agree with the configuration: each client, or all. */
export interface Agreement {
  readonly clients: ClientStorePort
  readonly people: AuthenticatorPort
  readonly isReached: () => boolean
  /** Runs what makes them agree; what was asked meanwhile is answered after it, or fails with it. */
  readonly reach: <A>(agree: () => Promise<A>) => Promise<A>
}

/**
 * To agree takes a slow hash for each new password and weak secret in the file, and reads thousands of rows where the file declares thousands of clients. Discovery and
 * keys need not wait for that; who asks about a person has to, or about a client unless `agrees` finds that it is stored as the file declares it: so a secret which
 * the file has changed is not judged by the one before. Gain: a first token 11 % sooner after a start with 5,000 clients (`node bench/main.ts --only startup`).
 */
export const agreementOf = (
  clients: ClientStorePort,
  people: AuthenticatorPort,
  agrees: (clientId: string) => Awaitable<boolean> = () => false,
): Agreement => {
  let isReached = false
  const { promise: reached, resolve, reject } = Promise.withResolvers<void>()
  // There may be nobody who waits.
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

/** Discovery does not wait: it is told of the clients that are stored. */
const unsigned = ({ unsignedRequestObjects }: ClientStorePort): Pick<ClientStorePort, "unsignedRequestObjects"> =>
  unsignedRequestObjects === undefined ? {} : { unsignedRequestObjects }
