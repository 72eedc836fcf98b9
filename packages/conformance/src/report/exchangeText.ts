import type { Shown } from "../exchange/redact.ts"
import type { Result } from "../run/result.ts"

/** Text without the characters that would steer a terminal. */
export const printable = (text: string): string => text.replaceAll(/[\p{Cc}--[\n\t]]|[\p{Cf}\p{Zl}\p{Zp}]/gv, "\ufffd")

const headerLines = (headers: Shown["requestHeaders"]): ReadonlyArray<string> =>
  Object.entries(headers).map(([name, value]) => `  ${name}: ${value}`)

/** A body behind a bar on each line: no line of a provider's begins a line of ours. */
const bodyLines = (body: string): ReadonlyArray<string> =>
  body === "" ? [] : ["", ...body.split(/\r\n|\r|\n/).map((line) => `  | ${line}`)]

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
  printable(
    [...(reason === undefined ? [] : [reason]), ...(trail === undefined ? [] : [`rules: ${trail}`]), ...exchanges.map(exchangeText)].join(
      "\n\n",
    ),
  )
