import type { ClientMetadata } from "@postern/core"
import { resources } from "../support/world.ts"
import type { Asked } from "./asked.ts"
import { type Reading, type Sure, wordsOf } from "./reading.ts"

/** A fault of a request: the errors it may be answered with, and whether the documents are sure that it is one. */
export interface Finding {
  readonly errors: ReadonlyArray<string>
  readonly sure: boolean
  readonly because: string
}

type Answers = string | ReadonlyArray<string>
const finding = (when: Sure | boolean, errors: Answers, because: string): ReadonlyArray<Finding> => {
  if (when === "no" || when === false) return []
  return [{ errors: typeof errors === "string" ? [errors] : errors, sure: when === "yes" || when === true, because }]
}

/** Beyond this many characters a request may be refused for its length. */
const long = 12_288

/** Faults that are answered with a page: RFC 6749 §4.1.2.1. */
export const pageFindings = ({ kind, pairs }: Asked, { one, repeated }: Reading): ReadonlyArray<Finding> => {
  const { client } = kind
  const named = one("client_id")
  const redirectUri = one("redirect_uri")
  return [
    // No document bounds a request; a server may (RFC 9110 §4.1), and then it knows neither client nor redirect_uri.
    ...finding(
      new URLSearchParams(pairs.map((pair) => [...pair])).toString().length > long ? "maybe" : "no",
      [],
      "RFC 9110 §4.1: too long",
    ),
    ...finding(named === undefined, [], "RFC 6749 §4.1.1: no client_id"),
    ...finding(repeated("client_id"), [], "RFC 6749 §3.1: client_id twice"),
    ...finding(named !== undefined && named !== client?.client_id, [], "RFC 6749 §4.1.2.1: unknown client"),
    ...finding(client?.disabled === true, [], "behaviour: a client that is disabled"),
    ...finding(redirectUri === undefined, [], "specification §2.1: no redirect_uri"),
    ...finding(repeated("redirect_uri"), [], "RFC 6749 §3.1: redirect_uri twice"),
    ...finding(redirectUri === undefined ? "no" : unregistered(client, redirectUri), [], "specification §2.1: redirect_uri does not match"),
  ]
}

/** Exact, but for the port of a native client's loopback IP (RFC 8252 §7.3). */
const unregistered = (client: ClientMetadata | undefined, uri: string): Sure => {
  const uris = client?.redirect_uris ?? []
  if (uris.includes(uri)) return "no"
  if (client?.application_type !== "native") return "yes"
  const loopback = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::([0-9]*))?((?:[/?].*)?)$/su
  const [, host, port = "", rest] = loopback.exec(uri) ?? []
  const other = uris.some((each) => {
    const [, itsHost, , itsRest] = loopback.exec(each) ?? []
    return itsHost !== undefined && itsHost === host && itsRest === rest
  })
  if (!other) return "yes"
  // «Any port» (RFC 8252 §7.3), if it is one: RFC 3986 §3.2.3 lets it be empty, or longer than TCP can be.
  return /^[1-9][0-9]{0,4}$/u.test(port) && Number(port) <= 65_535 ? "no" : "maybe"
}

const identity = new Set(["openid", "profile", "email", "address", "phone", "role"])
const api = new Set(resources.flatMap(({ scopes }) => scopes.map(({ name }) => name)))

const singular = [
  "response_type",
  "response_mode",
  "scope",
  "state",
  "nonce",
  "prompt",
  "max_age",
  "code_challenge",
  "code_challenge_method",
  "login_hint",
  "ui_locales",
  "acr_values",
  "display",
  "id_token_hint",
  "registration",
]

/** Faults that are sent back to the client, in no order: RFC 6749 §4.1.2.1, §4.2.2.1; OpenID Connect Core §3.1.2.6. */
export const requestFindings = (asked: Asked, reading: Reading): ReadonlyArray<Finding> => [
  ...singular.flatMap((name) => finding(reading.repeated(name), "invalid_request", `RFC 6749 §3.1: ${name} twice`)),
  ...reading.names
    .filter((name) => ![...singular, "client_id", "redirect_uri", "resource"].includes(name))
    .flatMap((name) =>
      finding(reading.repeated(name) === "no" ? "no" : "maybe", "invalid_request", `RFC 6749 §3.1: ${name}, unknown, twice`),
    ),
  ...finding(reading.one("registration") !== undefined, "registration_not_supported", "Core §3.1.2.6: registration"),
  ...typeFindings(asked, reading),
  ...scopeFindings(asked, reading),
  ...proofFindings(asked, reading),
  ...personFindings(reading),
  ...resourceFindings(asked, reading),
  // RFC 6749 §A.5 has printable ASCII in a state, and no error for another.
  ...finding(/[^\x20-\x7e]/u.test(reading.one("state") ?? "") ? "maybe" : "no", "invalid_request", "RFC 6749 §A.5: state"),
]

