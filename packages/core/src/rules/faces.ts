import type { Catalog, Client, ClientDocument, ClientFace, ConsentScope, Person, PersonFace, TranslatedFace } from "../model/index.ts"
import { offlineAccess } from "../model/index.ts"
import { claimOfWord } from "./claims.ts"
import { isLoopback, uriParts } from "./redirectUri.ts"

/** Returns the parts of a client that pages show. */
export const displayedClient = (client: Client): ClientFace => ({
  clientId: client.clientId,
  name: client.document?.host ?? client.clientName ?? client.clientId,
  uri: client.clientUri,
  logoUri: client.logoUri,
  policyUri: client.policyUri,
  tosUri: client.tosUri,
  ...(client.selfRegistered === undefined && client.document?.isVerified !== false ? {} : { unverified: true }),
  // None of its own statements replaces its host, in any language.
  ...(client.document === undefined ? inLanguages(client) : documentFace(client, client.document)),
})

/** The maximum length of a client's own name on a page, so that the host before it stays visible. */
const longestName = 60

const documentFace = (
  { clientName, redirectUris }: Client,
  { host, isUnderDevelopment }: ClientDocument,
): Pick<ClientFace, "host" | "callsItself" | "isOnDevice" | "isUnderDevelopment"> => ({
  host,
  ...(clientName === undefined
    ? {}
    : { callsItself: clientName.length > longestName ? `${clientName.slice(0, longestName - 1)}…` : clientName }),
  ...(redirectUris.length > 0 && redirectUris.every((uri) => isLoopback(uriParts(uri)?.host ?? "")) ? { isOnDevice: true } : {}),
  ...(isUnderDevelopment ? { isUnderDevelopment } : {}),
})

/** The translatable parts of a client, by member. */
const spoken: Readonly<Record<string, keyof TranslatedFace>> = {
  client_name: "name",
  client_uri: "uri",
  logo_uri: "logoUri",
  policy_uri: "policyUri",
  tos_uri: "tosUri",
}

/** Returns the translated members of a client: `client_name#de` (RFC 7591 §2.2). */
const inLanguages = ({ members }: Client): Pick<ClientFace, "inLanguages"> => {
  const found: Record<string, TranslatedFace> = {}
  for (const [name, value] of Object.entries(members)) {
    const [, member = "", tag = ""] = /^([a-z_]+)#(.+)$/.exec(name) ?? []
    const part = Object.hasOwn(spoken, member) ? spoken[member] : undefined
    if (part !== undefined && typeof value === "string") found[tag] = { ...found[tag], [part]: value }
  }
  return Object.keys(found).length === 0 ? {} : { inLanguages: found }
}

/** Returns the parts of a person that pages show. */
export const displayedPerson = ({ subject, username, claims }: Person): PersonFace => ({
  subject,
  username,
  name: typeof claims["name"] === "string" && claims["name"] !== "" ? claims["name"] : username,
  zone: typeof claims["zoneinfo"] === "string" ? claims["zoneinfo"] : undefined,
})

/** Returns the destination of a redirect, as shown to a person: an origin, or the scheme of a native client. */
export const destinationOf = (redirectUri = ""): string => {
  const parts = uriParts(redirectUri)
  if (parts === undefined || parts.host === "") return `${parts?.scheme ?? ""}:`
  return `${parts.scheme}://${parts.host}${parts.port === undefined ? "" : `:${parts.port}`}`
}

/**
 * Returns scopes, as pages show them: identity scopes first, then claims requested by name, then the scopes of resources, `offline_access`
 * last. Those that the client already has are marked.
 */
export const scopeFaces = (known: Catalog, scope: ReadonlyArray<string>, held: ReadonlyArray<string> = []): ReadonlyArray<ConsentScope> => {
  const identity = scope.flatMap((name): ReadonlyArray<ConsentScope> => {
    const found = known.identity.get(name)
    return found === undefined ? [] : [{ ...found, kind: "identity", resources: [] }]
  })
  const resource = scope.flatMap((name): ReadonlyArray<ConsentScope> => {
    const found = known.resource.get(name)
    if (found === undefined) return []
    const owners = known.resources
      .filter(({ scopes }) => scopes.some((each) => each.name === name))
      .map(({ title, identifier }) => title ?? identifier)
    return [{ ...found, kind: "resource", resources: owners }]
  })
  const offline: ReadonlyArray<ConsentScope> = scope.includes(offlineAccess)
    ? [{ name: offlineAccess, kind: "offline_access", required: false, title: undefined, description: undefined, resources: [] }]
    : []
  const claims = scope.flatMap((word): ReadonlyArray<ConsentScope> => {
    const claim = claimOfWord(word)
    return claim === undefined
      ? []
      : [{ name: word, kind: "claim", required: false, title: claim.replaceAll("_", " "), description: undefined, resources: [] }]
  })
  return [...identity, ...claims, ...resource, ...offline].map(({ name, kind, required, title, description, resources }) => ({
    name,
    kind,
    required,
    title,
    description,
    resources,
    ...(held.includes(name) ? { held: true } : {}),
  }))
}
