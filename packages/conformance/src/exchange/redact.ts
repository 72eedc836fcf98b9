import type { Received, Sent } from "./exchange.ts"

/** Names of parameters and JSON members whose values are secrets, or stand for somebody. */
const secretNames = new Set([
  "access_token",
  "assertion",
  "actor_token",
  "client_assertion",
  "client_secret",
  "code",
  "code_verifier",
  "device_code",
  "id_token",
  "id_token_hint",
  "logout_token",
  "password",
  "refresh_token",
  "registration_access_token",
  "request_uri",
  "response",
  "subject_token",
  "token",
  "user_code",
])

const secretHeaders = new Set(["authorization", "cookie", "dpop", "proxy-authorization", "set-cookie"])

const longest = 2000

const hidden = (name: string): string => `[${name}]`

/** Hides the values of secret parameters in a form, a query or a fragment. Linear in the length of the text. */
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
  if (Array.isArray(value)) return value.map(members)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, secretNames.has(name) && typeof each === "string" ? hidden(name) : members(each)]),
  )
}

const body = (text: string, type: string): string => {
  if (type.includes("json")) {
    try {
      return JSON.stringify(members(JSON.parse(text)))
    } catch {
      // Not JSON after all: shown as a form would be.
    }
  }
  return type.includes("urlencoded") || type.includes("json") ? form(text) : anywhere(text)
}

/** Hides the values of secret parameters in any text, such as a page that repeats an address. */
const anywhere = (text: string): string =>
  text.replaceAll(/\b(\w+)=([^\s&"'<>]+)/g, (whole, name: string) => (secretNames.has(name) ? `${name}=${hidden(name)}` : whole))

const cut = (text: string): string =>
  text.length <= longest ? text : `${text.slice(0, longest)}… (${text.length - longest} more characters)`

/** A request and its answer as reports show them. */
export interface Shown {
  /** The method and the address. */
  readonly request: string
  readonly requestHeaders: Readonly<Record<string, string>>
  readonly requestBody: string
  readonly status: number
  readonly responseHeaders: Readonly<Record<string, string>>
  readonly responseBody: string
}

const headersOf = (entries: Iterable<readonly [string, string]>): Record<string, string> =>
  Object.fromEntries(
    [...entries].map(([name, value]) => {
      if (secretHeaders.has(name)) return [name, `[${name}: ${value.split(" ")[0]?.split("=")[0] ?? ""} …]`]
      return [name, name === "location" ? address(value) : value]
    }),
  )

/** A request and its answer with everything secret replaced by the name of what it is, and long bodies cut. `known` are other secrets, hidden wherever they stand. */
export const redacted = ({ sent, status, headers, body: answered }: Received, known: ReadonlyArray<string> = []): Shown => {
  const without = (text: string): string =>
    known.reduce(
      (seen, secret) => (secret.length < 4 ? seen : seen.replaceAll(secret, "[secret]").replaceAll(encodeURIComponent(secret), "[secret]")),
      text,
    )
  const tidy = (sentHeaders: Sent["headers"]) => headersOf(Object.entries(sentHeaders))
  return {
    request: without(`${sent.method} ${address(sent.url)}`),
    requestHeaders: tidy(sent.headers),
    requestBody: cut(without(body(sent.body ?? "", sent.headers["content-type"] ?? ""))),
    status,
    responseHeaders: headersOf(headers.entries()),
    responseBody: cut(without(body(answered, headers.get("content-type") ?? ""))),
  }
}
