import type { JsonObject, Resource, Settings } from "../../model/index.ts"
import { isLoopback, uriParts } from "../../rules/redirectUri.ts"
import { protectedResourcePlace } from "../../wire/index.ts"

/** Members that the declaration of a resource already states, or that only the resource's own server can sign. */
const ownMembers = ["resource", "authorization_servers", "scopes_supported", "signed_metadata"] as const

/** Reports whether an identifier is a URL that metadata can describe: https, or http on loopback, without a fragment (RFC 9728 §1.2). */
const isLocatable = (identifier: string): boolean => {
  const parts = uriParts(identifier)
  if (parts === undefined || parts.fragment || parts.userinfo || !URL.canParse(identifier)) return false
  return parts.scheme === "https" || (parts.scheme === "http" && isLoopback(parts.host))
}

/** A resource whose metadata is served. */
type Published = Resource & { readonly metadata: JsonObject }

const isPublished = (resource: Resource): resource is Published => resource.metadata !== undefined

/**
 * Reports whether the provider's own metadata lists a resource (RFC 9728 §4): as its declaration says, or otherwise if its metadata is
 * served.
 */
const isListed = ({ identifier, listed, metadata }: Resource): boolean => (listed ?? metadata !== undefined) && isLocatable(identifier)

/** The identifiers of the resources that the provider lists in its own metadata (RFC 9728 §4). */
export const listedResources = (resources: ReadonlyArray<Resource>): ReadonlyArray<string> =>
  resources.filter(isListed).map(({ identifier }) => identifier)

/**
 * The metadata of a resource (RFC 9728 §2). A member of the declaration takes precedence over a generated one, except for those of which
 * the provider alone is the source.
 */
const metadataOf = ({ identifier, title, scopes, metadata }: Published, issuer: string): JsonObject => ({
  ...(title === undefined ? {} : { resource_name: title }),
  bearer_methods_supported: ["header"],
  ...metadata,
  resource: identifier,
  authorization_servers: [issuer],
  ...(scopes.length === 0 ? {} : { scopes_supported: scopes.map(({ name }) => name) }),
})

/** The metadata of a resource, with the path at which it is served. */
export interface Described {
  readonly described: JsonObject
  readonly isSigned: boolean
}

const known = new WeakMap<Settings, ReadonlyMap<string, Described>>()

/** The metadata that a provider serves, by path (RFC 9728 §3.1). */
export const metadataByPlace = (settings: Settings): ReadonlyMap<string, Described> => {
  const before = known.get(settings)
  if (before !== undefined) return before
  const published = settings.catalog.resources.filter(
    (each) => isPublished(each) && isLocatable(each.identifier),
  ) as ReadonlyArray<Published>
  const made = new Map(
    published.map((each) => {
      const found: Described = { described: metadataOf(each, settings.issuer), isSigned: each.signed === true }
      return [protectedResourcePlace(each.identifier), found]
    }),
  )
  known.set(settings, made)
  return made
}

/** A fault of a declared resource, with its place and the way to correct it. */
export interface ResourceFault {
  /** The position of the resource among the declared ones. */
  readonly at: number
  /** The member at fault. */
  readonly path: ReadonlyArray<string>
  /** The fault, in words. */
  readonly message: string
  /** The way to correct it. */
  readonly hint: string
}

/** Finds the faults in the metadata that resources declare (RFC 9728 §2, §3.1). */
export const resourceFaults = (
  resources: ReadonlyArray<Pick<Resource, "identifier" | "metadata" | "listed" | "signed">>,
): ReadonlyArray<ResourceFault> => {
  const places = new Map<string, string>()
  return resources.flatMap(({ identifier, metadata, listed, signed }, at): ReadonlyArray<ResourceFault> => {
    if (metadata === undefined && signed === true)
      return [
        { at, path: ["signed"], message: "is said of a resource whose metadata is not served here", hint: "give metadata, if only {}" },
      ]
    if (metadata === undefined && listed !== true) return []
    const path = ["identifier"]
    if (!isLocatable(identifier)) {
      const message = "is no https URL without fragment, so it has no metadata"
      return [{ at, path, message, hint: "take the URL of the resource for its identifier, or leave out metadata and listed" }]
    }
    if (metadata === undefined) return []
    const own = ownMembers
      .filter((name) => Object.hasOwn(metadata, name))
      .map((name) => ({ at, path: ["metadata", name], message: "is not for the declaration to state", hint: `remove it: ${saidBy[name]}` }))
    const place = protectedResourcePlace(identifier)
    const other = places.get(place)
    if (other === undefined) places.set(place, identifier)
    const message = `has its metadata at ${place}, as ${other} has`
    const hint = "leave metadata out of one of them, and let its own server serve it: the provider does not tell hosts apart"
    return other === undefined ? own : [...own, { at, path: ["metadata"], message, hint }]
  })
}

const saidBy: Readonly<Record<(typeof ownMembers)[number], string>> = {
  resource: "it is the identifier",
  authorization_servers: "it is the issuer",
  scopes_supported: "these are the scopes of the resource",
  signed_metadata: "the provider signs it where signed is true",
}
