import * as Effect from "effect/Effect"
import type { Client, Instant, Seconds, Session } from "../model/index.ts"
import type { PortFailed } from "../ports/index.ts"
import { mapped, steps, together } from "../ports/steps.ts"
import { type SectorFault, sectorDocumentFault } from "../rules/sector.ts"
import { fetchesOf } from "./documents.ts"
import { type Life, fetchDocument } from "./remote.ts"
import type { Inquiry } from "./request.ts"

/** The time for which a client counts as part of its sector before the document is read again. */
const verifiedFor: Seconds = 86_400

/** The time for which a document that does not list the client is cached, so that a fix takes effect within minutes. */
const documentLife: Life = { most: 300 }

/** The maximum number of cached clients. */
const most = 1000

/**
 * Returns the fault of a pairwise client that does not belong to the sector of its sector_identifier_uri; undefined if it does (OpenID
 * Connect Dynamic Client Registration §5). The document is read when a subject is first computed, and then once a day. An unavailable
 * document has no effect on a client that was verified before; one that no longer lists it does.
 */
export const sectorFaultOf = (client: Client, inquiry: Inquiry): Effect.Effect<SectorFault | undefined, PortFailed> => {
  const { subjectType, sectorIdentifierUri } = client
  return subjectType === "public" || sectorIdentifierUri === undefined
    ? Effect.succeed(undefined)
    : verifiedSector(sectorIdentifierUri, client, inquiry)
}

/** Reads the facts that determine whether a client may receive tokens for the person of a session. */
export const grantableOf = (
  { client, session }: { readonly client: Client; readonly session: Pick<Session, "subject"> },
  inquiry: Inquiry,
) =>
  together({
    sectorFault: sectorFaultOf(client, inquiry),
    subjectIsClient: mapped(inquiry.ports.clients.find(session.subject), (namesake) => namesake !== undefined),
  })

const verifiedSector = steps(function* (uri: string, client: Client, inquiry: Inquiry) {
  const { remote, now } = inquiry
  const { jwksUri, ofStranger } = client.keys
  const { sectors } = fetchesOf(remote, ofStranger)
  const key = JSON.stringify([uri, client.redirectUris, jwksUri])
  const verifiedAt = sectors.get(key)
  if (verifiedAt !== undefined && now >= verifiedAt && now < verifiedAt + verifiedFor) return undefined
  const reading = fetchDocument(uri, "application/json", documentLife, inquiry, ofStranger)
  // Not sending a request, because the host is skipped or too many others wait, has no effect on it either.
  const { body, reason } = yield* verifiedAt === undefined ? reading : Effect.catch(reading, unread)
  if (body === undefined) return verifiedAt === undefined ? faultOf(true, `sector_identifier_uri: ${reason}`) : undefined
  const fault = sectorDocumentFault(body, { redirectUris: client.redirectUris, jwksUri })
  sectors.delete(key)
  if (fault !== undefined) return faultOf(false, `sector_identifier_uri ${fault}`)
  remember(sectors, key, now)
  return undefined
})

const unread = ({ message }: PortFailed) => Effect.succeed({ body: undefined, reason: message })

const faultOf = (unavailable: boolean, reason: string): SectorFault => ({ unavailable, reason })

const remember = (sectors: Map<string, Instant>, key: string, now: Instant): void => {
  sectors.set(key, now)
  for (const oldest of sectors.keys()) {
    if (sectors.size <= most) break
    sectors.delete(oldest)
  }
}
