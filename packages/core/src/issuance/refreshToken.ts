import * as Effect from "effect/Effect"
import {
  type Client,
  type Command,
  type Confirmation,
  type FreshHandle,
  type Grant,
  type Instant,
  extendRefreshToken,
  rotateRefreshToken,
  saveRefreshToken,
} from "../model/index.ts"
import type { PortFailed } from "../ports/index.ts"
import { mapped, onward } from "../ports/steps.ts"
import { type Inquiry, freshHandle, sealSecret } from "../settle/request.ts"
import { type FamilyStep, familyEnd } from "./family.ts"

/** The refresh token that is due, drawn; `sealed` is its secret under that of the token which it takes the place of. */
export interface NextRefreshToken {
  readonly handle: FreshHandle
  readonly sealed: string
}

/** Draws the refresh token that a step needs. */
export const drawNext = (step: FamilyStep | undefined, inquiry: Inquiry): Effect.Effect<NextRefreshToken | undefined, PortFailed> => {
  if (step === undefined || step._tag === "Repeated" || step._tag === "Extended") return Effect.succeed(undefined)
  return onward(freshHandle(inquiry, "r"), (handle) =>
    step._tag === "New"
      ? Effect.succeed({ handle, sealed: "" })
      : mapped(sealSecret(inquiry.ports, handle.secret, step.secret), (sealed) => ({ handle, sealed })),
  )
}

/** The facts that a refresh token is made from. */
interface RefreshContent {
  readonly client: Client
  readonly grant: Grant
  /** The confirmation that the request has proved, where refresh tokens of the client are bound. */
  readonly confirmation: Confirmation | undefined
  readonly now: Instant
}

/** The confirmation of a refresh token: that of its first, or of this request (RFC 9449 §5, RFC 8705 §4). */
const boundTo = (step: FamilyStep, confirmation: Confirmation | undefined): Confirmation | undefined =>
  (step._tag === "New" ? undefined : step.token.confirmation) ?? confirmation

/** The refresh token of a step and its rows: rotation is RFC 9700 §4.14.2. */
export const refreshTokenFor = (
  step: FamilyStep | undefined,
  next: NextRefreshToken | undefined,
  { client, grant, confirmation, now }: RefreshContent,
): { value: string; commands: ReadonlyArray<Command> } | undefined => {
  if (step?._tag === "Repeated") return { value: step.successor, commands: [] }
  const expiresAt = familyEnd(client, step, now)
  if (step?._tag === "Extended") {
    const { locator, expiresAt: before } = step.token
    return { value: step.value, commands: expiresAt > before ? [extendRefreshToken(locator, expiresAt)] : [] }
  }
  if (step === undefined || next === undefined) return undefined
  const { handle, sealed } = next
  const saved = saveRefreshToken({
    locator: handle.locator,
    digest: handle.digest,
    grantId: grant.id,
    clientId: grant.clientId,
    scope: step._tag === "New" ? grant.scope : step.token.scope,
    createdAt: now,
    expiresAt,
    absoluteExpiresAt: step._tag === "New" ? step.absoluteExpiresAt : step.token.absoluteExpiresAt,
    rotatedAt: undefined,
    successor: undefined,
    confirmation: boundTo(step, confirmation),
    keepUntil: expiresAt,
  })
  const rotated = step._tag === "New" ? [] : [rotateRefreshToken(step.token.locator, now, { locator: handle.locator, sealed })]
  return { value: handle.value, commands: [...rotated, saved] }
}
