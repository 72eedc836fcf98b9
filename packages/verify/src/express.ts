import { refuseGuard, refuseServer } from "./guarded.ts"
import type { Needs, ResourceServer } from "./index.ts"
import { type NodeOptions, type NodeRequest, type NodeResponse, requestReader, setHeaders, writeAnswer } from "./node.ts"
import { passedBefore, remember } from "./remembered.ts"

export { tokenOf } from "./remembered.ts"

/** A middleware of Express or Connect. */
export type Middleware = (request: NodeRequest, response: NodeResponse, next: (error?: unknown) => void) => void

/**
 * Lets requests with a valid token pass and refuses all others. `tokenOf(request)` then returns the token: `app.get("/notes", guard(api, {
 * scope: "read" }), …)`.
 */
export const guard = (server: ResourceServer, needs: Needs = {}, options: NodeOptions = {}): Middleware => {
  refuseGuard(server, needs)
  const read = requestReader(options)
  return (request, response, next) => {
    server
      .verify(read(request), needs, passedBefore(request, server))
      .then((verdict) => {
        if (verdict.refused !== undefined) return writeAnswer(response, verdict.refused.answer)
        // Throws if the request has been answered meanwhile, such as by a time limit. The application then receives the error, and the
        // route does not run.
        setHeaders(response, verdict.headers)
        remember(request, server, verdict)
        next()
      })
      .catch(next)
  }
}

/** Answers requests for the metadata of a resource (RFC 9728 §3). Use it at the root of the application: `app.use(metadata(api))`. */
export const metadata = (server: ResourceServer): Middleware => {
  refuseServer(server)
  const read = requestReader()
  return (request, response, next) => {
    const answer = server.metadataFor(read(request))
    if (answer === undefined) next()
    else writeAnswer(response, answer)
  }
}
