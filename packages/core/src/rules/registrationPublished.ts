import { isHost, isLoopback, uriParts } from "./redirectUri.ts"
import { type Fault, type RegistrationSeen, fault } from "./registrationFault.ts"
import { pass } from "./rule.ts"

/** The fault of a URL that the provider fetches, or could. */
export const documentFault = (uri: string, development: boolean): readonly [string, string] | undefined => {
  const parts = uriParts(uri)
  if (parts === undefined || parts.host === "") return ["is not an absolute URL", "write https://host/path"]
  if (parts.userinfo) return ["carries a user name", "leave out everything before the @"]
  if (!isHost(parts.host)) return ["has a host that no address on the web has", "write the name of a host, or its address"]
  if (parts.scheme === "https" || (development && parts.scheme === "http" && isLoopback(parts.host))) return pass
  return ["is not https", "use https; http is for loopback in development only"]
}

/** The fault of a member that states such a URL. */
export const documentFaultOf = (name: string, uri: string | undefined, { development }: RegistrationSeen): Fault | undefined => {
  const found = uri === undefined ? pass : documentFault(uri, development)
  return found === undefined ? pass : fault([name], ...found)
}
