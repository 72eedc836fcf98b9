import {
  type ClientMetadata,
  type Decision,
  type Refusal,
  type Settings,
  type Command,
  type Json,
  withoutUndefined,
  authMethodOf,
} from "../../model/index.ts"
import type { Composition } from "../feature.ts"
import type { SentToken } from "./rules.ts"
import type { RegisteredClientRow } from "./rows.ts"

/** The path at which clients register. */
export const registrationPath = "/connect/register"

/** The path at which a registration is managed; the client is named in the query. */
export const managementPath = "/connect/register/client"

/** The values that a response shows only once. */
export interface Shown {
  readonly secret?: string | undefined
  /** The registration access token. It is not stored, so it is returned to the client that has just sent it. */
  readonly accessToken?: string | undefined
}

const base = ({ issuer }: Settings): string => issuer.replace(/\/$/, "")

/** The client information response (RFC 7591 §3.2.1, RFC 7592 §3): all registered metadata with the effective values. */
export const clientInformation = (row: RegisteredClientRow, { secret, accessToken }: Shown, settings: Settings): Json =>
  // Metadata and texts are JSON.
  withoutUndefined({
    // A client that states none may send its secret in either way; this is the one on which it may rely (RFC 7591 §2).
    token_endpoint_auth_method: authMethodOf(row.metadata),
    ...row.metadata,
    client_id: row.clientId,
    client_id_issued_at: row.createdAt,
    client_secret: secret,
    client_secret_expires_at: row.digest === undefined ? undefined : 0,
    registration_access_token: accessToken,
    registration_client_uri: accessToken === undefined ? undefined : `${base(settings)}${managementPath}?client_id=${row.clientId}`,
    software_statement: row.statement,
  }) as Json

/** Replies with the information about a client. */
export const replyClient = (body: Json, created: boolean, commands: ReadonlyArray<Command>): Decision => ({
  _tag: "Reply",
  body,
  created,
  cacheable: false,
  commands,
})

/** Refuses a bearer token with a challenge (RFC 6750 §3), which has no error code if no token was sent. */
export const refuseAccess = (refusal: Refusal, { token, unreadable }: SentToken): Decision => ({
  _tag: "RefuseBearer",
  refusal,
  bare: token === undefined && !unreadable,
})

/** Reports whether a client authenticates with a secret that the provider issues. */
export const hasSecret = (client: ClientMetadata, { clientAuthentication }: Composition): boolean =>
  clientAuthentication.find(({ method }) => method === authMethodOf(client))?.secret !== undefined
