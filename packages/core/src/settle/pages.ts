import * as Effect from "effect/Effect"
import type { Command, CookieChange, Decision, Form, Page, Person } from "../model/index.ts"
import type { PortFailed } from "../ports/index.ts"
import { mapped, together } from "../ports/steps.ts"
import { ownFormRules } from "../rules/ownForm.ts"
import { type PageRefusal, toPage } from "../rules/page.ts"
import { isForm, readParams } from "../wire/index.ts"
import { type Browser, loadBrowser, loadInteraction } from "./browser.ts"
import type { Asked } from "./endpoint.ts"
import type { Inquiry } from "./request.ts"
import { row, where } from "./stage.ts"

const sent = row<Asked, PageRefusal>(toPage).read(({ message }, { ports: { settings }, now }) => {
  const posted = message.method === "POST"
  const params = readParams(posted ? message.body : message.query)
  return { settings, now, posted, params, isForm: isForm(message.headers["content-type"]), csrf: posted ? params.one("csrf") : undefined }
})

/** Begins the row of an endpoint for browsers. */
export const page = sent.read(({ message }, inquiry) => mapped(loadBrowser(message, inquiry), (browser) => ({ browser })))

/** Begins the row of a page for a waiting request. */
export const pageOfWaiting = sent.read(({ message, params }, inquiry) => {
  const handle = params.one("interaction")
  return together({ browser: loadBrowser(message, inquiry), handle, interaction: loadInteraction(handle, inquiry) })
})

/** Begins a row that accepts POST only from the provider's own pages. */
export const fromOwnPages = row<Asked, PageRefusal>(toPage).through(
  where(({ message }) => message.method === "POST", row<Asked, PageRefusal>(toPage).judge(ownFormRules)),
)

/** Finds the person of a browser's session. */
export const personOf = ({ session }: Browser, { ports }: Inquiry): Effect.Effect<Person | undefined, PortFailed> =>
  session === undefined ? Effect.succeed(undefined) : ports.authenticator.find(session.subject)

/** Builds a form with the CSRF token of this browser and session. */
export const formOf = (action: string, { sessionCsrf }: Browser, hidden: Form["hidden"] = []): Form => ({
  action,
  hidden: [["csrf", sessionCsrf], ...hidden],
})

/** Shows a page. */
export const show = (shown: Page, cookies: ReadonlyArray<CookieChange>, commands: ReadonlyArray<Command> = [], status = 200): Decision => ({
  _tag: "Show",
  page: shown,
  status,
  cookies,
  commands,
})

/** Redirects the browser to another path of the provider. */
export const go = (to: string, cookies: ReadonlyArray<CookieChange> = [], commands: ReadonlyArray<Command> = []): Decision => ({
  _tag: "Go",
  to,
  cookies,
  commands,
})
