/**
 * Whether a redirect_uri may be used, written a second time and another way: by slicing the registered text, where the provider takes both
 * texts apart. Equal by character (RFC 9700 §2.1); for a native client's loopback address the port alone may differ (RFC 8252 §7.3).
 */
export const mayRedirect = (registered: ReadonlyArray<string>, native: boolean, asked: string): boolean =>
  registered.some((uri) => uri === asked || (native && equalButForPort(uri, asked)))

const loopback = /^http:\/\/(?:127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])/

const equalButForPort = (registered: string, asked: string): boolean => {
  const origin = loopback.exec(registered)?.[0]
  if (origin === undefined || !asked.startsWith(origin)) return false
  const [known, sent] = [withoutPort(registered.slice(origin.length)), withoutPort(asked.slice(origin.length))]
  return known !== undefined && known === sent && !/[#\s\\\p{Cc}]/u.test(sent)
}

/** What follows the host, its port taken off; undefined when something else than a port, path or query follows. */
const withoutPort = (rest: string): string | undefined => {
  const after = rest.replace(/^:\d*/, "")
  return after === "" || after.startsWith("/") || after.startsWith("?") ? after : undefined
}

/** Whether a URI is http's, but for the case of its scheme: the provider folds it where it looks for a loopback address. */
export const otherwiseCased = (uri: string): boolean => /^(?!http:)[Hh][Tt][Tt][Pp]:/.test(uri)
