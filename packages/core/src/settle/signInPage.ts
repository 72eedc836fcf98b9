import type { Client } from "../model/index.ts"
import { mapped } from "../ports/steps.ts"
import { browserRules } from "../rules/browser.ts"
import { interactionRules } from "../rules/interaction.ts"
import { type PageRefusal, toPage } from "../rules/page.ts"
import type { Objection } from "../rules/rule.ts"
import { askedOf } from "./asked.ts"
import type { Asked } from "./endpoint.ts"
import { fromOwnPages, go, pageOfWaiting } from "./pages.ts"
import { type SignInSeen, againOf, resumeOf, waitingParams } from "./signIn.ts"
import { row, where } from "./stage.ts"

const begun = row<SignInSeen, PageRefusal>(toPage)

/** Validates the request that waits for a sign-in, if there is one, and reads its requirements. */
export const waitingForSignIn = begun
  .read(({ interaction }) => ({
    about: { clientId: interaction?.clientId, uiLocales: waitingParams(interaction).one("ui_locales") },
  }))
  .through(where(({ handle }) => handle !== undefined, begun.judge(interactionRules)))
  .read(({ interaction }, { ports: { clients } }) =>
    interaction?.clientId === undefined ? noClient : mapped(clients.find(interaction.clientId), (client) => ({ client })),
  )
  .through(askedOf)

const noClient: { readonly client: Client | undefined } = { client: undefined }

/** Redirects the browser to the waiting request. */
export const toRequest = (_: unknown, { handle, interaction, browser }: Pick<SignInSeen, "handle" | "interaction" | "browser">) =>
  go(resumeOf(handle, interaction), browser.cookies)

/** Shows the sign-in page again because the form is stale. */
export const formIsStale = (_: Objection, { handle }: Pick<SignInSeen, "handle">) => go(againOf(handle, "form_stale"))

/** Begins the row of a page on which a person signs in, or chooses another provider. */
export const signInPage = fromOwnPages
  .through(pageOfWaiting)
  .read(({ params }) => ({ another: params.one("another") !== undefined }))
  .through(where(({ message }) => message.method === "POST", row<Asked & SignInSeen, PageRefusal>(toPage).judge(browserRules, formIsStale)))
  .through(waitingForSignIn)
