// Postern as a function that takes events: AWS Lambda behind a function URL or an HTTP API (payload format 2.0).
import type { Maintained } from "@postern/core/maintain"
import { type Example, example } from "./provider.ts"

/** The part of an event that is used here. */
export interface FunctionEvent {
  readonly rawPath: string
  readonly rawQueryString: string
  readonly headers: Readonly<Record<string, string>>
  readonly cookies?: ReadonlyArray<string>
  readonly body?: string
  readonly isBase64Encoded: boolean
  readonly requestContext: { readonly domainName: string; readonly http: { readonly method: string; readonly sourceIp: string } }
}

/** An answer in the same format. */
export interface FunctionResult {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string>>
  readonly cookies: ReadonlyArray<string>
  readonly body: string
}

/** The event of a schedule of EventBridge, such as `rate(1 minute)`. */
export interface ScheduledEvent {
  readonly "detail-type": "Scheduled Event"
}

/** Made at the first event. Each instance of the function has one of its own, so keep rows in a store that they share. */
let made: Promise<Example> | undefined

const answered = async ({ provider }: Example, event: FunctionEvent): Promise<FunctionResult> => {
  const { rawPath, rawQueryString, body, cookies = [], isBase64Encoded, requestContext } = event
  const { method, sourceIp } = requestContext.http
  const headers = new Headers(event.headers)
  if (cookies.length > 0) headers.set("cookie", cookies.join("; "))
  const request = new Request(`https://${requestContext.domainName}${rawPath}${rawQueryString === "" ? "" : `?${rawQueryString}`}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: isBase64Encoded ? Buffer.from(body, "base64") : body }),
  })
  // The address comes from the platform; a header could come from anybody.
  const response = await provider.fetch(request, { address: sourceIp })
  return {
    statusCode: response.status,
    headers: Object.fromEntries([...response.headers].filter(([name]) => name !== "set-cookie")),
    cookies: response.headers.getSetCookie(),
    body: await response.text(),
  }
}

/** Answers a request, or does the work between requests when a schedule asks for it. */
export const handler = async (event: FunctionEvent | ScheduledEvent): Promise<FunctionResult | Maintained> => {
  const ready = await (made ??= example(process.env["ISSUER"] ?? "https://id.example.com"))
  return "detail-type" in event ? ready.work() : answered(ready, event)
}
