import type * as Effect from "effect/Effect"
import type { Decision, FreshHandle, Instant, Locator, PendingDevice, PendingVisit } from "../model/index.ts"
import { locatorOfBoth, noteAnswer, saveInteraction } from "../model/index.ts"
import type { PortFailed } from "../ports/index.ts"
import { mapped, onward } from "../ports/steps.ts"
import type { Browser } from "./browser.ts"
import { go } from "./pages.ts"
import { type Inquiry, digestOf, handleOf } from "./request.ts"

/** A client's request in a browser, at a time. */
interface Waiting {
  readonly browser: Browser
  readonly client: { readonly clientId: string }
  readonly now: Instant
}

/** The members that a row which waits for a person begins with. */
export const waitingRow = (
  { locator, digest }: Pick<FreshHandle, "locator" | "digest">,
  { browser, client, now }: Waiting,
  { ports: { settings } }: Inquiry,
) => {
  const expiresAt = now + settings.interactionLifetime
  return {
    locator,
    digest,
    browser: browser.digest,
    clientId: client.clientId,
    createdAt: now,
    expiresAt,
    signedInAt: undefined,
    subject: undefined,
    failedProvider: undefined,
    finishedAt: undefined,
    version: 0,
    keepUntil: expiresAt,
  }
}

/** A row by which a browser comes to something else that waits: a device, or a request that a page asks its visitor about. */
export type PendingWay = PendingDevice | PendingVisit

/** The way of one browser to what waits: the handle of its row, and the row where there is one. */
interface Way {
  readonly handle: FreshHandle
  readonly row: PendingWay | undefined
}

/** Finds the way of a browser to what waits under a locator. It is the same for each look, so that a page that is loaded again saves nothing more. */
const wayOf = (to: Locator, browser: Browser, { ports }: Inquiry): Effect.Effect<Way, PortFailed> =>
  onward(digestOf(ports, `postern visit ${browser.secret.reveal()} ${to}`), (made) =>
    onward(handleOf(ports, "i", locatorOfBoth(to, browser.locator), made), (handle) =>
      mapped(ports.tokens.findInteraction(handle.locator), (row) => ({
        handle,
        row: (row?.kind === "visit" || row?.kind === "device") && row.digest === handle.digest ? row : undefined,
      })),
    ),
  )

/** Finds the row of a browser's way to what waits, by which a sign-in for it is known. */
export const findWay = (to: Locator, browser: Browser, inquiry: Inquiry): Effect.Effect<PendingWay | undefined, PortFailed> =>
  mapped(wayOf(to, browser, inquiry), ({ row }) => row)

/** The end of a way: what waits there, for how long, and what its row says of it. */
export interface WayTo extends Waiting {
  readonly to: { readonly locator: Locator; readonly expiresAt: Instant }
  readonly kept: Pick<PendingDevice, "kind" | "userCode"> | Pick<PendingVisit, "kind" | "path" | "acrValues">
}

/**
 * Keeps the way of a browser to what waits as a row that lives as long, and sends the browser to the page that `placeOf` names for it. Whoever comes anew may try a
 * provider again at which a sign-in has failed: nobody is sent here by that failure.
 */
export const keepFor = (placeOf: (handle: string) => string, way: WayTo, inquiry: Inquiry): Effect.Effect<Decision, PortFailed> =>
  mapped(wayOf(way.to.locator, way.browser, inquiry), ({ handle: { locator, digest, value }, row }) => {
    const { expiresAt } = way.to
    const commands =
      row === undefined
        ? [saveInteraction({ ...waitingRow({ locator, digest }, way, inquiry), ...way.kept, expiresAt, keepUntil: expiresAt })]
        : row.failedProvider === undefined
          ? []
          : [noteAnswer({ ...row, failedProvider: undefined })]
    return go(placeOf(value), way.browser.cookies, commands)
  })
