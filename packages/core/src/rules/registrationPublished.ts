import { authorityFault, isLoopback, spellingFault, uriParts } from "./redirectUri.ts"
import { type ClientMetadata, type Members, fitsAlgorithm, peerAlgorithms } from "../model/index.ts"
import { type Fault, type Registration, type RegistrationSeen, fault } from "./registrationFault.ts"
import { type Rule, pass, rule } from "./rule.ts"

/** Returns the fault of a URL that the provider fetches, or could fetch. */
export const documentFault = (uri: string, development: boolean): readonly [string, string] | undefined => {
  const spelling = spellingFault(uri)
  if (spelling !== undefined) return spelling
  const parts = uriParts(uri)
  if (parts === undefined || parts.host === "") return ["is not an absolute URL", "write https://host/path"]
  if (parts.userinfo) return ["carries a user name", "remove everything before the @"]
  const found = authorityFault(parts)
  if (found !== undefined) return found
  if (parts.scheme === "https" || (development && parts.scheme === "http" && isLoopback(parts.host))) return pass
  return ["is not https", "use https; http is for loopback in development only"]
}

/** Returns the fault of such a URL that has no use for a fragment, which is never sent (RFC 9110 §7.1). */
export const wholeDocumentFault = (uri: string, development: boolean): readonly [string, string] | undefined =>
  uri.includes("#") ? ["has a fragment", "remove the # and everything after it"] : documentFault(uri, development)

/** Returns the fault of a member with such a URL. */
export const documentFaultOf = (name: string, uri: string | undefined, { development }: RegistrationSeen): Fault | undefined => {
  const found = uri === undefined ? pass : documentFault(uri, development)
  return found === undefined ? pass : fault([name], ...found)
}

/** Requires that a member with such a URL has no such fault. */
export const fetchable = (
  id: string,
  cites: string,
  name: "sector_identifier_uri" | "jwks_uri" | "initiate_login_uri",
): Rule<Registration, unknown, Fault> => rule(id, cites, ({ client, provider }) => documentFaultOf(name, client[name], provider))

/** A member, by its name and its value. */
interface Stated<A> {
  readonly name: string
  readonly of: (client: Members) => A
}

/** Requires that a sign-out URL has no fragment, none of the faults of a fetched URL, and no further one. */
export const signOutUri = (
  id: string,
  cites: string,
  { name, of }: Stated<string | undefined>,
  another: (uri: string) => readonly [string, string] | undefined = () => pass,
): Rule<Registration, unknown, Fault> =>
  rule(id, cites, (seen) => {
    const uri = of(seen)
    if (uri === undefined) return pass
    const found = wholeDocumentFault(uri, seen.provider.development) ?? another(uri)
    return found === undefined ? pass : fault([name], ...found)
  })

/** Requires that a member that modifies another occurs only together with it. */
export const onlyBeside = (
  id: string,
  cites: string,
  flag: Stated<boolean>,
  other: Stated<string | undefined>,
): Rule<Registration, unknown, Fault> =>
  rule(id, cites, (seen) =>
    flag.of(seen) && other.of(seen) === undefined
      ? fault([flag.name], `means nothing without ${other.name}`, "give both, or neither")
      : pass,
  )

/**
 * Returns the lack of a key that a client states, for any of some algorithms; undefined if one fits, or if its keys are at a URL: those may
 * change, and are read when they are needed.
 */
export const keyLack = (
  { jwks, jwks_uri: uri }: ClientMetadata,
  algorithms: ReadonlyArray<string>,
): readonly [reason: string, hint: string] | undefined => {
  if (uri !== undefined) return undefined
  if (jwks === undefined) return ["no key of the client is known", "give its public keys as jwks, or where it publishes them as jwks_uri"]
  if (jwks.keys.some((key) => algorithms.some((alg) => fitsAlgorithm(key, alg)))) return undefined
  return [
    algorithms.length === peerAlgorithms.length
      ? "no key of its jwks can verify a signature"
      : `no key of its jwks fits ${algorithms.length === 1 ? "" : "any of "}${algorithms.join(", ")}`,
    "add a public key whose kty, crv, use, alg and key_ops allow that; one of RSA has 2048 bits or more",
  ]
}
