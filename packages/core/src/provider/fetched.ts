import { webTimer } from "../platform/timer.ts"
import type { Awaitable, ReportPort } from "../ports/index.ts"
import { type Answer, type Caller, type Message, brokenOff, fromRequest, toResponse, tooLate, tooLong, unread } from "../wire/index.ts"
import type { ServedEndpoint } from "./reach.ts"
import { reportUnread } from "./record.ts"

/** The time limit of a body, in milliseconds: that of `defaultLimits` of the HTTP adapter. */
const bodyTime = 20_000

/** Answers a web-standard request with a handler for messages. */
export const fetched = async (
  handle: (message: Message) => Awaitable<Answer>,
  endpointAt: (path: string) => ServedEndpoint | undefined,
  report: ReportPort,
  request: Request,
  caller: Caller | undefined,
): Promise<Response> => {
  const spoiled = isSpoiled(request)
  const message = await arrived(fromRequest(request, caller)).catch((cause: unknown) => {
    // A caller who disconnects while sending a body is not reported as a failure.
    if (!spoiled) return brokenOff()
    reportUnread(report, cause)
    return unread()
  })
  const read = message ?? tooLong()
  if (!(read instanceof Response)) return toResponse(await handle(read), request.method)
  const path = pathOf(request)
  const endpoint = path === undefined ? undefined : endpointAt(path)
  for (const [name, value] of endpoint?.headers ?? []) read.headers.append(name, value)
  return read
}

/** Waits for a message whose body may never end. */
const arrived = async (reading: Promise<Message | undefined>): Promise<Message | Response | undefined> => {
  let stop: (() => void) | undefined
  const late = new Promise<Response>((resolve) => {
    stop = webTimer.start(bodyTime, () => resolve(tooLate()))
  })
  return Promise.race([reading, late]).finally(() => stop?.())
}

/** Reports whether a body was consumed before the provider read it, or whether untyped code passed no request at all. */
const isSpoiled = (request: Request): boolean => pathOf(request) === undefined || request.bodyUsed || request.body?.locked === true

/** Returns the path of a request; undefined if untyped code passed none, or what cannot be read. */
const pathOf = (request: Partial<Request> | null | undefined): string | undefined => {
  try {
    return typeof request?.url === "string" ? new URL(request.url).pathname : undefined
  } catch {
    return undefined
  }
}
