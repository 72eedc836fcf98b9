import { parseJsonObject } from "@postern/core/model"
import { createHash } from "node:crypto"
import { type NamedClient, methodsOf, scopeFor } from "./clients.ts"
import { clientRules, isByDocument, serverRules } from "./rules.ts"
import { type Answered, type RefusedBy, type Server, textOf } from "./server.ts"

/** The verdict on one client. */
export interface Verdict {
  readonly client: NamedClient
  /** The way by which the server knows the client; undefined where it does not come to that. */
  readonly knownBy: "document" | "registration" | undefined
  /** False where nothing refuses it and nothing was tried: it would register, and the server would keep it. */
  readonly isTried: boolean
  /** The rule that refuses it; undefined where all that was tried is let pass. */
  readonly refused: RefusedBy | undefined
  /** The request that was refused, in words. */
  readonly request: string | undefined
}

/** The rules of the server itself that refuse everybody. */
export const serverRefusals = (server: Server): ReadonlyArray<RefusedBy> =>
  serverRules.flatMap(({ id, cites, check }) => {
    const reason = check(server)
    return reason === undefined ? [] : [{ rule: id, cites, reason }]
  })

const verifier = "a-verifier-of-the-doctor-that-is-used-for-no-token"
const challenge = createHash("sha256").update(verifier).digest("base64url")

/** The error of an answer, by its trail where that can be read; undefined where the request was let pass. */
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

/** The spellings of the resource that clients send: with a slash at its end, and without. Elsewhere only a host alone has two (RFC 3986 §6.2.3). */
const spellings = ({ identifier, registers }: Server): ReadonlyArray<string | undefined> => {
  if (identifier === undefined) return [undefined]
  if (!registers && !(URL.canParse(identifier) && /^[^?#]*$/.test(identifier) && new URL(identifier).pathname === "/")) return [identifier]
  return [identifier, identifier.endsWith("/") ? identifier.slice(0, -1) : `${identifier}/`]
}

/** Registers a client for the trial; its id, or the refusal. */
const registered = async ({ registration }: NamedClient, { metadata, ask }: Server): Promise<string | RefusedBy> => {
  const text = JSON.stringify(registration)
  const answer = await ask("POST", textOf(metadata["registration_endpoint"]), { type: "application/json", text })
  const id = parseJsonObject(answer.body)?.["client_id"]
  if (answer.status === 201 && typeof id === "string") return id
  const reason = `answered with status ${answer.status}`
  return errorOf(answer, undefined) ?? { rule: "mcp.registration", cites: "RFC 7591 §3.2.1", reason }
}

/** The refusal of a token endpoint that finds no fault in a code that nobody was given. */
const acceptedBy = ({ status }: Answered): RefusedBy =>
  status < 300
    ? { rule: "mcp.code-checked", cites: "RFC 6749 §4.1.3", reason: `answered with status ${status} to a made-up code` }
    : { rule: "mcp.token-request", cites: "RFC 6749 §5", reason: `answered with status ${status}` }

/** Sends the authorization requests of a client, and one request for a token that no code is for. */
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
  // A client that prefers to sign would have to: nobody else has its key.
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
  // The code is nobody's, so a server that knows the client says that the grant is invalid.
  if (parseJsonObject(answer.body)?.["error"] === "invalid_grant") return { refused: undefined, request: undefined }
  return { refused: errorOf(answer, undefined) ?? acceptedBy(answer), request: "token" }
}

/** Tells how a client fares at a server. Where the server keeps clients that register, none is registered, and the requests of such a client are not sent. */
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
