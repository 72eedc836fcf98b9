import type { AuthenticatorPort } from "@postern/core/ports"
import { type PendingUpstream, finishUpstream, noteAnswer } from "@postern/core/model"
import { authorize, claimsOf, follow, post, redeem, request, signIn, signedIn, token } from "../support/flows.ts"
import { comeBack, fakeProviders, fresh, ringingAtOnce, withUpstream } from "../support/upstream.ts"
import type { Said, Visitor } from "../support/visitor.ts"
import { type World, password } from "../support/world.ts"
import { type Case, type Expectation, page, refused, sentBack, shown } from "./case.ts"

type Changes = Readonly<Record<string, string | undefined>>

const corp = { acr_values: "idp:corp" }
const granted: Expectation = { status: 303, to: "https://app.example/cb", params: { state: "st" } }
const atCorp: Expectation = { status: 303, to: "https://corp.example/authorize" }

/** A browser that was sent to another provider, and the request that sent it. */
const sent = async (
  w: World,
  clientId = "work",
  changes: Changes = corp,
  visitor = w.visitor(),
): Promise<{ visitor: Visitor; away: Said }> => ({ visitor, away: await authorize(visitor, clientId, changes) })

/** The whole way: there, back, and on to the client. */
const signedInThere = async (w: World, clientId = "work", changes: Changes = corp, answer?: Readonly<Record<string, string>>) => {
  const { visitor, away } = await sent(w, clientId, changes)
  return { visitor, end: await follow(visitor, await comeBack(visitor, away, answer)) }
}

const idTokenOf = async (w: World, end: Said, clientId = "work") =>
  claimsOf(String((await redeem(w, end.params["code"] ?? "", clientId)).json?.["id_token"]))

const told = (said: Said, json: Record<string, unknown>): Said => ({ ...said, json })

interface Shown {
  readonly form: { readonly hidden: ReadonlyArray<readonly [string, string]> }
  readonly providers: ReadonlyArray<Shown & { readonly name: string }>
}

/** A sign-in page, as far as these cases look at it. */
const login = (said: Said): Shown => {
  if (said.page?.["_tag"] !== "Login") throw new Error(`no sign-in page: ${said.body}`)
  return said.page as unknown as Shown
}

const hiddenOf = (said: Said, name: string) => login(said).providers.find((each) => each.name === name)?.form.hidden ?? []

/** Chooses a provider on a sign-in page. */
const choose = (visitor: Visitor, said: Said, name: string, more: Readonly<Record<string, string>> = {}) =>
  visitor.post("/login/upstream", { ...Object.fromEntries(hiddenOf(said, name)), ...more })

/** The row of an attempt, by the state that was sent with it. */
const attemptOf = async (w: World, away: Said): Promise<PendingUpstream> => {
  const row = await w.tokens.findInteraction((away.params["state"] ?? "").slice(2, 18))
  if (row?.kind !== "upstream") throw new Error("no attempt waits")
  return row
}

