import { authorize, follow, request, signIn, signedIn } from "../support/flows.ts"
import { type Said, said } from "../support/visitor.ts"
import { type World, password } from "../support/world.ts"
import { type Case, page, shown } from "./case.ts"

const disable = (w: World): void => {
  const person = w.people.get("sub-alice")
  if (person !== undefined) w.people.set("sub-alice", { ...person, active: false })
}

const alice = [
  ["username", "alice"],
  ["password", password],
] as const

/** Types a password at a browser of its own. */
const tryPassword = async (w: World, username: string, typed: string): Promise<Said> => {
  const visitor = w.visitor()
  return visitor.submit((await visitor.get("/login")).page, [
    ["username", username],
    ["password", typed],
  ])
}

const interactionCases: ReadonlyArray<Case> = [
  {
    title: "OpenID Connect Core §3.1.2.3: an interaction that never was is gone",
    rule: "interaction.known",
    run: (w) => w.visitor().get("/login?interaction=nonsense"),
    expect: shown("interaction_expired"),
  },
  {
    title: "RFC 9700 §4.7.1: an interaction goes on in the browser that began it, and no other",
    rule: "interaction.browser",
    run: async (w) => {
      const begun = await w.visitor().get("/connect/authorize", request())
      return w.visitor().get(begun.header("location") ?? "")
    },
    expect: shown("interaction_elsewhere"),
  },
  {
    title: "RFC 9700 §4.7.1: an interaction resumed in another browser gives that browser no code",
    rule: "interaction.browser",
    run: async (w) => {
      const begun = await w.visitor().get("/connect/authorize", request())
      return (await signedIn(w, "bob")).get(`/connect/authorize/resume?interaction=${begun.params["interaction"] ?? ""}`)
    },
    expect: shown("interaction_elsewhere"),
  },
  {
    title: "behaviour, lifetimes: an interaction waits 900 s",
    rule: "interaction.fresh",
    run: async (w) => {
      const visitor = w.visitor()
      const form = await authorize(visitor)
      w.pass(900)
      return visitor.submit(form.page, alice)
    },
    expect: shown("interaction_expired"),
  },
  {
    title: "RFC 6749 §4.1.2: going back to a finished sign-in says that it is finished",
    rule: "interaction.unfinished",
    run: async (w) => {
      const visitor = w.visitor()
      const begun = await visitor.get("/connect/authorize", request())
      const form = await follow(visitor, begun)
      await follow(visitor, await visitor.submit(form.page, alice))
      w.pass(11)
      return visitor.get(begun.header("location") ?? "")
    },
    expect: shown("interaction_finished"),
  },
  {
    title: "RFC 6749 §4.1.2: a double click on sign in still ends at the client",
    rule: undefined,
    run: async (w) => {
      const visitor = w.visitor()
      const form = await authorize(visitor)
      await follow(visitor, await visitor.submit(form.page, alice))
      return follow(visitor, await visitor.submit(form.page, alice))
    },
    expect: { status: 303, to: "https://app.example/cb", params: { state: "st" } },
  },
  {
    title: "OpenID Connect Core §3.1.2.3: in a second tab, a sign-in in the first is enough",
    rule: undefined,
    run: async (w) => {
      const visitor = w.visitor()
      const second = await visitor.get("/connect/authorize", request("other"))
      w.pass(1)
      await follow(visitor, await visitor.submit((await authorize(visitor)).page, alice))
      return follow(visitor, await visitor.get(second.header("location") ?? ""))
    },
    expect: { status: 303, to: "https://app.example/cb" },
  },
  {
    title: "OpenID Connect Core §3.1.2.3: two tabs that both sign in both end at their client",
    rule: undefined,
    run: async (w) => {
      const visitor = w.visitor()
      const first = await authorize(visitor)
      const second = await authorize(visitor, "other")
      await follow(visitor, await visitor.submit(first.page, alice))
      return follow(visitor, await visitor.submit(second.page, alice))
    },
    expect: { status: 303, to: "https://app.example/cb" },
  },
]

