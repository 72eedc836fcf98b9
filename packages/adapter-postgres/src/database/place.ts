/** Reports whether a text is meant to name a PostgreSQL database: `postgres://` or `postgresql://`. */
export const isPostgresUrl = (text: string): boolean => /^postgres(?:ql)?:/i.test(text)

/** The reason why a URL names no database that can be reached, if any. It repeats nothing of the URL, which may hold a password. */
export const urlFault = (text: string): string | undefined => {
  if (!/^postgres(?:ql)?:\/\//i.test(text)) return "it does not begin with postgres:// or postgresql://"
  if (text.includes("#")) return "it has a #; in a password that is written as %23"
  if (!URL.canParse(text)) return "it is no URL; a password's special characters are written as %XX"
  return new URL(text).pathname.length < 2 ? "it names no database" : undefined
}

/** A database's URL as it may be shown: without password and without parameters, which may hold one too. */
export const shownUrl = (text: string): string => {
  if (!URL.canParse(text)) return "postgres://…"
  const { username, host, pathname } = new URL(text)
  return `postgres://${username === "" ? "" : `${username}@`}${host}${pathname}`
}

/** Modes by which a connection is encrypted or not made; `prefer` and `allow` go on in the clear where a server, or somebody before it, says no. */
const encrypted: ReadonlySet<string | undefined> = new Set(["require", "verify-ca", "verify-full"])

/** Reports whether a database's URL lets passwords and rows cross a network in the clear: it asks for no TLS, and its host is another machine. */
export const isPlainText = (text: string): boolean => {
  if (!URL.canParse(text)) return false
  const { hostname, searchParams } = new URL(text)
  const host = (searchParams.getAll("host").at(-1) ?? hostname).replace(/^\[(.*)\]$/, "$1").replace(/^%2f/i, "/")
  const isHere = host === "" || host === "localhost" || host === "::1" || host.startsWith("/") || /^127(?:\.\d{1,3}){3}$/.test(host)
  return !isHere && !encrypted.has(searchParams.getAll("sslmode").at(-1))
}