const pageCases: ReadonlyArray<Case> = [
  {
    title: "specification §1: the sign-in page offers the providers that the client allows, beside a password",
    rule: "session.live",
    options: withUpstream(),
    run: async (w) => {
      const answer = await authorize(w.visitor(), "work")
      return told(answer, { local: answer.page?.["local"], names: login(answer).providers.map(({ name }) => name) })
    },
    expect: { ...page("Login"), json: { local: true, names: ["corp", "school"] } },
  },
  {
    title: "specification §1: a client that allows no provider is offered none",
    rule: "session.live",
    options: withUpstream(),
    run: (w) => authorize(w.visitor(), "web"),
    expect: page("Login", 200, { local: true, providers: [] }),
  },
  {
    title: "specification §1: without a password of ours, two providers are chosen among",
    rule: "session.live",
    options: withUpstream(),
    run: (w) => authorize(w.visitor(), "federated"),
    expect: page("Login", 200, { local: false }),
  },
  {
    title: "specification §1: without a password of ours, one provider is gone to at once",
    rule: undefined,
    options: withUpstream(),
    run: (w) => authorize(w.visitor(), "corporate"),
    expect: atCorp,
  },
  {
    title: "specification §1: a password is refused where the client wants none of ours",
    rule: "login.local-allowed",
    options: withUpstream(),
    run: async (w) => {
      const visitor = w.visitor()
      const form = await authorize(visitor, "federated")
      return visitor.submit(form.page, [
        ["username", "alice"],
        ["password", password],
      ])
    },
    expect: page("Login", 400, { problem: "local_forbidden", local: false }),
  },
  {
    title: "specification §1: a provider is chosen on the page, and the browser is sent there",
    rule: undefined,
    options: withUpstream(),
    run: async (w) => {
      const visitor = w.visitor()
      return choose(visitor, await authorize(visitor, "federated"), "school")
    },
    expect: { status: 303, to: "https://school.example/authorize" },
  },
  {
    title: "specification §1: somebody who comes to sign in to the provider itself may come from any of them",
    rule: undefined,
    options: withUpstream(),
    run: async (w) => {
      const visitor = w.visitor()
      const away = await choose(visitor, await visitor.get("/login"), "school")
      return follow(visitor, await comeBack(visitor, away))
    },
    expect: page("Home", 200, { person: { username: "ann" } }),
  },
  {
    title: "RFC 6749 appendix B: a choice that is no form sends nobody anywhere",
    rule: "upstream.form",
    options: withUpstream(),
    run: async (w) => {
      const visitor = w.visitor()
      const form = await authorize(visitor, "work")
      return visitor.post("/login/upstream", hiddenOf(form, "corp"), { "content-type": "text/plain" })
    },
    expect: { status: 303, to: "/login", params: { problem: "form_stale" } },
  },
  {
    title: "RFC 9700 §4.7: another site cannot make a browser choose",
    rule: "upstream.csrf",
    options: withUpstream(),
    run: async (w) => {
      const visitor = w.visitor()
      return choose(visitor, await authorize(visitor, "work"), "corp", { csrf: "made up" })
    },
    expect: { status: 303, to: "/login", params: { problem: "form_stale" } },
  },
  {
    title: "specification §1: a choice that names no provider leads back to the page",
    rule: "upstream.provider-present",
    options: withUpstream(),
    run: async (w) => {
      const visitor = w.visitor()
      return choose(visitor, await authorize(visitor, "work"), "corp", { provider: "" })
    },
    expect: { status: 303, to: "/login", params: { problem: "form_stale" } },
  },
  {
    title: "RFC 6265bis §5.6.7.1: a choice that comes without our cookies leads back to the page",
    rule: "browser.known",
    options: withUpstream(),
    run: async (w) => choose(w.visitor(), await authorize(w.visitor(), "work"), "corp"),
    expect: { status: 303, to: "/login", params: { problem: "form_stale" } },
  },
  {
    title: "RFC 9700 §4.7.1: a choice for a request of another browser is refused",
    rule: "interaction.browser",
    options: withUpstream(),
    run: async (w) => {
      const other = w.visitor()
      const csrf = new Map(login(await other.get("/login")).form.hidden).get("csrf") ?? ""
      return choose(other, await authorize(w.visitor(), "work"), "corp", { csrf })
    },
    expect: shown("interaction_elsewhere"),
  },
  {
    title: "specification §2.1 acr_values: a tenant that pages know is named on them",
    rule: "session.live",
    options: withUpstream({}, { more: { tenants: ["acme"] } }),
    run: (w) => authorize(w.visitor(), "web", { acr_values: "tenant:acme" }),
    expect: page("Login", 200, { tenant: "acme" }),
  },
  {
    title: "specification §2.1 acr_values: a tenant that pages do not know is not named on them",
    rule: "tenant.known",
    options: withUpstream({}, { more: { tenants: ["acme"] } }),
    run: async (w) => {
      const answer = await authorize(w.visitor(), "web", { acr_values: "tenant:evil" })
      return told(answer, { tenant: answer.page?.["tenant"] ?? "none" })
    },
    expect: { status: 200, json: { tenant: "none" } },
  },
]

