import type { Shown } from "../exchange/redact.ts"
import type { Result } from "../run/result.ts"

const headerLines = (headers: Shown["requestHeaders"]): ReadonlyArray<string> =>
  Object.entries(headers).map(([name, value]) => `  ${name}: ${value}`)

const bodyLines = (body: string): ReadonlyArray<string> => (body === "" ? [] : ["", ...body.split("\n").map((line) => `  ${line}`)])

/** A request and its answer as people read them. */
const exchangeText = ({ request, requestHeaders, requestBody, status, responseHeaders, responseBody }: Shown): string =>
  [
    `> ${request}`,
    ...headerLines(requestHeaders),
    ...bodyLines(requestBody),
    `< ${status}`,
    ...headerLines(responseHeaders),
    ...bodyLines(responseBody),
  ].join("\n")

/** Everything that shows a fault: the finding, the trail, and the requests with their answers. */
export const evidence = ({ reason, trail, exchanges }: Result): string =>
  [...(reason === undefined ? [] : [reason]), ...(trail === undefined ? [] : [`rules: ${trail}`]), ...exchanges.map(exchangeText)].join(
    "\n\n",
  )
