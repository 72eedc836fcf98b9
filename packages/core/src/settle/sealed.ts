import type * as Effect from "effect/Effect"
import { type Handle, type HandleKind, type SealedHandle, type Session, writeHandle } from "../model/index.ts"
import type { PortFailed } from "../ports/index.ts"
import { mapped, onward } from "../ports/steps.ts"
import type { Browser } from "./visits.ts"
import { type Inquiry, findBy, sealSecret } from "./request.ts"

/** A waiting request as its browser holds it: the handle in its pages, and the browser's own secret. No row contains either. */
export interface HeldByBrowser {
  readonly handle: string
  readonly browser: Pick<Browser, "secret">
}

const under = (kind: HandleKind, { handle, browser }: HeldByBrowser): string => `${kind} ${browser.secret.reveal()} ${handle}`

/**
 * Encrypts a handle with secrets that only the browser of a waiting request holds, so that it can be given to that browser again
 * (architecture law 9).
 */
export const sealFor = (
  held: HeldByBrowser,
  { kind, locator, secret }: Handle,
  { ports }: Inquiry,
): Effect.Effect<SealedHandle, PortFailed> => mapped(sealSecret(ports, secret, under(kind, held)), (sealed) => ({ locator, sealed }))

/** Decrypts a handle that {@link sealFor} has encrypted. */
export const openFor = (
  held: HeldByBrowser,
  kind: HandleKind,
  { locator, sealed }: SealedHandle,
  { ports }: Inquiry,
): Effect.Effect<Handle, PortFailed> => mapped(sealSecret(ports, sealed, under(kind, held)), (secret) => ({ kind, locator, secret }))

/** A session, and the value of its cookie. */
interface OpenedSession {
  readonly session: Session
  readonly value: string
}

/** Finds the session that an earlier sign-in for a waiting request has created in the same browser. */
export const sessionBefore = (
  held: HeldByBrowser,
  sealed: SealedHandle,
  inquiry: Inquiry,
): Effect.Effect<OpenedSession | undefined, PortFailed> =>
  onward(openFor(held, "s", sealed, inquiry), (handle) =>
    mapped(
      findBy(inquiry.ports, handle, inquiry.ports.tokens.findSession, ({ digest }) => digest),
      (session) => session && { session, value: writeHandle(handle) },
    ),
  )
