import * as Effect from "effect/Effect"
import type { Client, Instant, Seconds, Session } from "../model/index.ts"
import type { PortFailed } from "../ports/index.ts"
import { mapped, steps, together } from "../ports/steps.ts"
import { type SectorFault, sectorDocumentFault } from "../rules/sector.ts"
import { fetchesOf } from "./documents.ts"
import { fetchDocument } from "./remote.ts"
import type { Inquiry } from "./request.ts"

/** For how long a client counts as one of its sector before the document is read again. */
const verifiedFor: Seconds = 86_400

/** For how long a document that does not list the client is good: mending it helps within minutes. */
const documentLife: Seconds = 300

/** Number of clients that are remembered. */
const most = 1000

/**
 * Reports whether a pairwise client belongs to the sector that its sector_identifier_uri names; undefined when it does (OpenID Connect Dynamic
 * Client Registration §5). The document is read when a subject is first made, and once a day from then on. One that cannot be had takes
 * nothing from a client that was verified before; one that no longer lists it does.
 */
export const sectorFaultOf = (client: Client, inquiry: Inquiry): Effect.Effect<SectorFault | undefined, PortFailed> => {
  const { subjectType, sectorIdentifierUri } = client
  return subjectType === "public" || sectorIdentifierUri === undefined
    ? Effect.succeed(undefined)
    : verifiedSector(sectorIdentifierUri, client, inquiry)
}

/** Reads the facts by which a client may be given tokens for the person of a session. */
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
  // Nobody is asked while the host is skipped, or too many wait for others: that takes nothing from it either.
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
