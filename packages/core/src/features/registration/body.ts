import type { JsonObject } from "../../model/index.ts"
import { mapped } from "../../ports/steps.ts"
import { type Message, isJson, readJwt, readObject } from "../../wire/index.ts"
import { verifyBy } from "../../settle/remote.ts"
import type { Inquiry } from "../../settle/request.ts"
import { peerAlgorithms } from "../../model/index.ts"
import type { RegistrationSettings } from "./options.ts"
import type { Sent, SentToken } from "./rules.ts"

/** Reads the body of a request; nothing is judged yet. */
export const readBody = ({ headers, body }: Message): Sent => ({ isJson: isJson(headers["content-type"]), object: readObject(body) })

/** Reads the bearer token of a request, from the Authorization header alone; nothing is judged yet. */
export const readToken = ({ headers: { authorization } }: Message): SentToken => {
  const [, token] = /^bearer +(\S+)\s*$/i.exec(authorization ?? "") ?? []
  return { token, unreadable: authorization !== undefined && token === undefined }
}

/** Claims of a JWT that say nothing about a client (RFC 7519 §4.1). */
const ofTheJwt = new Set(["iss", "sub", "aud", "exp", "nbf", "iat", "jti"])

/** The members of metadata in a software statement (RFC 7591 §2.3). */
export const membersIn = (claims: JsonObject | undefined): JsonObject =>
  Object.fromEntries(Object.entries(claims ?? {}).filter(([name]) => !ofTheJwt.has(name)))

/** Reads a software statement and verifies it by the keys of the issuer that it names, where that is one of the provider's. */
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
