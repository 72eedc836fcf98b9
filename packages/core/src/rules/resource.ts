import type { Catalog, Grant, Profile, Refusal, Settings } from "../model/index.ts"
import { audiences, refuse } from "../model/index.ts"
import { detailTargets } from "./details/target.ts"
import { type Rule, pass, rule } from "./rule.ts"

/** Refuses a resource indicator (RFC 8707 §2). */
const invalidTarget = (description: string, reason?: string): Refusal => refuse("invalid_target", description, reason)

/** Reports whether a value is an absolute URI without a fragment (RFC 8707 §2). */
export const isIndicator = (resource: string): boolean => /^[a-zA-Z][a-zA-Z0-9+.-]*:[^\s#]+$/.test(resource)

/** Normalizes an identifier for comparison: scheme and host in lower case (RFC 3986 §6.2.2.1), without a trailing slash. */
const comparable = (identifier: string): string => {
  const [, scheme = "", authority = "", rest = ""] = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)(.*)$/is.exec(identifier) ?? []
  return scheme === "" ? identifier : `${scheme.toLowerCase()}://${authority.toLowerCase()}${rest.replace(/\/$/, "")}`
}

/**
 * Replaces resources that a request spells differently by their declared form, because clients use the URL of a server as its identifier,
 * with or without a trailing slash, and tokens contain the declared form. An exact match takes precedence; each resource is returned once.
 */
export const declaredForms = (
  { resources }: Pick<Catalog, "resources">,
  { parameters }: Profile,
  asked: ReadonlyArray<string>,
): ReadonlyArray<string> => {
  if (asked.length === 0 || parameters.resourceForms === "declared") return [...new Set(asked)]
  const declared = asked.map((resource) => {
    if (resources.some(({ identifier }) => identifier === resource)) return resource
    const wanted = comparable(resource)
    return resources.find(({ identifier }) => comparable(identifier) === wanted)?.identifier ?? resource
  })
  return [...new Set(declared)]
}

interface Asked {
  readonly resources: ReadonlyArray<string>
}

/** Requires that every requested resource is an absolute URI without a fragment. */
export const resourceForm = <Q extends Asked, S>(prefix: string): Rule<Q, S> =>
  rule(`${prefix}.resource-form`, "RFC 8707 §2, specification §2.1 resource", (q) =>
    q.resources.every(isIndicator) ? pass : invalidTarget("A resource must be an absolute URI without a fragment."),
  )

/** Returns the resources that own one of a set of scopes. */
export const reachable = (known: Catalog, scope: ReadonlyArray<string>): ReadonlyArray<string> => audiences(known, scope)

/** Requires that every requested resource is an allowed one. */
export const resourceAmong = <Q extends Asked, S>(
  prefix: string,
  cites: string,
  allowed: (request: Q, seen: S) => ReadonlyArray<string>,
): Rule<Q, S> =>
  rule(`${prefix}.resource-allowed`, cites, (q, s) =>
    q.resources.every((resource) => allowed(q, s).includes(resource))
      ? pass
      : invalidTarget("A resource is unknown or not allowed.", "a resource that no scope of the request, or of the grant, belongs to"),
  )

/**
 * Returns the resources of a grant: those of its scopes and its authorization details, restricted to the requested ones if the
 * authorization request named some.
 */
export const grantedResources = (
  { catalog, details }: Pick<Settings, "catalog" | "details">,
  { resources, scope, authorizationDetails }: Pick<Grant, "resources" | "scope" | "authorizationDetails">,
): ReadonlyArray<string> => {
  const reached = [...new Set([...reachable(catalog, scope), ...detailTargets(authorizationDetails, details)])]
  return resources.length === 0 ? reached : resources.filter((resource) => reached.includes(resource))
}

/** The audience of an access token, and its scope for that audience. */
export interface Target {
  readonly audience: ReadonlyArray<string>
  readonly scope: ReadonlyArray<string>
}

const ownedBy = (known: Catalog, name: string, resources: ReadonlyArray<string>): boolean =>
  known.owners.get(name)?.some((owner) => resources.includes(owner)) === true

/**
 * Narrows an access token (RFC 8707 §2.2). If resources are requested, these are its audience, and it has only their scopes. Otherwise its
 * audience is the grant's resources, or every resource that owns a scope or that authorization details apply to, or the issuer itself;
 * identity scopes are kept.
 */
export const targetOf = (
  { catalog, issuer }: Pick<Settings, "catalog" | "issuer">,
  scope: ReadonlyArray<string>,
  granted: ReadonlyArray<string>,
  asked: ReadonlyArray<string>,
  ofDetails: ReadonlyArray<string> = [],
): Target => {
  if (asked.length > 0) return { audience: asked, scope: scope.filter((name) => ownedBy(catalog, name, asked)) }
  if (granted.length > 0) {
    const reached = [...reachable(catalog, scope), ...ofDetails]
    const audience = granted.filter((resource) => reached.includes(resource))
    return {
      audience: audience.length === 0 ? [issuer] : audience,
      scope: scope.filter((name) => !catalog.resource.has(name) || ownedBy(catalog, name, granted)),
    }
  }
  const owners = [...new Set([...audiences(catalog, scope), ...ofDetails])]
  return { audience: owners.length === 0 ? [issuer] : owners, scope }
}
