import { createHash, randomUUID } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { argon2id } from "@postern/adapter-sqlite"
import { freePort } from "../support/server.ts"

/** A client of the load. */
export interface LoadClient {
  readonly id: string
  /** Undefined for a public one. */
  readonly secret: string | undefined
  readonly format: "reference" | "jwt"
  /** Seconds in which a rotated refresh token still answers with its successor. */
  readonly grace: number
}

/** Eight clients: reference tokens and JWTs, a grace of 0 and of 30 seconds, confidential and public. */
export const loadClients: ReadonlyArray<LoadClient> = Array.from({ length: 8 }, (_, at) => ({
  id: `app-${at}`,
  secret: at % 8 < 4 ? `the secret of app-${at}` : undefined,
  format: at % 2 === 0 ? "reference" : "jwt",
  grace: at % 4 < 2 ? 0 : 30,
}))

export const redirectUri = "https://app.example/cb"
export const scope = "openid profile offline_access api.read"
export const password = "correct horse battery"
export const people: ReadonlyArray<string> = Array.from({ length: 8 }, (_, at) => `person-${at}`)

/** The client that asks for no consent, the one without a browser, the one without a person, and the API that introspects. */
export const plainClient = "plain"
export const television = "tv"
export const machine = { id: "machine", secret: "the secret of the machine" } as const
export const api = { id: "api", secret: "the secret of the api" } as const

const lifetimes = { authorization_code_lifetime: 600, device_code_lifetime: 600 }

const clients = [
  ...loadClients.map(({ id, secret, format, grace }) => ({
    client_id: id,
    client_name: id,
    ...(secret === undefined ? { token_endpoint_auth_method: "none" } : { client_secret: secret }),
    redirect_uris: [redirectUri],
    grant_types: ["authorization_code", "refresh_token"],
    scope,
    require_consent: true,
    access_token_format: format,
    refresh_token_grace: grace,
    id_token_signed_response_alg: "ES256",
    ...(format === "jwt" ? { access_token_signed_response_alg: "ES256" } : {}),
    ...lifetimes,
  })),
  {
    client_id: plainClient,
    token_endpoint_auth_method: "none",
    redirect_uris: [redirectUri],
    grant_types: ["authorization_code", "refresh_token"],
    scope: "openid profile",
    require_consent: false,
    access_token_format: "reference",
    id_token_signed_response_alg: "ES256",
    ...lifetimes,
  },
  {
    client_id: television,
    token_endpoint_auth_method: "none",
    grant_types: ["urn:ietf:params:oauth:grant-type:device_code", "refresh_token"],
    response_types: [],
    scope: "openid offline_access api.read",
    access_token_format: "reference",
    id_token_signed_response_alg: "ES256",
    ...lifetimes,
  },
  {
    client_id: machine.id,
    client_secret: machine.secret,
    grant_types: ["client_credentials"],
    response_types: [],
    scope: "api.read",
    access_token_format: "reference",
  },
  {
    client_id: api.id,
    client_secret: api.secret,
    grant_types: [],
    response_types: [],
    introspection_resources: ["https://api.example"],
  },
]

/** A folder and a port that stay the same while servers come and go. */
export interface Setting {
  readonly folder: string
  readonly config: string
  readonly database: string
  readonly url: string
  readonly port: number
  readonly remove: () => void
}

let hashed: Promise<string> | undefined

/** Makes a setting. Everyone's password is hashed once for all, so that a start does not take the time of eight slow hashes. */
export const makeSetting = async (more: Readonly<Record<string, unknown>> = {}, within = tmpdir()): Promise<Setting> => {
  const passwordHash = await (hashed ??= argon2id().hash(password))
  const folder = mkdtempSync(join(within, "postern-faults-"))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const config = join(folder, "postern.json")
  writeFileSync(
    config,
    JSON.stringify({
      issuer: url,
      development: true,
      listen: { host: "127.0.0.1", port },
      data: join(folder, "data"),
      resources: [{ identifier: "https://api.example", scopes: ["api.read"] }],
      clients,
      users: people.map((username) => ({ username, subject: `sub-${username}`, password_hash: passwordHash, claims: { name: username } })),
      signing: { algorithms: ["RS256", "ES256"] },
      ...more,
    }),
  )
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  return { folder, config, database: join(folder, "data", "postern.sqlite"), url, port, remove }
}

/** A fresh proof key (RFC 7636 §4). */
export const proofKey = (): { readonly verifier: string; readonly challenge: string } => {
  const verifier = `${randomUUID()}${randomUUID()}`
  return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") }
}
