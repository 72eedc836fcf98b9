import fc from "fast-check"
import type { Message } from "@postern/core"
import { contentTypes, nastyAuthorization, nastyCookie, nastyText } from "./nasty.ts"
import { type Parts, messageOf } from "./valid.ts"

/** A message as it is sent: the provider fills in the rest. */
export type Sent = Partial<Message> & { readonly path: string }

/** Spoils parts, or the message they make. What it is called is told on failure. */
export interface Mutation {
  readonly name: string
  readonly parts?: (parts: Parts) => Parts
  readonly message?: (message: Sent) => Sent
}

/** Number of a valid request, or of one that is built; and the changes to it. */
export interface Shot {
  readonly from: number | ((valid: ReadonlyArray<Parts>) => Parts)
  readonly mutations: ReadonlyArray<Mutation>
}

type Fields = Parts["fields"]

const onFields = (name: string, change: (fields: Fields) => Fields): Mutation => ({
  name,
  parts: (parts) => ({ ...parts, fields: change(parts.fields) }),
})
const onField = (name: string, at: number, change: (field: readonly [string, string]) => Fields): Mutation =>
  onFields(`${name} ${at}`, (fields) => fields.flatMap((field, place) => (place === at % fields.length ? change(field) : [field])))
const withHeader = (name: string, value: string | undefined): Mutation => ({
  name: `${name}: ${JSON.stringify(value)}`,
  message: (message) => ({ ...message, headers: { ...message.headers, [name]: value } }),
})

const names = fc.constantFrom(
  "client_id",
  "redirect_uri",
  "scope",
  "state",
  "nonce",
  "prompt",
  "max_age",
  "resource",
  "code",
  "token",
  "grant_type",
  "client_secret",
  "client_assertion",
  "client_assertion_type",
  "request",
  "request_uri",
  "claims",
  "id_token_hint",
  "csrf",
  "interaction",
  "user_code",
  "username",
  "decision",
  "ui_locales",
  "acr_values",
  "__proto__",
  "constructor",
  "toString",
)
const place = fc.nat(12)

const field: fc.Arbitrary<Mutation> = fc.oneof(
  place.map((at) => onField("drop", at, () => [])),
  place.map((at) => onField("double", at, (each) => [each, each])),
  place.map((at) => onField("empty", at, ([name]) => [[name, ""]])),
  fc
    .tuple(place, nastyText)
    .map(([at, text]) => onField(`replace by ${JSON.stringify(text).slice(0, 80)}`, at, ([name]) => [[name, text]])),
  fc
    .tuple(place, nastyText)
    .map(([at, text]) => onField(`append ${JSON.stringify(text).slice(0, 80)}`, at, ([name, own]) => [[name, own + text]])),
  fc.tuple(place, nastyText).map(([at, text]) => onField(`rename to ${JSON.stringify(text).slice(0, 80)}`, at, ([, own]) => [[text, own]])),
  place.map((at) =>
    onField("array", at, ([name, own]) => [
      [`${name}[]`, own],
      [`${name}[0]`, own],
      [`${name}[a]`, own],
    ]),
  ),
  place.map((at) => onField("many", at, (each) => Array.from({ length: 300 }, () => each))),
  fc.tuple(place, place).map(([at, to]) => onFields(`values ${at} and ${to} changed about`, (fields) => swap(fields, at, to))),
  fc
    .tuple(names, nastyText)
    .map(([name, text]) => onFields(`add ${name}=${JSON.stringify(text).slice(0, 80)}`, (fields) => [...fields, [name, text]])),
  fc.constant(onFields("a thousand others", (fields) => [...fields, ...Array.from({ length: 1000 }, (_, at) => [`p${at}`, "x"] as const)])),
)

const swap = (fields: Fields, one: number, other: number): Fields => {
  const value = (at: number): string => fields[at % fields.length]?.[1] ?? ""
  const [first, second] = [one % fields.length, other % fields.length]
  return fields.map(([name, own], at) => [name, at === first ? value(second) : at === second ? value(first) : own])
}

