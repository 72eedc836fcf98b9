import { lookup } from "node:dns/promises"
import { isIP } from "node:net"
import { isLoopbackAddress, isPublicAddress } from "@postern/adapter-http"
import { unreachable } from "../failure.ts"

/** The addresses for requests to a URL, resolved once, or the reason why none is sent. */
export type Reached = { readonly addresses: ReadonlyArray<string> } | { readonly barred: string }

/** Decides whether requests to a URL that a server names are allowed, and to which addresses. */
export type Reach = (url: string) => Promise<Reached>

/** Resolves a host name to addresses. */
export type Resolve = (hostname: string) => Promise<ReadonlyArray<string>>

/** Reports whether a string contains userinfo where URLs have it (RFC 3986 §3.2.1). */
export const hasUserinfo = (text: string): boolean => {
  if (/^(?:[a-z][a-z0-9+.-]*:)?[/\\]*[^/\\?#]*@/i.test(text)) return true
  if (!URL.canParse(text)) return false
  const { username, password } = new URL(text)
  return username !== "" || password !== ""
}

const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, "")

const resolveBySystem: Resolve = async (hostname) => (await lookup(hostname, { all: true, verbatim: true })).map(({ address }) => address)

const addressesOf = async (url: URL, resolve: Resolve): Promise<ReadonlyArray<string>> => {
  const host = hostOf(url)
  if (isIP(host) !== 0) return [host]
  try {
    return await resolve(host)
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "it has no address"
    throw unreachable(`${url.origin} cannot be reached: ${code}`, "check the URL, and that the server runs")
  }
}

/**
 * Returns a function that decides which URLs may be requested on behalf of a target, to prevent server-side request forgery: a server on
 * the internet must not make this machine send requests into its own network. Loopback is allowed only for a target on loopback, and other
 * non-public addresses only for a target that has such an address itself. Each name is resolved once, and requests go to the checked
 * addresses, so that DNS rebinding has no effect.
 */
export const reachFrom = async (target: URL, resolve: Resolve = resolveBySystem): Promise<Reach> => {
  const known = new Map<string, Promise<ReadonlyArray<string>>>()
  const looked = (url: URL): Promise<ReadonlyArray<string>> => {
    const host = hostOf(url)
    const found = known.get(host) ?? addressesOf(url, resolve)
    known.set(host, found)
    return found
  }
  const own = await looked(target)
  const isLocal = own.every(isLoopbackAddress)
  const isInside = !isLocal && own.some((address) => !isPublicAddress(address) && !isLoopbackAddress(address))
  return async (text) => {
    if (!URL.canParse(text)) return { barred: "it is no URL" }
    const url = new URL(text)
    if (url.protocol !== "https:" && url.protocol !== "http:") return { barred: "it is not https" }
    if (hasUserinfo(text)) return { barred: "it carries a user name" }
    // The user who runs the command has chosen this origin.
    if (url.origin === target.origin) return { addresses: own }
    if (url.protocol === "http:" && !(isLocal && /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname)))
      return { barred: "it is not https; http is for loopback, where the target is on loopback too" }
    const addresses = await looked(url)
    const allowed = (address: string): boolean => isPublicAddress(address) || (isLoopbackAddress(address) ? isLocal : isInside)
    return addresses.length > 0 && addresses.every(allowed) ? { addresses } : { barred: "its address is not public" }
  }
}
