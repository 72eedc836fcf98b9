import * as Effect from "effect/Effect"
import { type Client, type Decision, type FreshHandle, type PendingVisit, locatorOfBoth, saveInteraction } from "../../model/index.ts"
import type { PortFailed } from "../../ports/index.ts"
import { mapped, onward } from "../../ports/steps.ts"
import { acrAsked } from "../../rules/acr.ts"
import { askedProvider } from "../../rules/provider.ts"
import type { Browser } from "../../settle/browser.ts"
import { go } from "../../settle/pages.ts"
import { type Inquiry, digestOf, handleOf } from "../../settle/request.ts"
import { waitingRow } from "../../settle/waiting.ts"
import { writeParams } from "../../wire/index.ts"
import { approvalPath } from "./request.ts"
import type { AuthenticationRequest } from "./rows.ts"
import { waitingAmong } from "./rules.ts"

/** The path at which a person answers a request. */
export const pathOf = (locator: string): string => `${approvalPath}?${writeParams([["request", locator]])}`

/** The way of one browser to one request: the handle of its row, and the row where there is one. */
interface Way {
  readonly handle: FreshHandle
  readonly visit: PendingVisit | undefined
}

/** Finds the way of a browser to a request. It is the same for each look, so that a page that is loaded again saves nothing more. */
const wayOf = ({ locator }: AuthenticationRequest, browser: Browser, { ports }: Inquiry): Effect.Effect<Way, PortFailed> =>
  onward(digestOf(ports, `postern visit ${browser.secret.reveal()} ${locator}`), (made) =>
    onward(handleOf(ports, "i", locatorOfBoth(locator, browser.locator), made), (handle) =>
      mapped(ports.tokens.findInteraction(handle.locator), (row) => ({
        handle,
        visit: row?.kind === "visit" && row.digest === handle.digest ? row : undefined,
      })),
    ),
  )

/** Finds the row of a browser's visit to a request, by which a sign-in for it is known. */
export const visitOf = (
  request: AuthenticationRequest,
  browser: Browser,
  inquiry: Inquiry,
): Effect.Effect<PendingVisit | undefined, PortFailed> => mapped(wayOf(request, browser, inquiry), ({ visit }) => visit)

/** Keeps the way to a request as a row that waits as long as the request does, and sends the browser to a page for it: the one that `placeOf` names. */
export const keepFor = (
  placeOf: (handle: string) => string,
  request: AuthenticationRequest,
  { browser, now }: { readonly browser: Browser; readonly now: number },
  inquiry: Inquiry,
): Effect.Effect<Decision, PortFailed> =>
  mapped(wayOf(request, browser, inquiry), ({ handle: { locator, digest, value }, visit }) => {
    const { acrValues, expiresAt } = request
    const waiting = waitingRow({ locator, digest }, { browser, client: request, now }, inquiry)
    const fresh: PendingVisit = { ...waiting, kind: "visit", path: pathOf(request.locator), acrValues, expiresAt, keepUntil: expiresAt }
    return go(placeOf(value), browser.cookies, visit === undefined ? [saveInteraction(fresh)] : [])
  })

/** Has a person sign in, and come back to the request that they came for. One that no longer waits needs no way back. */
export const askToSignIn = (
  placeOf: (handle: string) => string,
  request: AuthenticationRequest | undefined,
  s: { readonly browser: Browser; readonly now: number },
  inquiry: Inquiry,
): Effect.Effect<Decision, PortFailed> =>
  request === undefined || waitingAmong([request], s.now).length === 0
    ? Effect.succeed(go("/login", s.browser.cookies))
    : keepFor(placeOf, request, s, inquiry)

/** Reads what the `acr_values` of a request ask of the person's sign-in. */
export const contextsOf = ({ acrValues }: AuthenticationRequest, client: Client, { ports: { settings }, trace }: Inquiry) => {
  const asked = acrAsked(acrValues, client)
  return { settings, provider: askedProvider(asked, { settings, client }, trace), tenant: asked.tenant, contexts: asked.contexts }
}
