import * as Effect from "effect/Effect"
import type { Decision } from "../../model/index.ts"
import type { PortFailed } from "../../ports/index.ts"
import type { Browser } from "../../settle/browser.ts"
import { go } from "../../settle/pages.ts"
import type { Inquiry } from "../../settle/request.ts"
import { keepFor as keepWay } from "../../settle/waiting.ts"
import { writeParams } from "../../wire/index.ts"
import { approvalPath } from "./request.ts"
import type { AuthenticationRequest } from "./rows.ts"
import { waitingAmong } from "./rules.ts"

/** The path at which a person answers a request. */
export const pathOf = (locator: string): string => `${approvalPath}?${writeParams([["request", locator]])}`

/** Keeps the way to a request as a row that waits as long as the request does, and sends the browser to a page for it: the one that `placeOf` names. */
export const keepFor = (
  placeOf: (handle: string) => string,
  request: AuthenticationRequest,
  { browser, now }: { readonly browser: Browser; readonly now: number },
  inquiry: Inquiry,
): Effect.Effect<Decision, PortFailed> => {
  const kept = { kind: "visit", path: pathOf(request.locator), acrValues: request.acrValues } as const
  return keepWay(placeOf, { to: request, kept, browser, client: request, now }, inquiry)
}

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
