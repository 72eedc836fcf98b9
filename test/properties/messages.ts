import fc from "fast-check"
import type { Message } from "@postern/core"
import { endpointsFor } from "../support/endpoints.ts"
import { basic } from "../support/flows.ts"
import { upstream } from "../support/upstream.ts"
import { anyText } from "./arbitraries.ts"

/** Begins every value sent, so that one that comes back is noticed whatever became of the rest. */
export const mark = "zqxmark"
const marked = anyText.map((text) => mark + text)

const names = [
  "grant_type",
  "client_id",
  "client_secret",
  "code",
  "redirect_uri",
  "code_verifier",
  "refresh_token",
  "scope",
  "token",
  "token_type_hint",
]
const pageNames = [
  "access_token",
  "csrf",
  "interaction",
  "username",
  "password",
  "decision",
  "session",
  "notice",
  "resource",
  "state",
  "provider",
  "problem",
  "idp",
  "iss",
  mark,
]
const usual: Readonly<Record<string, ReadonlyArray<string>>> = {
  grant_type: ["authorization_code", "refresh_token", "client_credentials", `${mark}magic`],
  client_id: ["web", "spa", "opaque", "nobody"],
  client_secret: ["secret of web"],
  scope: ["openid", "api.read", "openid offline_access"],
  decision: ["allow", "deny"],
  username: ["alice"],
  provider: ["corp", "school"],
  problem: ["form_stale", "upstream_denied"],
}
const handles = fc.constantFrom("c", "a", "r", "s", "i", "b", "d", "u").map((kind) => `${kind}_${mark}${"A".repeat(52)}`)
/** A parameter that means something somewhere, with a value that fits or none does. */
export const field: fc.Arbitrary<[string, string]> = fc
  .constantFrom(...names, ...names, ...pageNames)
  .chain((name) => fc.tuple(fc.constant(name), fc.oneof(fc.constantFrom(...(usual[name] ?? [mark])), marked, handles)))
const fields = fc.array(field, { maxLength: 8 }).map((pairs) => new URLSearchParams(pairs).toString())
export const formType = "application/x-www-form-urlencoded"

/** Every endpoint of a quick world: the callbacks of its other providers too. */
export const everyEndpoint = endpointsFor(upstream)

export const paths = everyEndpoint.map(({ path }) => path)
const authorization = fc.oneof(
  fc.constantFrom(
    basic("web"),
    basic("opaque"),
    basic("web", mark),
    `Bearer ${mark}`,
    `Bearer a_${mark}${"A".repeat(52)}`,
    `Bearer ${mark}.e30.${mark}`,
  ),
  anyText,
  marked.map((text) => `Basic ${Buffer.from(text).toString("base64")}`),
)

/** A message, as far as a test cares. */
export type Sent = Partial<Message> & { readonly path: string }

/** Requests that get past the first rules: a client that authenticates, and parameters that come once. */
const plausible: fc.Arbitrary<Sent> = fc
  .tuple(
    fc.constantFrom("web", "opaque", "machine", "other"),
    fc.constantFrom("token", "token", "revocation", "introspect"),
    fc.array(field, { maxLength: 4 }),
    fc.constantFrom(...(usual["grant_type"] ?? [])),
  )
  .map(([client, path, sent, grantType]) => {
    const once = new Map([...sent, ["grant_type", grantType] as const, ["client_id", client] as const])
    once.delete("client_secret")
    return {
      method: "POST",
      path: `/connect/${path}`,
      body: new URLSearchParams([...once]).toString(),
      headers: { "content-type": formType, authorization: basic(client) },
    }
  })

const anything: fc.Arbitrary<Sent> = fc.record({
  method: fc.oneof(
    { weight: 5, arbitrary: fc.constant("POST") },
    { weight: 3, arbitrary: fc.constant("GET") },
    fc.constantFrom("HEAD", "OPTIONS", "PUT", "DELETE", "get", ""),
  ),
  path: fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...paths) },
    fc.constantFrom(...paths).map((path) => `${path}/`),
    anyText,
  ),
  query: fc.oneof(fields, anyText, fc.constant("")),
  body: fc.oneof({ weight: 4, arbitrary: fields }, anyText, fc.json()),
  headers: fc.record(
    {
      "content-type": fc.oneof(
        { weight: 6, arbitrary: fc.constant(formType) },
        fc.constantFrom("application/json", `${formType}; charset=utf-8`),
        anyText,
      ),
      authorization,
      cookie: fc.oneof(anyText, fc.constant(`__Host-postern-session=s_${"A".repeat(59)}; __Host-postern-browser=b_${"B".repeat(59)}`)),
      "user-agent": anyText,
      "accept-language": anyText,
    },
    { requiredKeys: ["content-type"] },
  ),
})
/** Any request at all. */
export const message = fc.oneof({ weight: 3, arbitrary: anything }, plausible)
