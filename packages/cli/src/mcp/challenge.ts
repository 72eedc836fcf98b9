/** The parameters of a protected resource's challenge that clients use. */
export interface Challenge {
  /** The `resource_metadata` parameter (RFC 9728 §5.1). */
  readonly place: string | undefined
  /** The `scope` parameter (RFC 6750 §3). */
  readonly scope: string | undefined
}

const parameter = (field: string, name: string): string | undefined => new RegExp(`(?:^|[\\s,])${name}="([^"]+)"`, "i").exec(field)?.[1]

/** Parses the challenge of a 401 response. */
export const challengeOf = (headers: Headers): Challenge => {
  const field = headers.get("www-authenticate") ?? ""
  const scope = parameter(field, "scope")?.trim()
  return { place: parameter(field, "resource_metadata"), scope: scope === "" ? undefined : scope }
}

/** The first message of an MCP client. Some servers send a challenge only in response to it, not to a GET. */
export const initialization = {
  headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
  text: JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "postern mcp doctor", version: "1" } },
  }),
} as const
