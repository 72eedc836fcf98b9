import * as Effect from "effect/Effect"
import type { Client, Secret } from "../model/index.ts"
import type { ClientStorePort } from "./plain.ts"
import type { Ports } from "./ports.ts"
import type { Lifted, PortFailed } from "./services.ts"
import { onward } from "./steps.ts"

/** The ports that clients are resolved by. */
export type ResolvingPorts = Pick<Ports, "tokens" | "clock" | "digest">

/** Finds clients that no client store has: those that registered themselves, and those that others vouch for. */
export interface ClientResolver {
  /** Reports whether an id has the form of its clients' ids: it is asked about no other. */
  readonly claims: (clientId: string) => boolean
  /** Finds the client of an id; undefined when there is none. */
  readonly find: (clientId: string, ports: ResolvingPorts) => Effect.Effect<Client | undefined, PortFailed>
  /** Judges whether a secret is a client's, after as long for a client that there is not. Left out where no client has one. */
  readonly verifySecret?: (clientId: string, secret: Secret, ports: ResolvingPorts) => Effect.Effect<boolean, PortFailed>
}

/** The store of clients, and beside it whatever resolves other ids. A client of the store comes before every other of its id. */
export const resolvingClients = (
  clients: Lifted<ClientStorePort>,
  resolvers: ReadonlyArray<ClientResolver>,
  ports: ResolvingPorts,
): Lifted<ClientStorePort> => {
  if (resolvers.length === 0) return clients
  const resolverOf = (clientId: string): ClientResolver | undefined => resolvers.find(({ claims }) => claims(clientId))
  return {
    ...clients,
    find: (clientId) => {
      const resolver = resolverOf(clientId)
      const stored = clients.find(clientId)
      return resolver === undefined
        ? stored
        : onward(stored, (client) => (client === undefined ? resolver.find(clientId, ports) : Effect.succeed(client)))
    },
    verifySecret: (clientId, secret, address) => {
      const verify = resolverOf(clientId)?.verifySecret
      if (verify === undefined) return clients.verifySecret(clientId, secret, address)
      return onward(clients.find(clientId), (client) =>
        client === undefined ? verify(clientId, secret, ports) : clients.verifySecret(clientId, secret, address),
      )
    },
  }
}

/** The client store's `find` for what is done outside of a request, with other clients beside those of the store. */
export const resolvingFind =
  (clients: Pick<ClientStorePort, "find">, resolvers: ReadonlyArray<ClientResolver>, ports: ResolvingPorts): ClientStorePort["find"] =>
  async (clientId) => {
    const stored = await clients.find(clientId)
    const resolver = stored === undefined ? resolvers.find(({ claims }) => claims(clientId)) : undefined
    return resolver === undefined ? stored : Effect.runPromise(resolver.find(clientId, ports))
  }