const loginCases: ReadonlyArray<Case> = [
  {
    title: "specification §2.1: login_hint fills in the username",
    rule: "person.signed-in",
    run: (w) => authorize(w.visitor(), "web", { login_hint: "bob@example.com" }),
    expect: page("Login", 200, { username: "bob@example.com", client: { name: "Web App" } }),
  },
  ...["bob\u0000", "bob\nadmin", "\u202ebob", "bob\u2066"].map((login_hint): Case => ({
    title: `OpenID Connect Core §3.1.2.1: a login_hint that cannot be shown is passed over: ${JSON.stringify(login_hint)}`,
    rule: "person.signed-in",
    run: (w) => authorize(w.visitor(), "web", { login_hint }),
    expect: page("Login", 200, { username: "", client: { name: "Web App" } }),
  })),
  {
    title: "specification §2.1: acr_values tenant:NAME reaches the login page",
    rule: "login.forward-provider",
    run: (w) => authorize(w.visitor(), "web", { acr_values: "1 tenant:acme" }),
    expect: page("Login", 200, { tenant: "acme" }),
  },
  {
    title: "OpenID Connect Core §3.1.2.1: ui_locales choose the language, before Accept-Language",
    rule: "person.signed-in",
    run: (w) => authorize(w.visitor({ "accept-language": "fr;q=0.5, es" }), "web", { ui_locales: "de-AT en" }),
    expect: page("Login", 200, { locales: ["de-AT", "en", "es", "fr"] }),
  },
  {
    title: "RFC 6749 appendix B: a sign-in that is no form is refused",
    rule: "login.form",
    run: async (w) => {
      const visitor = w.visitor()
      const { page: form } = await visitor.get("/login")
      const csrf = (form?.["form"] as { hidden: Array<[string, string]> } | undefined)?.hidden[0]?.[1] ?? ""
      return visitor.post("/login", { csrf, username: "alice", password }, { "content-type": "text/plain" })
    },
    expect: page("Login", 400, { problem: "form_stale" }),
  },
  {
    title: "RFC 6749 §10.12: a sign-in without a CSRF token is refused",
    rule: "login.csrf",
    run: async (w) => {
      const visitor = w.visitor()
      await visitor.get("/login")
      return visitor.post("/login", { username: "alice", password })
    },
    expect: page("Login", 400, { problem: "form_stale" }),
  },
  {
    title: "RFC 6749 §10.12: a CSRF token of another browser is refused",
    rule: "login.csrf",
    run: async (w) => {
      const { page: form } = await w.visitor().get("/login")
      const visitor = w.visitor()
      await visitor.get("/login")
      return visitor.submit(form, alice)
    },
    expect: page("Login", 400, { problem: "form_stale" }),
  },
  {
    title: "RFC 6265bis §5.6.7.1: a sign-in from another site, so without our cookies, is sent on by GET and sets none",
    rule: "browser.known",
    run: async (w) => {
      const visitor = w.visitor()
      const answer = await visitor.post("/login", { username: "alice", password })
      return { ...answer, json: { cookies: visitor.cookies.size } }
    },
    expect: { status: 303, to: "/login", params: { problem: "form_stale" }, json: { cookies: 0 } },
  },
  {
    title: "RFC 6749 §10.12: sent on so, the form says that it was stale",
    rule: "login.told",
    run: async (w) => {
      const visitor = w.visitor()
      return follow(visitor, await visitor.post("/login", { username: "alice", password }))
    },
    expect: page("Login", 400, { problem: "form_stale" }),
  },
  {
    title: "OpenID Connect Core §3.1.2.3: a disabled person who is still signed in gets a form to sign in as someone else",
    rule: "session.person-active",
    run: async (w) => {
      const visitor = await signedIn(w)
      disable(w)
      return follow(visitor, await visitor.get("/"))
    },
    expect: page("Login"),
  },
  {
    title: "OpenID Connect Core §3.1.2.3: a sign-in before the request does not answer a request that asks for another",
    rule: "login.since",
    run: async (w) => authorize(await signedIn(w), "web", { prompt: "login" }),
    expect: page("Login"),
  },
  {
    title: "OpenID Connect Core §3.1.2.3: no username is refused",
    rule: "login.username-present",
    run: async (w) => {
      const v = w.visitor()
      return v.submit((await v.get("/login")).page, [["password", password]])
    },
    expect: page("Login", 400, { problem: "credentials" }),
  },
  {
    title: "OpenID Connect Core §3.1.2.3: no password is refused",
    rule: "login.password-present",
    run: async (w) => {
      const v = w.visitor()
      return v.submit((await v.get("/login")).page, [["username", "alice"]])
    },
    expect: page("Login", 400, { problem: "credentials" }),
  },
  {
    title: "behaviour, people: a password longer than 1024 characters is not looked at",
    rule: "login.password-length",
    options: {},
    run: async (w) => {
      const v = w.visitor()
      return v.submit((await v.get("/login")).page, [
        ["username", "tired"],
        ["password", "x".repeat(1025)],
      ])
    },
    expect: page("Login", 400, { problem: "credentials" }),
  },
  {
    title: "OpenID Connect Core §3.1.2.3: a wrong password shows the form again, username kept",
    rule: "login.verified",
    run: async (w) => {
      const v = w.visitor()
      return v.submit((await v.get("/login")).page, [
        ["username", "alice"],
        ["password", "wrong"],
      ])
    },
    expect: page("Login", 400, { problem: "credentials", username: "alice" }),
  },
  {
    title: "OpenID Connect Core §3.1.2.3: an unknown person gets the same answer as a wrong password",
    rule: "login.verified",
    run: async (w) => {
      const v = w.visitor()
      return v.submit((await v.get("/login")).page, [
        ["username", "nobody"],
        ["password", "wrong"],
      ])
    },
    expect: page("Login", 400, { problem: "credentials", username: "nobody" }),
  },
  {
    title: "OpenID Connect Core §3.1.2.3: a disabled person cannot sign in",
    rule: "login.person-active",
    run: async (w) => {
      const v = w.visitor()
      return v.submit((await v.get("/login")).page, [
        ["username", "mallory"],
        ["password", password],
      ])
    },
    expect: page("Login", 400, { problem: "credentials" }),
  },
  {
    title: "NIST SP 800-63B §3.2.2: after five wrong passwords an account waits, with the right one too, however its name is spelled",
    rule: "login.account-attempts",
    run: async (w) => {
      for (const username of ["alice", "Alice", " ALICE", "ａｌｉｃｅ", "alice "]) await tryPassword(w, username, "wrong")
      return tryPassword(w, "alice", password)
    },
    expect: { ...page("Login", 429, { problem: "throttled", retryAfter: 30 }), headers: { "retry-after": "30" } },
  },
  {
    title: "NIST SP 800-63B §3.2.2: a browser that an account has signed in from before has five tries of its own, and no more",
    rule: "login.device-attempts",
    run: async (w) => {
      const visitor = await signedIn(w)
      const fields = [["username", "alice"] as const]
      const { page: form } = await visitor.get("/login", { another: "1" })
      for (let tries = 0; tries < 5; tries++) await visitor.submit(form, [...fields, ["password", "wrong"]])
      return visitor.submit(form, [...fields, ["password", password]])
    },
    expect: { ...page("Login", 429, { problem: "throttled", retryAfter: 30 }), headers: { "retry-after": "30" } },
  },
  {
    title: "NIST SP 800-63B §3.2.2: an address that guessed at fifty accounts waits",
    rule: "login.address-attempts",
    run: async (w) => {
      for (let tries = 0; tries < 50; tries++) await tryPassword(w, `victim ${tries}`, "wrong")
      return tryPassword(w, "alice", password)
    },
    expect: { ...page("Login", 429, { problem: "throttled", retryAfter: 900 }), headers: { "retry-after": "900" } },
  },
  {
    title: "RFC 6585 §4: too many attempts are 429 with Retry-After",
    rule: "login.throttled",
    run: async (w) => {
      const v = w.visitor()
      return v.submit((await v.get("/login")).page, [
        ["username", "tired"],
        ["password", password],
      ])
    },
    expect: { ...page("Login", 429, { problem: "throttled", retryAfter: 7 }), headers: { "retry-after": "7" } },
  },
  {
    title: "OpenID Connect Core §3.1.2.3: a person signs in without a client, and is home",
    rule: undefined,
    run: async (w) => {
      const v = w.visitor()
      return follow(v, await signIn(v))
    },
    expect: page("Home", 200, { person: { name: "Alice Ant" } }),
  },
]

