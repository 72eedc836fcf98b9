import type { FreshHandle, Instant, PendingDevice } from "../model/index.ts"
import { saveInteraction } from "../model/index.ts"
import { mapped } from "../ports/steps.ts"
import { writeParams } from "../wire/index.ts"
import type { Browser } from "./browser.ts"
import { go } from "./pages.ts"
import { type Inquiry, freshHandle } from "./request.ts"

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

/** Keeps what a browser came for as a row that waits, and sends the browser to a page for it. */
export const keepFor = (place: string, kept: Pick<PendingDevice, "kind" | "userCode">, waiting: Waiting, inquiry: Inquiry) =>
  mapped(freshHandle(inquiry, "i"), (handle) =>
    go(`${place}?${writeParams([["interaction", handle.value]])}`, waiting.browser.cookies, [
      saveInteraction({ ...waitingRow(handle, waiting, inquiry), ...kept }),
    ]),
  )
