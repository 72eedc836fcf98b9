import type { Client } from "../model/index.ts"
import { isLoopback, uriParts } from "./redirectUri.ts"

/** What a sector is named by: a host, or the client where it has none of its own. */
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
