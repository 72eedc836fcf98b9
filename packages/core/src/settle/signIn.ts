import {
  type Command,
  type CookieChange,
  type FreshHandle,
  type Instant,
  type Interaction,
  type Person,
  type Session,
  type Settings,
  endSession,
  saveSession,
} from "../model/index.ts"
import type { Browser } from "./browser.ts"
import { paramsOf, writeParams } from "../wire/index.ts"

/** A sign-in: where it happens, and the request that waits for it. */
export interface SignInSeen {
  readonly settings: Settings
  readonly now: number
  readonly browser: Browser
  readonly interaction: Interaction | undefined
  /** The waiting request's handle, as this browser holds it. */
  readonly handle: string | undefined
}

/** Who signed in, how, and where. */
export interface SignedIn {
  readonly person: Person
  readonly amr: ReadonlyArray<string>
  readonly acr: string | undefined
  readonly idp: string | undefined
  /** The tenant that was asked for. */
  readonly tenant: string | undefined
  /** When they did: at another provider it may have been long ago. */
  readonly authTime: Instant
}

const userCodeOf = (interaction: Interaction | undefined): string | undefined => paramsOf(interaction?.params ?? []).one("user_code")

/** Reports whether it is an authorization request that waits, and not a device's code. */
export const isAuthorization = (interaction: Interaction): boolean => userCodeOf(interaction) === undefined

/** Where the request that waited goes on: an authorization request, or a device's code. */
export const resumeOf = (handle: string | undefined, interaction: Interaction | undefined): string => {
  const userCode = userCodeOf(interaction)
  if (userCode !== undefined) return `/device?${writeParams([["user_code", userCode]])}`
  return handle === undefined ? "/" : `/connect/authorize/resume?${writeParams([["interaction", handle]])}`
}

/** Where a sign-in page is got again, with words of what went wrong. */
export const againOf = (handle: string | undefined, problem: string, idp?: string): string =>
  `/login?${writeParams([
    ["problem", problem],
    ...(idp === undefined ? [] : ([["idp", idp]] as const)),
    ...(handle === undefined ? [] : ([["interaction", handle]] as const)),
  ])}`

/** The page on which another person signs in although somebody is signed in already: the request that waits goes on with whoever does. */
export const anotherAccountOf = (handle: string | undefined): string =>
  `/login?${writeParams([...(handle === undefined ? [] : ([["interaction", handle]] as const)), ["another", "1"]])}`

/** What a sign-in changes. */
export interface SignInChanges {
  readonly session: Session
  /** The request that waited, with the sign-in noted on it. */
  readonly interaction: Interaction | undefined
  readonly cookies: ReadonlyArray<CookieChange>
  /** All but the request that waited. */
  readonly commands: ReadonlyArray<Command>
}

/** Signs the person in: a new session in place of the old, and noted on the request that waited (OpenID Connect Core §3.1.2.3). */
export const signIn = (
  s: SignInSeen,
  sessionHandle: FreshHandle,
  { person, amr, acr, idp, tenant, authTime }: SignedIn,
  more: ReadonlyArray<Command> = [],
): SignInChanges => {
  const { now, browser, settings } = s
  const expiresAt = now + settings.sessionLifetime
  const session: Session = {
    locator: sessionHandle.locator,
    digest: sessionHandle.digest,
    subject: person.subject,
    authTime,
    amr,
    acr,
    idp,
    tenant,
    agent: browser.agent,
    address: browser.address,
    createdAt: now,
    seenAt: now,
    expiresAt,
    endedAt: undefined,
    keepUntil: expiresAt,
  }
  const interaction: Interaction | undefined = s.interaction && {
    ...s.interaction,
    // The session's own moment: by it this sign-in is known again, and counts once.
    signedInAt: authTime,
    subject: person.subject,
    consented: undefined,
    denied: false,
  }
  const before: ReadonlyArray<Command> = browser.session === undefined ? [] : [endSession(browser.session.locator, now)]
  return {
    session,
    interaction,
    cookies: [...browser.cookies, { name: "session", value: sessionHandle.value }],
    commands: [...before, saveSession(session), ...more],
  }
}
