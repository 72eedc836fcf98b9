import { createHash } from "node:crypto"
import type { Person } from "@postern/core"
import { claimsOf, headerOf } from "../support/flows.ts"
import type { Said } from "../support/visitor.ts"
import { issuer, resources } from "../support/world.ts"
import type { Allowed } from "./oracle.ts"

type Success = Extract<Allowed, { readonly answer: "success" }>

/** Facts beside the allowed answers that an answer is checked against. */
export interface Facts {
  readonly clientId: string
  readonly person: Person | undefined
  readonly opaque: boolean
}

/** Finds the differences of an answer from every answer that is allowed; none when it is one of them. */
export const disagreement = (allowed: ReadonlyArray<Allowed>, said: Said, facts: Facts): ReadonlyArray<string> => {
  const wrongs: Array<string> = []
  for (const each of allowed) {
    const wrong = wrongWith(each, said, facts)
    if (wrong === undefined) return []
    wrongs.push(`not ${each.answer}: ${wrong}`)
  }
  return wrongs
}

const wrongWith = (allowed: Allowed, said: Said, facts: Facts): string | undefined => {
  if (said.header("cache-control") !== "no-store") return "the answer may be stored"
  switch (allowed.answer) {
    case "page":
      if (!allowed.statuses.includes(said.status)) return `status ${said.status}`
      if (said.header("location") !== undefined) return "it redirects"
      return said.page?.["_tag"] === "Error" ? undefined : "no error page"
    case "ask": {
      const to = said.header("location") ?? ""
      return new RegExp(`^(?:${issuer})?/${allowed.page}(?:[?]|$)`, "u").test(to) ? undefined : `not the page for ${allowed.page}`
    }
    case "error":
      return wrongWithError(allowed, said)
    case "success":
      return wrongWithSuccess(allowed, said, facts)
  }
}

/** The parameters an answer carries to a redirect_uri in a mode, or why it does not. */
const carried = (said: Said, to: string, mode: string): ReadonlyMap<string, string> | string => {
  const location = said.header("location")
  let pairs: ReadonlyArray<readonly [string, string]>
  if (mode === "form_post") {
    if (said.status !== 200 || said.page?.["_tag"] !== "FormPost" || location !== undefined) return "no form_post"
    if (said.page["action"] !== to) return `the form goes to ${String(said.page["action"])}`
    pairs = said.page["fields"] as ReadonlyArray<readonly [string, string]>
  } else {
    const start = mode === "fragment" ? `${to}#` : `${to}${to.includes("?") ? "&" : "?"}`
    if (said.status !== 303 && said.status !== 302) return `status ${said.status}`
    if (location === undefined || !location.startsWith(start)) return `it does not begin with ${start}`
    const rest = location.slice(start.length)
    if (rest.includes("#")) return "query and fragment"
    pairs = [...new URLSearchParams(rest)]
  }
  const names = pairs.map(([name]) => name)
  if (new Set(names).size !== names.length) return `a parameter comes twice: ${names.join(" ")}`
  const fields = new Map(pairs)
  return fields.get("iss") === issuer ? fields : "RFC 9207 §2: iss is not the issuer"
}

const wrongWithError = (allowed: Extract<Allowed, { readonly answer: "error" }>, said: Said): string | undefined => {
  const tried: Array<string> = []
  for (const mode of allowed.modes) {
    const fields = carried(said, allowed.to, mode)
    if (typeof fields === "string") tried.push(`${mode}: ${fields}`)
    else {
      if (!allowed.errors.includes(fields.get("error") ?? "")) return `error ${fields.get("error")}`
      if (!allowed.states.includes(fields.get("state"))) return `state ${fields.get("state")}`
      const strange = [...fields.keys()].filter((name) => !["error", "error_description", "error_uri", "state", "iss"].includes(name))
      if (strange.length > 0) return `it also has ${strange.join(" ")}`
      return /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/u.test(fields.get("error_description") ?? "")
        ? undefined
        : "RFC 6749 §4.1.2.1: error_description"
    }
  }
  return tried.join("; ")
}

const same = (one: ReadonlyArray<string>, other: ReadonlyArray<string>): boolean => one.toSorted().join(" ") === other.toSorted().join(" ")

const wrongWithSuccess = (allowed: Success, said: Said, facts: Facts): string | undefined => {
  const fields = carried(said, allowed.to, allowed.mode)
  if (typeof fields === "string") return fields
  const names = [
    "iss",
    ...(allowed.state === undefined ? [] : ["state"]),
    ...(allowed.code ? ["code"] : []),
    ...(allowed.accessToken ? ["access_token", "token_type", "expires_in", "scope"] : []),
    ...(allowed.idToken ? ["id_token"] : []),
  ]
  if (!same([...fields.keys()], names)) return `it has ${[...fields.keys()].join(" ")} and not ${names.join(" ")}`
  if (fields.get("state") !== allowed.state) return `state ${fields.get("state")}`
  if (fields.get("code") === "") return "an empty code"
  return (
    (allowed.accessToken ? wrongWithAccessToken(allowed, fields, facts) : undefined) ??
    (allowed.idToken ? wrongWithIdToken(allowed, fields, facts) : undefined)
  )
}

