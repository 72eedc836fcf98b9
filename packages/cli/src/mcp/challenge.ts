/** The challenge of a protected resource, as far as clients follow it. */
export interface Challenge {
  /** The `resource_metadata` that it names (RFC 9728 §5.1). */
  readonly place: string | undefined
  /** The `scope` that it asks for (RFC 6750 §3). */
  readonly scope: string | undefined
}

const parameter = (field: string, name: string): string | undefined => new RegExp(`(?:^|[\\s,])${name}="([^"]+)"`, "i").exec(field)?.[1]

/** Reads the challenge of an answer with status 401. */
export const challengeOf = (headers: Headers): Challenge => {
  const field = headers.get("www-authenticate") ?? ""
  const scope = parameter(field, "scope")?.trim()
  return { place: parameter(field, "resource_metadata"), scope: scope === "" ? undefined : scope }
}

/** The first message of a client of the Model Context Protocol: servers that answer a GET without a challenge make one to it. */
export const initialization = {
  headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
  text: JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "postern mcp doctor", version: "1" } },
  }),
} as const
