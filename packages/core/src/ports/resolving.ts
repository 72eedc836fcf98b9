import * as Effect from "effect/Effect"
import type { Client, Secret } from "../model/index.ts"
import type { ClientStorePort } from "./plain.ts"
import type { Ports } from "./ports.ts"
import type { Lifted } from "./lifted.ts"
import type { PortFailed } from "./portFailed.ts"
import { onward } from "./steps.ts"

/** A rule, as it appears in a trail. */
interface NamedRule {
  /** Its id. */
  readonly id: string
  /** The paragraph it comes from. */
  readonly cites: string
}

/** A table of rules, as it appears in a trail. */
interface NamedTable {
  /** The name of the subject that it judges. */
  readonly name: string
  /** Its rules in order. */
  readonly rules: ReadonlyArray<NamedRule>
}

/** An objection of a rule. */
interface Objected {
  /** The reason, for the operator. */
  readonly reason: string
}

/** The result of one table of rules during the resolution of a client, for the trail of the request. */
export interface ResolvingStep {
  /** The table. */
  readonly table: NamedTable
  /** Number of its rules that did not object. */
  readonly passed: number
  /** The objection of the next rule, if it objected. */
  readonly objection: Objected | undefined
}

/** The ports with which client documents are fetched and judged. */
export interface ResolvingRequest extends Pick<Ports, "outbound" | "outward" | "signer" | "audit" | "settings" | "accountKey" | "limiter"> {
  /** The address of the request; undefined if unknown. */
  readonly address?: string | undefined
}

/** The ports with which clients are judged by the current settings. */
export type ResolvingJudges = Pick<Ports, "settings" | "signer">

/** The ports with which clients are resolved. */
export interface ResolvingPorts extends Pick<Ports, "tokens" | "clock" | "digest"> {
  /** Judges clients by their stored copies. If undefined, only the policy for their host applies. */
  readonly judging?: ResolvingJudges | undefined
  /** Tells which algorithms a client that is not judged is answered by. If undefined, those of its stored copy and its defaults. */
  readonly answering?: ResolvingJudges | undefined
  /** Fetches client documents and signs for them. Undefined outside of requests, when stored copies are used. */
  readonly asking?: ResolvingRequest | undefined
  /** Called with each table that a client was judged by. */
  readonly noted?: ((steps: ReadonlyArray<ResolvingStep>) => void) | undefined
}

/** Finds clients that are in no client store: those that registered dynamically, and those that other parties vouch for. */
export interface ClientResolver {
  /** Reports whether an id has the form of this resolver's client ids. It is called for no other ids. */
  readonly claims: (clientId: string) => boolean
  /** Finds the client with an id; undefined if there is none. */
  readonly find: (clientId: string, ports: ResolvingPorts) => Effect.Effect<Client | undefined, PortFailed>
  /**
   * Returns the name of a client without a stored copy: it publishes its own metadata, so it may still exist. Omitted if every client that
   * is not found is gone.
   */
  readonly nameOf?: (clientId: string) => string
  /**
   * Verifies a client secret, and takes as long for an unknown client. The cost of a wrong secret at the store is added by the caller.
   * Omitted if no client has a secret.
   */
  readonly verifySecret?: (clientId: string, secret: Secret, ports: ResolvingPorts) => Effect.Effect<boolean, PortFailed>
}

/** Finds clients in the store first and then with the resolvers; undefined if there is none. */
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

/** Extends a client store by resolvers for other ids. A client of the store takes precedence. */
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
          ? // The store is also asked about a wrong secret, so that it takes as long as one of an unknown client: that may be a slow hash.
            onward(verify(clientId, secret, ports), (isRight) => (isRight ? Effect.succeed(true) : ofStore()))
          : ofStore(),
      )
    },
  }
}

/**
 * Returns a `find` of the client store and the resolvers for use outside of a request. It rejects for a client that publishes its own
 * metadata and has no stored copy: nothing shows that the client is gone, so a delivery to it is retried.
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