const consentForm = async (w: World) => {
  const visitor = await signedIn(w)
  const form = await authorize(visitor, "asks")
  return { visitor, form: form.page as { form: { action: string; hidden: Array<[string, string]> } } }
}

const consentCases: ReadonlyArray<Case> = [
  {
    title: "OpenID Connect Core §3.1.2.4: a client that is gone is not consented to",
    rule: "consent.client",
    run: async (w) => {
      const { visitor, form } = await consentForm(w)
      w.clients.delete("asks")
      return visitor.submit(form, [["decision", "allow"]])
    },
    expect: shown("interaction_expired"),
  },
  {
    title: "OpenID Connect Core §3.1.2.4: consent needs a session",
    rule: "session.live",
    run: async (w) => {
      const { visitor, form } = await consentForm(w)
      visitor.cookies.delete("__Host-postern-session")
      return visitor.submit(form, [["decision", "allow"]])
    },
    expect: { status: 303, to: "/connect/authorize/resume" },
  },
  {
    title: "OpenID Connect Core §3.1.2.4: a session that ran out gives no consent",
    rule: "session.live",
    run: async (w) => {
      const visitor = await signedIn(w)
      w.pass(35_500)
      const form = await authorize(visitor, "asks")
      w.pass(600)
      return visitor.submit(form.page, [["decision", "allow"]])
    },
    expect: { status: 303, to: "/connect/authorize/resume" },
  },
  {
    title: "OpenID Connect Core §3.1.2.4: a person disabled since gives no consent",
    rule: "session.person-active",
    run: async (w) => {
      const { visitor, form } = await consentForm(w)
      const person = w.people.get("sub-alice")
      if (person !== undefined) w.people.set("sub-alice", { ...person, active: false })
      return visitor.submit(form, [["decision", "allow"]])
    },
    expect: { status: 303, to: "/connect/authorize/resume" },
  },
  {
    title: "RFC 6749 appendix B: a consent that is no form is refused",
    rule: "consent.form",
    run: async (w) => {
      const { visitor, form } = await consentForm(w)
      return visitor.post("/consent", [...form.form.hidden, ["decision", "allow"]], { "content-type": "text/plain" })
    },
    expect: shown("form_stale"),
  },
  {
    title: "RFC 6749 §10.12: a consent without a CSRF token is refused",
    rule: "consent.csrf",
    run: async (w) => {
      const { visitor, form } = await consentForm(w)
      return visitor.post("/consent", [...form.form.hidden.filter(([name]) => name !== "csrf"), ["decision", "allow"]])
    },
    expect: shown("form_stale"),
  },
  {
    title: "RFC 6749 §10.12: the consent form of a session that was replaced is refused",
    rule: "consent.csrf",
    run: async (w) => {
      const { visitor, form } = await consentForm(w)
      visitor.cookies.delete("__Host-postern-session")
      await signIn(visitor, "bob")
      return visitor.submit(form, [["decision", "allow"]])
    },
    expect: shown("form_stale"),
  },
  {
    title: "OpenID Connect Core §3.1.2.4: neither allow nor deny is no answer",
    rule: "consent.decision",
    run: async (w) => {
      const { visitor, form } = await consentForm(w)
      return visitor.submit(form, [["decision", "perhaps"]])
    },
    expect: shown("form_stale"),
  },
]

