import type { Json, JsonObject, Locator, OutboxMessage } from "../../model/index.ts"
import type { WaitingAuthentication } from "./options.ts"

/** The kind of the messages that notify a person of a request. */
export const notifyMessage = "ciba.notify"

/** The kind of the messages that notify a client that a result can be fetched (CIBA Core §10.2). */
export const pingMessage = "ciba.ping"

/** The kind of the messages that carry a result (CIBA Core §10.3, §12). */
export const pushMessage = "ciba.push"

/**
 * The kind of the messages that expire a request and push the error to its client (CIBA Core §12). Each is due when its request expires.
 */
export const expiryMessage = "ciba.expiry"

/** Reads texts of a message into members, by a map of their names. */
const textsOf = <const Name extends string>(payload: JsonObject, names: Readonly<Record<Name, string>>): Readonly<Record<Name, string>> =>
  // One text for each name.
  Object.fromEntries(Object.entries<string>(names).map(([name, as]) => [name, optional(payload[as]) ?? ""])) as Record<Name, string>

const optional = (value: Json | undefined): string | undefined => (typeof value === "string" ? value : undefined)

/** Writes the content of a message to a person. */
export const toldContent = ({ subject, clientId, clientName, bindingMessage, address, expiresAt }: WaitingAuthentication): JsonObject => ({
  subject,
  client_id: clientId,
  client_name: clientName,
  ...(bindingMessage === undefined ? {} : { binding_message: bindingMessage }),
  address,
  expires_at: expiresAt,
})

/** Reads the content of a message to a person. */
export const toldPerson = ({ payload }: Pick<OutboxMessage, "payload">): WaitingAuthentication => ({
  ...textsOf(payload, { subject: "subject", clientId: "client_id", clientName: "client_name", address: "address" }),
  bindingMessage: optional(payload["binding_message"]),
  expiresAt: typeof payload["expires_at"] === "number" ? payload["expires_at"] : 0,
})

/** A result of which a client is notified. */
export interface ToldResult {
  /** The request. */
  readonly locator: Locator
  /** The digest of the secret half of its `auth_req_id`. */
  readonly digest: string
  /** The client. */
  readonly clientId: string
  /** The person, for the audit trail. */
  readonly subject: string
  /** The client's bearer token, sealed. */
  readonly notification: string
  /** The pushed result as JSON, sealed; undefined for a ping. */
  readonly result: string | undefined
}

/** Writes the content of a message to a client. */
export const resultContent = ({ locator, digest, clientId, subject, notification, result }: ToldResult): JsonObject => ({
  request: locator,
  digest,
  client_id: clientId,
  subject,
  notification,
  ...(result === undefined ? {} : { result }),
})

/** Reads the content of a message to a client. */
export const toldClient = ({ payload }: Pick<OutboxMessage, "payload">): ToldResult => ({
  ...textsOf(payload, {
    locator: "request",
    digest: "digest",
    clientId: "client_id",
    subject: "subject",
    notification: "notification",
  }),
  result: optional(payload["result"]),
})
