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

/** The refresh token to be issued; `sealed` is its secret, encrypted with the secret of the token that it replaces. */
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

/** The values from which a refresh token is made. */
interface RefreshContent {
  readonly client: Client
  readonly grant: Grant
  /** The confirmation that the request has proved, if refresh tokens of the client are bound. */
  readonly confirmation: Confirmation | undefined
  readonly now: Instant
}

/** The confirmation of a refresh token: that of its first token, or that of this request (RFC 9449 §5, RFC 8705 §4). */
const boundTo = (step: FamilyStep, confirmation: Confirmation | undefined): Confirmation | undefined =>
  (step._tag === "New" ? undefined : step.token.confirmation) ?? confirmation

/** Makes the refresh token of a step and its rows. Rotation follows RFC 9700 §4.14.2. */
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
