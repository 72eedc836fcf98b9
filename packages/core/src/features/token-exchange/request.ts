import { type GrantSeen, type OwnToken, type Person, offlineAccess } from "../../extension/index.ts"
import { type Bounds, narrowed } from "../../extension/narrow.ts"
import type { PolicyOf } from "../../extension/policy.ts"
import type { PresentedJwt } from "../../extension/trustedIssuer.ts"

/** The members that a client's policy for token exchange may have. */
export const members = {
  /** The clients whose tokens it may exchange, in addition to its own. Default: none. */
  clients: "names",
  /** The clients whose tokens may be actor tokens, in addition to its own. Default: none. */
  actors: "names",
  /** The kinds of subject tokens: `access_token`, `id_token`, `refresh_token` (its own only), `jwt`. Default: access_token. */
  subject_token_types: "names",
  /** True if it needs no actor_token. Default: false. */
  impersonation: "flag",
  /** The scopes of the subject token that it may be granted. Default: all of them. */
  scope: "scope",
  /** Scopes that it may be granted although the subject token does not have them. Default: none. */
  add_scope: "scope",
  /** The resources for which it may get tokens. Default: those of the subject token and those of add_scope. */
  resources: "names",
  /** The longest lifetime of the tokens, which never exceeds that of the subject token. */
  max_lifetime: "seconds",
  /** True if it may have a refresh token, and thus outlive the subject token. Default: false. */
  refresh_token: "flag",
  /**
   * True if it may exchange access tokens that are bound to another party's key or certificate. This is for a resource server, to which
   * that was proved when the token was presented. It applies only to tokens for a resource that the client may introspect. Default: false.
   */
  bound_tokens: "flag",
  /** True if it may be a public client. Default: false. */
  allow_public: "flag",
} as const

/** A client's policy for token exchange. */
export type ExchangePolicy = PolicyOf<typeof members>

/** The parameters that token exchange reads (RFC 8693 §2.1). */
export const parameters = {
  subject_token: "required",
  subject_token_type: "required",
  actor_token: "optional",
  actor_token_type: "optional",
  requested_token_type: "optional",
  audience: "repeatable",
} as const

/** The values that are looked up for the request. */
export interface Exchanged {
  /** The subject token, if it is one of this provider's. */
  readonly subject: OwnToken | undefined
  /** The subject token, if it is another issuer's. */
  readonly presented: PresentedJwt | undefined
  /** The person of the subject token. */
  readonly person: Person | undefined
  /** The token of the acting party. */
  readonly actor: OwnToken | undefined
  /** The resources that each `audience` names. */
  readonly named: ReadonlyArray<ReadonlyArray<string>>
}

/** The value that the rules judge. */
export type ExchangeSeen = GrantSeen<typeof parameters, ExchangePolicy, Exchanged>

/** The token to exchange, from any issuer. */
export type Origin = Pick<OwnToken, "scope" | "audience" | "expiresAt" | "claims">

/** The evidence after the token to exchange is known. */
export type Exchange = ExchangeSeen & { readonly origin: Origin }

const prefix = "urn:ietf:params:oauth:token-type:"

/** The token type identifier of a kind of token (RFC 8693 §3). */
export const tokenType = (kind: string): string => prefix + kind

/** The kind of token that an identifier names; undefined for an invalid one. */
export const typeName = (identifier: string): string | undefined =>
  identifier.startsWith(prefix) ? identifier.slice(prefix.length) : undefined

/** Reports whether a refresh token is requested. */
export const wantsRefresh = ({ parameters: { requested_token_type = "" } }: Pick<ExchangeSeen, "parameters">): boolean =>
  typeName(requested_token_type) === "refresh_token"

/** The bounds of the exchange: those of the subject token, as extended and narrowed by the policy. */
export const limits = ({ origin: { scope, audience }, policy, settings, resources, named }: Exchange): Bounds => {
  const added = policy.add_scope ?? []
  return {
    scope: (name) => added.includes(name) || (scope.includes(name) && (policy.scope === undefined || policy.scope.includes(name))),
    resources: policy.resources ?? [...audience, ...added.flatMap((name) => settings.catalog.owners.get(name) ?? [])],
    asked: [...new Set([...resources, ...named.flat()])],
  }
}

/** The requested scopes, or all within bounds. */
export const scopeOf = (s: Exchange): ReadonlyArray<string> => {
  const allowed = narrowed(s, limits(s)).scope
  const scope = s.scope === undefined ? allowed : allowed.filter((name) => s.scope?.includes(name))
  return wantsRefresh(s) ? [...scope, offlineAccess] : scope
}

/** Maximum number of audiences that a request may name, since each is looked up. */
export const mostAudiences = 10