const thereCases: ReadonlyArray<Case> = [
  {
    title: "specification §2.1 acr_values: idp:NAME goes straight to the provider",
    rule: undefined,
    options: withUpstream(),
    run: async (w) => (await sent(w)).away,
    expect: { ...atCorp, params: { redirect_uri: "https://op.example/login/callback/corp" } },
  },
  {
    title: "OpenID Connect Dynamic Client Registration §2: default_acr_values go there too, where a request names none",
    rule: undefined,
    options: withUpstream(),
    run: (w) => authorize(w.visitor(), "usual"),
    expect: atCorp,
  },
  {
    title: "specification §2.1 acr_values: idp:NAME of a provider that there is not is passed over",
    rule: "provider.known",
    options: withUpstream(),
    run: (w) => authorize(w.visitor(), "outdated", { acr_values: "idp:gone" }),
    expect: page("Login", 200),
  },
  {
    title: "specification §2.1 acr_values: idp:NAME of a provider that the client is not allowed is passed over",
    rule: "provider.allowed",
    options: withUpstream(),
    run: (w) => authorize(w.visitor(), "web", corp),
    expect: page("Login", 200),
  },
  {
    title: "specification §1: nor can a form bring a person to a provider that the client is not allowed",
    rule: "provider.allowed",
    options: withUpstream(),
    run: async (w) => {
      const visitor = w.visitor()
      const { hidden } = login(await authorize(visitor, "web")).form
      return visitor.post("/login/upstream", [...hidden, ["provider", "corp"]])
    },
    expect: { status: 303, to: "/login", params: { problem: "form_stale" } },
  },
  {
    title: "OpenID Connect Core §3.1.2.1: login_hint, ui_locales, prompt and max_age go with the person",
    rule: undefined,
    options: withUpstream(),
    run: async (w) =>
      (await sent(w, "work", { ...corp, login_hint: "ann", ui_locales: "de", prompt: "select_account consent", max_age: "60" })).away,
    expect: { ...atCorp, params: { login_hint: "ann", ui_locales: "de", prompt: "select_account", max_age: "60" } },
  },
  {
    title: "OpenID Connect Core §3.1.2.1: who wants to use another account is asked for one there",
    rule: undefined,
    options: withUpstream(),
    run: async (w) => {
      const visitor = await signedIn(w)
      w.pass(1)
      const form = await visitor.get("/login?another=1")
      return choose(visitor, form, "corp")
    },
    expect: { ...atCorp, params: { prompt: "select_account" } },
  },
  {
    title: "OpenID Connect Core §3.1.2.1: sent there without a page, they are asked for one too, and by no name",
    rule: "login.since",
    options: withUpstream(),
    run: async (w) => {
      const { visitor, away } = await sent(w, "corporate", { login_hint: "ann" })
      const end = await follow(visitor, await comeBack(visitor, away))
      w.pass(1)
      const waiting = await authorize(visitor, "corporate", { prompt: "consent", login_hint: "ann" })
      const again = await visitor.get(String(waiting.page?.["another"]))
      return told(again, { hint: again.params["login_hint"], before: end.status })
    },
    expect: { ...atCorp, params: { prompt: "select_account" }, json: { hint: "", before: 303 } },
  },
  {
    title: "OpenID Connect Core §3.1.2.1: a forced sign-in is forced there too",
    rule: undefined,
    options: withUpstream(),
    run: async (w) => (await sent(w, "work", { ...corp, prompt: "login" })).away,
    expect: { ...atCorp, params: { prompt: "login", max_age: "0" } },
  },
  {
    title: "OpenID Connect Core §3.1.2.6: prompt=none goes nowhere",
    rule: "person.source-asked",
    options: withUpstream(),
    run: async (w) => authorize(await signedIn(w), "work", { ...corp, prompt: "none" }),
    expect: sentBack("login_required", "The person must sign in."),
  },
]

