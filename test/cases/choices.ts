import { authorize, follow, interactionOf, post, request, signedIn } from "../support/flows.ts"
import { password } from "../support/world.ts"
import { type Case, page } from "./case.ts"

const bob = [
  ["username", "bob"],
  ["password", password],
] as const

const accountCases: ReadonlyArray<Case> = [
  {
    title: "OpenID Connect Core §3.1.2.1: who is signed in can sign in as somebody else, on a form without their name",
    rule: "login.same-account",
    run: async (w) => (await signedIn(w)).get("/login?another=1"),
    expect: page("Login", 200, { username: "" }),
  },
  {
    title: "OpenID Connect Core §3.1.2.3: asked for consent, a person signs in as somebody else, who is asked instead",
    rule: undefined,
    run: async (w) => {
      const visitor = await signedIn(w)
      w.pass(1)
      const asked = await authorize(visitor, "asks")
      const form = await visitor.get(String(asked.page?.["another"]))
      return follow(visitor, await visitor.submit(form.page, bob))
    },
    expect: page("Consent", 200, { person: { username: "bob" }, client: { name: "Asking App" } }),
  },
  {
    title: "OpenID Connect Core §3.1.2.1: prompt=login fills in who is signed in, and offers another account",
    rule: "person.prompted",
    run: async (w) => authorize(await signedIn(w), "web", { prompt: "login" }),
    expect: page("Login", 200, { username: "alice", person: { username: "alice" } }),
  },
  {
    title: "RFC 8628 §3.3: asked about a device, a person signs in as somebody else, and the code is still known",
    rule: "device-page.same-account",
    run: async (w) => {
      const { json } = await post(w, "/connect/deviceauthorization", "tv", { scope: "openid" })
      const visitor = await signedIn(w)
      w.pass(1)
      const confirm = await visitor.get("/device", { user_code: String(json?.["user_code"]) })
      return follow(visitor, await visitor.get(String(confirm.page?.["another"])))
    },
    expect: page("Login", 200, { client: { name: "Television" } }),
  },
  {
    title: "RFC 8628 §3.3: signed in as somebody else, a person confirms the device as that one",
    rule: undefined,
    run: async (w) => {
      const { json } = await post(w, "/connect/deviceauthorization", "tv", { scope: "openid" })
      const visitor = await signedIn(w)
      w.pass(1)
      const confirm = await visitor.get("/device", { user_code: String(json?.["user_code"]) })
      const form = await follow(visitor, await visitor.get(String(confirm.page?.["another"])))
      return follow(visitor, await visitor.submit(form.page, bob))
    },
    expect: page("DeviceConfirm", 200, { person: { username: "bob" } }),
  },
]

const languageCases: ReadonlyArray<Case> = [
  {
    title: "behaviour, people: a language chosen on a page comes before Accept-Language, from then on",
    rule: "session.live",
    run: async (w) => {
      const visitor = w.visitor({ "accept-language": "es" })
      await visitor.get("/login?lang=de")
      return visitor.get("/login")
    },
    expect: page("Login", 200, { locales: ["de", "es"] }),
  },
  {
    title: "behaviour, people: the language menu keeps the request that waits",
    rule: "session.live",
    run: async (w) => {
      const visitor = w.visitor()
      const form = await authorize(visitor, "asks")
      return visitor.get(`${String(form.page?.["languageAddress"])}fr`)
    },
    expect: page("Login", 200, { locales: ["fr"], client: { name: "Asking App" } }),
  },
  {
    title: "behaviour, people: shown again after a wrong password, a form can be got in another language",
    rule: "session.live",
    run: async (w) => {
      const visitor = w.visitor()
      const form = await authorize(visitor, "asks")
      const again = await visitor.submit(form.page, [
        ["username", "alice"],
        ["password", "wrong"],
      ])
      const other = await visitor.get(`${String(again.page?.["languageAddress"])}ja`)
      return { ...other, params: { waits: String(interactionOf(other) === interactionOf(form)) } }
    },
    expect: { ...page("Login", 200, { locales: ["ja"] }), params: { waits: "true" } },
  },
  {
    title: "OpenID Connect Core §3.1.2.1: ui_locales come before a language chosen for another request",
    rule: "person.signed-in",
    run: async (w) => {
      const visitor = w.visitor()
      await visitor.get("/login?lang=de")
      w.pass(1)
      return authorize(visitor, "web", { ui_locales: "fr" })
    },
    expect: page("Login", 200, { locales: ["fr", "de"] }),
  },
  {
    title: "behaviour, people: a language chosen on a page of this very request stays until it ends, whatever its ui_locales",
    rule: undefined,
    run: async (w) => {
      const visitor = w.visitor()
      const form = await authorize(visitor, "asks", { ui_locales: "fr" })
      const german = await visitor.get(`${String(form.page?.["languageAddress"])}de`)
      return follow(
        visitor,
        await visitor.submit(german.page, [
          ["username", "alice"],
          ["password", password],
        ]),
      )
    },
    expect: page("Consent", 200, { locales: ["de", "fr"] }),
  },
  {
    title: "RFC 9700 §4.11: an error has no language menu, which would repeat what was asked",
    rule: "authorize.client-known",
    run: async (w) => {
      const answer = await w.visitor().get("/connect/authorize", request("nobody"))
      return { ...answer, params: { address: String(answer.page?.["languageAddress"]) } }
    },
    expect: { status: 400, params: { address: "undefined" } },
  },
  {
    title: "RFC 9700 §4.11: the language menu repeats no parameter but those of our own pages",
    rule: "session.live",
    run: async (w) => {
      const answer = await w.visitor().get("/login?next=//evil.example/&another=1&lang=de")
      return { ...answer, params: { address: String(answer.page?.["languageAddress"]) } }
    },
    expect: { status: 200, params: { address: "/login?another=1&lang=" } },
  },
  {
    title: "RP-Initiated Logout §2: the language menu of the question repeats the request, unless it is long",
    rule: "end-session.asked",
    run: async (w) => {
      const visitor = await signedIn(w)
      const short = await visitor.get("/connect/endsession", { client_id: "web", state: "st" })
      const long = await visitor.get("/connect/endsession", { client_id: "web", state: "s".repeat(3000) })
      return { ...long, params: { short: String(short.page?.["languageAddress"]), long: String(long.page?.["languageAddress"]) } }
    },
    expect: { ...page("Logout"), params: { short: "/connect/endsession?client_id=web&state=st&lang=", long: "undefined" } },
  },
  {
    title: "behaviour, people: what is no language is not kept",
    rule: "session.live",
    run: async (w) => {
      const answer = await w.visitor().get("/login", { lang: "de;Secure\r\nset-cookie: a=b" })
      const set = answer.header("set-cookie") ?? ""
      return { ...answer, params: { kept: String(set.includes("language")) } }
    },
    expect: { ...page("Login", 200, { locales: [] }), params: { kept: "false" } },
  },
]

const sessionCases: ReadonlyArray<Case> = [
  {
    title: "behaviour, people: a person's list of sessions names the network of each, and no more of the address",
    rule: undefined,
    run: async (w) => (await signedIn(w)).get("/"),
    expect: page("Home", 200, { sessions: [{ address: "192.0.2.0/24", current: true }] }),
  },
]

/** Cases of a person's choices: an account, a language; and the list of their sessions. */
export const cases: ReadonlyArray<Case> = [...accountCases, ...languageCases, ...sessionCases]
