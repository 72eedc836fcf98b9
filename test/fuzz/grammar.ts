import fc from "fast-check"
import { endpoints } from "../support/endpoints.ts"
import { basic } from "../support/flows.ts"
import { clients } from "../support/world.ts"
import type { Shot } from "./mutations.ts"
import { nastyText } from "./nasty.ts"
import type { Parts } from "./valid.ts"

/** Words that mean something to an endpoint, by the parameter they belong to. What a world itself gave out joins them. */
const words: Readonly<Record<string, ReadonlyArray<string>>> = {
  client_id: clients.map(({ client_id }) => client_id),
  client_secret: clients.map(({ client_id }) => `secret of ${client_id}`),
  redirect_uri: [
    "https://app.example/cb",
    "https://app.example/cb?tab=1",
    "http://127.0.0.1:4711/cb",
    "com.example.app:/cb",
    "https://evil.example/",
  ],
  post_logout_redirect_uri: ["https://app.example/out", "https://app.example/cb"],
  response_type: ["code", "token", "id_token", "id_token token", "token code id_token", "code code", "none"],
  response_mode: ["query", "fragment", "form_post", "jwt", "query.jwt", "web_message"],
  grant_type: [
    "authorization_code",
    "refresh_token",
    "client_credentials",
    "password",
    "implicit",
    "urn:ietf:params:oauth:grant-type:device_code",
    "urn:ietf:params:oauth:grant-type:token-exchange",
    "urn:ietf:params:oauth:grant-type:jwt-bearer",
  ],
  scope: [
    "openid",
    "openid profile email",
    "openid offline_access",
    "api.read",
    "billing",
    "openid api.read api.write billing",
    "openid openid",
  ],
  prompt: ["none", "login", "consent", "select_account", "create", "none login", "login consent"],
  display: ["page", "popup", "touch", "wap"],
  max_age: ["0", "1", "60", "-1", "86400"],
  code_challenge_method: ["S256", "plain", "s256"],
  code_verifier: ["v".repeat(43), "v".repeat(42), "v".repeat(129)],
  claims: [
    '{"userinfo":{"email":null},"id_token":{"acr":{"essential":true}}}',
    '{"id_token":{"sub":{"value":"sub-bob"}}}',
    '{"userinfo":[]}',
  ],
  acr_values: ["idp:google", "tenant:x", "idp: tenant:", "1 2 3"],
  ui_locales: ["de", "fr-CA en", "xx", "ja zh-Hant-TW"],
  claims_locales: ["de", "*"],
  login_hint: ["alice", "alice@example.com"],
  resource: ["https://api.example", "https://billing.example", "https://other.example", "api", "https://api.example#x"],
  registration: ["{}"],
  request: ["eyJhbGciOiJub25lIn0.e30."],
  request_uri: ["urn:ietf:params:oauth:request_uri:x", "https://client.example/r"],
  token_type_hint: ["access_token", "refresh_token", "id_token"],
  client_assertion_type: ["urn:ietf:params:oauth:client-assertion-type:jwt-bearer"],
  subject_token_type: [
    "urn:ietf:params:oauth:token-type:access_token",
    "urn:ietf:params:oauth:token-type:jwt",
    "urn:ietf:params:oauth:token-type:id_token",
  ],
  requested_token_type: [
    "urn:ietf:params:oauth:token-type:access_token",
    "urn:ietf:params:oauth:token-type:refresh_token",
    "urn:ietf:params:oauth:token-type:id-jag",
  ],
  audience: ["https://as.todo.example", "https://api.example"],
  username: ["alice", "bob", "mallory", "nobody"],
  password: ["correct horse", "wrong"],
  decision: ["allow", "deny", "idp"],
  notice: ["session_ended", "consent_withdrawn"],
  problem: ["idp_failed"],
}

/** Parameters whose values only a world has. */
const given = [
  "state",
  "nonce",
  "code",
  "code_challenge",
  "refresh_token",
  "device_code",
  "user_code",
  "token",
  "access_token",
  "id_token_hint",
  "client_assertion",
  "assertion",
  "subject_token",
  "actor_token",
  "interaction",
  "csrf",
  "session",
  "provider",
  "sealed",
  "waiting",
  "error",
  "iss",
]

const names = [...new Set([...Object.keys(words), ...given])]

const targets = endpoints.flatMap(({ path, methods }) => methods.map((method) => ({ path, method })))

/** A value as it is chosen: one of the parameter's own words, one that the world gave for this name or another, or nasty text. */
type Value = { readonly word: number } | { readonly live: number } | { readonly foreign: number } | { readonly text: string }

const value: fc.Arbitrary<Value> = fc.oneof(
  { weight: 5, arbitrary: fc.nat(30).map((word) => ({ word })) },
  { weight: 4, arbitrary: fc.nat(30).map((live) => ({ live })) },
  { weight: 1, arbitrary: fc.nat(400).map((foreign) => ({ foreign })) },
  { weight: 1, arbitrary: nastyText.map((text) => ({ text })) },
)

const at = <A>(list: ReadonlyArray<A>, place: number): A | undefined => list[place % Math.max(1, list.length)]

/** Values that a world gave out or was asked, by parameter. */
type Known = ReadonlyMap<string, ReadonlyArray<string>>

const known = new WeakMap<ReadonlyArray<Parts>, Known>()
const knownOf = (valid: ReadonlyArray<Parts>): Known => {
  const before = known.get(valid)
  if (before !== undefined) return before
  const made = new Map<string, Array<string>>()
  for (const [name, said] of valid.flatMap(({ fields }) => fields)) made.set(name, [...(made.get(name) ?? []), said])
  known.set(valid, made)
  return made
}

const chosen = (name: string, choice: Value, all: Known): string => {
  if ("text" in choice) return choice.text
  if ("word" in choice) return at(words[name] ?? all.get(name) ?? [], choice.word) ?? ""
  if ("live" in choice) return at(all.get(name) ?? words[name] ?? [], choice.live) ?? ""
  return at([...all.values()].flat(), choice.foreign) ?? ""
}

/** Sender of a request: credentials in a header, and the cookies of one of the valid requests. */
const sender = fc.record({
  basic: fc.option(fc.constantFrom(...clients.map(({ client_id }) => client_id), "nobody"), { nil: undefined }),
  bearer: fc.option(fc.nat(30), { nil: undefined, freq: 6 }),
  cookie: fc.option(fc.nat(40), { nil: undefined, freq: 3 }),
})

/** A request built up from nothing: any endpoint, any of all parameters in any order and number, each with any kind of value. */
export const structured: fc.Arbitrary<Shot> = fc
  .record({
    target: fc.constantFrom(...targets),
    fields: fc.array(fc.tuple(fc.constantFrom(...names), value), { maxLength: 14 }),
    sender,
  })
  .map(({ target, fields, sender: from }): Shot => {
    const build = (valid: ReadonlyArray<Parts>): Parts => {
      const all = knownOf(valid)
      const cookies = valid.flatMap(({ headers }) => (headers["cookie"] === undefined ? [] : [headers["cookie"]]))
      const bearer = from.bearer === undefined ? undefined : chosen("access_token", { live: from.bearer }, all)
      return {
        ...target,
        fields: fields.map(([name, choice]) => [name, chosen(name, choice, all)] as const),
        headers: {
          authorization: bearer !== undefined ? `Bearer ${bearer}` : from.basic === undefined ? undefined : basic(from.basic),
          cookie: from.cookie === undefined ? undefined : at(cookies, from.cookie),
        },
      }
    }
    return { from: build, mutations: [] }
  })