const backCases: ReadonlyArray<Case> = [
  {
    title: "OpenID Connect Core §3.1.2.5: back from the provider, the request that waited goes on",
    rule: undefined,
    options: withUpstream(),
    run: async (w) => (await signedInThere(w)).end,
    expect: granted,
  },
  {
    title: "OpenID Connect Core §5.7: who comes again from the same issuer with the same subject is the same person",
    rule: undefined,
    options: withUpstream(),
    run: async (w) => {
      const subjects = [
        await idTokenOf(w, (await signedInThere(w)).end),
        await idTokenOf(w, (await signedInThere(w)).end),
        await idTokenOf(w, (await signedInThere(w, "work", corp, { code: "bea" })).end),
        await idTokenOf(w, (await signedInThere(w, "work", { acr_values: "idp:school" })).end),
      ].map(({ sub }) => sub)
      const again = (await signedInThere(w)).end
      return told(again, { alike: subjects[0] === subjects[1], different: new Set(subjects).size })
    },
    expect: { ...granted, json: { alike: true, different: 3 } },
  },
  {
    title: "OpenID Connect Core §2: where the provider states no acr, it is the one that the configuration has for such sign-ins",
    rule: undefined,
    options: withUpstream({}),
    run: async (w) => {
      const { end } = await signedInThere(w)
      return told(end, { acr: (await idTokenOf(w, end))["acr"] })
    },
    expect: { ...granted, json: { acr: "urn:postern:upstream" } },
  },
  {
    title: "OpenID Connect Core §2: acr, amr and auth_time are what the provider says",
    rule: undefined,
    options: withUpstream({ authTime: 1_795_000_000, amr: ["pwd", "otp"], acr: "silver" }),
    run: async (w) => {
      const { end } = await signedInThere(w)
      const { acr, amr, auth_time } = await idTokenOf(w, end)
      return told(end, { acr, amr, auth_time })
    },
    expect: { ...granted, json: { acr: "silver", amr: ["pwd", "otp"], auth_time: 1_795_000_000 } },
  },
  {
    title: "OAuth 2.0 Form Post Response Mode §2: an answer by form, without our cookies, goes on by GET",
    rule: undefined,
    options: withUpstream(),
    run: async (w) => {
      const { visitor, away } = await sent(w)
      const hop = await w.visitor().post("/login/callback/corp", { state: away.params["state"] ?? "", code: "ann" })
      return follow(visitor, await visitor.get(hop.header("location") ?? ""))
    },
    expect: granted,
  },
  {
    title: "OAuth 2.0 Form Post Response Mode §2: an answer by form, with our cookies, is taken as it is",
    rule: undefined,
    options: withUpstream(),
    run: async (w) => {
      const { visitor, away } = await sent(w)
      return follow(visitor, await visitor.post("/login/callback/corp", { state: away.params["state"] ?? "", code: "ann" }))
    },
    expect: granted,
  },
  {
    title: "RFC 6749 §10.12: a made-up state belongs to no attempt",
    rule: "interaction.known",
    options: withUpstream(),
    run: async (w) => {
      const { visitor, away } = await sent(w)
      return comeBack(visitor, away, { code: "ann", state: `${(away.params["state"] ?? "").slice(0, -1)}_` })
    },
    expect: shown("interaction_expired"),
  },
  {
    title: "RFC 9700 §4.7.1: an answer to an attempt of another browser is refused, and signs nobody in",
    rule: "interaction.browser",
    options: withUpstream(),
    run: async (w) => comeBack(w.visitor(), (await sent(w)).away),
    expect: shown("interaction_elsewhere"),
  },
  {
    title: "behaviour, lifetimes: an attempt ends with the request that waits for it",
    rule: "interaction.fresh",
    options: withUpstream(),
    run: async (w) => {
      const { visitor, away } = await sent(w)
      w.pass(900)
      return comeBack(visitor, away)
    },
    expect: shown("interaction_expired"),
  },
  {
    title: "RFC 9700 §4.7.1: a waiting request's own handle is no state",
    rule: "interaction.known",
    options: withUpstream(),
    run: async (w) => {
      const visitor = w.visitor()
      const begun = await visitor.get("/connect/authorize", request("work"))
      return visitor.get("/login/callback/corp", { code: "ann", state: (begun.params["interaction"] ?? "").replace(/^i/, "u") })
    },
    expect: shown("interaction_expired"),
  },
  {
    title: "RFC 9700 §4.4.2.2: an answer at another provider's callback is refused",
    rule: "upstream.provider",
    options: withUpstream(),
    run: async (w) => {
      const { visitor, away } = await sent(w)
      return visitor.get("/login/callback/school", { code: "ann", state: away.params["state"] ?? "" })
    },
    expect: shown("request_invalid"),
  },
  {
    title: "RFC 6749 §3.1: an answer with a parameter twice is refused",
    rule: "upstream.parameters-once",
    options: withUpstream(),
    run: async (w) => {
      const { visitor, away } = await sent(w)
      return visitor.get("/login/callback/corp", [
        ["state", away.params["state"] ?? ""],
        ["code", "ann"],
        ["code", "bea"],
      ])
    },
    expect: shown("request_invalid"),
  },
  {
    title: "RFC 9700 §4.7.1: a state is good for one answer, whose outcome is told again to a browser that comes twice",
    rule: undefined,
    options: withUpstream(),
    run: async (w) => {
      const { visitor, away } = await sent(w)
      const first = await comeBack(visitor, away)
      visitor.cookies.delete("__Host-postern-session")
      const second = await follow(visitor, await comeBack(visitor, away, { code: "bea" }))
      const [anns, beas] = [await w.tokens.sessionsOf("https://corp.example ann"), await w.tokens.sessionsOf("https://corp.example bea")]
      return told(second, { same: first.params["code"] === second.params["code"], sessions: [anns.length, beas.length] })
    },
    expect: { ...granted, json: { same: true, sessions: [1, 0] } },
  },
  {
    title: "RFC 9700 §4.7.1: an answer that came to nothing comes to nothing again, whatever it says",
    rule: undefined,
    options: withUpstream(),
    run: async (w) => {
      const { visitor, away } = await sent(w)
      await comeBack(visitor, away, { error: "access_denied" })
      return comeBack(visitor, away)
    },
    expect: { status: 303, to: "/login", params: { problem: "upstream_denied", idp: "corp" } },
  },
  {
    title: "RFC 9700 §4.7.1: a sign-in by itself is told again too",
    rule: undefined,
    options: withUpstream(),
    run: async (w) => {
      const visitor = w.visitor()
      const away = await choose(visitor, await visitor.get("/login"), "school")
      await comeBack(visitor, away)
      visitor.cookies.delete("__Host-postern-session")
      return follow(visitor, await comeBack(visitor, away))
    },
    expect: page("Home", 200, { person: { username: "ann" } }),
  },
  {
    title: "RFC 9700 §4.7.1: an answer whose outcome was not kept is not told again",
    rule: "upstream.unused",
    options: withUpstream(),
    run: async (w) => {
      const { visitor, away } = await sent(w)
      const row = await attemptOf(w, away)
      // As a version of before finished it.
      const command = finishUpstream(row, w.now(), { outcome: "refused", problem: "upstream_failed" })
      await w.tokens.commit([{ ...command, row: { ...row, finishedAt: w.now(), version: row.version + 1 } }])
      return comeBack(visitor, away)
    },
    expect: shown("interaction_finished"),
  },
  {
    title: "OpenID Connect Core §3.1.2.3: an answer does not bring back the session of its sign-in after that has ended",
    rule: "upstream.unused",
    options: withUpstream(),
    run: async (w) => {
      const { visitor, away } = await sent(w)
      await comeBack(visitor, away)
      await visitor.submit((await visitor.get("/logout")).page)
      return comeBack(visitor, away)
    },
    expect: shown("interaction_finished"),
  },
  {
    title: "OpenID Connect Core §3.1.2.3: an answer does not take the place of somebody who has signed in since",
    rule: "upstream.unused",
    options: withUpstream(),
    run: async (w) => {
      const { visitor, away } = await sent(w)
      await comeBack(visitor, away)
      // A browser whose first answer was lost: whoever signs in there ends no session.
      visitor.cookies.delete("__Host-postern-session")
      const form = await visitor.get("/login")
      await visitor.submit(form.page, [
        ["username", "alice"],
        ["password", password],
      ])
      return comeBack(visitor, away)
    },
    expect: shown("interaction_finished"),
  },
  {
    title: "RFC 6749 §4.1.2: an answer that another request redeems is waited for, and not redeemed as well",
    rule: "upstream.unclaimed",
    options: withUpstream({}, { more: { timer: ringingAtOnce } }),
    run: async (w) => {
      const { visitor, away } = await sent(w)
      await w.tokens.commit([noteAnswer({ ...(await attemptOf(w, away)), claimedAt: w.now() + 1 })])
      return comeBack(visitor, away)
    },
    expect: shown("unavailable", "temporarily_unavailable", 503),
  },
  {
    title: "RFC 6749 §4.1.2: after the time that its ports may take, whoever had claimed an answer is gone, and it is redeemed",
    rule: undefined,
    options: withUpstream({}, { more: { timer: ringingAtOnce } }),
    run: async (w) => {
      const { visitor, away } = await sent(w)
      await w.tokens.commit([noteAnswer({ ...(await attemptOf(w, away)), claimedAt: w.now() })])
      return follow(visitor, await comeBack(visitor, away))
    },
    expect: granted,
  },
  {
    title: "RFC 9700 §4.7.1: the outcome of an answer is told for ten seconds",
    rule: "interaction.unfinished",
    options: withUpstream(),
    run: async (w) => {
      const { visitor, away } = await sent(w)
      await comeBack(visitor, away)
      w.pass(11)
      return comeBack(visitor, away)
    },
    expect: shown("interaction_finished"),
  },
  {
    title: "RFC 9700 §4.7.1: an answer that comes when its request is long answered is refused",
    rule: "interaction.unfinished",
    options: withUpstream(),
    run: async (w) => {
      const visitor = w.visitor()
      const form = await authorize(visitor, "work")
      const away = await choose(visitor, form, "corp")
      await follow(
        visitor,
        await visitor.submit(form.page, [
          ["username", "alice"],
          ["password", password],
        ]),
      )
      w.pass(11)
      return comeBack(visitor, away)
    },
    expect: shown("interaction_finished"),
  },
]

