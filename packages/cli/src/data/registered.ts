import { type RegisteredClientRow, registeredClients, unregisterClient } from "@postern/core"
import type { ClientMetadata } from "@postern/core/model"
import type { TokenStorePort } from "@postern/core/ports"

type Rows = Pick<TokenStorePort, "list" | "find" | "commit" | "keeps">

/** The maximum number of self-registered clients in a list, which is one page. */
export const mostListed = 100

/** Reports whether rows of self-registered clients are stored, which requires dynamic registration. */
const keeps = ({ keeps: kept }: Rows): boolean => kept?.(registeredClients.name) !== false

/** Returns the self-registered clients, newest first, or none if dynamic registration is disabled. */
export const registeredIn = async (tokens: Rows): Promise<ReadonlyArray<RegisteredClientRow>> =>
  keeps(tokens) ? tokens.list(registeredClients, "newest", {}) : []

/** Finds a self-registered client. */
export const findRegistered = async (tokens: Rows, clientId: string): Promise<RegisteredClientRow | undefined> =>
  keeps(tokens) ? tokens.find(registeredClients, { clientId }) : undefined

/** Removes a self-registered client and everything issued to it. Returns false if there is no such client. */
export const removeRegistered = async (tokens: Rows, clientId: string): Promise<boolean> =>
  (await findRegistered(tokens, clientId)) !== undefined && (await tokens.commit([unregisterClient(clientId)])) === "Committed"

/** Returns the metadata of a self-registered client, which was validated at registration. */
export const metadataIn = ({ metadata }: RegisteredClientRow): ClientMetadata => metadata as unknown as ClientMetadata

/** Formats a self-registered client like the other clients of a list. */
export const listedAlike = (row: RegisteredClientRow): object => ({
  ...row.metadata,
  origin: "registration",
  has_secret: row.digest !== undefined,
  created_at: row.createdAt,
  updated_at: row.updatedAt,
  kept_until: row.keepUntil === 0 ? null : row.keepUntil,
})
