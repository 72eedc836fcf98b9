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
import { devicePath, resumePath, signInPath } from "./ownPlaces.ts"

/** The browser and the waiting request of a sign-in. */
export interface SignInSeen {
  readonly settings: Settings
  readonly now: number
  readonly browser: Browser
  readonly interaction: WaitingRequest | undefined
  /** The handle of the waiting request, as this browser holds it. */
  readonly handle: string | undefined
}

/** A completed sign-in: its person, its methods, its place and its time. */
export interface SignedIn {
  readonly person: Person
  readonly amr: ReadonlyArray<string>
  readonly acr: string | undefined
  readonly idp: string | undefined
  /** The requested tenant. */
  readonly tenant: string | undefined
  /** The time of the sign-in, which at another provider may be long ago. */
  readonly authTime: Instant
}

/**
 * Returns the parameters of the waiting authorization request. There are none for a device's code; for a page, they are the requirements on
 * its sign-in.
 */
export const waitingParams = (interaction: WaitingRequest | undefined): Params => {
  if (interaction?.kind === "authorization") return paramsOf(interaction.params)
  return paramsOf(interaction?.kind === "visit" && interaction.acrValues !== undefined ? [["acr_values", interaction.acrValues]] : [])
}

/** Returns the path at which the waiting request continues: an authorization request, a device's code, or a page. */
export const resumeOf = (handle: string | undefined, interaction: WaitingRequest | undefined): string => {
  if (interaction?.kind === "device") return `${devicePath}?${writeParams([["user_code", interaction.userCode]])}`
  if (interaction?.kind === "visit") return interaction.path
  return handle === undefined ? "/" : `${resumePath}?${writeParams([["interaction", handle]])}`
}

/** Returns the path that shows the sign-in page again, with the problem. */
export const againOf = (handle: string | undefined, problem: string, idp?: string): string =>
  `${signInPath}?${writeParams([
    ["problem", problem],
    ...(idp === undefined ? [] : ([["idp", idp]] as const)),
    ...(handle === undefined ? [] : ([["interaction", handle]] as const)),
  ])}`

/** Returns the path of the sign-in page, for a waiting request if there is one. */
export const signInOf = (handle: string | undefined): string =>
  handle === undefined ? signInPath : `${signInPath}?${writeParams([["interaction", handle]])}`

/**
 * Returns the path of the sign-in page for another person although somebody is signed in. The waiting request continues with whoever signs
 * in.
 */
export const anotherAccountOf = (handle: string | undefined): string =>
  `${signInPath}?${writeParams([...(handle === undefined ? [] : ([["interaction", handle]] as const)), ["another", "1"]])}`

/** The changes of a sign-in. */
export interface SignInChanges {
  readonly session: Session
  /** The waiting request, with the sign-in recorded in it. */
  readonly interaction: WaitingRequest | undefined
  readonly cookies: ReadonlyArray<CookieChange>
  /** All changes except that of the waiting request. */
  readonly commands: ReadonlyArray<Command>
}

/** The maximum number of replaced sessions that are remembered. The clients of older ones are notified as if those sessions had expired. */
const mostReplaced = 100

/**
 * Signs the person in: creates a new session that replaces the old one, and records it in the waiting request (OpenID Connect Core
 * §3.1.2.3). The new session continues an old one of the same person; `leaving` of settle/replaced.ts ends an old one of another person.
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

/** Records a sign-in in the waiting request. An earlier answer on the consent page becomes invalid. */
const signedIn = (interaction: WaitingRequest, { subject }: Person, authTime: Instant): WaitingRequest => {
  // The time of the session itself identifies this sign-in, so that it counts once.
  const noted = { signedInAt: authTime, subject }
  return interaction.kind === "authorization"
    ? { ...interaction, ...noted, consented: undefined, denied: false }
    : { ...interaction, ...noted }
}
