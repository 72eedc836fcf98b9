import { kindFault, partFaults, refuseFaults } from "@postern/core/options"
import { type PeerCertificate, toResponse } from "@postern/core/wire"
import { refuseGuard, refuseServer } from "./guarded.ts"
import type { AccessToken, Needs, ResourceRequest, ResourceServer } from "./index.ts"
import { passedBefore, remember } from "./remembered.ts"

export { tokenOf } from "./remembered.ts"

/** Facts about a request's sender that only the runtime knows. */
export interface Caller {
  /** The client certificate of the connection, or one that your proxy passed on. Take it only from a source that you trust. */
  readonly peerCertificate?: PeerCertificate | undefined
}

/** Converts a web-standard request. */
export const requestOf = (request: Request, { peerCertificate }: Caller = {}): ResourceRequest => {
  refuseFaults("@postern/verify", partFaults("request", request, { url: "text", method: "text", headers: "object" }, "Request"))
  const { pathname, search } = new URL(request.url)
  return { method: request.method, path: pathname, query: search.slice(1), headers: Object.fromEntries(request.headers), peerCertificate }
}

/** The result of a check: the token with the header fields that the response must contain, or the response itself. */
export type Checked =
  | {
      /** The verified token. */
      readonly token: AccessToken
      /** The header fields that the response must contain. */
      readonly headers: Headers
      /** Undefined, because the operation answers. */
      readonly response?: undefined
    }
  | {
      /** The response to the refused request. */
      readonly response: Response
      /** Undefined, because there is no valid token. */
      readonly token?: undefined
    }

/** Checks a request: `const { response, token } = await check(api, request, { scope: "read" }); if (response) return response`. */
export const check = async (server: ResourceServer, request: Request, needs: Needs = {}, caller: Caller = {}): Promise<Checked> => {
  refuseServer(server)
  const verdict = await server.verify(requestOf(request, caller), needs, passedBefore(request, server))
  if (verdict.refused !== undefined) return { response: toResponse(verdict.refused.answer, request.method) }
  remember(request, server, verdict)
  const { ok, headers } = verdict
  return { token: ok, headers: new Headers(headers.map(([name, value]): [string, string] => [name, value])) }
}

/** Answers a request for the metadata of a resource (RFC 9728 §3). Returns undefined for any other request. */
export const metadata = (server: ResourceServer, request: Request): Response | undefined => {
  refuseServer(server)
  const answer = server.metadataFor(requestOf(request))
  return answer && toResponse(answer, request.method)
}

/** Answers a request whose token is valid. */
export type FetchOperation = (request: Request, token: AccessToken) => Response | Promise<Response>

/**
 * Guards an operation of a runtime with web-standard requests: `export default { fetch: protect(api, { scope: "read" }, (request, token) =>
 * …) }`. Requests for the metadata of the resource are answered too.
 */
export const protect = (server: ResourceServer, needs: Needs, operation: FetchOperation): ((request: Request) => Promise<Response>) => {
  refuseGuard(server, needs, kindFault("operation", operation, "function"))
  return async (request) => {
    const described = metadata(server, request)
    if (described !== undefined) return described
    const checked = await check(server, request, needs)
    if (checked.response !== undefined) return checked.response
    const response = await operation(request, checked.token)
    if ([...checked.headers].length === 0) return response
    // The headers of a fetched response are immutable.
    const written = new Response(response.body, response)
    checked.headers.forEach((value, name) => written.headers.set(name, value))
    return written
  }
}
