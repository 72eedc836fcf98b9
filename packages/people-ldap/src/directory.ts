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

/** The way to a directory. */
export interface Place {
  readonly url: string
  /** True if the connection is upgraded before anything is sent (RFC 4511 §4.14). */
  readonly startTls: boolean
  readonly tls: ConnectionOptions
  /** Milliseconds for one question, from connecting to the answer. */
  readonly timeout: number
  /** The account that searches; nobody when undefined. */
  readonly bind: { readonly dn: string; readonly password: () => string } | undefined
  readonly base: string
  /** A filter that every person's entry matches; undefined where each entry below the base is one. */
  readonly filter: string | undefined
  readonly attributes: ReadonlyArray<string>
}

/** A directory that did not answer in time. */
class DirectoryTimedOut extends Error {
  override readonly name = "DirectoryTimedOut"
}

/** Options of TLS would turn `ldap://` into TLS by itself, without StartTLS. */
const isSecure = (url: string): boolean => new URL(url).protocol === "ldaps:"

/**
 * Settings for an upgraded connection: a server's certificate is compared with the host of the URL (RFC 4513 §3.1.3). For an address Node
 * would compare it with `localhost`. An object of its own each time: the library writes the socket into it. Only names are sent as such (RFC 6066 §3).
 */
const upgrading = ({ url, tls }: Place): ConnectionOptions => {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, "")
  return { host, ...(isIP(host) === 0 ? { servername: host } : {}), ...tls }
}

/** A connection of its own for each task: a bind changes what a connection may do. It ends with the task, or when its time is over. */
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
    // A connection that is broken cannot be ended politely, and nobody waits for it.
    client.unbind().catch(() => undefined)
  }
}

/**
 * Finds the entry of a person by an attribute; `several` where more than one has it. The value is sent as a value of the filter (RFC 4511 §4.5.1.7): no character in it is syntax, as it would
 * be in a filter's text (RFC 4515 §3).
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

/** Binds as the account that searches. A refusal is the directory's failure, and says nothing about anybody's password. */
const searching = async (client: Client, { dn, password }: NonNullable<Place["bind"]>): Promise<void> => {
  try {
    await client.bind(dn, password())
  } catch (cause) {
    if (!(cause instanceof InvalidCredentialsError)) throw cause
    throw new Error(`the directory refused the account that searches, ${dn}`, { cause })
  }
}

/** Binds as an entry. The password is never empty: a bind without one succeeds for everybody (RFC 4513 §5.1.2). */
export const binds = (place: Place, dn: string, password: string): Promise<boolean> =>
  connected(place, async (client) => {
    if (dn === "" || password === "") return false
    try {
      await client.bind(dn, password)
      return true
    } catch (error) {
      // Wrong, or an entry that has none (RFC 4511 §4.2.2): any other result says nothing about the password.
      if (error instanceof InvalidCredentialsError || error instanceof InappropriateAuthError) return false
      throw error
    }
  })