const deniedCases: ReadonlyArray<Case> = [
  {
    title: "OpenID Connect Core §3.1.2.6: who turned back there comes to the sign-in page, with words for it",
    rule: "upstream.identified",
    options: withUpstream(),
    run: async (w) => (await signedInThere(w, "work", corp, { error: "access_denied" })).end,
    expect: page("Login", 400, { problem: "upstream_denied", problemProvider: "Corporation" }),
  },
  {
    title: "OpenID Connect Core §3.1.3.7: an answer that cannot be believed signs nobody in",
    rule: "upstream.identified",
    options: withUpstream(),
    run: async (w) => (await signedInThere(w, "work", corp, { error: "server_error" })).end,
    expect: page("Login", 400, { problem: "upstream_failed" }),
  },
  {
    title: "specification §2.1 acr_values: after a failure nobody is sent there again unasked",
    rule: "login.forward-untried",
    options: withUpstream(),
    run: async (w) => {
      const visitor = w.visitor()
      const begun = await visitor.get("/connect/authorize", request("work", corp))
      await follow(visitor, await comeBack(visitor, await follow(visitor, begun), { error: "access_denied" }))
      return visitor.get(begun.header("location") ?? "")
    },
    expect: page("Login", 200, { local: true }),
  },
  {
    title: "specification §2.1 acr_values: after a failure another way may be chosen, and leads to the client",
    rule: undefined,
    options: withUpstream(),
    run: async (w) => {
      const { visitor, end } = await signedInThere(w, "work", corp, { error: "access_denied" })
      w.pass(1)
      return follow(
        visitor,
        await visitor.submit(end.page, [
          ["username", "alice"],
          ["password", password],
        ]),
      )
    },
    expect: granted,
  },
  {
    title: "OpenID Connect Core §3.1.2.1: a forced sign-in that did not take place there is none",
    rule: "upstream.fresh",
    options: withUpstream({ authTime: 1_795_000_000 }),
    run: async (w) => (await signedInThere(w, "work", { ...corp, prompt: "login" })).end,
    expect: page("Login", 400, { problem: "upstream_stale" }),
  },
  {
    title: "OpenID Connect Core §3.1.3.7: a provider asked for a fresh sign-in must say when it was",
    rule: "upstream.fresh",
    options: withUpstream(),
    run: async (w) => (await signedInThere(w, "work", { ...corp, max_age: "60" })).end,
    expect: page("Login", 400, { problem: "upstream_stale" }),
  },
  {
    title: "OpenID Connect Core §3.1.2.1: a forced sign-in that took place there counts, once",
    rule: undefined,
    options: withUpstream(fresh),
    run: async (w) => {
      const { visitor, away } = await sent(w, "work", { ...corp, prompt: "login" })
      w.pass(10)
      return follow(visitor, await comeBack(visitor, away))
    },
    expect: granted,
  },
  {
    title: "OpenID Connect Core §3.1.2.1: a sign-in there that is young enough for max_age counts",
    rule: undefined,
    options: withUpstream({ authTime: fresh.authTime === undefined ? undefined : fresh.authTime - 50 }),
    run: async (w) => (await signedInThere(w, "work", { ...corp, max_age: "60" })).end,
    expect: granted,
  },
  {
    title: "OpenID Connect Core §5.7: somebody whom the authenticator does not admit is not signed in",
    rule: "upstream.admitted",
    options: withUpstream({}, { authenticator: { admit: () => ({ _tag: "Rejected", reason: "nobody from there" }) } }),
    run: async (w) => (await signedInThere(w)).end,
    expect: page("Login", 400, { problem: "upstream_rejected" }),
  },
  {
    title: "OpenID Connect Core §3.1.2.3: a disabled person does not come in by another provider",
    rule: "upstream.person-active",
    options: withUpstream(
      {},
      {
        authenticator: {
          admit: () => ({
            _tag: "Verified",
            person: { subject: "sub-mallory", username: "mallory", active: false, claims: {} },
            amr: [],
            acr: undefined,
          }),
        },
      },
    ),
    run: async (w) => (await signedInThere(w)).end,
    expect: page("Login", 400, { problem: "upstream_rejected" }),
  },
  {
    title: "RFC 6749 §4.1.2.1: a provider that cannot be reached is a page that says so, and nothing is used up",
    rule: "session.live",
    options: withUpstream({}, { more: { identityProviders: { ...fakeProviders(), begin: () => Promise.reject(new Error("no answer")) } } }),
    run: async (w) => (await sent(w)).away,
    expect: { ...shown("unavailable", "temporarily_unavailable", 503), headers: { "retry-after": "2" } },
  },
]