const homeForm = async (w: World) => {
  const visitor = await signedIn(w)
  return { visitor, home: (await visitor.get("/")).page }
}

const homeCases: ReadonlyArray<Case> = [
  {
    title: "OpenID Connect Core §3.1.2.3: nobody's home is the login page",
    rule: "session.live",
    run: async (w) => {
      const v = w.visitor()
      return follow(v, await v.get("/"))
    },
    expect: page("Login"),
  },
  {
    title: "RFC 6749 appendix B: ending a session takes a form",
    rule: "home.form",
    run: async (w) => {
      const { visitor, home } = await homeForm(w)
      const form = home?.["endSession"] as { action: string; hidden: Array<[string, string]> }
      return visitor.post(form.action, form.hidden, { "content-type": "application/json" })
    },
    expect: shown("form_stale"),
  },
  {
    title: "OpenID Connect Core §3.1.2.3: the forms of a session that ran out are refused",
    rule: "home.session",
    run: async (w) => {
      const { visitor, home } = await homeForm(w)
      w.pass(36_000)
      return visitor.submit(home, [["client_id", "web"]], "withdrawConsent")
    },
    expect: shown("form_stale"),
  },
  {
    title: "RFC 6749 §10.12: withdrawing a consent takes a CSRF token",
    rule: "home.csrf",
    run: async (w) => (await signedIn(w)).post("/consents/withdraw", { client_id: "web" }),
    expect: shown("form_stale"),
  },
  {
    title: "OpenID Connect Core §3.1.2.3: a person ends a session of theirs",
    rule: "session.live",
    run: async (w) => {
      const elsewhere = await signedIn(w)
      w.pass(1)
      const { visitor, home } = await homeForm(w)
      const sessions = home?.["sessions"] as Array<{ id: string; current: boolean }>
      await visitor.submit(home, [["session", sessions.find(({ current }) => !current)?.id ?? ""]], "endSession")
      return follow(elsewhere, await elsewhere.get("/"))
    },
    expect: page("Login"),
  },
  {
    title: "NIST SP 800-63B §5.1: nobody ends a session of someone else",
    rule: "home.session-own",
    run: async (w) => {
      const bob = await signedIn(w, "bob")
      const bobs = (await bob.get("/")).page?.["sessions"] as Array<{ id: string }>
      const { visitor, home } = await homeForm(w)
      const answer = await visitor.submit(home, [["session", bobs[0]?.id ?? ""]], "endSession")
      return answer.status === 303 ? bob.get("/") : answer
    },
    expect: page("Home"),
  },
  {
    title: "OpenID Connect Core §3.1.2.4: a consent of no client is not withdrawn",
    rule: "home.client-named",
    run: async (w) => {
      const { visitor, home } = await homeForm(w)
      return visitor.submit(home, [], "withdrawConsent")
    },
    expect: { status: 303, to: "/", params: { notice: "consent_withdrawn" } },
  },
  {
    title: "OpenID Connect RP-Initiated Logout §2: where nobody is signed in, nobody is asked to sign out",
    rule: "logout.session",
    run: (w) => w.visitor().get("/logout"),
    expect: page("SignedOut"),
  },
  {
    title: "OpenID Connect RP-Initiated Logout §2: signing out is asked for first",
    rule: undefined,
    run: async (w) => (await signedIn(w)).get("/logout"),
    expect: page("Logout"),
  },
  {
    title: "OpenID Connect RP-Initiated Logout §2: signed out, the session is over",
    rule: "person.signed-in",
    run: async (w) => {
      const visitor = await signedIn(w)
      const cookies = new Map(visitor.cookies)
      await visitor.submit((await visitor.get("/logout")).page)
      for (const [name, value] of cookies) visitor.cookies.set(name, value)
      return authorize(visitor, "web", { prompt: "none" })
    },
    expect: { status: 303, params: { error: "login_required" } },
  },
  {
    title: "OpenID Connect RP-Initiated Logout §6: a POST from another site, so without our cookies, signs nobody out",
    rule: undefined,
    run: async (w) => {
      const answer = await w.visitor().post("/logout", {})
      return { ...answer, json: { cookie: answer.header("set-cookie") ?? "none" } }
    },
    expect: { ...page("SignedOut"), json: { cookie: "none" } },
  },
  {
    title: "OpenID Connect RP-Initiated Logout §2: a person who was removed while signed in can still sign out",
    rule: undefined,
    run: async (w) => {
      const visitor = await signedIn(w)
      w.people.delete("sub-alice")
      return visitor.get("/logout")
    },
    expect: page("Logout"),
  },
  {
    title: "OpenID Connect RP-Initiated Logout §2: signing out says so",
    rule: undefined,
    run: async (w) => {
      const v = await signedIn(w)
      return v.submit((await v.get("/logout")).page)
    },
    expect: page("SignedOut"),
  },
  {
    title: "OpenID Connect RP-Initiated Logout §6: signing out takes a CSRF token",
    rule: "logout.csrf",
    run: async (w) => (await signedIn(w)).post("/logout", {}),
    expect: shown("form_stale"),
  },
  {
    title: "RFC 6749 appendix B: signing out takes a form",
    rule: "logout.form",
    run: async (w) => {
      const visitor = await signedIn(w)
      const form = (await visitor.get("/logout")).page?.["form"] as { hidden: Array<[string, string]> }
      return visitor.post("/logout", form.hidden, { "content-type": "text/plain" })
    },
    expect: shown("form_stale"),
  },
  {
    title: "RFC 9110 §15.5.5: an unknown path is a page that says so",
    rule: undefined,
    run: (w) => w.visitor().get("/nowhere"),
    expect: shown("not_found", undefined, 404),
  },
  {
    title: "RFC 9110 §15.5.5: paths are strict: a trailing slash is another path",
    rule: undefined,
    run: (w) => w.visitor().get("/login/"),
    expect: shown("not_found", undefined, 404),
  },
  {
    title: "RFC 9110 §15.5.6: another method on a page is 405 with Allow",
    rule: undefined,
    run: async (w) => said(await w.send({ method: "DELETE", path: "/login" })),
    expect: { ...shown("method_not_allowed", undefined, 405), headers: { allow: "GET, POST, HEAD, OPTIONS" } },
  },
  {
    title: "RFC 9110 §15.5.6: GET on the token endpoint is 405 with Allow",
    rule: undefined,
    run: (w) => w.visitor().get("/connect/token"),
    expect: { status: 405, headers: { allow: "POST, OPTIONS" } },
  },
]

/** The pages: sign in, consent, home, sign out. */
export const cases: ReadonlyArray<Case> = [...interactionCases, ...loginCases, ...consentCases, ...homeCases]
