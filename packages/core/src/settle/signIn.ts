import {
  type Command,
  type CookieChange,
  type FreshHandle,
  type Instant,
  type Person,
  type Session,
  type Settings,
  type WaitingRequest,
  endSession,
  saveSession,
} from "../model/index.ts"
import { isLive } from "../rules/session.ts"
import type { Browser } from "./browser.ts"
import { type Params, paramsOf, writeParams } from "../wire/index.ts"

/** A sign-in: where it happens, and the request that waits for it. */
export interface SignInSeen {
  readonly settings: Settings
  readonly now: number
  readonly browser: Browser
  readonly interaction: WaitingRequest | undefined
  /** The waiting request's handle, as this browser holds it. */
  readonly handle: string | undefined
}

/** A sign-in: its person, its methods, its place and its time. */
export interface SignedIn {
  readonly person: Person
  readonly amr: ReadonlyArray<string>
  readonly acr: string | undefined
  readonly idp: string | undefined
  /** The tenant that was asked for. */
  readonly tenant: string | undefined
  /** The time they signed in: at another provider it may have been long ago. */
  readonly authTime: Instant
}

/** The parameters of the authorization request that waits: none where a device's code does, and of a page's what its sign-in is asked for. */
export const waitingParams = (interaction: WaitingRequest | undefined): Params => {
  if (interaction?.kind === "authorization") return paramsOf(interaction.params)
  return paramsOf(interaction?.kind === "visit" && interaction.acrValues !== undefined ? [["acr_values", interaction.acrValues]] : [])
}

/** The path at which the waiting request goes on: an authorization request, a device's code, or a page. */
export const resumeOf = (handle: string | undefined, interaction: WaitingRequest | undefined): string => {
  if (interaction?.kind === "device") return `/device?${writeParams([["user_code", interaction.userCode]])}`
  if (interaction?.kind === "visit") return interaction.path
  return handle === undefined ? "/" : `/connect/authorize/resume?${writeParams([["interaction", handle]])}`
}

/** The path that shows the sign-in page again, with words of what went wrong. */
export const againOf = (handle: string | undefined, problem: string, idp?: string): string =>
  `/login?${writeParams([
    ["problem", problem],
    ...(idp === undefined ? [] : ([["idp", idp]] as const)),
    ...(handle === undefined ? [] : ([["interaction", handle]] as const)),
  ])}`

/** The page on which a person signs in for a request that waits. */
export const signInOf = (handle: string): string => `/login?${writeParams([["interaction", handle]])}`

/** The page on which another person signs in although somebody is signed in already: the request that waits goes on with whoever does. */
export const anotherAccountOf = (handle: string | undefined): string =>
  `/login?${writeParams([...(handle === undefined ? [] : ([["interaction", handle]] as const)), ["another", "1"]])}`

/** The changes of a sign-in. */
export interface SignInChanges {
  readonly session: Session
  /** The request that waited, with the sign-in noted on it. */
  readonly interaction: WaitingRequest | undefined
  readonly cookies: ReadonlyArray<CookieChange>
  /** All but the request that waited. */
  readonly commands: ReadonlyArray<Command>
}

/** Earlier sessions that one is in the place of, at most: clients that were signed in to longer ago are told of the end of theirs as if it had run out. */
const mostReplaced = 100

/**
 * Signs the person in: a new session in place of the old, and noted on the request that waited (OpenID Connect Core §3.1.2.3). A session of the same person goes on in
 * the new one; that of another person ends, which `leaving` of settle/replaced.ts does.
 */
export const signIn = (
  s: SignInSeen,
  sessionHandle: FreshHandle,
  { person, amr, acr, idp, tenant, authTime }: SignedIn,
  more: (session: Session) => ReadonlyArray<Command> = () => [],
): SignInChanges => {
  const { now, browser, settings } = s
  const expiresAt = now + settings.sessionLifetime
  const before = browser.session?.subject === person.subject ? browser.session : undefined
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
    replaced: isLive(before, now) ? [before.locator, ...(before.replaced ?? [])].slice(0, mostReplaced) : undefined,
    createdAt: now,
    seenAt: now,
    expiresAt,
    endedAt: undefined,
    keepUntil: expiresAt,
  }
  return {
    session,
    interaction: s.interaction && signedIn(s.interaction, person, authTime),
    cookies: [...browser.cookies, { name: "session", value: sessionHandle.value }],
    commands: [...(before === undefined ? [] : [endSession(before.locator, now)]), saveSession(session), ...more(session)],
  }
}

/** Notes a sign-in on the request that waited for it. An answer that somebody gave on the consent page before counts no more. */
const signedIn = (interaction: WaitingRequest, { subject }: Person, authTime: Instant): WaitingRequest => {
  // The session's own moment: by it this sign-in is known again, and counts once.
  const noted = { signedInAt: authTime, subject }
  return interaction.kind === "authorization"
    ? { ...interaction, ...noted, consented: undefined, denied: false }
    : { ...interaction, ...noted }
}
