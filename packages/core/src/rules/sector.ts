import type { Client } from "../model/index.ts"
import { uriParts } from "./redirectUri.ts"

/** The sector of a client: the host of its sector_identifier_uri, or else that of its redirect URIs, or itself (OpenID Connect Core §8.1). */
export const sectorOf = ({
  sectorIdentifierUri,
  redirectUris,
  clientId,
}: Pick<Client, "sectorIdentifierUri" | "redirectUris" | "clientId">): string => {
  const host = uriParts(sectorIdentifierUri ?? redirectUris[0] ?? "")?.host ?? ""
  return host === "" ? clientId : host.toLowerCase()
}
