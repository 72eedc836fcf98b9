import type * as Effect from "effect/Effect"
import type { Decision } from "../../model/index.ts"
import type { PortFailed } from "../../ports/index.ts"
import type { Browser } from "../../settle/browser.ts"
import type { Inquiry } from "../../settle/request.ts"
import { keepFor as keepWay, signInFor } from "../../settle/waiting.ts"
import { writeParams } from "../../wire/index.ts"
import { approvalPath } from "./request.ts"
import type { AuthenticationRequest } from "./rows.ts"
import { waitingAmong } from "./rules.ts"

/** The path at which a person answers a request. */
export const pathOf = (locator: string): string => `${approvalPath}?${writeParams([["request", locator]])}`

/**
 * Stores the way back to a request as a row that lives as long as the request, and redirects the browser to the page that `placeOf` names.
 */
export const keepFor = (
  placeOf: (handle: string) => string,
  request: AuthenticationRequest,
  { browser, now }: { readonly browser: Browser; readonly now: number },
  inquiry: Inquiry,
): Effect.Effect<Decision, PortFailed> => {
  const kept = { kind: "visit", path: pathOf(request.locator), acrValues: request.acrValues } as const
  return keepWay(placeOf, { to: request, kept, browser, client: request, now }, inquiry)
}

/** Redirects a person to sign in and then back to their request. Where none waits, the way back is to those that will. */
export const askToSignIn = (
  placeOf: (handle: string) => string,
  request: AuthenticationRequest | undefined,
  s: { readonly browser: Browser; readonly now: number },
  inquiry: Inquiry,
): Effect.Effect<Decision, PortFailed> =>
  request === undefined || waitingAmong([request], s.now).length === 0
    ? signInFor(approvalPath, s, inquiry, placeOf)
    : keepFor(placeOf, request, s, inquiry)
