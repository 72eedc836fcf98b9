import { parseJsonObject } from "@postern/core/model"
import { createHash } from "node:crypto"
import { type NamedClient, methodsOf, scopeFor } from "./clients.ts"
import { clientRules, isByDocument, serverRules } from "./rules.ts"
import { type Answered, type RefusedBy, type Server, textOf } from "./server.ts"

/** The verdict for one client. */
export interface Verdict {
  readonly client: NamedClient
  /** The way in which the server identifies the client; undefined if the check ended before that. */
  readonly knownBy: "document" | "registration" | undefined
  /** False if no rule refuses the client and no request was sent. The client would have to register, and the server would store it. */
  readonly isTried: boolean
  /** The rule that refuses the client; undefined if every request passed. */
  readonly refused: RefusedBy | undefined
  /** A description of the refused request. */
  readonly request: string | undefined
}

/** Returns the rules that refuse every client at a server. */
export const serverRefusals = (server: Server): ReadonlyArray<RefusedBy> =>
  serverRules.flatMap(({ id, cites, check }) => {
    const reason = check(server)
    return reason === undefined ? [] : [{ rule: id, cites, reason }]
  })

const verifier = "a-verifier-of-the-doctor-that-is-used-for-no-token"
const challenge = createHash("sha256").update(verifier).digest("base64url")

/** Returns the error of a response, from its trail if available, or undefined if the request passed. */
const errorOf = ({ status, location, body, requestId, refused }: Answered, callback: string | undefined): RefusedBy | undefined => {
  const own = location !== undefined && callback !== undefined && location.startsWith(callback) && URL.canParse(location)
  const params = own ? new URL(location).searchParams : undefined
  const sent = params?.get("error") ?? undefined
  if (sent === undefined && status < 400) return undefined
  if (refused !== undefined) return refused
  const { error = sent, error_description: description = params?.get("error_description") ?? undefined } = parseJsonObject(body) ?? {}
  const told = [error, description].filter((each) => typeof each === "string").join(": ")
  const hint = requestId === undefined ? "" : `; x-request-id ${requestId}, which \`postern explain\` takes where the server is Postern`
  return {
    rule: callback === undefined ? "mcp.token-request" : "mcp.authorization-request",
    cites: callback === undefined ? "RFC 6749 §5.2" : "RFC 6749 §4.1.2.1",
    reason: `answered with status ${status}${told === "" ? "" : `, ${told}`}${hint}`,
  }
}

/**
 * Returns the spellings of the resource that clients send, with and without a trailing slash. At a remote server only a bare origin has
 * both (RFC 3986 §6.2.3).
 */
const spellings = ({ identifier, registers }: Server): ReadonlyArray<string | undefined> => {
  if (identifier === undefined) return [undefined]
  if (!registers && !(URL.canParse(identifier) && /^[^?#]*$/.test(identifier) && new URL(identifier).pathname === "/")) return [identifier]
  return [identifier, identifier.endsWith("/") ? identifier.slice(0, -1) : `${identifier}/`]
}

/** Registers a client for the check. Returns its id, or the refusal. */
const registered = async ({ registration }: NamedClient, { metadata, ask }: Server): Promise<string | RefusedBy> => {
  const text = JSON.stringify(registration)
  const answer = await ask("POST", textOf(metadata["registration_endpoint"]), { type: "application/json", text })
  const id = parseJsonObject(answer.body)?.["client_id"]
  if (answer.status === 201 && typeof id === "string") return id
  const reason = `answered with status ${answer.status}`
  return errorOf(answer, undefined) ?? { rule: "mcp.registration", cites: "RFC 7591 §3.2.1", reason }
}

/** Returns the fault of a token endpoint that doesn't refuse an invalid code. */
const acceptedBy = ({ status }: Answered): RefusedBy =>
  status < 300
    ? { rule: "mcp.code-checked", cites: "RFC 6749 §4.1.3", reason: `answered with status ${status} to a made-up code` }
    : { rule: "mcp.token-request", cites: "RFC 6749 §5", reason: `answered with status ${status}` }

/** Sends the authorization requests of a client, and one token request with an invalid code. */
const tried = async (client: NamedClient, clientId: string, server: Server): Promise<Pick<Verdict, "refused" | "request">> => {
  const { metadata, identifier, ask } = server
  const scope = scopeFor(client, server.scope)
  for (const callback of client.callbacks)
    for (const resource of spellings(server)) {
      const url = new URL(textOf(metadata["authorization_endpoint"]))
      const params = {
        response_type: "code",
        client_id: clientId,
        redirect_uri: callback,
        state: "doctor",
        code_challenge: challenge,
        code_challenge_method: "S256",
        scope,
        resource,
      }
      for (const [name, value] of Object.entries(params)) if (value !== undefined) url.searchParams.set(name, value)
      const refused = errorOf(await ask("GET", url.href), callback)
      if (refused !== undefined) {
        const named = Object.entries({ redirect_uri: callback, scope, resource }).filter(([, value]) => value !== undefined)
        return { refused, request: `authorization with ${named.map((each) => each.join(" ")).join(", ")}` }
      }
    }
  // A client that prefers to authenticate by a signature can't be simulated, because only the client has its key.
  if (methodsOf(client)[0] !== "none") return { refused: undefined, request: undefined }
  const form = new URLSearchParams({
    grant_type: "authorization_code",
    client_id: clientId,
    code: "no-code-of-anybody",
    code_verifier: verifier,
    redirect_uri: client.callbacks[0] ?? "",
    ...(identifier === undefined ? {} : { resource: identifier }),
  })
  const answer = await ask("POST", textOf(metadata["token_endpoint"]), { type: "application/x-www-form-urlencoded", text: form.toString() })
  // The code is invalid, so a server that knows the client responds with invalid_grant.
  if (parseJsonObject(answer.body)?.["error"] === "invalid_grant") return { refused: undefined, request: undefined }
  return { refused: errorOf(answer, undefined) ?? acceptedBy(answer), request: "token" }
}

/**
 * Checks a client against a server. If the server would store registrations, the client is not registered, and its requests are not sent.
 */
export const verdictOn = async (client: NamedClient, server: Server): Promise<Verdict> => {
  const missing = clientRules.flatMap(({ id, cites, check }) => {
    const reason = check({ client, server })
    return reason === undefined ? [] : [{ rule: id, cites, reason }]
  })
  if (missing[0] !== undefined) return { client, knownBy: undefined, isTried: true, refused: missing[0], request: undefined }
  if (isByDocument({ client, server }))
    return { client, knownBy: "document", isTried: true, ...(await tried(client, client.document?.client_id ?? "", server)) }
  if (!server.registers) return { client, knownBy: undefined, isTried: false, refused: undefined, request: undefined }
  const id = await registered(client, server)
  if (typeof id !== "string") return { client, knownBy: undefined, isTried: true, refused: id, request: "registration" }
  return { client, knownBy: "registration", isTried: true, ...(await tried(client, id, server)) }
}
