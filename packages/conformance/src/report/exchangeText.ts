import type { Shown } from "../exchange/redact.ts"
import type { Result } from "../run/result.ts"

/** Removes the characters that would control a terminal. */
export const printable = (text: string): string => text.replaceAll(/[\p{Cc}--[\n\t]]|[\p{Cf}\p{Zl}\p{Zp}]/gv, "\ufffd")

const headerLines = (headers: Shown["requestHeaders"]): ReadonlyArray<string> =>
  Object.entries(headers).map(([name, value]) => `  ${name}: ${value}`)

/** Puts a bar before each line of a body, so that no line of a response can imitate a line of the report. */
const bodyLines = (body: string): ReadonlyArray<string> =>
  body === "" ? [] : ["", ...body.split(/\r\n|\r|\n/).map((line) => `  | ${line}`)]

/** Formats a request and its response for people. */
const exchangeText = ({ request, requestHeaders, requestBody, status, responseHeaders, responseBody }: Shown): string =>
  [
    `> ${request}`,
    ...headerLines(requestHeaders),
    ...bodyLines(requestBody),
    `< ${status}`,
    ...headerLines(responseHeaders),
    ...bodyLines(responseBody),
  ].join("\n")

/** The evidence of a failure: the finding, the trail, and the requests with their responses. */
export const evidence = ({ reason, trail, exchanges }: Result): string =>
  printable(
    [...(reason === undefined ? [] : [reason]), ...(trail === undefined ? [] : [`rules: ${trail}`]), ...exchanges.map(exchangeText)].join(
      "\n\n",
    ),
  )
