/** Reports whether a text is a PostgreSQL URL, by its scheme: `postgres://` or `postgresql://`. */
export const isPostgresUrl = (text: string): boolean => /^postgres(?:ql)?:/i.test(text)

/** Returns the reason why a URL cannot name a reachable database, if any. It repeats no part of the URL, which may hold a password. */
export const urlFault = (text: string): string | undefined => {
  if (!/^postgres(?:ql)?:\/\//i.test(text)) return "it does not begin with postgres:// or postgresql://"
  if (text.includes("#")) return "it has a #; in a password that is written as %23"
  if (!URL.canParse(text)) return "it is no URL; a password's special characters are written as %XX"
  return new URL(text).pathname.length < 2 ? "it names no database" : undefined
}

/** Returns a database's URL for display, without the password and the parameters, which may hold one too. */
export const shownUrl = (text: string): string => {
  if (!URL.canParse(text)) return "postgres://…"
  const { username, host, pathname } = new URL(text)
  return `postgres://${username === "" ? "" : `${username}@`}${host}${pathname}`
}

/**
 * The `sslmode` values that guarantee encryption. `prefer` and `allow` fall back to plain text if the server, or an attacker in between,
 * refuses TLS.
 */
const encrypted: ReadonlySet<string | undefined> = new Set(["require", "verify-ca", "verify-full"])

/** Reports whether connections to the URL's host may be unencrypted: the host is another machine, and the URL does not require TLS. */
export const isPlainText = (text: string): boolean => {
  if (!URL.canParse(text)) return false
  const { hostname, searchParams } = new URL(text)
  const host = (searchParams.getAll("host").at(-1) ?? hostname).replace(/^\[(.*)\]$/, "$1").replace(/^%2f/i, "/")
  const isHere = host === "" || host === "localhost" || host === "::1" || host.startsWith("/") || /^127(?:\.\d{1,3}){3}$/.test(host)
  return !isHere && !encrypted.has(searchParams.getAll("sslmode").at(-1))
}
