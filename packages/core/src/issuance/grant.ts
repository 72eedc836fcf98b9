import type * as Effect from "effect/Effect"
import {
  type AuthorizationCode,
  type Client,
  type Command,
  type FreshHandle,
  type Grant,
  type Instant,
  type Locator,
  type Person,
  type Settings,
  saveGrant,
} from "../model/index.ts"
import type { PortFailed } from "../ports/index.ts"
import { mapped } from "../ports/steps.ts"
import { type Inquiry, freshLocator } from "../settle/request.ts"
import { subjectFor } from "../settle/subject.ts"
import { advance, familyEnd, longestLife } from "./family.ts"
import type { Basis, CodeContent, Issuance } from "./issuance.ts"

/** The time until which a grant must be kept for its tokens, because a replay of its code, or a revoked token, must find the grant. */
export const keptFor = ({ client, code, family }: Pick<Issuance, "client" | "code" | "family">, now: Instant): Instant => {
  const redeemed = code === undefined ? now : now + client.lifetimes.authorizationCode
  return Math.max(redeemed + longestLife(client), familyEnd(client, family, now))
}

/**
 * The time until which a grant made in a session must be kept, because features have to notify its client when the session ends; 0 if none
 * does.
 */
export const rememberedFor = (
  { sessionMemories }: Pick<Inquiry["parts"], "sessionMemories">,
  settings: Pick<Settings, "sessionLifetime">,
  client: Client,
  sessionId: Locator | undefined,
  now: Instant,
): Instant =>
  sessionId === undefined || sessionMemories.length === 0
    ? 0
    : sessionMemories.reduce((latest, remember) => {
        const seconds = remember(client, settings)
        return seconds === 0 ? latest : Math.max(latest, now + seconds)
      }, 0)

/**
 * The time until which to keep a grant that would otherwise be deleted too early. It is a little later than its tokens need, so that only
 * one of the rotations of some hours writes the grant's row, but not beyond the end of its family. A refresh that does not write the grant
 * costs 7 µs less and 40 % fewer bytes of log in groups of eight on SQLite, 5 µs and 15 % alone.
 */
export const keptAhead = (until: Instant, { client, family }: Pick<Issuance, "client" | "family">, now: Instant): Instant => {
  const ahead = until + Math.floor((until - now) * advance)
  const end = family?._tag === "New" ? family.absoluteExpiresAt : (family?.token.absoluteExpiresAt ?? 0)
  return end === 0 ? ahead : Math.max(until, Math.min(ahead, end + longestLife(client)))
}

/** The row of a new grant. */
export const newGrant = (
  issuance: Pick<Issuance, "client" | "scope" | "code" | "family">,
  { person, basis }: Pick<GrantAhead, "person" | "basis">,
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
  authorizationDetails: basis.authorizationDetails,
  endsWithSession: basis.endsWithSession === true,
  parentId: basis.parentId,
  extension: basis.extension,
  createdAt: now,
  keepUntil,
  revokedAt: undefined,
})

/** The commands of features for a grant that is kept until a given time. */
export const keepings = (
  { grantKeepings }: Pick<Inquiry["parts"], "grantKeepings">,
  client: Client,
  until: Instant,
  now: Instant,
): ReadonlyArray<Command> => (grantKeepings.length === 0 ? [] : grantKeepings.flatMap((keep) => keep(client, until, now)))

/** A grant whose tokens are fetched later. */
export interface GrantAhead {
  readonly client: Client
  readonly person: Person
  readonly scope: ReadonlyArray<string>
  readonly basis: Basis
  /** The time until which its tokens may be fetched. */
  readonly until: Instant
}

/** Makes a grant before its tokens are requested, such as one that a person has approved for a device (RFC 8628 §3.3). */
export const grantAhead = (
  { client, person, scope, basis, until }: GrantAhead,
  inquiry: Inquiry,
): Effect.Effect<{ readonly grantId: Locator; readonly commands: ReadonlyArray<Command> }, PortFailed> =>
  mapped(subjectFor(client, person.subject, inquiry), (sub) => {
    const id = freshLocator(inquiry)
    const remembered = rememberedFor(inquiry.parts, inquiry.ports.settings, client, basis.sessionId, inquiry.now)
    const keepUntil = Math.max(until + longestLife(client), remembered)
    const made = newGrant({ client, scope }, { person, basis }, { id, sub, now: inquiry.now, keepUntil })
    return { grantId: id, commands: [saveGrant(made), ...keepings(inquiry.parts, client, keepUntil, inquiry.now)] }
  })

/** The row of a code. */
export const codeRow = (
  { redirectUri, challenge, confirmation }: CodeContent,
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
  confirmation,
  clientVersion: client.document?.digest,
  createdAt: now,
  expiresAt: now + client.lifetimes.authorizationCode,
  consumedAt: undefined,
  keepUntil: grant.keepUntil,
})