const typeFindings = ({ kind }: Asked, { one, all, words, mode }: Reading): ReadonlyArray<Finding> => {
  const type = one("response_type")
  const wanted = one("response_mode")
  const permitted = kind.client?.response_types ?? ["code"]
  const allowed = permitted.some((each) => wordsOf(each).toSorted().join(" ") === words.join(" "))
  // RFC 6749 §A.3 parts the words by one space, and says nothing of a word that comes twice.
  const irregular = words.length > 0 && type?.split(" ").toSorted().join(" ") !== words.join(" ")
  const modeKnown = wanted === undefined || ["query", "fragment", "form_post"].includes(wanted)
  return [
    ...finding(type === undefined, "invalid_request", "RFC 6749 §3.1.1: no response_type"),
    ...finding(type !== undefined && words.length === 0, "unsupported_response_type", "RFC 6749 §4.1.2.1: unknown response_type"),
    ...finding(irregular ? "maybe" : "no", ["unsupported_response_type", "invalid_request"], "RFC 6749 §A.3: response_type"),
    ...finding(words.length > 0 && !allowed, "unauthorized_client", "RFC 6749 §4.1.2.1: a response_type not allowed"),
    ...finding(!modeKnown && all("response_mode").length === 1, "invalid_request", "Multiple Response Types §2.1: unknown response_mode"),
    ...finding(
      mode === "query" && words.length > 0 && words.join(" ") !== "code",
      "invalid_request",
      "Multiple Response Types §3, §5: query for a token",
    ),
    ...finding(words.length === 0 && wanted === "query" ? "maybe" : "no", "invalid_request", "Multiple Response Types §5: query"),
    ...finding(words.includes("id_token") && one("nonce") === undefined, "invalid_request", "Core §3.2.2.1, §3.3.2.11: no nonce"),
  ]
}

const scopeFindings = ({ kind }: Asked, { one, words, scope }: Reading): ReadonlyArray<Finding> => {
  const sent = one("scope")
  const may = wordsOf(kind.client?.scope ?? "")
  const type = words.join(" ")
  const some = (names: ReadonlySet<string>) => scope.some((name) => names.has(name))
  const openid = scope.includes("openid")
  return [
    ...finding(sent === undefined, ["invalid_request", "invalid_scope"], "specification §2.1, RFC 6749 §3.3: no scope"),
    ...finding(sent !== undefined && scope.length === 0, ["invalid_scope", "invalid_request"], "RFC 6749 §3.3: a scope of spaces"),
    ...finding(
      scope.some((name) => !may.includes(name)),
      "invalid_scope",
      "behaviour: a scope not allowed",
    ),
    ...finding(sent !== undefined && sent.split(" ").includes("") ? "maybe" : "no", "invalid_scope", "RFC 6749 §A.4: two spaces"),
    ...finding(type === "id_token" && some(api), "invalid_scope", "specification §2.1: id_token, a resource scope"),
    ...finding(type === "token" && some(identity), "invalid_scope", "specification §2.1: token, an identity scope"),
    ...finding(
      words.includes("id_token") && sent !== undefined && !openid,
      ["invalid_scope", "invalid_request"],
      "Core §3.1.2.1: an ID token without openid",
    ),
    // Without `openid` it is no OpenID request (Core §3.1.2.1), and what `profile` means then is told by nobody.
    ...finding(!openid && some(identity) ? "maybe" : "no", ["invalid_scope", "invalid_request"], "Core §3.1.2.1: no openid"),
    // Core §11: without a code it is ignored; specification §2.1 allows one kind of scope only.
    ...finding(
      scope.includes("offline_access") && (type === "id_token" || type === "token") ? "maybe" : "no",
      "invalid_scope",
      "specification §2.1: offline_access with a lone token",
    ),
    ...finding(
      scope.length > 0 && scope.every((name) => name === "offline_access") ? "maybe" : "no",
      ["invalid_scope", "invalid_request"],
      "Core §11: offline_access and nothing else",
    ),
  ]
}

