import { type RegisteredClientRow, registeredClients, unregisterClient } from "@postern/core"
import type { ClientMetadata } from "@postern/core/model"
import type { TokenStorePort } from "@postern/core/ports"

type Rows = Pick<TokenStorePort, "list" | "find" | "commit" | "keeps">

/** The most clients that a list of those who registered themselves has: one page. */
export const mostListed = 100

/** Reports whether clients may register themselves here: the rows of those who did are kept. */
const keeps = ({ keeps: kept }: Rows): boolean => kept?.(registeredClients.name) !== false

/** The clients that registered themselves, the latest first; none where nobody can. */
export const registeredIn = async (tokens: Rows): Promise<ReadonlyArray<RegisteredClientRow>> =>
  keeps(tokens) ? tokens.list(registeredClients, "newest", {}) : []

/** The client of an id, if it registered itself. */
export const findRegistered = async (tokens: Rows, clientId: string): Promise<RegisteredClientRow | undefined> =>
  keeps(tokens) ? tokens.find(registeredClients, { clientId }) : undefined

/** Removes a client that registered itself, with all that was issued to it; false for a client that did not register itself. */
export const removeRegistered = async (tokens: Rows, clientId: string): Promise<boolean> =>
  (await findRegistered(tokens, clientId)) !== undefined && (await tokens.commit([unregisterClient(clientId)])) === "Committed"

/** The metadata of a client that registered itself. It passed its schema then. */
export const metadataIn = ({ metadata }: RegisteredClientRow): ClientMetadata => metadata as unknown as ClientMetadata

/** A client that registered itself, as lists have every client. */
export const listedAlike = (row: RegisteredClientRow): object => ({
  ...row.metadata,
  origin: "registration",
  has_secret: row.digest !== undefined,
  created_at: row.createdAt,
  updated_at: row.updatedAt,
  kept_until: row.keepUntil === 0 ? null : row.keepUntil,
})
