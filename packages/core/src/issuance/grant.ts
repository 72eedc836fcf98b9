import type { AuthorizationCode, Client, FreshHandle, Grant, Instant, Locator } from "../model/index.ts"
import { familyEnd, longestLife } from "./family.ts"
import type { CodeContent, Issuance, Whose } from "./issuance.ts"

/** Until when a grant must be kept for what is made of it: a replay of its code, and a revoked token of it, must find what to ask. */
export const keptFor = ({ client, code, family }: Pick<Issuance, "client" | "code" | "family">, now: Instant): Instant => {
  const redeemed = code === undefined ? now : now + client.lifetimes.authorizationCode
  return Math.max(redeemed + longestLife(client), familyEnd(client, family, now))
}

/** The row of a new grant. */
export const newGrant = (
  issuance: Pick<Issuance, "client" | "scope" | "code" | "family">,
  { person, basis }: Extract<Whose, { _tag: "NewGrant" }>,
  { id, sub, now, keepUntil = keptFor(issuance, now) }: { id: Locator; sub: string; now: Instant; keepUntil?: Instant },
): Grant => ({
  id,
  clientId: issuance.client.clientId,
  subject: person.subject,
  sub,
  sessionId: basis.sessionId,
  scope: issuance.scope,
  resources: basis.resources,
  authTime: basis.authTime,
  amr: basis.amr,
  acr: basis.acr,
  nonce: basis.nonce,
  claims: basis.claims,
  endsWithSession: basis.endsWithSession === true,
  parentId: basis.parentId,
  extension: basis.extension,
  createdAt: now,
  keepUntil,
  revokedAt: undefined,
})

/** The row of a code. */
export const codeRow = (
  { redirectUri, challenge }: CodeContent,
  { locator, digest }: FreshHandle,
  grant: Grant,
  client: Client,
  now: Instant,
): AuthorizationCode => ({
  locator,
  digest,
  grantId: grant.id,
  clientId: grant.clientId,
  redirectUri,
  challenge,
  createdAt: now,
  expiresAt: now + client.lifetimes.authorizationCode,
  consumedAt: undefined,
  keepUntil: grant.keepUntil,
})
