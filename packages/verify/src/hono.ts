import { type Caller, check, metadata as metadataOf } from "./fetch.ts"
import { refuseGuard, refuseServer } from "./guarded.ts"
import type { Needs, ResourceServer } from "./index.ts"

export { tokenOf } from "./remembered.ts"

/** The members of a Hono context that are used here. */
export interface HonoContext {
  /** The request. */
  readonly req: { /** The web-standard request. */ readonly raw: Request }
  /** Sets a header field of the response. */
  readonly header: (name: string, value: string) => void
}

/** A middleware of Hono. */
export type HonoMiddleware<Context extends HonoContext> = (context: Context, next: () => Promise<void>) => Promise<Response | undefined>

/**
 * Lets requests with a valid token pass and refuses all others. `tokenOf(context.req.raw)` then returns the token: `app.get("/notes",
 * guard(api, { scope: "read" }), …)`.
 */
export const guard = <Context extends HonoContext>(
  server: ResourceServer,
  needs: Needs = {},
  callerOf: (context: Context) => Caller = () => ({}),
): HonoMiddleware<Context> => {
  refuseGuard(server, needs)
  return async (context, next) => {
    const checked = await check(server, context.req.raw, needs, callerOf(context))
    if (checked.response !== undefined) return checked.response
    await next()
    // Set before, they would be missing in a response that the operation made without the context.
    checked.headers.forEach((value, name) => context.header(name, value))
    return undefined
  }
}

/** Answers requests for the metadata of a resource (RFC 9728 §3): `app.use(metadata(api))`. */
export const metadata = <Context extends HonoContext>(server: ResourceServer): HonoMiddleware<Context> => {
  refuseServer(server)
  return async (context, next) => {
    const answer = metadataOf(server, context.req.raw)
    if (answer !== undefined) return answer
    await next()
    return undefined
  }
}