const sourceCases: ReadonlyArray<Case> = [
  {
    title: "specification §1: a session by password does not do for a client that wants none of ours",
    rule: "person.source",
    options: withUpstream(),
    run: async (w) => authorize(await signedIn(w), "federated"),
    expect: page("Login", 200, { local: false }),
  },
  {
    title: "specification §1: a session from a provider that the client does not allow does not do",
    rule: "person.source",
    options: withUpstream(),
    run: async (w) => {
      const { visitor } = await signedInThere(w, "work", { acr_values: "idp:school" })
      return authorize(visitor, "corporate")
    },
    expect: atCorp,
  },
  {
    title: "specification §1: a session by password made in another tab meanwhile does not do either",
    rule: "login.source",
    options: withUpstream(),
    run: async (w) => {
      const visitor = w.visitor()
      const begun = await visitor.get("/connect/authorize", request("federated"))
      w.pass(1)
      await signIn(visitor)
      return follow(visitor, await visitor.get(begun.header("location") ?? ""))
    },
    expect: page("Login", 200, { local: false }),
  },
  {
    title: "specification §1: with prompt=none that is login_required",
    rule: "person.source",
    options: withUpstream(),
    run: async (w) => authorize(await signedIn(w), "federated", { prompt: "none" }),
    expect: sentBack("login_required", "The person must sign in."),
  },
  {
    title: "specification §2.1 acr_values: a session from elsewhere does not do for idp:NAME",
    rule: "person.source-asked",
    options: withUpstream(),
    run: async (w) => authorize(await signedIn(w), "work", corp),
    expect: atCorp,
  },
  {
    title: "specification §2.1 acr_values: a session from the provider that is asked for does",
    rule: undefined,
    options: withUpstream(),
    run: async (w) => {
      const { visitor } = await signedInThere(w)
      return authorize(visitor, "work", corp)
    },
    expect: granted,
  },
  {
    title: "specification §1: a device of such a client is not confirmed in a session by password",
    rule: "source.allowed",
    options: withUpstream(),
    run: async (w) => {
      const device = await post(w, "/connect/deviceauthorization", "board", {})
      return (await signedIn(w)).get("/device", { user_code: String(device.json?.["user_code"]) })
    },
    expect: { status: 303, to: "/login" },
  },
]

