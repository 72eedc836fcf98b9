import type { Client, Refusal } from "../model/index.ts"
import { refuse } from "../model/index.ts"
import { isLoopback, uriParts } from "./redirectUri.ts"
import { type Rule, pass, rule } from "./rule.ts"

/** The identifier of a sector: a host, or the client if it has no host of its own. */
export type Sector = readonly ["host" | "client", string]

/**
 * Returns the sector of a client: the host of its sector_identifier_uri, or else that of its redirect URIs (OpenID Connect Core §8.1). An
 * app that listens on its person's own machine, or has a private scheme, is a sector by itself, because all such apps have the same "host".
 */
export const sectorOf = ({
  sectorIdentifierUri,
  redirectUris,
  clientId,
}: Pick<Client, "sectorIdentifierUri" | "redirectUris" | "clientId">): Sector => {
  const host = uriParts(sectorIdentifierUri ?? redirectUris[0] ?? "")?.host.toLowerCase() ?? ""
  return host === "" || isLoopback(host) ? ["client", clientId] : ["host", host]
}

/** The reason why a client's membership of its sector is not verified. */
export interface SectorFault {
  /** True if the document could not be fetched, which may be temporary. */
  readonly unavailable: boolean
  readonly reason: string
}

/** The URIs that prove a client's sector: its redirect URIs, or if it has none its jwks_uri (OpenID Connect CIBA Core §4). */
interface Proving {
  readonly redirectUris: ReadonlyArray<string>
  readonly jwksUri: string | undefined
}

/** Returns the fault of a sector_identifier_uri's document, which must be a JSON array with every redirect URI of the client. */
export const sectorDocumentFault = (body: string, { redirectUris, jwksUri }: Proving): string | undefined => {
  const wanted = redirectUris.length === 0 && jwksUri !== undefined ? [jwksUri] : redirectUris
  const listed = readList(body)
  if (listed === undefined) return "is no JSON array of strings"
  if (wanted.length === 0) return "can prove nothing: the client has neither redirect_uris nor a jwks_uri that it could list"
  const missing = wanted.find((uri) => !listed.has(uri))
  return missing === undefined ? undefined : `does not list ${missing}`
}

const readList = (body: string): ReadonlySet<unknown> | undefined => {
  try {
    const list: unknown = JSON.parse(body)
    return Array.isArray(list) && list.every((each) => typeof each === "string") ? new Set(list) : undefined
  } catch {
    return undefined
  }
}

/** Refuses a client whose sector is not verified, because any client could name another's sector and learn its subjects. */
export const sectorRefusal = ({ unavailable, reason }: SectorFault): Refusal =>
  unavailable
    ? refuse("temporarily_unavailable", "The sector_identifier_uri of the client cannot be read.", reason)
    : refuse("unauthorized_client", "The sector_identifier_uri of the client does not list its redirect URIs.", reason)

/** Requires that a client belongs to its sector before a subject of the sector is computed. */
export const sectorVerified = <Q, S extends { readonly sectorFault: SectorFault | undefined }>(prefix: string): Rule<Q, S> =>
  rule(`${prefix}.sector`, "OpenID Connect Core §8.1, OpenID Connect Dynamic Client Registration §5", (_, s) =>
    s.sectorFault === undefined ? pass : sectorRefusal(s.sectorFault),
  )
