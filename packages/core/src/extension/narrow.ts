import { type GrantContext, audiences, mayHave, offlineAccess } from "./index.ts"

/** The scopes that a request may be granted, and the resources that they are for. */
export interface Narrowed {
  /** The remaining scopes. */
  readonly scope: ReadonlyArray<string>
  /** The remaining resources. */
  readonly resources: ReadonlyArray<string>
}

/** The bounds of a request. */
export interface Bounds {
  /** Reports whether a scope is within bounds. It is called for scopes that the client may have. */
  readonly scope: (name: string) => boolean
  /** The resources within bounds; undefined for all. */
  readonly resources: ReadonlyArray<string> | undefined
  /** The requested resources. If there are any, only their scopes are granted (RFC 8707 §2.2). */
  readonly asked: ReadonlyArray<string>
}

/** Everything that a client may have within bounds, in the order of its own scopes, without `offline_access`. */
export const narrowed = (
  { settings: { catalog }, settings, client }: Pick<GrantContext<unknown>, "settings" | "client">,
  bounds: Bounds,
): Narrowed => {
  const isReached = (name: string): boolean => {
    const owners = catalog.owners.get(name)
    if (owners === undefined) return bounds.asked.length === 0
    const meant = bounds.asked.length > 0 ? bounds.asked : bounds.resources
    return meant === undefined || owners.some((owner) => meant.includes(owner))
  }
  const scope = client.scope.filter(
    (name) => name !== offlineAccess && mayHave(settings, client, name) && bounds.scope(name) && isReached(name),
  )
  return { scope, resources: resourcesFor({ settings }, scope, bounds) }
}

/** The resources that scopes are for, within bounds. */
export const resourcesFor = (
  { settings: { catalog } }: Pick<GrantContext<unknown>, "settings">,
  scope: ReadonlyArray<string>,
  { asked, resources }: Pick<Bounds, "asked" | "resources">,
): ReadonlyArray<string> =>
  asked.length > 0 ? asked : audiences(catalog, scope).filter((each) => resources === undefined || resources.includes(each))