const acrCases: ReadonlyArray<Case> = [
  {
    title: "OpenID Connect Core §3.1.2.1: contexts that the client asks for are asked of the other provider, without the words for ours",
    rule: undefined,
    options: withUpstream(),
    run: async (w) => (await sent(w, "work", { acr_values: "gold idp:corp tenant:acme silver" })).away,
    expect: { ...atCorp, params: { acr_values: "gold silver" } },
  },
  {
    title: "OpenID Connect Core §3.1.2.1: other acr_values are offered to the authenticator, and the one reached is the acr claim",
    rule: undefined,
    options: {
      authenticator: {
        verify: ({ acrValues }) => ({
          _tag: "Verified",
          person: { subject: "sub-alice", username: "alice", active: true, claims: {} },
          amr: ["pwd"],
          acr: acrValues.join(" "),
        }),
      },
    },
    run: async (w) => {
      const visitor = w.visitor()
      const form = await authorize(visitor, "web", { acr_values: "gold tenant:acme idp:corp silver" })
      const end = await follow(
        visitor,
        await visitor.submit(form.page, [
          ["username", "alice"],
          ["password", password],
        ]),
      )
      return told(end, { acr: (await idTokenOf(w, end, "web"))["acr"] })
    },
    expect: { ...granted, json: { acr: "gold silver" } },
  },
]

/** An authenticator that reaches whatever context is asked for first. */
const reaching: Pick<AuthenticatorPort, "verify"> = {
  verify: ({ acrValues: [acr] }) => ({
    _tag: "Verified",
    person: { subject: "sub-alice", username: "alice", active: true, claims: {} },
    amr: ["pwd"],
    acr,
  }),
}

const claimsCases: ReadonlyArray<Case> = [
  {
    title: "OpenID Connect Core §5.5.1.1: an acr that claims asks for is offered first, so that an essential one can be reached",
    rule: undefined,
    options: { authenticator: reaching },
    run: async (w) => {
      const visitor = w.visitor()
      const claims = JSON.stringify({ id_token: { acr: { essential: true, values: ["gold"] } } })
      const form = await authorize(visitor, "web", { acr_values: "silver", claims })
      const end = await follow(
        visitor,
        await visitor.submit(form.page, [
          ["username", "alice"],
          ["password", password],
        ]),
      )
      return told(end, { acr: (await idTokenOf(w, end, "web"))["acr"] })
    },
    expect: { ...granted, json: { acr: "gold" } },
  },
  {
    title: "OpenID Connect Dynamic Client Registration §2: an acr that claims asks for takes the place of default_acr_values",
    rule: "session.live",
    options: withUpstream(),
    run: (w) => authorize(w.visitor(), "usual", { claims: JSON.stringify({ id_token: { acr: { value: "gold" } } }) }),
    expect: page("Login", 200),
  },
]

const ask = (w: World, clientId: string, changes: Readonly<Record<string, string>> = {}) =>
  token(w, clientId, { grant_type: "password", username: "ann", password: "corp secret", ...changes })
const wrong = refused("invalid_grant", "The username or password is not right.")

