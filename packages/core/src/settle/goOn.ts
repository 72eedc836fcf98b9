import * as Effect from "effect/Effect"
import {
  type Client,
  type Command,
  type Consent,
  type CookieChange,
  type Decision,
  type Interaction,
  type Person,
  replaceInteraction,
} from "../model/index.ts"
import type { PortFailed } from "../ports/index.ts"
import type { Browser } from "./browser.ts"
import { type Inquiry, freshHandle } from "./request.ts"
import { type SignInSeen, type SignedIn, isAuthorization, resumeOf, signIn } from "./signIn.ts"

/** A waiting request, and the handle this browser holds of it. */
export interface Waiting {
  readonly interaction: Interaction
  readonly handle: string
}

/** What a page has read of a waiting request's client and person. */
export interface Known {
  readonly client: Client | undefined
  readonly person: Person | undefined
  readonly consent: Consent | undefined
}

/** Decides a waiting authorization request: it is handed to the pages that ask for what it waits for. */
export type GoOn = (waiting: Waiting, browser: Browser, inquiry: Inquiry, known: Known) => Effect.Effect<Decision, PortFailed>

/** What a person answered on a page, noted on the request that waited for it, and what it changes beside that. */
export interface Answered extends Waiting {
  readonly commands: ReadonlyArray<Command>
  readonly cookies: ReadonlyArray<CookieChange>
}

/**
 * Keeps what a person answered and goes on with the request that waited for it (OpenID Connect Core §3.1.2.3), by the same rules as when the
 * browser comes back to it: one commit, and one way less. What refuses the request is told there, to a person whose answer is kept.
 */
export const answered = Effect.fnUntraced(function* (
  goOn: GoOn,
  { interaction, handle, commands, cookies }: Answered,
  browser: Browser,
  known: Known,
  inquiry: Inquiry,
) {
  const next = yield* goOn({ interaction, handle }, { ...browser, cookies: [] }, inquiry, known)
  // A store that fails now is told to the person, who can answer again.
  inquiry.about.callback = undefined
  if (next._tag !== "SendBack" && next._tag !== "Go")
    return {
      _tag: "Go",
      to: resumeOf(handle, interaction),
      cookies,
      commands: [...commands, note(interaction)],
    } satisfies Decision as Decision
  // What finishes a request writes it whole.
  const written = next.commands.some(({ _tag }) => _tag === "ReplaceInteraction")
  return {
    ...next,
    cookies: [...cookies, ...next.cookies],
    commands: [...commands, ...(written ? [] : [note(interaction)]), ...next.commands],
  } satisfies Decision as Decision
})

const note = (interaction: Interaction): Command => replaceInteraction({ ...interaction, version: interaction.version + 1 })

/** Signs a person in and goes on with the request that waited for it. */
export const signedIn = Effect.fnUntraced(function* (
  goOn: GoOn,
  s: SignInSeen & Pick<Known, "client">,
  who: SignedIn,
  inquiry: Inquiry,
  more: ReadonlyArray<Command> = [],
) {
  const { session, interaction, cookies, commands } = signIn(s, yield* freshHandle(inquiry, "s"), who, more)
  const { handle, client, browser } = s
  if (handle === undefined || interaction === undefined || client === undefined || !isAuthorization(interaction)) {
    const noted = interaction === undefined ? [] : [note(interaction)]
    return { _tag: "Go", to: resumeOf(handle, interaction), cookies, commands: [...commands, ...noted] } satisfies Decision as Decision
  }
  const consent = yield* inquiry.ports.tokens.findConsent(session.subject, client.clientId)
  const known: Known = { client, person: who.person, consent }
  return yield* answered(goOn, { interaction, handle, cookies, commands }, { ...browser, session }, known, inquiry)
})
