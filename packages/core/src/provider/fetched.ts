import { webTimer } from "../platform/timer.ts"
import type { Awaitable, ReportPort } from "../ports/index.ts"
import { type Answer, type Caller, type Message, brokenOff, toResponse, tooLate, tooLong, unread } from "../wire/index.ts"
import { isRequest, messageFrom } from "../wire/web.ts"
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
  const message = await arrived((begun) => messageFrom(request, caller, begun)).catch((cause: unknown) => {
    // A caller who disconnects while sending a body is not reported as a failure.
    if (!spoiled) return brokenOff()
    reportUnread(report, cause)
    return unread()
  })
  const read = message ?? tooLong()
  if (!(read instanceof Response)) return toResponse(await handle(read), request.method)
  const endpoint = isRequest(request) ? endpointAt(new URL(request.url).pathname) : undefined
  for (const [name, value] of endpoint?.headers ?? []) read.headers.append(name, value)
  return read
}

/** Waits for a message whose body may never end. One that is late is read no further, since its caller may go on sending. */
const arrived = async (
  read: (begun: (stop: () => void) => void) => Promise<Message | undefined>,
): Promise<Message | Response | undefined> => {
  let cancel: (() => void) | undefined
  let stop: (() => void) | undefined
  const late = new Promise<Response>((resolve) => {
    stop = webTimer.start(bodyTime, () => {
      resolve(tooLate())
      cancel?.()
    })
  })
  return Promise.race([read((how) => (cancel = how)), late]).finally(() => stop?.())
}

/** Reports whether a body was consumed before the provider read it, or whether untyped code passed no request at all. */
const isSpoiled = (request: Request): boolean => !isRequest(request) || request.bodyUsed || request.body?.locked === true
