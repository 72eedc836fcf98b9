import {
  type Client,
  type Confirmation,
  type DetailsAsked,
  type Handle,
  type Person,
  type Settings,
  isProved,
  readHandle,
  refuse,
  revokeGrant,
  writeHandle,
} from "../../model/index.ts"
import type { FoundRefreshToken, Ports } from "../../ports/index.ts"
import { onward, mapped, together } from "../../ports/steps.ts"
import { type FamilyStep, detailsOf, grantRow, grantWithDetails, issueOfGrant } from "../../issuance/index.ts"
import { profileOf } from "../../rules/profile.ts"
import { issuedTo, keptGrant } from "../../rules/keptGrant.ts"
import { pass, prove, table } from "../../rules/rule.ts"
import { askedScope, scopeForm } from "../../rules/scope.ts"
import { findBy, sealSecret } from "../../settle/request.ts"

/** The successor of a rotated token. */
interface FoundSuccessor {
  readonly token: FoundRefreshToken["token"]
  /** The value of the successor as it was issued. */
  readonly value: string
}

interface RefreshSeen {
  readonly settings: Settings
  readonly now: number
  readonly client: Client
  /** The handle in the presented token. */
  readonly handle: Handle | undefined
  readonly refreshToken: string | undefined
  /** Undefined if no scope was requested. */
  readonly scope: ReadonlyArray<string> | undefined
  readonly resources: ReadonlyArray<string>
  readonly found: FoundRefreshToken | undefined
  readonly successor: FoundSuccessor | undefined
  readonly person: Person | undefined
  readonly details: DetailsAsked
  /** The keys and certificates that the request has proved. */
  readonly proved: ReadonlyArray<Confirmation> | undefined
}

const invalidGrant = (description: string, reason: string) => refuse("invalid_grant", description, reason)

/**
 * The next step of the family. Its newest token is rotated. A token that was rotated within the grace period returns its successor again,
 * unless that has been used since, because the response to its rotation may have been lost. Undefined for a replay. If the client's profile
 * does not rotate tokens, the token stays and each use extends its expiry, so that no response can be lost (FAPI 2.0 Security Profile
 * §5.3.2.1, 9).
 */
const stepOf = ({
  found: { token },
  handle,
  refreshToken: presented = "",
  successor,
  client,
  settings,
  now,
}: RefreshSeen & { found: FoundRefreshToken }): FamilyStep | undefined => {
  if (token.rotatedAt === undefined && profileOf(client, settings).parameters.rotation === "none")
    return { _tag: "Extended", token, value: presented }
  if (token.rotatedAt === undefined) return { _tag: "Rotated", token, secret: handle?.secret ?? "" }
  const isRepeated =
    successor !== undefined &&
    successor.token.rotatedAt === undefined &&
    now < successor.token.expiresAt &&
    now < token.rotatedAt + client.lifetimes.refreshTokenGrace
  return isRepeated ? { _tag: "Repeated", token, successor: successor.value } : undefined
}

const unprovedToken = invalidGrant(
  "The refresh token is not valid.",
  "the token is bound to another key or certificate than the request has proved",
)

/** Refresh token grant: RFC 6749 §6; rotation and replay RFC 9700 §4.14.2. */
const rules = table<RefreshSeen>("token/refresh_token")
  .present("refresh.present", "RFC 6749 §6", "refreshToken", () => refuse("invalid_request", "The refresh_token is missing."))
  .present("refresh.known", "RFC 6749 §5.2", "found", () =>
    invalidGrant("The refresh token is not valid.", "no such token, or not with this secret"),
  )
  .include(issuedTo("refresh.client", "RFC 6749 §6", { called: "refresh token", known: "token", clientOf: (s) => s.found.token.clientId }))
  .rule("refresh.grant-live", "RFC 6749 §5.2", (s) =>
    s.found.grant.revokedAt === undefined ? pass : invalidGrant("The refresh token has been revoked.", "the grant was revoked"),
  )
  // This rule comes before the one for replays, so that a thief of a bound token cannot revoke its family without the key.
  .rule("refresh.confirmation", "RFC 9449 §5, RFC 8705 §4", ({ found, proved }) =>
    isProved(found.token.confirmation, proved) ? pass : unprovedToken,
  )
  .establish("refresh.unrotated", "RFC 9700 §4.14.2", (s) => {
    const family = stepOf(s)
    if (family !== undefined) return prove({ family })
    const revocation = revokeGrant(s.found.grant.id, s.now)
    return refuse("invalid_grant", "The refresh token has been used.", "replayed after its grace; the whole grant is revoked", revocation)
  })
  .rule("refresh.fresh", "RFC 6749 §5.2", (s) =>
    s.now < s.found.token.expiresAt || s.found.token.rotatedAt !== undefined
      ? pass
      : invalidGrant("The refresh token has expired.", "expired token"),
  )
  .rule("refresh.successor-confirmation", "RFC 9449 §5, RFC 8705 §4", ({ family, successor, proved }) =>
    // An unbound token may have a bound successor, which is returned again only if the request proves the successor's key or certificate.
    family._tag === "Rotated" || isProved(successor?.token.confirmation, proved) ? pass : unprovedToken,
  )
  .include(scopeForm("refresh"))
  .rule("refresh.scope-narrows", "RFC 6749 §6", (s) =>
    (s.scope ?? []).every((name) => s.found.token.scope.includes(name))
      ? pass
      : refuse("invalid_scope", "The scope goes beyond what was granted.", "a scope that the grant does not hold"),
  )
  .through(
    keptGrant("refresh", {
      grantOf: (s) => s.found.grant,
      scopeOf: (s) => s.scope ?? s.found.token.scope,
      scopeError: "invalid_scope",
      cites: { scope: "RFC 6749 §6", resources: "RFC 8707 §2.2, specification §2.2 resource" },
    }),
  )

/** Finds the successor of a rotated token. Only the holder of the rotated token can decrypt it. */
const successorOf = (found: FoundRefreshToken | undefined, handle: Handle | undefined, ports: Ports) => {
  const kept = found?.token.successor
  if (kept === undefined || handle === undefined) return undefined
  return onward(ports.tokens.findRefreshToken(kept.locator), (next) =>
    mapped(sealSecret(ports, kept.sealed, handle.secret), (secret): FoundSuccessor | undefined =>
      next === undefined ? undefined : { token: next.token, value: writeHandle({ kind: "r", locator: kept.locator, secret }) },
    ),
  )
}

/** Exchanges a refresh token for new tokens, rotating it. */
export const refreshToken = grantWithDetails(
  "refresh_token",
  grantRow
    .read(({ params }, { ports, about: { proved } }) => {
      const presented = params.one("refresh_token")
      const handle = readHandle("r", presented)
      return onward(
        findBy(ports, handle, ports.tokens.findRefreshToken, ({ token }) => token.digest),
        (found) =>
          together({
            refreshToken: presented,
            handle,
            proved,
            scope: askedScope(params),
            found,
            successor: successorOf(found, handle, ports),
            person: found && ports.authenticator.find(found.grant.subject),
            about: { subject: found?.grant.subject },
          }),
      )
    })
    .read(detailsOf)
    .judge(rules)
    .decide((s, inquiry) => issueOfGrant({ ...s, granted: s.found.grant }, { family: s.family, changes: [] }, inquiry)),
)
