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

/** The result of an issuance: tokens to sign, and the changes that make them good. */
export interface Issued {
  /** Tokens to be signed together, and the code that goes with them. */
  readonly tokens: TokenPlan
  readonly refreshToken: string | undefined
  readonly commands: ReadonlyArray<Command>
}

/** Tokens for the token endpoint to answer with. `issuedTokenType` tells a client that asked for a kind of token what it got (RFC 8693 §2.2.1). */
export const issueTokens = (issuance: Issuance, inquiry: Inquiry, issuedTokenType?: string): Effect.Effect<Decision, PortFailed> =>
  mapped(issue(issuance, inquiry), ({ tokens, refreshToken, commands }) => ({
    _tag: "IssueTokens",
    tokens,
    refreshToken,
    issuedTokenType,
    commands,
  }))

/**
 * Makes tokens and rows of an issuance: nothing else does. What goes out of it is signed and committed by `settle`. What the request has proved goes into the access
 * token and the refresh token, as the way by which it was proved says (RFC 9449 §5, RFC 8705 §3, §4).
 */
export const issue = (issuance: Issuance, inquiry: Inquiry): Effect.Effect<Issued, PortFailed> =>
  mapped(drawn(issuance, inquiry), (draw) => issuedBy(issuance, draw, inquiry))

/** Values drawn for an issuance, and its person as the client knows them. */
interface Drawn {
  readonly grantId: Locator
  readonly sub: string
  /** The session behind the grant as the client knows it. */
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

/** A grant is saved, or must still stand; it and the one it came of are kept for as long as a token of it may live. */
const standing = (issuance: Issuance, grant: Grant | undefined, now: Instant): ReadonlyArray<Command> => {
  if (grant === undefined) return []
  if (issuance.whose._tag === "NewGrant") {
    const saved = saveGrant(grant)
    return grant.parentId === undefined ? [saved] : [keepGrant(grant.parentId, grant.keepUntil), saved]
  }
  const until = keptFor(issuance, now)
  return [until <= grant.keepUntil ? requireGrant(grant.id) : keepGrant(grant.id, keptAhead(until, issuance, now))]
}
