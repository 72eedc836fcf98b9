import type * as Effect from "effect/Effect"
import type { Decision, FreshHandle, Instant, Locator, PendingDevice, PendingVisit } from "../model/index.ts"
import { locatorOfBoth, noteAnswer, saveInteraction } from "../model/index.ts"
import type { PortFailed } from "../ports/index.ts"
import { mapped, onward } from "../ports/steps.ts"
import type { Browser } from "./browser.ts"
import { go } from "./pages.ts"
import { type Inquiry, digestOf, freshHandle, handleOf } from "./request.ts"
import { signInOf } from "./signIn.ts"

/** A client's request in a browser, at a certain time. */
interface Waiting<ClientId extends string | undefined = string> {
  readonly browser: Browser
  readonly client: { readonly clientId: ClientId }
  readonly now: Instant
}

/** Returns the initial members of a waiting row. */
export const waitingRow = <ClientId extends string | undefined>(
  { locator, digest }: Pick<FreshHandle, "locator" | "digest">,
  { browser, client, now }: Waiting<ClientId>,
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

/** A row that leads a browser to another waiting item: a device, or a request about which a page asks its visitor. */
export type PendingWay = PendingDevice | PendingVisit

/** The row that leads one browser to a waiting item: its handle, and the row if it exists. */
interface Way {
  readonly handle: FreshHandle
  readonly row: PendingWay | undefined
}

/**
 * Finds the row that leads a browser to the waiting item with a locator. It is deterministic, so that reloading a page saves nothing more.
 */
const wayOf = (to: Locator, browser: Browser, { ports }: Inquiry): Effect.Effect<Way, PortFailed> =>
  onward(digestOf(ports, `postern visit ${browser.secret.reveal()} ${to}`), (made) =>
    onward(handleOf(ports, "i", locatorOfBoth(to, browser.locator), made), (handle) =>
      mapped(ports.tokens.findInteraction(handle.locator), (row) => ({
        handle,
        row: (row?.kind === "visit" || row?.kind === "device") && row.digest === handle.digest ? row : undefined,
      })),
    ),
  )

/** Finds the row that leads a browser to a waiting item, which identifies a sign-in for it. */
export const findWay = (to: Locator, browser: Browser, inquiry: Inquiry): Effect.Effect<PendingWay | undefined, PortFailed> =>
  mapped(wayOf(to, browser, inquiry), ({ row }) => row)

/** The waiting item, its expiry, and the contents of the row that leads to it. */
export interface WayTo extends Waiting {
  readonly to: { readonly locator: Locator; readonly expiresAt: Instant }
  readonly kept: Pick<PendingDevice, "kind" | "userCode"> | Pick<PendingVisit, "kind" | "path" | "acrValues">
}

/**
 * Saves the row that leads a browser to a waiting item, with the same lifetime, and redirects the browser to the page that `placeOf`
 * returns for it. A new visitor may retry a provider at which a sign-in has failed, because that failure does not lead here.
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

const noClient = { clientId: undefined }

/**
 * Redirects a visitor who must sign in to the sign-in page, and from there back to a path of the provider. The way back is a new row, since
 * the page may be opened at any time.
 */
export const signInFor = (
  path: string,
  { browser, now }: Pick<Waiting, "browser" | "now">,
  inquiry: Inquiry,
  placeOf: (handle: string) => string = signInOf,
): Effect.Effect<Decision, PortFailed> =>
  mapped(freshHandle(inquiry, "i"), (handle) => {
    const row = waitingRow(handle, { browser, client: noClient, now }, inquiry)
    return go(placeOf(handle.value), browser.cookies, [saveInteraction({ ...row, kind: "visit", path })])
  })
