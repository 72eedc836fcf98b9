import { lookup } from "node:dns/promises"
import { isIP } from "node:net"
import { isLoopbackAddress, isPublicAddress } from "@postern/adapter-http"
import { unreachable } from "../failure.ts"

/** The reason why a URL that a server names is not asked; undefined where it may be. */
export type Reach = (url: string) => Promise<string | undefined>

/** Reports whether a text carries a user name or a password in the place where URLs have them (RFC 3986 §3.2.1). */
export const hasUserinfo = (text: string): boolean => {
  if (/^(?:[a-z][a-z0-9+.-]*:)?[/\\]*[^/\\?#]*@/i.test(text)) return true
  if (!URL.canParse(text)) return false
  const { username, password } = new URL(text)
  return username !== "" || password !== ""
}

const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, "")

const addressesOf = async (url: URL): Promise<ReadonlyArray<string>> => {
  const host = hostOf(url)
  if (isIP(host) !== 0) return [host]
  try {
    return (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address)
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "it has no address"
    throw unreachable(`${url.origin} cannot be reached: ${code}`, "check the URL, and that the server runs")
  }
}

/**
 * Decides which URLs may be asked on behalf of a target: a server on the internet must not lead this machine into its own network.
 * Loopback is for targets on loopback, and other addresses that are not public are for targets that have such an address themselves.
 */
export const reachFrom = async (target: URL): Promise<Reach> => {
  const own = await addressesOf(target)
  const isLocal = own.every(isLoopbackAddress)
  const isInside = !isLocal && own.some((address) => !isPublicAddress(address) && !isLoopbackAddress(address))
  return async (text) => {
    if (!URL.canParse(text)) return "it is no URL"
    const url = new URL(text)
    if (url.protocol !== "https:" && url.protocol !== "http:") return "it is not https"
    if (hasUserinfo(text)) return "it carries a user name"
    // The person who runs the command has chosen this origin.
    if (url.origin === target.origin) return undefined
    if (url.protocol === "http:" && !(isLocal && /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname)))
      return "it is not https; http is for loopback, where the target is on loopback too"
    const addresses = await addressesOf(url)
    const allowed = (address: string): boolean => isPublicAddress(address) || (isLoopbackAddress(address) ? isLocal : isInside)
    return addresses.every(allowed) ? undefined : "its address is not public"
  }
}