/** RFC 6749 §4.2.2, RFC 9068 §2.2. */
const wrongWithAccessToken = (allowed: Success, fields: ReadonlyMap<string, string>, facts: Facts): string | undefined => {
  if (fields.get("token_type")?.toLowerCase() !== "bearer") return `token_type ${fields.get("token_type")}`
  if (fields.get("expires_in") !== "3600") return `expires_in ${fields.get("expires_in")}`
  if (!scopesOf(allowed).some((names) => same((fields.get("scope") ?? "").split(" "), names))) return `scope ${fields.get("scope")}`
  const token = fields.get("access_token") ?? ""
  if (facts.opaque) return token.includes(".") ? "the access token is not opaque" : undefined
  if (headerOf(token)["typ"] !== "at+jwt") return "the access token is no at+jwt"
  const { sub, iss, aud, client_id } = claimsOf(token)
  if (sub !== facts.person?.subject || iss !== issuer || client_id !== facts.clientId) return `an access token of ${String(sub)}`
  const owners = resources
    .filter(({ scopes }) => scopes.some(({ name }) => allowed.scope.includes(name)))
    .map(({ identifier }) => identifier)
  const audience = allowed.resource.length > 0 ? [...new Set(allowed.resource)] : owners.length > 0 ? owners : [issuer]
  return same([aud].flat() as ReadonlyArray<string>, audience) ? undefined : `an access token for ${JSON.stringify(aud)}`
}

/**
 * The scopes that an access token may be said to have. Without a code, offline_access is ignored (Core §11) and may go unsaid. A token for
 * one resource may be cut down to what that resource understands (RFC 8707 §2.2), and is then said to be (RFC 6749 §3.3).
 */
const scopesOf = ({ scope, code, resource }: Success): ReadonlyArray<ReadonlyArray<string>> => {
  const owned = resources.filter(({ identifier }) => resource.includes(identifier)).flatMap(({ scopes }) => scopes.map(({ name }) => name))
  const cut = resource.length === 0 ? [] : [scope.filter((name) => owned.includes(name))]
  return [scope, ...(code ? [] : [scope.filter((name) => name !== "offline_access")]), ...cut]
}

/** OpenID Connect Core §3.1.3.6: the left half of the digest. */
const half = (text: string): string => createHash("sha256").update(text).digest().subarray(0, 16).toString("base64url")

const always = ["iss", "sub", "aud", "exp", "iat"]
const perhaps = ["auth_time", "sid", "amr", "acr", "azp", "jti", "nbf"]

/** OpenID Connect Core §2, §3.2.2.10, §3.3.2.11, §5.4. */
const wrongWithIdToken = (allowed: Success, fields: ReadonlyMap<string, string>, { clientId, person }: Facts): string | undefined => {
  const claims = claimsOf(fields.get("id_token") ?? "")
  const told = allowed.userClaims ? released(allowed.scope, person) : {}
  const wanted: Record<string, unknown> = {
    iss: issuer,
    sub: person?.subject,
    nonce: allowed.nonce,
    c_hash: allowed.code ? half(fields.get("code") ?? "") : undefined,
    at_hash: allowed.accessToken ? half(fields.get("access_token") ?? "") : undefined,
    ...told,
  }
  for (const [name, value] of Object.entries(wanted))
    if (JSON.stringify(claims[name]) !== JSON.stringify(value)) return `${name} in the ID token is ${JSON.stringify(claims[name])}`
  if (!same([claims["aud"]].flat() as ReadonlyArray<string>, [clientId])) return `an ID token for ${JSON.stringify(claims["aud"])}`
  if (Number(claims["exp"]) - Number(claims["iat"]) !== 300) return "an ID token of another lifetime"
  if (typeof claims["auth_time"] !== "number") return "no auth_time"
  const lacking = always.filter((name) => !(name in claims))
  const strange = Object.keys(claims).filter((name) => !always.includes(name) && !perhaps.includes(name) && wanted[name] === undefined)
  return lacking.length + strange.length === 0
    ? undefined
    : `the ID token lacks ${lacking.join(" ")} or tells too much: ${strange.join(" ")}`
}

/** OpenID Connect Core §5.4, of what the person has; a claim that says nothing is left out (§5.3.2). */
const claimsOfScope: Readonly<Record<string, ReadonlyArray<string>>> = {
  profile: ["name", "given_name", "family_name", "preferred_username", "middle_name"],
  email: ["email", "email_verified"],
  phone: ["phone_number", "phone_number_verified"],
}

const released = (scope: ReadonlyArray<string>, person: Person | undefined): Record<string, unknown> => {
  const names = scope.flatMap((name) => claimsOfScope[name] ?? [])
  return Object.fromEntries(Object.entries(person?.claims ?? {}).filter(([name, value]) => names.includes(name) && value !== ""))
}
