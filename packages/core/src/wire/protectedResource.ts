/** The path of the metadata of protected resources; the path of the resource comes after it (RFC 9728 §3.1). */
export const protectedResourcePath = "/.well-known/oauth-protected-resource"

/** The place of a resource's metadata on its host, by its identifier, which must be a URL (RFC 9728 §3.1). */
export const protectedResourcePlace = (identifier: string): string => {
  const { pathname, search } = new URL(identifier)
  return `${protectedResourcePath}${pathname === "/" ? "" : pathname}${search}`
}
