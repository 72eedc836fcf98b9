import type { Attempts, Command, Consent, Grant, Instant } from "../model/index.ts"
import type { Tables } from "./tables.ts"

/** Takes one command back. */
export type Undo = () => void

const nothing: Undo = () => {}

/** Applies one command; undefined when its guard fails, else how to take it back. */
export const apply = (tables: Tables, command: Command): Undo | undefined => {
  const { grants, codes, accessTokens, refreshTokens, sessions, interactions } = tables
  switch (command._tag) {
    case "SaveGrant":
      return insert(grants, command.grant.id, command.grant)
    case "RequireGrant":
      return change(grants, command.grantId, standing, (grant) => grant)
    case "KeepGrant":
      return keep(grants, command.grantId, command.keepUntil)
    case "RevokeGrant":
      return revoke(grants, [command.grantId], command.at)
    case "RevokeGrants": {
      const { subject, clientId, sessionId, at } = command
      const meant = (grant: Grant): boolean =>
        grant.subject === subject &&
        (clientId === undefined || grant.clientId === clientId) &&
        (sessionId === undefined || grant.sessionId === sessionId)
      return revoke(
        grants,
        [...grants.values()].filter(meant).map(({ id }) => id),
        at,
      )
    }
    case "SaveCode":
      return insert(codes, command.code.locator, command.code)
    case "ConsumeCode":
      return change(
        codes,
        command.locator,
        (code) => code.consumedAt === undefined,
        (code) => ({
          ...code,
          consumedAt: command.at,
          keepUntil: Math.max(code.keepUntil, command.keepUntil),
        }),
      )
    case "SaveAccessToken":
      return insert(accessTokens, command.token.locator, command.token)
    case "RevokeAccessToken":
      return change(accessTokens, command.locator, (token) => token.revokedAt === undefined, revoked(command.at)) ?? nothing
    case "SaveRefreshToken":
      return insert(refreshTokens, command.token.locator, command.token)
    case "RotateRefreshToken":
      return change(
        refreshTokens,
        command.locator,
        (token) => token.rotatedAt === undefined,
        (token) => ({ ...token, rotatedAt: command.at, successor: command.successor }),
      )
    case "SaveSession":
      return insert(sessions, command.session.locator, command.session)
    case "RequireSession":
      return change(
        sessions,
        command.locator,
        (session) => session.endedAt === undefined,
        (session) => session,
      )
    case "TouchSession": {
      const { locator, seenAt, expiresAt, keepUntil } = command
      return change(
        sessions,
        locator,
        (session) => session.endedAt === undefined,
        (session) => ({ ...session, seenAt, expiresAt, keepUntil }),
      )
    }
    case "EndSession": {
      const { locator, at } = command
      const ended = change(
        sessions,
        locator,
        (session) => session.endedAt === undefined,
        (session) => ({ ...session, endedAt: at }),
      )
      const hanging = command.grants ? [...grants.values()].filter((grant) => grant.sessionId === locator && grant.endsWithSession) : []
      return all([
        ended ?? nothing,
        revoke(
          grants,
          hanging.map(({ id }) => id),
          at,
        ),
      ])
    }
    case "SaveInteraction":
      return insert(interactions, command.interaction.locator, command.interaction)
    case "ReplaceInteraction": {
      const { interaction } = command
      return change(
        interactions,
        interaction.locator,
        (stored) => stored.version === interaction.version - 1,
        () => interaction,
      )
    }
    case "SaveDevice": {
      const { device } = command
      const taken = insert(tables.userCodes, device.userCode, device.locator)
      if (taken === undefined) return undefined
      const saved = insert(tables.devices, device.locator, device)
      if (saved === undefined) taken()
      return saved === undefined ? undefined : all([saved, taken])
    }
    case "ReplaceDevice": {
      const { device } = command
      return change(
        tables.devices,
        device.locator,
        (stored) => stored.version === device.version - 1,
        () => device,
      )
    }
    case "CountAttempt": {
      const { key, at, resetAt } = command
      const known = tables.attempts.get(key)
      return put(
        tables.attempts,
        key,
        known === undefined || known.resetAt <= at ? { key, count: 1, resetAt } : { ...known, count: known.count + 1 },
      )
    }
    case "ReserveAttempt": {
      const { key, at, most, resetAt, fullUntil } = command
      const found = tables.attempts.get(key)
      const known = found === undefined || found.resetAt <= at ? { key, count: 0, resetAt } : found
      if (known.count >= most) return undefined
      const count = known.count + 1
      return put(tables.attempts, key, { key, count, resetAt: count === most ? (fullUntil ?? known.resetAt) : known.resetAt })
    }
    case "ReturnAttempt": {
      const own = ({ count, resetAt }: Attempts): boolean => count > 0 && resetAt <= command.until
      return change(tables.attempts, command.key, own, (known) => ({ ...known, count: known.count - 1 })) ?? nothing
    }
    case "ForgetAttempts":
      return put(tables.attempts, command.key, undefined)
    case "UseOnce": {
      const { key, at, until } = command
      const known = tables.attempts.get(key)
      return known !== undefined && known.resetAt > at ? undefined : put(tables.attempts, key, { key, count: 1, resetAt: until })
    }
    case "SaveConsent": {
      const { consent, replaces } = command
      const given = consentsOf(tables, consent.subject)
      return given.get(consent.clientId)?.grantedAt === replaces ? put(given, consent.clientId, consent) : undefined
    }
    case "RequireConsent": {
      const { subject, clientId, grantedAt, scope } = command.consent
      const stored = consentsOf(tables, subject).get(clientId)
      return stored?.grantedAt === grantedAt && stored.scope.join(" ") === scope.join(" ") ? nothing : undefined
    }
    case "RemoveConsent":
      return put(consentsOf(tables, command.subject), command.clientId, undefined)
  }
}

