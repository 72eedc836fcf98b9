import { type ClientMetadata, type Json, type JsonObject, type Refusal, refuse } from "../../model/index.ts"
import { isNotAhead } from "../../rules/ahead.ts"
import { pairsFault } from "../../rules/parameters.ts"
import { uriParts } from "../../rules/redirectUri.ts"
import { type Fault, eachOf, fault } from "../../rules/registrationFault.ts"
import { type Rule, pass, prove, rule, table } from "../../rules/rule.ts"
import { mostParameters } from "../../wire/index.ts"
import type { RegistrationSettings } from "./options.ts"
import type { RegistrationPolicy } from "./policy.ts"
import type { InitialAccessTokenRow } from "./rows.ts"

/** A bearer token as it was sent. */
export interface SentToken {
  /** The token; undefined if none was sent. */
  readonly token: string | undefined
  /** True if the Authorization header contains no bearer token. */
  readonly unreadable: boolean
}

/** A registration request, and the initial access token that it was sent with. */
export interface Access extends SentToken {
  readonly settings: RegistrationSettings
  readonly found: InitialAccessTokenRow | undefined
  readonly now: number
}

/** Judges the form of a token. If an Authorization header is sent, it must contain one (RFC 6750 §2.1). */
export const tokenForm = <S>(prefix: string): Rule<SentToken, S> =>
  rule(`${prefix}.token-form`, "RFC 6750 §2.1", ({ unreadable }) =>
    unreadable ? refuse("invalid_request", "The Authorization header holds no bearer token.") : pass,
  )

const invalidToken = (reason: string): Refusal => refuse("invalid_token", "The initial access token is not valid.", reason)

/** Judges who may register (RFC 7591 §3). */
export const accessRules = table<Access>("register")
  .include(tokenForm("register"))
  .rule("register.token-present", "RFC 7591 §3", (s) =>
    s.settings.open || s.token !== undefined
      ? pass
      : refuse("invalid_token", "An initial access token is needed.", "registration is not open"),
  )
  .rule("register.token-known", "RFC 7591 §3", (s) =>
    s.token === undefined || s.found !== undefined ? pass : invalidToken("no such initial access token"),
  )
  .rule("register.token-live", "RFC 7591 §3", ({ found }) =>
    found?.revokedAt === undefined ? pass : invalidToken("the initial access token was revoked"),
  )
  .rule("register.token-fresh", "RFC 7591 §3", ({ found, now }) =>
    found === undefined || found.expiresAt === 0 || now < found.expiresAt ? pass : invalidToken("the initial access token has expired"),
  )
  .rule("register.token-uses", "RFC 7591 §3", ({ found }) =>
    found === undefined || found.mostUses === 0 || found.uses < found.mostUses
      ? pass
      : invalidToken("the initial access token has registered as many clients as it may"),
  )

/** The body of a request to register, or to update a registration. */
export interface Sent {
  readonly isJson: boolean
  /** The body; undefined if it is not a JSON object. */
  readonly object: JsonObject | undefined
}

/** Refuses metadata (RFC 7591 §3.2.2). */
const refuseMetadata = (description: string, reason = description): Refusal => refuse("invalid_client_metadata", description, reason)

/** The values of a member, each as a text. Of values that are not texts only the number is kept. */
const textsIn = (value: Json | undefined): ReadonlyArray<string> =>
  (Array.isArray(value) ? value : [value]).map((each) => (typeof each === "string" ? each : ""))

/** Judges the form of the body (RFC 7591 §3.1). */
export const bodyRules = table<Sent>("registration/body")
  .rule("register.json", "RFC 7591 §3.1", (s) =>
    s.isJson ? pass : refuseMetadata("The body must be application/json.", "another Content-Type, or none"),
  )
  .present("register.object", "RFC 7591 §3.1", "object", () => refuseMetadata("The body must be a JSON object."))
  .rule("register.size", "RFC 9110 §17.5", ({ object }) => {
    // One member over the limit is enough to refuse the body. Examining thousands would cost more than reading them.
    const pairs = Object.keys(object)
      .slice(0, mostParameters + 1)
      .flatMap((name) => textsIn(object[name]).map((text) => [name, text] as const))
    const excess = pairsFault(pairs)
    return excess === undefined ? pass : refuseMetadata("The metadata has too many members, values or words.", excess)
  })
  .establish("register.asked", "RFC 7591 §2.3", ({ object }) => {
    const { software_statement: statement, ...asked } = object
    if (statement !== undefined && statement !== null && typeof statement !== "string")
      return refuse("invalid_software_statement", "The software_statement must be a JWT.", "it is no text")
    return prove<{ asked: JsonObject; statement: string | undefined }>({ asked, statement: statement ?? undefined })
  })

/** A software statement, and the result of its verification. */
export interface Statement {
  readonly settings: RegistrationSettings
  readonly statement: string | undefined
  /** Its claims, which are not verified; undefined if the statement is not a JWT. */
  readonly claims: JsonObject | undefined
  /** True if the provider trusts its issuer. */
  readonly isTrusted: boolean
  /** The reason that it was not verified; undefined if it was. */
  readonly unverified: string | undefined
  readonly now: number
}

