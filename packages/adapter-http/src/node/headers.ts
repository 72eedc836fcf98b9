/**
 * Header fields as a message has them: by lower-case name, repeated ones joined (RFC 9110 §5.3), cookies with `; ` (RFC 9113 §8.2.3). The
 * pseudo-fields of HTTP/2 are left out, except the authority, which stands for a `Host` that is not there (RFC 9113 §8.3.1); node's own `headers` keeps the first of many fields and drops the rest.
 */
export const headersOf = (raw: ReadonlyArray<string>): Readonly<Record<string, string>> => {
  const headers = new Map<string, string>()
  let authority: string | undefined
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at]?.toLowerCase() ?? ""
    const value = raw[at + 1] ?? ""
    if (name === ":authority") authority = value
    if (name.startsWith(":")) continue
    const before = headers.get(name)
    headers.set(name, before === undefined ? value : before + (name === "cookie" ? "; " : ", ") + value)
  }
  if (authority !== undefined && !headers.has("host")) headers.set("host", authority)
  return Object.fromEntries(headers)
}
