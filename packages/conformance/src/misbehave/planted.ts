import type { Answer } from "@postern/core/wire"
import type { Forge } from "./forge.ts"

const json = (value: unknown, status = 200): Answer => ({
  status,
  headers: [["content-type", "application/json"]],
  body: JSON.stringify(value),
})

/** The client_id that the second authorization server issues to a client that registers there. */
const newcomer = "newcomer"

/** The response at an address that only a fault names. `fellFor` is true if the request shows that the client fell for the fault. */
export interface Planted {
  readonly answer: Answer
  readonly fellFor: boolean
}

/**
 * Handles requests at planted addresses. A client may register at the second authorization server. It has fallen for the fault only if it
 * uses its identity at the first server there.
 */
export const plantedAnswer = (path: string, planted: string, forge: Forge, client: string | undefined): Planted => {
  if (path.includes("/.well-known/")) {
    const server = `${planted}/server`
    const endpoints = {
      authorization_endpoint: `${server}/authorize`,
      token_endpoint: `${server}/token`,
      registration_endpoint: `${server}/register`,
    }
    const metadata = { issuer: server, ...endpoints, response_types_supported: ["code"], code_challenge_methods_supported: ["S256"] }
    return { answer: json(metadata), fellFor: false }
  }
  if (path.endsWith("/server/register")) return { answer: json({ client_id: newcomer }, 201), fellFor: false }
  if (path.includes("/server/")) return { answer: json({ error: "invalid_client" }, 400), fellFor: client !== newcomer }
  return { answer: path.endsWith("/keys") ? json({ keys: [forge.stranger] }) : json({ error: "invalid_request" }, 400), fellFor: true }
}

/** Serves the protected resource beside an issuer (RFC 9728): its metadata, and the challenge that refers to it. */
export const resourceAnswer = (path: string, issuer: string, bearer: string | undefined): Answer | undefined => {
  const { origin, pathname } = new URL(issuer)
  const base = pathname === "/" ? "" : pathname
  const metadata = `/.well-known/oauth-protected-resource${base}/resource`
  if (path === metadata)
    return json({ resource: `${issuer}/resource`, authorization_servers: [issuer], bearer_methods_supported: ["header"] })
  if (path !== `${base}/resource`) return undefined
  if (bearer !== undefined) return json({ read: true })
  const challenge = `Bearer resource_metadata="${origin}${metadata}"`
  return {
    ...json({ error: "invalid_token" }, 401),
    headers: [
      ["www-authenticate", challenge],
      ["content-type", "application/json"],
    ],
  }
}
