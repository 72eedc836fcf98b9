import { isIP } from "node:net"
import type { ConnectionOptions } from "node:tls"
import {
  AndFilter,
  Client,
  type Entry,
  EqualityFilter,
  FilterParser,
  InappropriateAuthError,
  InvalidCredentialsError,
  SizeLimitExceededError,
} from "ldapts"

/** The connection settings of a directory. */
export interface Place {
  readonly url: string
  /** True if the connection is upgraded to TLS before anything is sent (RFC 4511 §4.14). */
  readonly startTls: boolean
  readonly tls: ConnectionOptions
  /** Milliseconds for one operation, from connecting to the response. */
  readonly timeout: number
  /** The account for searches; anonymous when undefined. */
  readonly bind: { readonly dn: string; readonly password: () => string } | undefined
  readonly base: string
  /** An additional filter for user entries; when undefined, every entry below the base is a user. */
  readonly filter: string | undefined
  readonly attributes: ReadonlyArray<string>
}

/** The directory did not respond in time. */
class DirectoryTimedOut extends Error {
  override readonly name = "DirectoryTimedOut"
}

/** Reports whether TLS options apply at connection. For `ldap://` they would start TLS directly, without StartTLS. */
const isSecure = (url: string): boolean => new URL(url).protocol === "ldaps:"

/**
 * Returns TLS settings for an upgraded connection. The certificate must match the URL's host (RFC 4513 §3.1.3); for an IP address Node
 * would otherwise compare it with `localhost`. A new object is created each time, because the library stores the socket in it. SNI is sent
 * only for host names (RFC 6066 §3).
 */
const upgrading = ({ url, tls }: Place): ConnectionOptions => {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, "")
  return { host, ...(isIP(host) === 0 ? { servername: host } : {}), ...tls }
}

/**
 * Runs a task on a connection of its own, because a bind changes a connection's authorization. The connection is closed after the task or
 * at the timeout.
 */
const connected = async <A>(place: Place, run: (client: Client) => Promise<A>): Promise<A> => {
  const { url, startTls, tls, timeout } = place
  const client = new Client({ url, timeout, connectTimeout: timeout, strictDN: false, ...(isSecure(url) ? { tlsOptions: tls } : {}) })
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, refuse) => {
    timer = setTimeout(() => refuse(new DirectoryTimedOut(`${url} did not answer within ${timeout} ms`)), timeout)
  })
  const task = async (): Promise<A> => {
    if (startTls) await client.startTLS(upgrading(place))
    return run(client)
  }
  try {
    return await Promise.race([task(), late])
  } finally {
    clearTimeout(timer)
    // Unbinding a broken connection fails, and nothing depends on the result.
    client.unbind().catch(() => undefined)
  }
}

/**
 * Finds a user's entry by an attribute; `several` if more than one matches. The value is sent as an assertion value (RFC 4511 §4.5.1.7), so
 * none of its characters is syntax, unlike in a string filter (RFC 4515 §3).
 */
export const entryBy = (place: Place, attribute: string, value: string): Promise<Entry | "several" | undefined> =>
  connected(place, async (client) => {
    if (place.bind !== undefined) await searching(client, place.bind)
    const equal = new EqualityFilter({ attribute, value })
    const filter = place.filter === undefined ? equal : new AndFilter({ filters: [FilterParser.parseString(place.filter), equal] })
    try {
      const { searchEntries } = await client.search(place.base, {
        scope: "sub",
        derefAliases: "never",
        sizeLimit: 2,
        timeLimit: Math.ceil(place.timeout / 1000),
        filter,
        attributes: [...place.attributes],
      })
      return searchEntries.length > 1 ? "several" : searchEntries[0]
    } catch (error) {
      if (error instanceof SizeLimitExceededError) return "several"
      throw error
    }
  })

/** Binds as the account for searches. A refusal is a failure of the directory and not a wrong user password. */
const searching = async (client: Client, { dn, password }: NonNullable<Place["bind"]>): Promise<void> => {
  try {
    await client.bind(dn, password())
  } catch (cause) {
    if (!(cause instanceof InvalidCredentialsError)) throw cause
    throw new Error(`the directory refused the account that searches, ${dn}`, { cause })
  }
}

/** Binds as an entry. Empty passwords are rejected, because an unauthenticated bind would succeed for any entry (RFC 4513 §5.1.2). */
export const binds = (place: Place, dn: string, password: string): Promise<boolean> =>
  connected(place, async (client) => {
    if (dn === "" || password === "") return false
    try {
      await client.bind(dn, password)
      return true
    } catch (error) {
      // The password is wrong or the entry has none (RFC 4511 §4.2.2). Any other result does not concern the password.
      if (error instanceof InvalidCredentialsError || error instanceof InappropriateAuthError) return false
      throw error
    }
  })
