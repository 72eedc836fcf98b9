import type { Client, Command, Consent, CookieChange, Decision, Interaction, Person } from "../../model/index.ts"
import { replaceInteraction } from "../../model/index.ts"
import { type PageRefusal, toPage } from "../../rules/page.ts"
import type { Browser } from "../../settle/browser.ts"
import { resumeOf } from "../../settle/signIn.ts"

/** A change of state and of cookies that a page has established, and that every outcome carries. */
export interface PageChanges {
  readonly commands: ReadonlyArray<Command>
  readonly cookies: ReadonlyArray<CookieChange>
}

/** A waiting authorization request, and the handle this browser holds of it. */
export interface Waiting {
  /** The row, with the person's answer noted on it. */
  readonly interaction: Interaction
  readonly handle: string
  /** The changes of the page that resumes it; undefined where the browser came back by itself. */
  readonly page: PageChanges | undefined
}

/** A waiting authorization request that a page resumes, with all that the page has read and established. */
export interface AnsweredPage extends PageChanges {
  /** The waiting request, with the person's answer noted on it. */
  readonly interaction: Interaction
  /** Its handle, as this browser holds it. */
  readonly handle: string
  /** The browser, with the session that the page leaves it with. */
  readonly browser: Browser
  readonly client: Client | undefined
  readonly person: Person | undefined
  readonly consent: Consent | undefined
}

/** Writes a page's answer on the request that waited for it. */
export const noteAnswer = (interaction: Interaction): Command => replaceInteraction({ ...interaction, version: interaction.version + 1 })

/** The commands that a page's answer brings, its note on the waiting request among them; none without a page. */
export const pageCommands = (waiting: Waiting | undefined): ReadonlyArray<Command> =>
  waiting?.page === undefined ? [] : [...waiting.page.commands, noteAnswer(waiting.interaction)]

/** Refuses by a page. A person whose answer is to be kept gets it on the way back to the request. */
export const refuseByPage = (refusal: PageRefusal, waiting: Waiting | undefined): Decision =>
  waiting?.page === undefined
    ? toPage(refusal)
    : { _tag: "Go", to: resumeOf(waiting.handle, waiting.interaction), cookies: waiting.page.cookies, commands: pageCommands(waiting) }
