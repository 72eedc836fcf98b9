import { type ExtensionGrant, type GrantSeen, extensionGrant, isPublic, pass, refuse, table } from "../../extension/index.ts"
import { type Bounds, narrowed, resourcesFor } from "../../extension/narrow.ts"
import { type PolicyOf, readPolicy } from "../../extension/policy.ts"
import { jwtRules } from "../../extension/jwtRules.ts"
import { issuersForm } from "../../extension/issuerForms.ts"
import { type PresentedJwt, type TrustedIssuer, endOf, presentedJwt } from "../../extension/trustedIssuer.ts"
import { usedUntilEnd } from "../../model/index.ts"
import { refuseMembers } from "../../model/forms.ts"

/** The grant_type of JWT bearer assertions (RFC 7523 §2.1). */
export const jwtBearerGrantType = "urn:ietf:params:oauth:grant-type:jwt-bearer"

/** The issuers that JWT bearer assertions are accepted from. */
export interface JwtBearerOptions {
  /** The issuers whose assertions are accepted. */
  readonly issuers: ReadonlyArray<TrustedIssuer>
}

const members = {
  /** The issuers whose assertions this client may use. Default: all trusted ones. */
  issuers: "names",
  /** The scopes that it may be granted by an assertion. Default: all its own. */
  scope: "scope",
  /** The resources for which it may get tokens. Default: all to which its scopes belong. */
  resources: "names",
  /** True if each assertion must have a `jti`. */
  require_jti: "flag",
  /** The longest lifetime of its access tokens. */
  max_lifetime: "seconds",
  /** True if it may be a public client. */
  allow_public: "flag",
} as const

const parameters = { assertion: "required" } as const

type Seen = GrantSeen<typeof parameters, PolicyOf<typeof members>, { readonly presented: PresentedJwt }>

const bounds = ({ policy, resources }: Pick<Seen, "policy" | "resources">): Bounds => ({
  scope: (name) => policy.scope === undefined || policy.scope.includes(name),
  resources: policy.resources,
  asked: resources,
})

/** The requested scopes, or all within bounds. */
const scopeOf = (s: Seen): ReadonlyArray<string> => s.scope ?? narrowed(s, bounds(s)).scope

const rules = jwtRules(
  table<Seen>("token/jwt_bearer").rule("jwt-bearer.confidential", "RFC 7523 §3.1", ({ client, policy }) =>
    !isPublic(client) || policy.allow_public === true
      ? pass
      : refuse("unauthorized_client", "The client must authenticate to use an assertion.", "a public client, and no allow_public"),
  ),
  { prefix: "jwt-bearer", name: "assertion", error: "invalid_grant" },
)
  .rule("jwt-bearer.issuer-allowed", "RFC 7521 §5.2", ({ jwt, policy }) =>
    policy.issuers === undefined || policy.issuers.includes(jwt.issuer.issuer)
      ? pass
      : refuse("invalid_grant", "The client may not use assertions of this issuer.", "not among the policy's issuers"),
  )
  .rule("jwt-bearer.jti-present", "RFC 7523 §3 (7)", ({ jwt, policy }) =>
    policy.require_jti !== true || typeof jwt.claims["jti"] === "string"
      ? pass
      : refuse("invalid_grant", "The assertion has no jti.", "the policy has require_jti"),
  )
  .rule("jwt-bearer.scope-allowed", "RFC 7521 §4.1", (s) =>
    s.scope === undefined || s.scope.every(bounds(s).scope)
      ? pass
      : refuse("invalid_scope", "A scope is not allowed by this grant.", "not among the policy's scope"),
  )
  .rule("jwt-bearer.resource-allowed", "RFC 8707 §2.2", ({ resources: asked, policy: { resources } }) =>
    resources === undefined || asked.every((each) => resources.includes(each))
      ? pass
      : refuse("invalid_target", "A resource is not allowed by this grant.", "not among the policy's resources"),
  )
  .rule("jwt-bearer.scope-reaches", "RFC 7521 §4.1", (s) =>
    s.policy.resources === undefined || scopeOf(s).every((name) => isReached(name, s))
      ? pass
      : refuse("invalid_scope", "A scope is not allowed by this grant.", "of none of the policy's resources"),
  )

/** Reports whether a scope applies to the resources within bounds. */
const isReached = (name: string, s: Seen): boolean => {
  const owners = s.settings.catalog.owners.get(name)
  return owners === undefined || owners.some((owner) => bounds(s).resources?.includes(owner) === true)
}

/**
 * The JWT bearer grant (RFC 7523 §2.1). An assertion that a trusted issuer has signed about a person is exchanged for an access token of
 * that person. The person must be known here and active. No refresh token is issued, because a client that can get an assertion can get
 * another one (RFC 7521 §4.1).
 */
export const jwtBearer = (options: JwtBearerOptions): ExtensionGrant => {
  refuseMembers("jwtBearer", options, { issuers: "own" }, { issuers: issuersForm() })
  const { issuers } = options
  return extensionGrant({
    name: jwtBearerGrantType,
    parameters,
    policy: (stated) => readPolicy(members, stated),
    issuers: issuers.map(({ issuer }) => issuer),
    rules,
    load: async (q, context) => ({ presented: await presentedJwt(q.parameters.assertion, issuers, context) }),
    grant: (s) => {
      const { jwt, policy } = s
      const { jti } = jwt.claims
      const scope = scopeOf(s)
      return {
        subject: jwt.subject,
        signIn: s.signIn,
        scope,
        resources: policy.resources === undefined ? undefined : resourcesFor(s, scope, bounds(s)),
        lifetime: policy.max_lifetime,
        useOnce: typeof jti === "string" ? [{ key: JSON.stringify([jwt.issuer.issuer, jti]), until: usedUntilEnd(endOf(jwt)) }] : [],
      }
    },
  })
}