const badStatement = (reason: string): Refusal => refuse("invalid_software_statement", "The software_statement is not valid.", reason)

/** Judges a software statement (RFC 7591 §2.3, §3.1.1). */
export const statementRules = table<Statement>("register/statement")
  .rule("register.statement-present", "RFC 7591 §3.1.1", (s) =>
    s.statement !== undefined || !s.settings.softwareStatementRequired
      ? pass
      : refuse("unapproved_software_statement", "A software_statement is needed."),
  )
  .rule("register.statement-form", "RFC 7591 §2.3", (s) =>
    s.statement === undefined || s.claims !== undefined ? pass : badStatement("it is no signed JWT"),
  )
  .rule("register.statement-issuer", "RFC 7591 §3.1.1", (s) =>
    s.statement === undefined || s.isTrusted
      ? pass
      : refuse("unapproved_software_statement", "The issuer of the software_statement is not approved."),
  )
  .rule("register.statement-signature", "RFC 7591 §2.3", (s) => (s.unverified === undefined ? pass : badStatement(s.unverified)))
  .rule("register.statement-fresh", "RFC 7519 §4.1.4, §4.1.5", ({ claims, now }) => {
    const { exp = Infinity, nbf } = claims ?? {}
    return typeof exp === "number" && now < exp && isNotAhead(nbf, now) ? pass : badStatement("it has expired, or is of the future")
  })

/** Metadata as it would be registered, and the limits under which it is registered. */
export interface Proposed {
  readonly client: ClientMetadata
  /** The members of the request. */
  readonly asked: JsonObject
  readonly policy: RegistrationPolicy
  readonly faults: ReadonlyArray<Fault>
}

const hostAllowed = (uri: string, hosts: ReadonlyArray<string>): boolean => {
  const parts = uriParts(uri)
  if (parts === undefined) return false
  const host = parts.host.toLowerCase()
  if (host === "") return hosts.includes(`${parts.scheme.toLowerCase()}:`)
  return hosts.some((each) => each === host || (each.startsWith("*.") && host.endsWith(each.slice(1))))
}

/** Judges metadata by its policy, and its form, before the rules of registration do. */
export const policyRules = table<Proposed, Fault>("registration/policy")
  .rule("register.metadata-form", "RFC 7591 §2", ({ faults: [first] }) => first ?? pass)
  .rule("register.grant-left", "RFC 7591 §2", ({ client, asked }) =>
    (client.grant_types ?? []).length > 0
      ? pass
      : fault(
          ["grant_types"],
          `none of ${JSON.stringify(asked["grant_types"])} is for clients that register themselves`,
          "ask for authorization_code",
        ),
  )
  .rule("register.redirect-hosts", "RFC 7591 §5", ({ client, policy: { redirectHosts } }) =>
    redirectHosts === undefined
      ? pass
      : eachOf("redirect_uris", client.redirect_uris, (uri) =>
          hostAllowed(uri, redirectHosts)
            ? pass
            : [`its host is none of those that may be registered: ${redirectHosts.join(", ")}`, "use a host that the provider allows"],
        ),
  )
  .rule("register.request-object-signed", "RFC 9101 §10.2", ({ client, policy }) =>
    client.request_object_signing_alg !== "none" || policy.metadata?.["request_object_signing_alg"] === "none"
      ? pass
      : fault(["request_object_signing_alg"], "is none, which a client may not choose for itself", "sign the request objects"),
  )

/** A document that names a sector, as far as it could be read. */
export interface SectorSeen {
  /** The reason that the client is not known to belong to the sector that it names; undefined if it does, or names none. */
  readonly sectorFault: string | undefined
}

/** Judges whether a client belongs to the sector that it names. */
export const sectorRules = table<SectorSeen>("registration/sector").rule(
  "register.sector",
  "OpenID Connect Dynamic Client Registration §5",
  ({ sectorFault }) =>
    sectorFault === undefined
      ? pass
      : refuseMetadata("The sector_identifier_uri cannot be read, or does not list every redirect URI.", sectorFault),
)

/** The text of a fault in the form allowed in a response: ASCII without quotes and backslashes (RFC 6749 §5.2), and of limited length. */
const shown = (text: string): string => text.replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, " ").slice(0, 200)

/** Refuses metadata because of a fault (RFC 7591 §3.2.2). The response has the member and the hint, but does not repeat the values. */
export const refuseFault = ({ path, reason, hint }: Fault): Refusal => {
  const [name = ""] = path
  const where = path.join(".")
  return refuse(
    name === "redirect_uris" ? "invalid_redirect_uri" : "invalid_client_metadata",
    // A hint is a phrase, or the description of a member, which already ends with a full stop.
    shown(`${where} is not accepted: ${hint.endsWith(".") ? hint : `${hint}.`}`),
    `${where}: ${reason}`,
  )
}
