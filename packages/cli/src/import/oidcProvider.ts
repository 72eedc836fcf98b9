import { clientMetadataSchema } from "@postern/core"
import { peerOption } from "./options.ts"

/** A note of the import about a setting. */
export interface Note {
  /** The path of the setting in oidc-provider's configuration. */
  readonly option: string
  /** The way in which it was converted, or the reason why it was not. */
  readonly text: string
}

/** An oidc-provider configuration converted to ours. */
export interface Imported {
  /** The resulting configuration. */
  readonly config: Readonly<Record<string, unknown>>
  /** Notes about all differences. */
  readonly notes: ReadonlyArray<Note>
}

type Members = Readonly<Record<string, unknown>>

const membersOf = (value: unknown): Members => (typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {})
const textsOf = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) || value instanceof Set ? [...value].filter((each) => typeof each === "string") : []

const standardScopes: ReadonlySet<string> = new Set(["openid", "profile", "email", "address", "phone", "offline_access"])

/** The lifetimes: oidc-provider's token type, our setting, oidc-provider's default, and our bounds, in seconds. */
export const lifetimes: ReadonlyArray<readonly [ttl: string, setting: string, usual: number, least: number, most: number]> = [
  ["AccessToken", "access_token_lifetime", 3600, 1, 1_209_600],
  ["IdToken", "id_token_lifetime", 3600, 1, 1_209_600],
  ["AuthorizationCode", "authorization_code_lifetime", 60, 1, 600],
  ["RefreshToken", "refresh_token_sliding_lifetime", 1_209_600, 1, 315_360_000],
  ["DeviceCode", "device_code_lifetime", 600, 30, 3600],
  ["Session", "session_lifetime", 1_209_600, 60, 31_536_000],
  ["Grant", "consent_lifetime", 1_209_600, 0, 315_360_000],
]

/** The default client metadata of oidc-provider. */
const clientDefaults: Members = {
  grant_types: ["authorization_code"],
  response_types: ["code"],
  id_token_signed_response_alg: "RS256",
  token_endpoint_auth_method: "client_secret_basic",
}

/** Converts an oidc-provider 9 configuration to ours and notes all differences. It calls none of the configuration's functions. */
export const importOidcProvider = (issuer: string, configuration: unknown): Imported => {
  const given = membersOf(configuration)
  const notes: Array<Note> = []
  const note = (option: string, text: string): void => void notes.push({ option, text })
  const ttl = ttlOf(membersOf(given["ttl"]), note)
  const scopes = scopesOf(given)
  const clients = (Array.isArray(given["clients"]) ? given["clients"] : []).map((each: unknown) =>
    clientOf({ ...clientDefaults, ...membersOf(given["clientDefaults"]), ...membersOf(each) }, given, scopes, ttl.machine, note),
  )
  const features = membersOf(given["features"])
  const api = `${issuer.replace(/\/$/, "")}/api`
  if (scopes.resource.length > 0)
    note("scopes", `those without claims are of one API, ${api}, which is the audience of their tokens: name yours, and tell them apart`)
  for (const [option, value] of Object.entries(given)) {
    if (option === "features" || value === undefined) continue
    const row = peerOption(option === "pkce" ? "pkce.required" : option)
    if (row === undefined) note(option, "is no option of oidc-provider 9")
    else if (row.how !== "translated") note(option, row.here)
  }
  for (const [name, value] of Object.entries(features)) {
    const row = peerOption(`features.${name}`)
    if (row === undefined) note(`features.${name}`, "is no feature of oidc-provider 9")
    else if (row.how !== "translated" && membersOf(value)["enabled"] !== false) note(row.option, row.here)
    else if (row.how === "built in" && membersOf(value)["enabled"] === false) note(row.option, `cannot be turned off here: ${row.here}`)
  }
  if (textsOf(given["subjectTypes"]).includes("pairwise"))
    note("subjectTypes", "set POSTERN_PAIRWISE_SALT to at least 32 random characters, and never change it")
  const par = membersOf(features["pushedAuthorizationRequests"])
  return {
    config: {
      issuer,
      ...(issuer.startsWith("http:") ? { development: true, ...listening(issuer) } : {}),
      data: "./data",
      lifetimes: ttl.settings,
      ...(scopes.people.length === 0 ? {} : { scopes: scopes.people }),
      ...(scopes.resource.length === 0 ? {} : { resources: [{ identifier: api, scopes: scopes.resource }] }),
      ...(textsOf(given["subjectTypes"]).includes("pairwise") ? { pairwise_salt: { env: "POSTERN_PAIRWISE_SALT" } } : {}),
      ...(par["requirePushedAuthorizationRequests"] === true ? { require_pushed_authorization_requests: true } : {}),
      clients,
    },
    notes,
  }
}

