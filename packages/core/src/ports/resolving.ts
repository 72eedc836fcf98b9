import * as Effect from "effect/Effect"
import type { Client, Secret } from "../model/index.ts"
import type { ClientStorePort } from "./plain.ts"
import type { Ports } from "./ports.ts"
import type { Lifted } from "./lifted.ts"
import type { PortFailed } from "./portFailed.ts"
import { onward } from "./steps.ts"

/** A rule, as a trail names it. */
interface NamedRule {
  /** Its id. */
  readonly id: string
  /** The paragraph it comes from. */
  readonly cites: string
}

/** A table of rules, as a trail names it. */
interface NamedTable {
  /** The name of what it judges. */
  readonly name: string
  /** Its rules in order. */
  readonly rules: ReadonlyArray<NamedRule>
}

/** An objection of a rule. */
interface Objected {
  /** The reason, for the operator. */
  readonly reason: string
}

/** One table of rules as a resolver met it, for the trail of the request that it resolves a client for. */
export interface ResolvingStep {
  /** The table. */
  readonly table: NamedTable
  /** Number of its rules that did not object. */
  readonly passed: number
  /** The objection of the rule after those. */
  readonly objection: Objected | undefined
}

/** The ports that documents of clients are fetched and judged with. */
export interface ResolvingRequest extends Pick<Ports, "outbound" | "outward" | "signer" | "audit" | "settings" | "accountKey" | "limiter"> {
  /** The address that asks; undefined where it is not known. */
  readonly address?: string | undefined
}

/** The means to judge clients by all that holds for clients now. */
export type ResolvingJudges = Pick<Ports, "settings" | "signer">

/** The ports that clients are resolved by. */
export interface ResolvingPorts extends Pick<Ports, "tokens" | "clock" | "digest"> {
  /** Judges clients as they were last known; without it the policy of their host alone counts. */
  readonly judging?: ResolvingJudges | undefined
  /** Fetches documents of clients, and signs for them; undefined outside of requests, where a client is as it was last known. */
  readonly asking?: ResolvingRequest | undefined
  /** Told of each table that a client was judged by. */
  readonly noted?: ((steps: ReadonlyArray<ResolvingStep>) => void) | undefined
}

/** Finds clients that no client store has: those that registered themselves, and those that others vouch for. */
export interface ClientResolver {
  /** Reports whether an id has the form of its clients' ids: it is asked about no other. */
  readonly claims: (clientId: string) => boolean
  /** Finds the client of an id; undefined when there is none. */
  readonly find: (clientId: string, ports: ResolvingPorts) => Effect.Effect<Client | undefined, PortFailed>
  /** The name of a client of which no copy is kept: it publishes its own metadata, so it may still exist. Left out for any other client that is gone. */
  readonly nameOf?: (clientId: string) => string
  /** Judges whether a secret is a client's, after as long for a client that there is not. The store's cost of a wrong one is added. Left out where no client has one. */
  readonly verifySecret?: (clientId: string, secret: Secret, ports: ResolvingPorts) => Effect.Effect<boolean, PortFailed>
}

/** Finds clients of the store, and others as they are resolved; one that is gone is undefined. */
export const resolvedFind =
  (
    clients: Pick<Lifted<ClientStorePort>, "find">,
    resolvers: ReadonlyArray<ClientResolver>,
    ports: ResolvingPorts,
  ): Lifted<ClientStorePort>["find"] =>
  (clientId) => {
    const resolver = resolvers.find(({ claims }) => claims(clientId))
    const stored = clients.find(clientId)
    return resolver === undefined
      ? stored
      : onward(stored, (client) => (client === undefined ? resolver.find(clientId, ports) : Effect.succeed(client)))
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
    find: resolvedFind(clients, resolvers, ports),
    verifySecret: (clientId, secret, address) => {
      const ofStore = () => clients.verifySecret(clientId, secret, address)
      const verify = resolverOf(clientId)?.verifySecret
      if (verify === undefined) return ofStore()
      return onward(clients.find(clientId), (client) =>
        client === undefined
          ? // A wrong secret costs what one of an unknown client does, which the store is asked about: that may be a slow hash.
            onward(verify(clientId, secret, ports), (isRight) => (isRight ? Effect.succeed(true) : ofStore()))
          : ofStore(),
      )
    },
  }
}

/**
 * The client store's `find` for what is done outside of a request, with other clients beside those of the store. Rejects for a client that others publish
 * and of which no copy is kept: nobody can say that it is gone, so that what is to be delivered to it is tried again.
 */
export const resolvingFind =
  (clients: Pick<ClientStorePort, "find">, resolvers: ReadonlyArray<ClientResolver>, ports: ResolvingPorts): ClientStorePort["find"] =>
  async (clientId) => {
    const stored = await clients.find(clientId)
    const resolver = stored === undefined ? resolvers.find(({ claims }) => claims(clientId)) : undefined
    if (resolver === undefined) return stored
    const found = await Effect.runPromise(resolver.find(clientId, ports))
    if (found === undefined && resolver.nameOf !== undefined) throw new Error(`no copy is kept of what ${clientId} publishes of itself`)
    return found
  }
