import { drawnNames } from "../drawnNames.ts"
import type { Received } from "./exchange.ts"

/** Names of parameters and JSON members whose values are secret or identify a person. */
const secretNames: ReadonlySet<string> = new Set([
  ...drawnNames,
  "auth_req_id",
  "client_notification_token",
  "client_secret",
  // Of sign-in pages, our own and others'.
  "_csrf",
  "csrf",
  "csrf_token",
  "interaction",
  "password",
  "request_uri",
  "response",
])

const secretHeaders = new Set(["authorization", "cookie", "dpop", "proxy-authorization", "set-cookie"])

const longest = 2000

const hidden = (name: string): string => `[${name}]`

/** Redacts the values of secret parameters in a form, a query or a fragment. Takes time linear in the length. */
const form = (text: string): string =>
  text
    .split("&")
    .map((pair) => {
      const name = pair.slice(0, pair.indexOf("=")).toLowerCase()
      return secretNames.has(name) ? `${name}=${hidden(name)}` : pair
    })
    .join("&")

const address = (url: string): string => {
  const mark = url.search(/[?#]/)
  return mark < 0
    ? url
    : `${url.slice(0, mark + 1)}${url
        .slice(mark + 1)
        .split("#")
        .map(form)
        .join("#")}`
}

const members = (value: unknown): unknown => {
  if (typeof value === "string") return anywhere(value)
  if (Array.isArray(value)) return value.map(members)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, secretNames.has(name) && typeof each === "string" ? hidden(name) : members(each)]),
  )
}

const body = (text: string): string => {
  try {
    return JSON.stringify(members(JSON.parse(text)))
  } catch {
    return /^[\w.~%+*-]+=/.test(text) && !/[<>\s]/.test(text) ? form(text) : anywhere(text)
  }
}

const jwt = /\beyJ[\w-]{8,}\.[\w-]+(?:\.[\w-]*){1,3}/g
const parameter = /\b(\w{4,40})(=|%3D)([^\s&"'<>;]+)/g
const member = /"(\w{4,40})"(\s{0,9}:\s{0,9})"[^"]*"/g
const field = /<input\b[^<>]*>/gi

/** Redacts secrets in any text: the values of secret parameters, members and form fields, and anything that looks like a JWT. */
const anywhere = (text: string): string =>
  text
    .replaceAll(field, (input) => {
      const name = /\bname\s*=\s*["']?([\w-]+)/i.exec(input)?.[1] ?? ""
      return secretNames.has(name) || name === "password" ? `<input name="${name}" value="${hidden(name)}">` : input
    })
    .replaceAll(parameter, (whole, name: string, sign: string) => (secretNames.has(name) ? `${name}${sign}${hidden(name)}` : whole))
    .replaceAll(member, (whole, name: string, sign: string) => (secretNames.has(name) ? `"${name}"${sign}"${hidden(name)}"` : whole))
    .replaceAll(jwt, "[JWT]")

const cut = (text: string): string =>
  text.length <= longest ? text : `${text.slice(0, longest)}… (${text.length - longest} more characters)`

/** A request and its response as reports show them. */
export interface Shown {
  /** The method and the address. */
  readonly request: string
  readonly requestHeaders: Readonly<Record<string, string>>
  readonly requestBody: string
  readonly status: number
  readonly responseHeaders: Readonly<Record<string, string>>
  readonly responseBody: string
}

const headersOf = (entries: Iterable<readonly [string, string]>, without: (text: string) => string): Record<string, string> =>
  Object.fromEntries(
    [...entries].map(([name, value]) => {
      if (name === "authorization") return [name, `[${name}: ${/^\w{1,20}(?= )/.exec(value)?.[0] ?? ""} …]`]
      if (name === "set-cookie" || name === "cookie") return [name, `[${name}: ${/^[^=;]{1,100}(?==)/.exec(value)?.[0] ?? ""} …]`]
      if (secretHeaders.has(name)) return [name, hidden(name)]
      return [name, without(anywhere(name === "location" ? address(value) : value))]
    }),
  )

/**
 * A request and its response with every secret replaced by its kind, and long bodies truncated. `known` are other secrets, redacted
 * wherever they occur.
 */
export const redacted = ({ sent, status, headers, body: answered }: Received, known: ReadonlyArray<string> = []): Shown => {
  const without = (text: string): string =>
    known.reduce(
      (seen, secret) => (secret.length < 4 ? seen : seen.replaceAll(secret, "[secret]").replaceAll(encodeURIComponent(secret), "[secret]")),
      text,
    )
  return {
    request: without(`${sent.method} ${address(sent.url)}`),
    requestHeaders: headersOf(Object.entries(sent.headers), without),
    requestBody: cut(without(body(sent.body ?? ""))),
    status,
    responseHeaders: headersOf(headers.entries(), without),
    responseBody: cut(without(body(answered))),
  }
}
