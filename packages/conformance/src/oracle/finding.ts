import { type Received, json, mediaType, textOf } from "../exchange/exchange.ts"

/** The fault that was found, in words; undefined where there is none. */
export type Finding = string | undefined

/** No fault, where the condition holds. */
export const holds = (condition: boolean, otherwise: string): Finding => (condition ? undefined : otherwise)

/** The first fault of several. */
export const first = (...findings: ReadonlyArray<Finding>): Finding => findings.find((each) => each !== undefined)

/** A value as a finding shows it, cut where it is long. */
export const shown = (value: unknown): string => {
  const text = value === undefined ? "nothing" : (JSON.stringify(value) ?? typeof value)
  return text.length <= 120 ? text : `${text.slice(0, 120)}…`
}

/** One value is another. */
export const same = (found: unknown, expected: unknown, what: string): Finding =>
  holds(JSON.stringify(found) === JSON.stringify(expected), `${what} is ${shown(found)}, not ${shown(expected)}`)

/** A value is one of several. */
export const oneOf = (found: unknown, expected: ReadonlyArray<unknown>, what: string): Finding =>
  holds(expected.includes(found), `${what} is ${shown(found)}, not ${expected.map(shown).join(" or ")}`)

/** An answer has one of these statuses. */
export const status = (received: Received, ...allowed: ReadonlyArray<number>): Finding => oneOf(received.status, allowed, "the status")

/** A successful answer in JSON. */
export const success = (received: Received): Finding =>
  first(
    status(received, 200),
    same(mediaType(received), "application/json", "the media type"),
    holds(json(received) !== undefined, "the body is not a JSON object"),
  )

/** An error of OAuth 2.0 in JSON, of one of these statuses and codes (RFC 6749 §5.2). */
export const refused = (received: Received, statuses: ReadonlyArray<number>, ...codes: ReadonlyArray<string>): Finding =>
  first(
    status(received, ...statuses),
    same(mediaType(received), "application/json", "the media type"),
    oneOf(json(received)?.["error"], codes, "the error"),
    characters(json(received) ?? {}),
  )

/** Demands such an error with status 400. */
export const refuses =
  (...codes: ReadonlyArray<string>) =>
  (received: Received): Finding =>
    refused(received, [400], ...codes)

/** Demands one of these statuses. */
export const hasStatus =
  (...allowed: ReadonlyArray<number>) =>
  (received: Received): Finding =>
    status(received, ...allowed)

/** A header of an answer has a form. */
export const header = ({ headers }: Pick<Received, "headers">, name: string, form: RegExp): Finding =>
  holds(form.test(headers.get(name) ?? ""), `${name} is ${shown(headers.get(name))}`)

/** An application in a browser may send its request (Fetch §3.2.2). */
export const openToApps = (received: Received): Finding =>
  first(status(received, 200, 204), holds(received.headers.has("access-control-allow-origin"), "there is no Access-Control-Allow-Origin"))

/** Of answers to requests that were sent at once, one at most is a success. */
export const oneSuccess = (answers: ReadonlyArray<Received>): Finding => {
  const successes = answers.filter((each) => each.status === 200).length
  return holds(successes <= 1, `${successes} of ${answers.length} got tokens`)
}

/** The members of an error hold only the characters that RFC 6749 §4.1.2.1 and §5.2 allow. */
export const characters = (error: Readonly<Record<string, unknown>>): Finding =>
  first(
    holds(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/.test(textOf(error["error"])), "the error holds characters that are not allowed"),
    holds(
      /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/.test(textOf(error["error_description"])),
      "the error_description holds characters that are not allowed",
    ),
    holds(/^[\x21\x23-\x5b\x5d-\x7e]*$/.test(textOf(error["error_uri"])), "the error_uri holds characters that are not allowed"),
  )

/** An answer says that no cache may keep it (RFC 9111 §5.2.2.5). */
export const notStored = ({ headers }: Received): Finding =>
  holds(
    /(?:^|,)\s*no-store\s*(?:,|$)/i.test(headers.get("cache-control") ?? ""),
    `Cache-Control is ${shown(headers.get("cache-control"))}, without no-store`,
  )
