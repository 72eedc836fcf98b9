import * as Effect from "effect/Effect"
import { type Decision, type Person, signOut } from "../../model/index.ts"
import { personFace } from "../../rules/faces.ts"
import { type PageRefusal, refusePage, toPage } from "../../rules/page.ts"
import { judge, pass, rule, table } from "../../rules/rule.ts"
import { isLive } from "../../rules/session.ts"
import { loadBrowser } from "../../settle/browser.ts"
import { isForm, readParams } from "../../wire/index.ts"
import type { Endpoint } from "../../settle/endpoint.ts"

const stale = (reason: string): PageRefusal => refusePage("form_stale", 400, "invalid_request", "The form is no longer valid.", reason)

/** A person who was removed while signed in can still sign out. */
const gone = (subject: string): Person => ({ subject, username: subject, active: false, claims: {} })

/** Signing out needs a form of ours, or any page could do it to a person. */
const rules = table<
  { readonly isForm: boolean; readonly csrf: string | undefined },
  { readonly csrf: string; readonly signedIn: boolean },
  PageRefusal
>("logout", [
  rule("logout.form", "RFC 6749 appendix B", (q) => (q.isForm ? pass : stale("another Content-Type than a form's"))),
  rule("logout.csrf", "OpenID Connect RP-Initiated Logout §6", (q, s) =>
    !s.signedIn || q.csrf === s.csrf ? pass : stale(q.csrf === undefined ? "no CSRF token" : "a CSRF token of another browser or session"),
  ),
])

/** The tables of this endpoint, for the rule reference. */
export const logoutTables = [rules] as const

/** The page that asks whether to sign out, and the end of the session. */
export const logout: Endpoint = {
  name: "logout",
  path: "/logout",
  methods: ["GET", "POST"],
  audience: "people",
  cors: false,
  attempt: Effect.fnUntraced(function* (message, inquiry) {
    const { ports, now } = inquiry
    const browser = yield* loadBrowser(message, inquiry)
    const { session, cookies, sessionCsrf } = browser
    const signedIn = isLive(session, now)
    inquiry.about.subject = session?.subject
    if (message.method !== "POST") {
      const person = session === undefined ? undefined : ((yield* ports.authenticator.find(session.subject)) ?? gone(session.subject))
      if (person === undefined || !signedIn)
        return { _tag: "Show", page: { _tag: "SignedOut" }, status: 200, cookies, commands: [] } satisfies Decision as Decision
      const page = { _tag: "Logout", person: personFace(person), form: { action: "/logout", hidden: [["csrf", sessionCsrf]] } } as const
      return { _tag: "Show", page, status: 200, cookies, commands: [] } satisfies Decision as Decision
    }
    const q = { isForm: isForm(message.headers["content-type"]), csrf: readParams(message.body).one("csrf") }
    const refusal = judge(inquiry.trace, rules, q, { csrf: sessionCsrf, signedIn })
    if (refusal !== undefined) return toPage(refusal)
    return {
      _tag: "Show",
      page: { _tag: "SignedOut" },
      status: 200,
      // Another site can send this POST too, but without our cookies: what was not presented is not removed.
      cookies: session === undefined ? [] : [{ name: "session", value: undefined }],
      commands: session === undefined ? [] : signOut(session.locator, now),
    } satisfies Decision as Decision
  }),
}
