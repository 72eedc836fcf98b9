import type { Decision, Form, Page, Person } from "../../model/index.ts"
import { displayedClient, displayedPerson } from "../../rules/faces.ts"
import { offeredProviders } from "../../rules/provider.ts"
import { loginHintOf } from "../../rules/showable.ts"
import { go, show } from "../../settle/pages.ts"
import { anotherAccountOf, waitingParams } from "../../settle/signIn.ts"
import type { BeginSeen } from "../../settle/upstream.ts"
import { writeParams } from "../../wire/index.ts"
import type { LoginRefusal } from "./rules.ts"
import { signInPath } from "../../settle/ownPlaces.ts"

/** The most characters of a username that the form shows again. */
const longestShown = 256

/** A sign-in page, and the request that waits for the sign-in. */
export interface Shown extends Omit<BeginSeen, "provider"> {
  /** The tenant whose design it has. */
  readonly looks: string | undefined
  /** The signed-in person, who may continue without a new sign-in. */
  readonly person: Person | undefined
  /** The username that was entered. */
  readonly username?: string | undefined
  readonly refusal?: LoginRefusal | undefined
  /** The provider that the refusal concerns. */
  readonly failedProvider?: string | undefined
}

const pageOf = ({
  settings,
  client,
  browser,
  handle,
  interaction,
  another,
  looks,
  person,
  username,
  refusal,
  failedProvider,
}: Shown): Page => {
  const hint = loginHintOf(waitingParams(interaction))
  const hidden: Form["hidden"] = [["csrf", browser.csrf], ...(handle === undefined ? [] : ([["interaction", handle]] as const))]
  const chosen = (provider: string): Form["hidden"] => [
    ...hidden,
    ["provider", provider],
    ...(another ? ([["another", "1"]] as const) : []),
  ]
  return {
    _tag: "Login",
    form: { action: signInPath, hidden },
    client: client && displayedClient(client),
    username: (username ?? hint ?? person?.username ?? "").slice(0, longestShown),
    local: client?.allowLocalLogin ?? true,
    providers: offeredProviders({ settings, client }).map(({ name, displayName }) => ({
      name,
      displayName,
      form: { action: "/login/upstream", hidden: chosen(name) },
    })),
    problem: refusal?.problem,
    problemProvider: settings.identityProviders.find(({ name }) => name === failedProvider)?.displayName,
    retryAfter: refusal?.retryAfter,
    person: person && displayedPerson(person),
    another: person && anotherAccountOf(handle),
    tenant: looks,
  }
}

const again = ({ handle, another, refusal, failedProvider }: Shown): string =>
  writeParams([
    ...(refusal === undefined ? [] : ([["problem", refusal.problem]] as const)),
    ...(failedProvider === undefined ? [] : ([["idp", failedProvider]] as const)),
    ...(handle === undefined ? [] : ([["interaction", handle]] as const)),
    ...(another ? ([["another", "1"]] as const) : []),
  ])

/**
 * Shows the page on which a person signs in: the provider's own, or the embedder's, to which the renderer redirects the browser. An
 * embedder's page answers for a waiting row, which the home page makes for a sign-in by itself.
 */
export const showForm = (shown: Shown): Decision =>
  shown.settings.interactionRoutes.signIn !== undefined
    ? go(shown.handle === undefined ? `/${shown.another ? "?another=1" : ""}` : `${signInPath}?${again(shown)}`, shown.browser.cookies)
    : show(pageOf(shown), shown.browser.cookies, [], shown.refusal?.status)
