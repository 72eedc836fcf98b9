// Postern as a function that takes events: AWS Lambda behind a function URL or an HTTP API (payload format 2.0).
import type { Provider } from "@postern/core"
import { exampleProvider } from "./provider.ts"

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

/** Made at the first event. Each instance of the function has one of its own, so keep rows in a store that they share. */
let provider: Promise<Provider> | undefined

/** Answers an event. */
export const handler = async (event: FunctionEvent): Promise<FunctionResult> => {
  provider ??= exampleProvider(process.env["ISSUER"] ?? "https://id.example.com")
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
  const response = await (await provider).fetch(request, { address: sourceIp })
  return {
    statusCode: response.status,
    headers: Object.fromEntries([...response.headers].filter(([name]) => name !== "set-cookie")),
    cookies: response.headers.getSetCookie(),
    body: await response.text(),
  }
}
