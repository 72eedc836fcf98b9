/** The path of the metadata of protected resources, which the path of the resource follows (RFC 9728 §3.1). */
export const protectedResourcePath = "/.well-known/oauth-protected-resource"

/** Returns the path of a resource's metadata on its host, from its identifier, which must be a URL (RFC 9728 §3.1). */
export const protectedResourcePlace = (identifier: string): string => {
  const { pathname, search } = new URL(identifier)
  return `${protectedResourcePath}${pathname === "/" ? "" : pathname}${search}`
}
