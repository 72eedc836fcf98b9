import type * as Effect from "effect/Effect"
import {
  type AccessHandle,
  type Command,
  type Decision,
  type FreshHandle,
  type Grant,
  type Instant,
  type Locator,
  type TokenPlan,
  boundByKind,
  keepGrant,
  requireGrant,
  saveCode,
  saveGrant,
  tokenTypeOf,
} from "../model/index.ts"
import type { PortFailed } from "../ports/index.ts"
import { mapped, together } from "../ports/steps.ts"
import { detailTargets, detailsFor } from "../rules/details/index.ts"
import { targetOf } from "../rules/resource.ts"
import { type Inquiry, freshAccess, freshHandle, freshLocator } from "../settle/request.ts"
import { sidFor, subjectFor } from "../settle/subject.ts"
import { accessTokenFor, accessTokenLife } from "./accessToken.ts"
import { codeRow, keepings, keptAhead, keptFor, newGrant, rememberedFor } from "./grant.ts"
import { idTokenFor } from "./idToken.ts"
import type { Issuance, Whose } from "./issuance.ts"
import { type NextRefreshToken, drawNext, refreshTokenFor } from "./refreshToken.ts"

/** The result of an issuance: the tokens to sign, and the commands that make them valid. */
export interface Issued {
  /** The tokens to be signed together, and the code issued with them. */
  readonly tokens: TokenPlan
  readonly refreshToken: string | undefined
  readonly commands: ReadonlyArray<Command>
}

/**
 * Issues tokens for a response of the token endpoint. `issuedTokenType` tells a client that requested a kind of token which one it got
 * (RFC 8693 §2.2.1).
 */
export const issueTokens = (issuance: Issuance, inquiry: Inquiry, issuedTokenType?: string): Effect.Effect<Decision, PortFailed> =>
  mapped(issue(issuance, inquiry), ({ tokens, refreshToken, commands }) => ({
    _tag: "IssueTokens",
    tokens,
    refreshToken,
    issuedTokenType,
    commands,
  }))

/**
 * Makes the tokens and rows of an issuance; no other function does. `settle` signs and commits the result. The key or certificate that the
 * request has proved is bound to the access token and the refresh token as its method of proof requires (RFC 9449 §5, RFC 8705 §3, §4).
 */
export const issue = (issuance: Issuance, inquiry: Inquiry): Effect.Effect<Issued, PortFailed> =>
  mapped(drawn(issuance, inquiry), (draw) => issuedBy(issuance, draw, inquiry))

/** Random values drawn for an issuance, with the person's `sub` for the client. */
interface Drawn {
  readonly grantId: Locator
  readonly sub: string
  /** The `sid` of the grant's session for the client. */
  readonly sid: string | undefined
  readonly access: AccessHandle
  readonly code: FreshHandle | undefined
  readonly next: NextRefreshToken | undefined
}

const drawn = ({ client, whose, accessToken, code, family }: Issuance, inquiry: Inquiry): Effect.Effect<Drawn, PortFailed> =>
  together({
    grantId: whose._tag === "NewGrant" ? freshLocator(inquiry) : "",
    sub: whose._tag === "NewGrant" ? subjectFor(client, whose.person.subject, inquiry) : "",
    sid: sidFor(client, sessionOf(whose), inquiry),
    access: accessToken ? freshAccess(inquiry, client) : ({ kind: "jwt", locator: freshLocator(inquiry) } as const),
    code: code === undefined ? undefined : freshHandle(inquiry, "c"),
    next: drawNext(family, inquiry),
  })

const sessionOf = (whose: Whose): Locator | undefined => {
  if (whose._tag === "Client") return undefined
  return whose._tag === "NewGrant" ? whose.basis.sessionId : whose.grant.sessionId
}

const issuedBy = (issuance: Issuance, draw: Drawn, { ports: { settings }, about, parts, now }: Inquiry): Issued => {
  const { client, whose, scope, resources, family, changes } = issuance
  const { access: bindsAccess, refresh: bindsRefresh } = about.binding ?? boundByKind(client)
  const confirmation = bindsAccess ? about.confirmation : undefined
  const grant = grantOf(issuance, draw, { ports: { settings }, parts, now })
  const extension = whose._tag === "Client" ? whose.extension : grant?.extension
  const { sid } = draw
  const granted = issuance.authorizationDetails ?? grant?.authorizationDetails
  const target = targetOf(settings, scope, grant?.resources ?? [], resources, detailTargets(granted, settings.details))
  const details = granted && detailsFor(granted, target.audience, settings.details)
  const access = issuance.accessToken
    ? accessTokenFor({ settings, client, grant, extension, target, details, confirmation, now, sid, handle: draw.access })
    : undefined
  const { idToken, code } = issuance
  const alone = !issuance.accessToken && code === undefined
  const bound = bindsRefresh ? about.confirmation : undefined
  const refresh = grant && refreshTokenFor(family, draw.next, { client, grant, confirmation: bound, now })
  return {
    tokens: {
      accessToken: access?.plan,
      tokenType: tokenTypeOf(confirmation),
      expiresIn: accessTokenLife(client, extension),
      scope: target.scope,
      authorizationDetails: details,
      idToken:
        idToken === undefined || grant === undefined || whose._tag === "Client" || extension !== undefined || !scope.includes("openid")
          ? undefined
          : idTokenFor({
              settings,
              client,
              grant,
              person: whose.person,
              scope,
              now,
              nonce: idToken.nonce,
              sid,
              unique: draw.access.locator,
              alone,
            }),
      code: draw.code?.value,
    },
    refreshToken: refresh?.value,
    commands: [
      ...changes,
      ...standing(issuance, grant, now),
      ...(grant === undefined ? [] : keepings(parts, client, Math.max(grant.keepUntil, keptFor(issuance, now)), now)),
      ...(code === undefined || draw.code === undefined || grant === undefined
        ? []
        : [saveCode(codeRow(code, draw.code, grant, client, now))]),
      ...(refresh?.commands ?? []),
      ...(access?.commands ?? []),
    ],
  }
}

interface GrantMeans extends Pick<Inquiry, "parts" | "now"> {
  readonly ports: Pick<Inquiry["ports"], "settings">
}

const grantOf = (issuance: Issuance, { grantId, sub }: Drawn, { ports, parts, now }: GrantMeans): Grant | undefined => {
  const { whose, client } = issuance
  if (whose._tag === "Client") return undefined
  if (whose._tag === "KeptGrant") return whose.grant
  const keepUntil = Math.max(keptFor(issuance, now), rememberedFor(parts, ports.settings, client, whose.basis.sessionId, now))
  return newGrant(issuance, whose, { id: grantId, sub, now, keepUntil })
}

/** Saves a new grant, or requires that an existing one has not ended. It and its parent are kept for as long as a token of it may live. */
const standing = (issuance: Issuance, grant: Grant | undefined, now: Instant): ReadonlyArray<Command> => {
  if (grant === undefined) return []
  if (issuance.whose._tag === "NewGrant") {
    const saved = saveGrant(grant)
    return grant.parentId === undefined ? [saved] : [keepGrant(grant.parentId, grant.keepUntil), saved]
  }
  const until = keptFor(issuance, now)
  return [until <= grant.keepUntil ? requireGrant(grant.id) : keepGrant(grant.id, keptAhead(until, issuance, now))]
}
