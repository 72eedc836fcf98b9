import { type ClientMetadata, sectorDocumentFault } from "@postern/core"
import { type Finding, finding } from "../config/fault.ts"

/** The reason for which a client may not use its sector identifier. `read` tells if the document could be read. */
export interface SectorFinding extends Finding {
  readonly read: boolean
}

const path = ["sector_identifier_uri"]

/** Fetches and validates the document of a client's sector_identifier_uri (OpenID Connect Dynamic Client Registration §5). */
export const sectorFinding = async (
  { sector_identifier_uri: uri, redirect_uris: redirectUris = [], jwks_uri: jwksUri }: ClientMetadata,
  development: boolean,
): Promise<SectorFinding | undefined> => {
  if (uri === undefined) return undefined
  // The network modules are loaded only when needed.
  const { nodeOutbound } = await import("@postern/adapter-http")
  const answer = await nodeOutbound({ loopback: development }).fetch(uri, "application/json")
  if (answer._tag === "Unfetched" || answer.status !== 200) {
    const reason = answer._tag === "Unfetched" ? answer.reason : `it answered with status ${answer.status}`
    return {
      ...finding(path, `cannot be read: ${reason}`, "publish the document there first: a JSON array of the redirect_uris"),
      read: false,
    }
  }
  const fault = sectorDocumentFault(answer.body, { redirectUris, jwksUri })
  return fault === undefined
    ? undefined
    : { ...finding(path, fault, "publish a JSON array there that holds every redirect URI of the client, letter by letter"), read: true }
}
