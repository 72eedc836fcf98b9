import type { Command, Decision, FreshHandle, Instant, Interaction, Person, Session, Settings } from "../model/index.ts"
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
  readonly sessionHandle: FreshHandle
}

/** Who signed in, how, and where. */
export interface SignedIn {
  readonly person: Person
  readonly amr: ReadonlyArray<string>
  readonly acr: string | undefined
  readonly idp: string | undefined
  /** When they did: at another provider it may have been long ago. */
  readonly authTime: Instant
}

/** Where the request that waited goes on: an authorization request, or a device's code. */
export const resumeOf = (handle: string | undefined, interaction: Interaction | undefined): string => {
  const userCode = paramsOf(interaction?.params ?? []).one("user_code")
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

/** Signs the person in: a new session in place of the old, and the request that waited goes on (OpenID Connect Core §3.1.2.3). */
export const signIn = (s: SignInSeen, { person, amr, acr, idp, authTime }: SignedIn, more: ReadonlyArray<Command> = []): Decision => {
  const { now, browser, interaction, sessionHandle, settings } = s
  const expiresAt = now + settings.sessionLifetime
  const session: Session = {
    locator: sessionHandle.locator,
    digest: sessionHandle.digest,
    subject: person.subject,
    authTime,
    amr,
    acr,
    idp,
    agent: browser.agent,
    createdAt: now,
    seenAt: now,
    expiresAt,
    endedAt: undefined,
    keepUntil: expiresAt,
  }
  const before: ReadonlyArray<Command> =
    browser.session === undefined ? [] : [{ _tag: "EndSession", locator: browser.session.locator, at: now, grants: false }]
  const waiting: ReadonlyArray<Command> =
    interaction === undefined
      ? []
      : [
          {
            _tag: "ReplaceInteraction",
            interaction: {
              ...interaction,
              // The session's own moment: by it this sign-in is known again, and counts once.
              signedInAt: authTime,
              subject: person.subject,
              consented: undefined,
              denied: false,
              version: interaction.version + 1,
            },
          },
        ]
  return {
    _tag: "Go",
    to: resumeOf(s.handle, interaction),
    cookies: [...browser.cookies, { name: "session", value: sessionHandle.value }],
    commands: [...before, { _tag: "SaveSession", session }, ...waiting, ...more],
  }
}