const standing = (grant: Grant): boolean => grant.revokedAt === undefined

const revoked =
  (at: Instant) =>
  <Row extends { readonly revokedAt?: Instant | undefined }>(row: Row): Row => ({ ...row, revokedAt: at })

/** Keeps a grant that stands, and all that it was derived from. */
const keep = (grants: Map<string, Grant>, grantId: string, keepUntil: Instant): Undo | undefined => {
  const later = (grant: Grant): Grant => ({ ...grant, keepUntil: Math.max(grant.keepUntil, keepUntil) })
  const kept = change(grants, grantId, standing, later)
  if (kept === undefined) return undefined
  const undos = [kept]
  const met = new Set([grantId])
  for (let id = grants.get(grantId)?.parentId; id !== undefined && !met.has(id); id = grants.get(id)?.parentId) {
    met.add(id)
    undos.push(change(grants, id, () => true, later) ?? nothing)
  }
  return all(undos)
}

/** Revokes grants, and those derived from them. */
const revoke = (grants: Map<string, Grant>, ids: ReadonlyArray<string>, at: Instant): Undo => {
  const undos: Array<Undo> = []
  const derived = new Map<string, Array<string>>()
  for (const { id, parentId } of grants.values()) {
    if (parentId === undefined) continue
    const siblings = derived.get(parentId)
    if (siblings === undefined) derived.set(parentId, [id])
    else siblings.push(id)
  }
  const waiting = [...ids]
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    const undo = change(grants, id, standing, revoked(at))
    if (undo === undefined) continue
    undos.push(undo)
    waiting.push(...(derived.get(id) ?? []))
  }
  return all(undos)
}

const consentsOf = ({ consents }: Tables, subject: string): Map<string, Consent> => {
  const given = consents.get(subject) ?? new Map<string, Consent>()
  consents.set(subject, given)
  return given
}

/** Puts a row, or removes it. */
const put = <Row>(table: Map<string, Row>, key: string, row: Row | undefined): Undo => {
  const before = table.get(key)
  if (row === undefined) table.delete(key)
  else table.set(key, row)
  return () => (before === undefined ? table.delete(key) : table.set(key, before))
}

const insert = <Row>(table: Map<string, Row>, key: string, row: Row): Undo | undefined =>
  table.has(key) ? undefined : put(table, key, row)

/** Replaces a row that exists and passes its guard. */
const change = <Row>(table: Map<string, Row>, key: string, guard: (row: Row) => boolean, next: (row: Row) => Row): Undo | undefined => {
  const row = table.get(key)
  return row === undefined || !guard(row) ? undefined : put(table, key, next(row))
}

const all =
  (undos: ReadonlyArray<Undo>): Undo =>
  () => {
    for (const undo of undos) undo()
  }