/** Returns the listening address of an issuer that is reached without a proxy: its own port. */
const listening = (issuer: string): { readonly listen?: { readonly port: number } } => {
  const port = URL.canParse(issuer) ? new URL(issuer).port : ""
  return port === "" ? {} : { listen: { port: Number(port) } }
}

type Tell = (option: string, text: string) => void

const ttlOf = (given: Members, note: Tell) => {
  const seconds = (type: string, usual: number): number => {
    const value = given[type]
    if (value === undefined) return usual
    if (typeof value === "number") return value
    note(`ttl.${type}`, `is a function: ${usual} seconds, the default there, stand for it`)
    return usual
  }
  const settings = lifetimes.map(([type, setting, usual, least, most]) => {
    const wanted = seconds(type, usual)
    const value = Math.min(most, Math.max(least, Math.round(wanted)))
    if (value !== wanted) note(`ttl.${type}`, `${wanted} seconds are out of bounds: ${setting} is ${value}, of ${least} to ${most}`)
    return [setting, value] as const
  })
  for (const type of Object.keys(given))
    if (type !== "ClientCredentials" && !lifetimes.some(([known]) => known === type)) note(`ttl.${type}`, "has no lifetime of its own here")
  // In oidc-provider, refresh tokens are not rotated beyond a year.
  return {
    settings: { ...Object.fromEntries(settings), refresh_token_absolute_lifetime: 31_536_000 },
    machine: seconds("ClientCredentials", 600),
  }
}

interface Scope {
  readonly name: string
  readonly claims: ReadonlyArray<string>
}

interface Scopes {
  readonly people: ReadonlyArray<Scope>
  readonly resource: ReadonlyArray<string>
}

/** Splits scopes: those with claims are about users, and the others belong to an API, for which machine clients may request them too. */
const scopesOf = ({ claims, scopes }: Members): Scopes => {
  const withClaims = Object.entries(membersOf(claims)).flatMap(([name, value]): ReadonlyArray<Scope> => {
    const own = Array.isArray(value) ? textsOf(value) : typeof value === "object" && value !== null ? Object.keys(value) : undefined
    return own === undefined || name === "openid" ? [] : [{ name, claims: own }]
  })
  const bare = textsOf(scopes).filter((name) => !standardScopes.has(name) && !withClaims.some((each) => each.name === name))
  return { people: withClaims, resource: bare }
}

const known: ReadonlySet<string> = new Set(Object.keys(clientMetadataSchema({}).fields))

const clientOf = (metadata: Members, { pkce }: Members, { people, resource }: Scopes, machine: number, note: Tell): Members => {
  const id = String(metadata["client_id"])
  const unknown = Object.keys(metadata).filter((name) => !known.has(name))
  for (const name of unknown) note(`clients ${id}: ${name}`, "is no client metadata here, and left out")
  const kept = Object.fromEntries(Object.entries(metadata).filter(([name, value]) => known.has(name) && value !== undefined))
  const isPublic = metadata["token_endpoint_auth_method"] === "none"
  const grants = textsOf(metadata["grant_types"])
  // The result of a function is unknown here, so PKCE is required of every client.
  const isRequired = isPublic || typeof membersOf(pkce)["required"] === "function"
  if (!isPublic && isRequired)
    note(`clients ${id}: require_pkce`, "pkce.required is a function: every client must send a challenge; set false for those that cannot")
  const isRedirected = grants.includes("authorization_code")
  const isForPeople = isRedirected || grants.includes("urn:ietf:params:oauth:grant-type:device_code")
  const personal = [...(isForPeople ? ["openid"] : []), ...(grants.includes("refresh_token") ? ["offline_access"] : [])]
  return {
    ...kept,
    // In oidc-provider, a client without a scope member may request any scope.
    ...(metadata["scope"] === undefined ? { scope: [...personal, ...people.map(({ name }) => name), ...resource].join(" ") } : {}),
    ...(isRedirected ? { require_pkce: isRequired } : {}),
    // In oidc-provider, tokens are opaque unless a resource server says otherwise.
    access_token_format: "reference",
    ...(grants.length === 1 && grants[0] === "client_credentials" ? { access_token_lifetime: machine } : {}),
  }
}
