import * as Effect from "effect/Effect"
import { type Command, type CookieChange, type Person, type Session, signOut } from "../model/index.ts"
import type { PortFailed } from "../ports/index.ts"
import { mapped } from "../ports/steps.ts"
import type { Browser } from "./browser.ts"
import { personOf } from "./pages.ts"
import type { Inquiry } from "./request.ts"

/** A session that can be ended, and its person. */
export interface SignedInHere {
  readonly session: Session
  readonly person: Person
}

/** Finds the session of a browser with its person. One who was removed while signed in can still sign out. */
export const signedInHere = (browser: Browser, inquiry: Inquiry): Effect.Effect<SignedInHere | undefined, PortFailed> => {
  const { session } = browser
  if (session === undefined) return Effect.succeed(undefined)
  const { subject } = session
  const gone: Person = { subject, username: subject, active: false, claims: {} }
  return mapped(personOf(browser, inquiry), (person = gone) => ({ session, person }))
}

/** Changes of a sign-out. A session that was not presented is not removed: another site can post here too, but without our cookies. */
export const signingOut = (
  { session }: Browser,
  now: number,
): { readonly cookies: ReadonlyArray<CookieChange>; readonly commands: ReadonlyArray<Command> } =>
  session === undefined
    ? { cookies: [], commands: [] }
    : { cookies: [{ name: "session", value: undefined }], commands: signOut(session.locator, now) }