const header: fc.Arbitrary<Mutation> = fc.oneof(
  nastyAuthorization.map((value) => withHeader("authorization", value)),
  nastyCookie.map((change): Mutation => ({
    name: "cookie",
    message: (message) => ({ ...message, headers: { ...message.headers, cookie: change(message.headers?.["cookie"] ?? "") } }),
  })),
  fc.constantFrom(...contentTypes).map((value) => withHeader("content-type", value)),
  fc
    .tuple(
      fc.constantFrom(
        "accept-language",
        "user-agent",
        "origin",
        "referer",
        "accept",
        "host",
        "x-forwarded-for",
        "forwarded",
        "dpop",
        "content-length",
      ),
      nastyText,
    )
    .map(([name, text]) => withHeader(name, text)),
)

const shape: fc.Arbitrary<Mutation> = fc.oneof(
  fc
    .constantFrom("GET", "POST", "HEAD", "OPTIONS", "PUT", "DELETE", "TRACE", "post", "", "\u0000")
    .map((method): Mutation => ({ name: `method ${method}`, parts: (parts) => ({ ...parts, method }) })),
  fc.constant<Mutation>({ name: "query in the body", message: (sent) => ({ ...sent, body: sent.query ?? "", query: sent.body ?? "" }) }),
  fc.constant<Mutation>({ name: "query and body", message: (sent) => ({ ...sent, query: both(sent), body: both(sent) }) }),
  fc.constant<Mutation>({ name: "nothing decoded", message: (sent) => ({ ...sent, query: raw(sent.query), body: raw(sent.body) }) }),
  fc.constant<Mutation>({ name: "encoded twice", message: (sent) => ({ ...sent, query: again(sent.query), body: again(sent.body) }) }),
  fc.nat(200).map((at): Mutation => ({
    name: `cut at ${at}`,
    message: (sent) => ({ ...sent, query: cut(sent.query, at), body: cut(sent.body, at) }),
  })),
  nastyText.map((text): Mutation => ({ name: "another body", message: (sent) => ({ ...sent, body: text }) })),
  nastyText.map((text): Mutation => ({ name: "another query", message: (sent) => ({ ...sent, query: text }) })),
  fc.constantFrom("/", "//", "/%2e%2e", "?", "%00", "\u0000", ";x", "/../login").map((more): Mutation => ({
    name: `path with ${JSON.stringify(more)}`,
    message: (sent) => ({ ...sent, path: sent.path + more }),
  })),
  fc
    .constantFrom(undefined, "", "999.1.1.1", "::1", "x".repeat(500))
    .map((address): Mutation => ({ name: "address", message: (sent) => ({ ...sent, address }) })),
)

const both = ({ query = "", body = "" }: Sent): string => `${query}&${body}`
const raw = (text = ""): string => text.replaceAll("%20", " ").replaceAll("%3A", ":").replaceAll("%2F", "/").replaceAll("%", "")
const again = (text = ""): string => encodeURIComponent(text.toWellFormed())
const cut = (text = "", at: number): string => text.slice(0, at)

/** A shot at one of so many valid requests: mostly a little off, so that it gets past the first rules. */
export const shot = (valid: number): fc.Arbitrary<Shot> =>
  fc.record({
    from: fc.nat(valid - 1),
    mutations: fc.array(fc.oneof({ weight: 6, arbitrary: field }, { weight: 3, arbitrary: header }, { weight: 2, arbitrary: shape }), {
      maxLength: 3,
    }),
  })

/** The message of a shot. */
export const fired = (valid: ReadonlyArray<Parts>, { from, mutations }: Shot): Sent => {
  const parts = typeof from === "number" ? valid[from % valid.length] : from(valid)
  if (parts === undefined) throw new Error("nothing to mutate")
  const spoilt = mutations.reduce((each, { parts: change }) => change?.(each) ?? each, parts)
  return mutations.reduce((each, { message: change }) => change?.(each) ?? each, messageOf(spoilt))
}
