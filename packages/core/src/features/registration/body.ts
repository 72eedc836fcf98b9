import type * as Effect from "effect/Effect"
import { type HandleKind, type JsonObject, type Locator, peerAlgorithms, readHandle } from "../../model/index.ts"
import type { PortFailed, Ports } from "../../ports/index.ts"
import { mapped } from "../../ports/steps.ts"
import { claimsOfTheJwt } from "../../rules/signedRequest.ts"
import { type Message, isJson, readJwt, readObject } from "../../wire/index.ts"
import { verifyBy } from "../../settle/remote.ts"
import { type Inquiry, findBy } from "../../settle/request.ts"
import type { RegistrationSettings } from "./options.ts"
import type { Sent, SentToken } from "./rules.ts"

/** Reads the body of a request without judging it. */
export const readBody = ({ headers, body }: Message): Sent => ({ isJson: isJson(headers["content-type"]), object: readObject(body) })

/** A bearer token as it was sent, and the row that it gives access to. */
interface Opened<Row> extends SentToken {
  /** Undefined if no row has this token. */
  readonly found: Effect.Effect<Row | undefined, PortFailed>
}

/**
 * Reads the bearer token of a request, a handle with this prefix, only from the Authorization header, and finds its row by its locator. It
 * judges nothing.
 */
export const readToken = <Row>(
  { headers: { authorization } }: Message,
  ports: Ports,
  prefix: HandleKind,
  find: (locator: Locator) => Effect.Effect<Row | undefined, PortFailed>,
  digest: (row: Row) => string,
): Opened<Row> => {
  const [, token] = /^bearer +(\S+)\s*$/i.exec(authorization ?? "") ?? []
  return {
    token,
    unreadable: authorization !== undefined && token === undefined,
    found: findBy(ports, readHandle(prefix, token), find, digest),
  }
}

/** The client metadata in a software statement: all claims but those about the JWT itself (RFC 7591 §2.3). */
export const membersIn = (claims: JsonObject | undefined): JsonObject =>
  Object.fromEntries(Object.entries(claims ?? {}).filter(([name]) => !claimsOfTheJwt.has(name)))

/** Reads a software statement and verifies it with the keys of its issuer, if the provider trusts that issuer. */
export const readStatement = (statement: string | undefined, { softwareStatements }: RegistrationSettings, inquiry: Inquiry) => {
  const claims = statement === undefined ? undefined : readJwt(statement)?.claims
  const trusted = softwareStatements.find(({ issuer }) => issuer === claims?.["iss"])
  if (statement === undefined || trusted === undefined) return { claims, isTrusted: trusted !== undefined, unverified: undefined }
  return mapped(verifyBy(statement, trusted, peerAlgorithms, inquiry), (verdict) => ({
    claims,
    isTrusted: true,
    unverified: verdict._tag === "Verified" ? undefined : verdict.reason,
  }))
}
