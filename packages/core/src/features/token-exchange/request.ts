import { type GrantSeen, type OwnToken, type Person, offlineAccess } from "../../extension/index.ts"
import { type Bounds, narrowed } from "../../extension/narrow.ts"
import type { PolicyOf } from "../../extension/policy.ts"
import type { PresentedJwt } from "../../extension/trustedIssuer.ts"

/** The members that a client's policy for token exchange may have. */
export const members = {
  /** The clients whose tokens it may exchange, beside its own. None when left out. */
  clients: "names",
  /** The clients whose tokens may be actor tokens, beside its own. None when left out. */
  actors: "names",
  /** The kinds of subject tokens: `access_token`, `id_token`, `refresh_token` (its own only), `jwt`. access_token when left out. */
  subject_token_types: "names",
  /** Reports whether it may do without an actor_token. false when left out. */
  impersonation: "flag",
  /** The scopes it may get, of those that the subject token has. All of them when left out. */
  scope: "scope",
  /** Scopes it may get though the subject token does not have them. None when left out. */
  add_scope: "scope",
  /** The resources it may get tokens for. When left out: those the subject token is for, and those of add_scope. */
  resources: "names",
  /** The longest life of the tokens; never longer than the subject token's. */
  max_lifetime: "seconds",
  /** Reports whether it may have a refresh token, and so outlive the subject token. false when left out. */
  refresh_token: "flag",
  /**
   * Reports whether it may exchange access tokens that are bound to the key or certificate of another: a resource server does, which had that proved when the token was
   * presented to it. Only tokens for a resource that the client may introspect. false when left out.
   */
  bound_tokens: "flag",
  /** Reports whether it may be a public client. false when left out. */
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

/** The values that are looked up for it. */
export interface Exchanged {
  /** The subject token, where it is one of ours. */
  readonly subject: OwnToken | undefined
  /** The subject token, where it is another issuer's. */
  readonly presented: PresentedJwt | undefined
  /** The person the subject token stands for. */
  readonly person: Person | undefined
  /** The token of the party that acts. */
  readonly actor: OwnToken | undefined
  /** The resources that each `audience` names. */
  readonly named: ReadonlyArray<ReadonlyArray<string>>
}

/** The value that the rules judge. */
export type ExchangeSeen = GrantSeen<typeof parameters, ExchangePolicy, Exchanged>

/** The token to exchange, whoever issued it. */
export type Origin = Pick<OwnToken, "scope" | "audience" | "expiresAt" | "claims">

/** The evidence once the token to exchange is known. */
export type Exchange = ExchangeSeen & { readonly origin: Origin }

const prefix = "urn:ietf:params:oauth:token-type:"

/** The token type identifier of a kind of token (RFC 8693 §3). */
export const tokenType = (kind: string): string => prefix + kind

/** The kind of token that an identifier names; undefined for one that is none. */
export const typeName = (identifier: string): string | undefined =>
  identifier.startsWith(prefix) ? identifier.slice(prefix.length) : undefined

/** Reports whether a refresh token is asked for. */
export const wantsRefresh = ({ parameters: { requested_token_type = "" } }: Pick<ExchangeSeen, "parameters">): boolean =>
  typeName(requested_token_type) === "refresh_token"

/** The bounds of the exchange: those of the subject token, and what the policy adds to them or takes from them. */
export const limits = ({ origin: { scope, audience }, policy, settings, resources, named }: Exchange): Bounds => {
  const added = policy.add_scope ?? []
  return {
    scope: (name) => added.includes(name) || (scope.includes(name) && (policy.scope === undefined || policy.scope.includes(name))),
    resources: policy.resources ?? [...audience, ...added.flatMap((name) => settings.catalog.owners.get(name) ?? [])],
    asked: [...new Set([...resources, ...named.flat()])],
  }
}

/** The scopes asked for, or all within bounds. */
export const scopeOf = (s: Exchange): ReadonlyArray<string> => {
  const allowed = narrowed(s, limits(s)).scope
  const scope = s.scope === undefined ? allowed : allowed.filter((name) => s.scope?.includes(name))
  return wantsRefresh(s) ? [...scope, offlineAccess] : scope
}

/** Maximum number of audiences that may be named: each is looked up. */
export const mostAudiences = 10
