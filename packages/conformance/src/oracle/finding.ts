import { type Received, json, mediaType, textOf } from "../exchange/exchange.ts"

/** A description of the fault that was found; undefined if there is none. */
export type Finding = string | undefined

/** Requires a condition. `otherwise` is the finding if it does not hold. */
export const holds = (condition: boolean, otherwise: string): Finding => (condition ? undefined : otherwise)

/** Returns the first of several findings. */
export const first = (...findings: ReadonlyArray<Finding>): Finding => findings.find((each) => each !== undefined)

/** Formats a value for a finding, truncated if it is long. */
export const shown = (value: unknown): string => {
  const text = value === undefined ? "nothing" : (JSON.stringify(value) ?? typeof value)
  return text.length <= 120 ? text : `${text.slice(0, 120)}…`
}

/** Requires two values to be equal. */
export const same = (found: unknown, expected: unknown, what: string): Finding =>
  holds(JSON.stringify(found) === JSON.stringify(expected), `${what} is ${shown(found)}, not ${shown(expected)}`)

/** Requires a value to be one of several. */
export const oneOf = (found: unknown, expected: ReadonlyArray<unknown>, what: string): Finding =>
  holds(expected.includes(found), `${what} is ${shown(found)}, not ${expected.map(shown).join(" or ")}`)

/** Requires a response to have one of these statuses. */
export const status = (received: Received, ...allowed: ReadonlyArray<number>): Finding => oneOf(received.status, allowed, "the status")

/** Requires a successful JSON response. */
export const success = (received: Received): Finding =>
  first(
    status(received, 200),
    same(mediaType(received), "application/json", "the media type"),
    holds(json(received) !== undefined, "the body is not a JSON object"),
  )

/** Requires a JSON error response of OAuth 2.0 with one of these statuses and codes (RFC 6749 §5.2). */
export const refused = (received: Received, statuses: ReadonlyArray<number>, ...codes: ReadonlyArray<string>): Finding =>
  first(
    status(received, ...statuses),
    same(mediaType(received), "application/json", "the media type"),
    oneOf(json(received)?.["error"], codes, "the error"),
    characters(json(received) ?? {}),
  )

/** Returns an oracle that requires such an error with status 400. */
export const refuses =
  (...codes: ReadonlyArray<string>) =>
  (received: Received): Finding =>
    refused(received, [400], ...codes)

/** Returns an oracle that requires one of these statuses. */
export const hasStatus =
  (...allowed: ReadonlyArray<number>) =>
  (received: Received): Finding =>
    status(received, ...allowed)

/** Requires a response header to match a pattern. */
export const header = ({ headers }: Pick<Received, "headers">, name: string, form: RegExp): Finding =>
  holds(form.test(headers.get(name) ?? ""), `${name} is ${shown(headers.get(name))}`)

/** Requires CORS to let browser applications send the request (Fetch §3.2.2). */
export const openToApps = (received: Received): Finding =>
  first(status(received, 200, 204), holds(received.headers.has("access-control-allow-origin"), "there is no Access-Control-Allow-Origin"))

/** Requires that at most one of several concurrent requests succeeded. */
export const oneSuccess = (answers: ReadonlyArray<Received>): Finding => {
  const successes = answers.filter((each) => each.status === 200).length
  return holds(successes <= 1, `${successes} of ${answers.length} got tokens`)
}

/** Requires the members of an error to use only the characters that RFC 6749 §4.1.2.1 and §5.2 allow. */
export const characters = (error: Readonly<Record<string, unknown>>): Finding =>
  first(
    holds(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/.test(textOf(error["error"])), "the error holds characters that are not allowed"),
    holds(
      /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/.test(textOf(error["error_description"])),
      "the error_description holds characters that are not allowed",
    ),
    holds(/^[\x21\x23-\x5b\x5d-\x7e]*$/.test(textOf(error["error_uri"])), "the error_uri holds characters that are not allowed"),
  )

/** Requires a response to forbid caches to store it (RFC 9111 §5.2.2.5). */
export const notStored = ({ headers }: Received): Finding =>
  holds(
    /(?:^|,)\s*no-store\s*(?:,|$)/i.test(headers.get("cache-control") ?? ""),
    `Cache-Control is ${shown(headers.get("cache-control"))}, without no-store`,
  )
