import type { Client, Refusal } from "../model/index.ts"
import { refuse } from "../model/index.ts"
import { isLoopback, uriParts } from "./redirectUri.ts"
import { type Rule, pass, rule } from "./rule.ts"

/** The name of a sector: a host, or the client where it has none of its own. */
export type Sector = readonly ["host" | "client", string]

/**
 * The sector of a client: the host of its sector_identifier_uri, or else that of its redirect URIs (OpenID Connect Core §8.1). An app
 * that listens on its person's own machine, or has a scheme of its own, is a sector by itself: every such app has that "host".
 */
export const sectorOf = ({
  sectorIdentifierUri,
  redirectUris,
  clientId,
}: Pick<Client, "sectorIdentifierUri" | "redirectUris" | "clientId">): Sector => {
  const host = uriParts(sectorIdentifierUri ?? redirectUris[0] ?? "")?.host.toLowerCase() ?? ""
  return host === "" || isLoopback(host) ? ["client", clientId] : ["host", host]
}

/** The reason a client is not known to be of the sector it names. */
export interface SectorFault {
  /** True if the document could not be had, which may pass. */
  readonly unavailable: boolean
  readonly reason: string
}

/** The URIs by which a client proves its sector: its redirect URIs, or where it has none its jwks_uri (OpenID Connect CIBA Core §4). */
interface Proving {
  readonly redirectUris: ReadonlyArray<string>
  readonly jwksUri: string | undefined
}

/** The fault of a sector_identifier_uri's document, which is a JSON array that holds every redirect URI of the client. */
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

/** Refuses a client that is not known to be of the sector it names: anybody could name another's, and learn its subjects. */
export const sectorRefusal = ({ unavailable, reason }: SectorFault): Refusal =>
  unavailable
    ? refuse("temporarily_unavailable", "The sector_identifier_uri of the client cannot be read.", reason)
    : refuse("unauthorized_client", "The sector_identifier_uri of the client does not list its redirect URIs.", reason)

/** No subject of a sector is made for a client that does not belong to it. */
export const sectorVerified = <Q, S extends { readonly sectorFault: SectorFault | undefined }>(prefix: string): Rule<Q, S> =>
  rule(`${prefix}.sector`, "OpenID Connect Core §8.1, OpenID Connect Dynamic Client Registration §5", (_, s) =>
    s.sectorFault === undefined ? pass : sectorRefusal(s.sectorFault),
  )