const passwordCases: ReadonlyArray<Case> = [
  {
    title: "RFC 6749 §4.3.2: passwords that go to another provider are guessed ten times and no more, for a while",
    rule: "password.account-attempts",
    options: withUpstream(),
    run: async (w) => {
      for (let tries = 0; tries < 10; tries++) await ask(w, "ropc-work", { ...corp, password: `guess ${tries}` })
      return ask(w, "ropc-work", corp)
    },
    expect: { ...refused("invalid_grant", "Too many failed attempts. Try again later.", 429), headers: { "retry-after": "900" } },
  },
  {
    title: "RFC 6749 §4.3.2: there too an account is the same however its name is spelled",
    rule: "password.account-attempts",
    options: withUpstream(),
    run: async (w) => {
      for (const username of ["ann", "ANN", "ａｎｎ", " Ann "])
        for (let tries = 0; tries < 3; tries++) await ask(w, "ropc-work", { ...corp, username, password: `guess ${tries}` })
      return ask(w, "ropc-work", corp)
    },
    expect: refused("invalid_grant", "Too many failed attempts. Try again later.", 429),
  },
  {
    title: "RFC 6749 §4.3.2: an address that guessed at fifty accounts there waits",
    rule: "password.address-attempts",
    options: withUpstream(),
    run: async (w) => {
      for (let tries = 0; tries < 50; tries++) await ask(w, "ropc-work", { ...corp, username: `victim ${tries}`, password: "guess" })
      return ask(w, "ropc-work", corp)
    },
    expect: refused("invalid_grant", "Too many failed attempts. Try again later.", 429),
  },
  {
    title: "RFC 6749 §4.3.2: after a quarter of an hour they may be tried again",
    rule: undefined,
    options: withUpstream(),
    run: async (w) => {
      for (let tries = 0; tries < 11; tries++) await ask(w, "ropc-work", { ...corp, password: `guess ${tries}` })
      w.pass(900)
      return ask(w, "ropc-work", corp)
    },
    expect: { status: 200 },
  },
  {
    title: "specification §2.2 acr_values: idp:NAME has the password checked at the provider",
    rule: undefined,
    options: withUpstream({ acr: "silver" }),
    run: async (w) => {
      const answer = await ask(w, "ropc-work", corp)
      const { sub, acr } = claimsOf(String(answer.json?.["id_token"]))
      return told(answer, { sub, acr })
    },
    expect: { status: 200, json: { sub: "https://corp.example ann", acr: "silver" } },
  },
  {
    title: "specification §2.2 acr_values: a password that the provider refuses is invalid_grant",
    rule: "password.verified",
    options: withUpstream(),
    run: (w) => ask(w, "ropc-work", { ...corp, password: "wrong" }),
    expect: wrong,
  },
  {
    title: "specification §2.2 acr_values: a provider that the client is not allowed is passed over",
    rule: "provider.allowed",
    options: withUpstream(),
    run: (w) => ask(w, "ropc", corp),
    expect: wrong,
  },
  {
    title: "specification §1: a password of ours is refused for a client that wants none",
    rule: "password.source",
    options: withUpstream(),
    run: (w) => ask(w, "ropc-corporate", { username: "alice", password }),
    expect: wrong,
  },
  {
    title: "specification §2.2 acr_values: such a client names its provider",
    rule: undefined,
    options: withUpstream(),
    run: (w) => ask(w, "ropc-corporate", corp),
    expect: { status: 200, json: { token_type: "Bearer" } },
  },
  {
    title: "specification §2.2 acr_values: tenant:NAME reaches the authenticator from the token endpoint, with the other values",
    rule: undefined,
    options: {
      authenticator: {
        verify: ({ tenant, acrValues }) => ({
          _tag: "Verified",
          person: { subject: "sub-alice", username: "alice", active: true, claims: {} },
          amr: ["pwd"],
          acr: `${tenant} ${acrValues.join(" ")}`,
        }),
      },
    },
    run: async (w) => {
      const answer = await ask(w, "ropc", { acr_values: "tenant:acme gold" })
      return told(answer, { acr: claimsOf(String(answer.json?.["id_token"]))["acr"] })
    },
    expect: { status: 200, json: { acr: "acme gold" } },
  },
]

/** Sign-in at other providers: specification §1, §2.1 and §2.2 acr_values, OpenID Connect Core §3.1, RFC 9700 §4.4, §4.7. */
export const cases: ReadonlyArray<Case> = [
  ...pageCases,
  ...thereCases,
  ...backCases,
  ...deniedCases,
  ...sourceCases,
  ...acrCases,
  ...claimsCases,
  ...passwordCases,
]
