import { type JWK, exportJWK, generateKeyPair } from "jose"
import { randomBytes } from "node:crypto"
import { ownDetails } from "./details.ts"
import { type RoleName, historicRoles, roleNames, roles, signingRoles } from "./roles.ts"

/** Clients to register at a provider, and the file that tells a test about them. */
export interface Registrations {
  /** The metadata of each client, as RFC 7591 §2 names it. */
  readonly clients: ReadonlyArray<Readonly<Record<string, unknown>>>
  /** The content of the file for `--client-file`; the person is to be filled in. */
  readonly file: {
    readonly clients: Readonly<Partial<Record<RoleName, Readonly<Record<string, unknown>>>>>
    readonly person: { readonly username: string; readonly password: string }
    readonly pages: string
  }
}

/** The addresses of clients at another callback than the usual one. */
const addressesAt = (callback: string) => {
  const second = new URL(callback)
  second.searchParams.set("tab", "1")
  return { redirect_uris: [callback, second.href], post_logout_redirect_uris: [new URL("signed-out", callback).href] }
}

/**
 * Makes a client for each role, with secrets and keys that were never used before. `without` are roles that the provider cannot have; `callback` takes the
 * place of the usual redirect URI.
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