/** PKCE: RFC 7636 §4.2, §4.3, §4.4.1; RFC 9700 §2.1.1. */
const proofFindings = ({ kind }: Asked, { one, words }: Reading): ReadonlyArray<Finding> => {
  const { client } = kind
  const challenge = one("code_challenge")
  const method = one("code_challenge_method")
  const required = client?.token_endpoint_auth_method === "none" || client?.require_pkce !== false
  const plain = challenge !== undefined && (method ?? "plain") === "plain"
  // Without a code there is nothing to prove; whether the parameters are looked at then is open.
  const here = (fault: boolean): Sure => (!fault ? "no" : words.includes("code") ? "yes" : "maybe")
  return [
    ...finding(required && challenge === undefined && words.includes("code"), "invalid_request", "RFC 7636 §4.4.1: no code_challenge"),
    ...finding(here(challenge === undefined && method !== undefined), "invalid_request", "RFC 7636 §4.3: a method without a challenge"),
    ...finding(here(method !== undefined && !["plain", "S256"].includes(method)), "invalid_request", "RFC 7636 §4.4.1: unknown method"),
    ...finding(here(plain && client?.allow_plain_pkce !== true), "invalid_request", "behaviour, RFC 7636 §4.3: plain is not allowed"),
    ...finding(
      here(challenge !== undefined && !/^[A-Za-z0-9._~-]{43,128}$/u.test(challenge)),
      "invalid_request",
      "RFC 7636 §4.2: not a code_challenge",
    ),
    // No SHA-256 is 44 characters long in base64url, though the grammar has room for it.
    ...finding(
      method === "S256" && challenge !== undefined && !/^[A-Za-z0-9_-]{43}$/u.test(challenge) ? "maybe" : "no",
      "invalid_request",
      "RFC 7636 §4.2: S256 of another length",
    ),
  ]
}

/** Finds faults of `prompt` and of the person: OpenID Connect Core §3.1.2.1. */
const personFindings = ({ one, prompts }: Reading): ReadonlyArray<Finding> => {
  const maxAge = one("max_age")
  const strange = prompts.some((prompt) => !["none", "login", "consent", "select_account"].includes(prompt))
  const hint = one("id_token_hint")
  return [
    ...finding(strange, "invalid_request", "Core §3.1.2.1: unknown prompt"),
    ...finding(prompts.includes("none") && prompts.length > 1, "invalid_request", "Core §3.1.2.1: prompt=none with another"),
    ...finding((one("prompt") ?? "x").split(" ").includes("") ? "maybe" : "no", "invalid_request", "RFC 6749 §A: two spaces in prompt"),
    ...finding(maxAge !== undefined && !/^[0-9]+$/u.test(maxAge), "invalid_request", "Core §3.1.2.1: max_age is no number of seconds"),
    ...finding(maxAge !== undefined && maxAge.length > 9 ? "maybe" : "no", "invalid_request", "Core §3.1.2.1: max_age beyond all measure"),
    ...finding(hint !== undefined, ["invalid_request", "login_required"], "Core §3.1.2.1: an id_token_hint that we did not issue"),
    ...finding(
      !["page", "popup", "touch", "wap", undefined].includes(one("display")) ? "maybe" : "no",
      "invalid_request",
      "Core §3.1.2.1: unknown display",
    ),
  ]
}

/** RFC 8707 §2. */
const resourceFindings = ({ kind }: Asked, { resource, scope }: Reading): ReadonlyArray<Finding> => {
  const may = wordsOf(kind.client?.scope ?? "")
  const owned = (identifier: string) => resources.find((each) => each.identifier === identifier)?.scopes.map(({ name }) => name) ?? []
  return resource.flatMap((identifier) => [
    ...finding(!owned(identifier).some((name) => may.includes(name)), "invalid_target", "RFC 8707 §2: an unknown or forbidden resource"),
    ...finding(
      owned(identifier).some((name) => scope.includes(name)) ? "no" : "maybe",
      "invalid_target",
      "RFC 8707 §2: a resource of which no scope is asked",
    ),
    ...finding(resource.filter((each) => each === identifier).length > 1 ? "maybe" : "no", "invalid_target", "RFC 8707 §2: one twice"),
  ])
}
