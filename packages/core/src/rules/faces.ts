import type { Catalog, Client, ClientFace, ConsentScope, Person, PersonFace } from "../model/index.ts"
import { offlineAccess } from "../model/index.ts"
import { claimOfWord } from "./claims.ts"
import { uriParts } from "./redirectUri.ts"

/** The parts of a client that pages show. */
export const clientFace = (client: Client): ClientFace => ({
  clientId: client.clientId,
  name: client.clientName ?? client.clientId,
  uri: client.clientUri,
  logoUri: client.logoUri,
  policyUri: client.policyUri,
  tosUri: client.tosUri,
  ...(client.selfRegistered === undefined ? {} : { unverified: true }),
})

/** The parts of a person that pages show. */
export const personFace = ({ subject, username, claims }: Person): PersonFace => ({
  subject,
  username,
  name: typeof claims["name"] === "string" && claims["name"] !== "" ? claims["name"] : username,
  zone: typeof claims["zoneinfo"] === "string" ? claims["zoneinfo"] : undefined,
})

/** The place that a browser is sent to afterwards, as far as a person should know it: an origin, or the scheme of a native client. */
export const destinationOf = (redirectUri = ""): string => {
  const parts = uriParts(redirectUri)
  if (parts === undefined || parts.host === "") return `${parts?.scheme ?? ""}:`
  return `${parts.scheme}://${parts.host}${parts.port === undefined ? "" : `:${parts.port}`}`
}

/** Scopes as pages show them: identity scopes first, then claims asked for by name, then the scopes of resources, `offline_access` last. */
export const scopeFaces = (known: Catalog, scope: ReadonlyArray<string>): ReadonlyArray<ConsentScope> => {
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
  }))
}
