import { type JWK, exportJWK, generateKeyPair } from "jose"
import { randomBytes } from "node:crypto"
import { ownDetails } from "./details.ts"
import { type RoleName, historicRoles, roleNames, roles, signingRoles } from "./roles.ts"

/** Clients to register at a provider, and the matching client file. */
export interface Registrations {
  /** The metadata of each client (RFC 7591 §2). */
  readonly clients: ReadonlyArray<Readonly<Record<string, unknown>>>
  /** The content of the file for `--client-file`. The person is still to be filled in. */
  readonly file: {
    readonly clients: Readonly<Partial<Record<RoleName, Readonly<Record<string, unknown>>>>>
    readonly person: { readonly username: string; readonly password: string }
    readonly pages: string
  }
}

/** The addresses of clients with a custom callback. */
const addressesAt = (callback: string) => {
  const second = new URL(callback)
  second.searchParams.set("tab", "1")
  return { redirect_uris: [callback, second.href], post_logout_redirect_uris: [new URL("signed-out", callback).href] }
}

/**
 * Creates a client for each role, with new secrets and keys. `without` lists roles that the provider does not support. `callback` replaces
 * the usual redirect URI.
 */
export const registrations = async (
  pages: string,
  { without = [], callback }: { readonly without?: ReadonlyArray<RoleName>; readonly callback?: string | undefined } = {},
): Promise<Registrations> => {
  const pair = await generateKeyPair("ES256", { extractable: true })
  const own: JWK = { ...(await exportJWK(pair.privateKey)), kid: "conformance", alg: "ES256", use: "sig" }
  const { d: _d, ...published } = own
  const made = roleNames
    .filter((role) => !without.includes(role) && !historicRoles.includes(role))
    .map((role) => {
      const metadata = roles[role]
      const method = metadata.token_endpoint_auth_method
      const signs = signingRoles.includes(role)
      const addresses = callback === undefined || !("redirect_uris" in metadata) ? {} : addressesAt(callback)
      const identity = {
        client_id: `conformance-${role}`,
        ...(method === "none" || method === "private_key_jwt" ? {} : { client_secret: randomBytes(32).toString("base64url") }),
      }
      const registered = {
        ...identity,
        client_name: `Conformance: ${role}`,
        ...metadata,
        ...addresses,
        ...(signs ? { jwks: { keys: [published] } } : {}),
      }
      const details = "authorization_details_types" in metadata ? { authorization_details: ownDetails } : {}
      return { role, registered, known: { ...identity, ...addresses, ...details, ...(signs ? { key: { ...own } } : {}) } }
    })
  return {
    clients: made.map(({ registered }) => registered),
    file: { clients: Object.fromEntries(made.map(({ role, known }) => [role, known])), person: { username: "", password: "" }, pages },
  }
}
