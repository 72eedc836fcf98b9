import * as Effect from "effect/Effect"
import { type Client, type ClientMetadata, type Instant, type Lifetimes, sameDigest } from "../../model/index.ts"
import { registeredClient } from "../../model/registered.ts"
import type { ClientResolver, ResolvingPorts } from "../../ports/index.ts"
import { mapped, onward } from "../../ports/steps.ts"
import type { GrantKeeping } from "../../settle/inquiry.ts"
import { type RegisteredClientRow, registeredClients, useClient } from "./rows.ts"

/** The prefix of the ids of self-registered clients. A locator follows it, so that no id is ever issued twice. */
export const idPrefix = "dcr-"

const claims = (clientId: string): boolean => clientId.startsWith(idPrefix)

/** Reports whether a client still exists, that is, has not expired. */
export const isKept = ({ keepUntil }: Pick<RegisteredClientRow, "keepUntil">, now: Instant): boolean => keepUntil === 0 || now < keepUntil

/** Makes the client of a row. */
export const clientOf = ({ metadata, keepUntil, consentsSince }: RegisteredClientRow, lifetimes: Lifetimes): Client => {
  // The metadata was validated against its schema when it was registered.
  const client = registeredClient(metadata as unknown as ClientMetadata, lifetimes)
  return { ...client, keys: { ...client.keys, ofStranger: true }, selfRegistered: { keepUntil, consentsSince } }
}

const found = (clientId: string, { tokens, clock }: ResolvingPorts) =>
  onward(tokens.find(registeredClients, { clientId }), (row) =>
    row === undefined ? Effect.succeed(undefined) : mapped(clock(), (millis) => (isKept(row, Math.floor(millis / 1000)) ? row : undefined)),
  )

/**
 * The text that is hashed with SHA-256 to store a secret. The secret has 256 random bits, so neither a salt nor a slow hash would make it
 * safer.
 */
export const secretText = (clientId: string, secret: string): string => `postern registered client\n${clientId}\n${secret}`

/** Finds self-registered clients. */
export const registeredResolver = (lifetimes: Lifetimes): ClientResolver => ({
  claims,
  find: (clientId, ports) => mapped(found(clientId, ports), (row) => row && clientOf(row, lifetimes)),
  verifySecret: (clientId, secret, ports) =>
    onward(found(clientId, ports), (row) =>
      mapped(
        ports.digest.sha256(secretText(clientId, secret.reveal())),
        (shown) => row?.digest !== undefined && sameDigest(shown, row.digest),
      ),
    ),
})

/** Seconds for which a client is kept beyond its grant, so that not every refresh has to write its row. */
const ahead = 86_400

/** Keeps a client for as long as a person's grant lives. */
export const keepClient: GrantKeeping = ({ clientId, selfRegistered }, until) =>
  selfRegistered === undefined || !claims(clientId) || selfRegistered.keepUntil === 0 || until <= selfRegistered.keepUntil
    ? []
    : [useClient(clientId, until + ahead)]
