import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { type CookieChange, type Page, type PageContext, readable } from "../model/index.ts"
import { PageTimedOut, PortFailed } from "../ports/index.ts"
import { ending, mapped, onward } from "../ports/steps.ts"
import type { Inquiry } from "../settle/request.ts"
import {
  type Answer,
  type Message,
  type ReadPage,
  basePathOf,
  framingPolicy,
  pageHeaders,
  pageStatus,
  withPageHeaders,
} from "../wire/index.ts"
import { languageAddress, languageCookie, pageLocales } from "./locales.ts"
import { type Header, noStore, setCookies } from "./headers.ts"
import { type PlainPage, plainPage } from "./plainPage.ts"

/** A rendered answer. */
export interface Written {
  /** The answer. */
  readonly answer: Answer
  /** The failure of the pages port, if another page replaced the intended one. */
  readonly failed?: PortFailed | undefined
}

/** Settings of an answer with a page. */
export interface PageMeans {
  readonly cookies?: ReadonlyArray<CookieChange> | undefined
  readonly headers?: ReadonlyArray<Header> | undefined
  /** True if something was committed before the page is rendered. */
  readonly isCommitted?: boolean | undefined
}

/** Seconds until a retry makes sense. */
const retryAfter = 2

/**
 * Renders a page as an answer. If rendering fails, the decision still takes effect: cookies are set, the provider itself renders
 * authorization responses and errors, and an error that states whether something was changed replaces any other page.
 */
export const pageAnswer = (
  page: Page,
  status: number,
  message: Message,
  inquiry: Inquiry,
  { cookies = [], headers = [], isCommitted = false }: PageMeans = {},
): Effect.Effect<Written> => {
  const { ports, requestId, now } = inquiry
  const { issuer } = ports.settings
  const basePath = basePathOf(issuer)
  const nonce = inquiry.nonce()
  const cookieHeaders = setCookies([...cookies, ...languageCookie(message, inquiry)], inquiry)
  const contextOf = (shown: Page): PageContext => ({
    locales: pageLocales(message, inquiry),
    languageAddress: languageAddress(shown, message, basePath),
    requestId,
    nonce,
    issuer,
    basePath,
    tenant: inquiry.about.tenant,
    now,
  })
  const draw = (shown: Page) => ending(() => ports.pages.render(shown, contextOf(shown)))
  const whole = (shown: Page, code: number, more: ReadonlyArray<Header>, read: ReadPage): Answer => ({
    status: pageStatus(code, read.status),
    headers: [
      ...withPageHeaders(pageHeaders(nonce, framingPolicy(shown, ports.pages.policyOf(shown))), read.headers),
      ...noStore,
      ...more,
      ...cookieHeaders,
    ],
    body: read.text,
  })
  const plain = (shown: PlainPage, code: number, more: ReadonlyArray<Header>): Answer => ({
    status: code,
    headers: [...pageHeaders(nonce, framingPolicy(shown)), ...noStore, ...more, ...cookieHeaders],
    body: plainPage(shown, { requestId, nonce }),
  })
  return onward(draw(page), (exit): Effect.Effect<Written> => {
    if (Exit.isSuccess(exit)) return Effect.succeed({ answer: whole(page, status, headers, exit.value) })
    const failed = failureOf(exit.cause)
    if (page._tag === "FormPost" || page._tag === "Error" || page._tag === "SigningOut")
      return Effect.succeed({ answer: plain(page, status, headers), failed })
    const error: PlainPage = {
      _tag: "Error",
      trouble: isCommitted ? "uncertain" : "unavailable",
      error: "temporarily_unavailable",
      retryAfter,
    }
    const later: ReadonlyArray<Header> = [["retry-after", String(retryAfter)]]
    // After one page has timed out, no second one is attempted.
    if (failed.cause instanceof PageTimedOut) return Effect.succeed({ answer: plain(error, 503, later), failed })
    return mapped(draw(error), (second) => ({
      answer: Exit.isSuccess(second) ? whole(error, 503, later, second.value) : plain(error, 503, later),
      failed,
    }))
  })
}

const failureOf = (cause: Cause.Cause<PortFailed>): PortFailed => {
  const thrown = readable(Cause.squash(cause))
  return thrown instanceof PortFailed ? thrown : new PortFailed({ port: "Pages", operation: "render", cause: thrown })
}
