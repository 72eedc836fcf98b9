import { displayedPerson } from "../../rules/faces.ts"
import { mapped } from "../../ports/steps.ts"
import { type SessionForm, sentAsForm, stale } from "../../rules/ownForm.ts"
import type { PageRefusal } from "../../rules/page.ts"
import { type Objection, pass, prove, table } from "../../rules/rule.ts"
import { isLive } from "../../rules/session.ts"
import { endpoint } from "../../settle/endpoint.ts"
import { formOf, fromOwnPages, page, show } from "../../settle/pages.ts"
import { type SignedInHere, signedInHere, signedOut, signingOut } from "../../settle/signOut.ts"

/** Judges whether anybody is signed in who could be asked. */
const askRules = table<{ readonly now: number; readonly here: SignedInHere | undefined }, Objection>("logout/ask").establish(
  "logout.session",
  "OpenID Connect RP-Initiated Logout §2",
  ({ now, here }) => (here !== undefined && isLive(here.session, now) ? prove({ here }) : { reason: "nobody is signed in" }),
)

/** Requires the provider's own form for a sign-out, because otherwise any page could sign a person out. */
const rules = table<SessionForm, PageRefusal>("logout")
  .include(sentAsForm("logout.form"))
  .rule("logout.csrf", "OpenID Connect RP-Initiated Logout §6", ({ now, session, csrf, browser }) =>
    !isLive(session, now) || csrf === browser.sessionCsrf
      ? pass
      : stale(csrf === undefined ? "no CSRF token" : "a CSRF token of another browser or session"),
  )

/** The page that asks whether to sign out, and ends the session. */
export const logout = endpoint(
  { name: "logout", path: "/logout", methods: ["GET", "POST"], audience: "people", cors: false },
  fromOwnPages
    .through(page)
    .read(({ browser: { session } }) => ({ session, about: { subject: session?.subject } }))
    .split(
      {
        ask: (row) =>
          row
            .read(({ browser }, inquiry) => mapped(signedInHere(browser, inquiry), (here) => ({ here })))
            .judge(askRules, (_, { browser }) => show({ _tag: "SignedOut" }, browser.cookies))
            .decide(({ browser, here }) =>
              show({ _tag: "Logout", person: displayedPerson(here.person), form: formOf("/logout", browser) }, browser.cookies),
            ),
        end: (row) => row.judge(rules).decide(({ browser }, inquiry) => mapped(signingOut(browser, inquiry), (ended) => signedOut(ended))),
      },
      ({ posted }) => (posted ? "end" : "ask"),
    ),
)
