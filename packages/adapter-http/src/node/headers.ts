/**
 * Returns header fields as a message has them: keyed by lower-case name, with repeated fields joined (RFC 9110 §5.3) and cookies joined
 * with `; ` (RFC 9113 §8.2.3). HTTP/2 pseudo-fields are omitted, except that `:authority` replaces a missing `Host` (RFC 9113 §8.3.1).
 * Node's own `headers` keeps only the first value of many repeated fields.
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
