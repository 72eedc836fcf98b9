import { type Client, secretOf } from "../model/index.ts"
import { kindFault, refuseFaults } from "../model/members.ts"
import type { ClientStorePort } from "../ports/index.ts"
import { refuseOthers, refuseRepeated } from "./repeated.ts"

/**
 * A client store in memory, for tests and examples. Secrets are stored and compared as plain text. Do not use it for a provider that
 * strangers can reach. Throws a `TypeError` for clients with the same id, and for metadata that `defineClient` has not made a client of.
 */
export const memoryClientStore = (clients: ReadonlyArray<Client>, secrets: Readonly<Record<string, string>> = {}): ClientStorePort => {
  refuseOthers(
    "memoryClientStore: clients",
    clients,
    ({ clientId }) => typeof clientId === "string",
    "is no client; make it with defineClient",
  )
  refuseRepeated(
    "memoryClientStore: client_id",
    clients.map(({ clientId }) => clientId),
  )
  refuseFaults("memoryClientStore", kindFault("secrets", secrets, "object"))
  const registered = new Map(clients.map((client) => [client.clientId, client]))
  const unsigned = clients.some(({ disabled, requestObjects }) => !disabled && requestObjects.signingAlg === "none")
  const known = new Map(Object.entries(secrets))
  return {
    find: (clientId) => registered.get(clientId),
    verifySecret: (clientId, secret) => registered.has(clientId) && known.get(clientId) === secret.reveal(),
    secretOf: (clientId) => {
      const secret = known.get(clientId)
      return secret === undefined ? undefined : secretOf(secret)
    },
    unsignedRequestObjects: () => unsigned,
  }
}
