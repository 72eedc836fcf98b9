import type { AuthenticatorPort, Person } from "@postern/core"
import { authorize, follow, interactionOf, post, request } from "../support/flows.ts"
import type { Said, Visitor } from "../support/visitor.ts"
import { type World, type WorldOptions, clients, password } from "../support/world.ts"
import { type Case, page, sentBack } from "./case.ts"

/** Carol belongs to the tenant labs, Erin to any; where Dana does, the authenticator alone knows. */
const people: ReadonlyArray<Person> = [
  { subject: "sub-carol", username: "carol", active: true, claims: {}, tenant: "labs" },
  { subject: "sub-erin", username: "erin", active: true, claims: {}, tenant: null },
  { subject: "sub-dana", username: "dana", active: true, claims: {} },
]

const authenticator: Pick<AuthenticatorPort, "verify" | "find"> = {
  find: (subject) => people.find((each) => each.subject === subject),
  verify: ({ username, tenant }) => {
    const person = people.find((each) => each.username === username)
    return person === undefined || (tenant !== undefined && typeof person.tenant === "string" && person.tenant !== tenant)
      ? { _tag: "Rejected", reason: "no such person in this tenant" }
      : { _tag: "Verified", person, amr: ["pwd"], acr: undefined }
  },
}

const options: WorldOptions = {
  authenticator,
  clients: clients.map((each) =>
    each.client_id === "tv"
      ? { ...each, default_acr_values: ["tenant:other"] }
      : each.client_id === "web"
        ? { ...each, require_consent: false }
        : each,
  ),
}

const typed = (username: string) => [["username", username] as const, ["password", password] as const]

/** A person who is signed in, for a tenant where one is named. */
const someone = async (w: World, username: string, tenant?: string): Promise<Visitor> => {
  const visitor = w.visitor()
  const form = tenant === undefined ? await visitor.get("/login") : await authorize(visitor, "web", { acr_values: `tenant:${tenant}` })
  await visitor.submit(form.page, typed(username))
  w.pass(10)
  return visitor
}

const asking = (visitor: Visitor, tenant: string | undefined, more: Readonly<Record<string, string>> = {}): Promise<Said> =>
  authorize(visitor, "web", { ...(tenant === undefined ? {} : { acr_values: `tenant:${tenant}` }), ...more })

const refusedFor = (who: string, signedInFor: string | undefined, asked: string): Case => ({
  title: `specification §2.1 acr_values: a session that ${who} has for ${signedInFor ?? "no tenant"} does not answer for the tenant ${asked}`,
  rule: "person.tenant",
  options,
  run: async (w) => asking(await someone(w, who, signedInFor), asked),
  expect: page("Login", 200, { tenant: asked }),
})

const answers = (who: string, signedInFor: string | undefined, asked: string | undefined): Case => ({
  title: `specification §2.1 acr_values: a session that ${who} has for ${signedInFor ?? "no tenant"} answers for ${asked ?? "no tenant"}`,
  rule: undefined,
  options,
  run: async (w) => asking(await someone(w, who, signedInFor), asked),
  expect: { status: 303, to: "https://app.example/cb" },
})

/** The tenant that a session answers for. */
export const cases: ReadonlyArray<Case> = [
  {
    title: "specification §2.1 acr_values: a person of another tenant is refused at sign-in",
    rule: "login.verified",
    options,
    run: async (w) => {
      const visitor = w.visitor()
      return visitor.submit((await asking(visitor, "other")).page, typed("carol"))
    },
    expect: page("Login", 400, { problem: "credentials" }),
  },
  refusedFor("carol", undefined, "other"),
  refusedFor("carol", "labs", "other"),
  refusedFor("dana", undefined, "labs"),
  refusedFor("dana", "labs", "other"),
  refusedFor("erin", "labs", "other"),
  answers("erin", undefined, "other"),
  answers("erin", "labs", "labs"),
  answers("carol", undefined, "labs"),
  answers("carol", undefined, undefined),
  answers("carol", "labs", "labs"),
  answers("carol", "labs", undefined),
  answers("dana", "labs", "labs"),
  answers("dana", "labs", undefined),
  {
    title: "specification §2.1 acr_values, OpenID Connect Core §3.1.2.6: with prompt=none a session of another tenant is login_required",
    rule: "person.tenant",
    options,
    run: async (w) => asking(await someone(w, "carol", "labs"), "other", { prompt: "none" }),
    expect: sentBack("login_required", "The person must sign in."),
  },
  {
    title: "specification §2.1 acr_values: default_acr_values of a client name a tenant too",
    rule: "person.tenant",
    options: {
      ...options,
      clients: clients.map((each) => (each.client_id === "web" ? { ...each, default_acr_values: ["tenant:other"] } : each)),
    },
    run: async (w) => {
      const visitor = w.visitor()
      await visitor.submit((await visitor.get("/login")).page, typed("carol"))
      return asking(visitor, undefined)
    },
    expect: page("Login", 200, { tenant: "other" }),
  },
  {
    title: "specification §2.1 acr_values: after signing in for the tenant that is asked for, the request goes on",
    rule: undefined,
    options,
    run: async (w) => {
      const visitor = await someone(w, "dana", "labs")
      const form = await asking(visitor, "other")
      return follow(visitor, await visitor.submit(form.page, typed("dana")))
    },
    expect: { status: 303, to: "https://app.example/cb" },
  },
  {
    title: "specification §2.1 acr_values: who signed in for another tenant meanwhile is shown the form, and sent round in no circle",
    rule: "login.tenant",
    options,
    run: async (w) => {
      const visitor = w.visitor()
      const waiting = await asking(visitor, "other")
      w.pass(10)
      await visitor.submit((await asking(visitor, "labs")).page, typed("carol"))
      return visitor.get("/login", { interaction: interactionOf(waiting) })
    },
    expect: page("Login", 200, { tenant: "other" }),
  },
  {
    title: "specification §2.1 acr_values: a consent page that waits for one tenant does not take the answer of another's session",
    rule: "session.tenant",
    options,
    run: async (w) => {
      const visitor = w.visitor()
      const form = await authorize(visitor, "asks", { acr_values: "tenant:labs" })
      const consent = await follow(visitor, await visitor.submit(form.page, typed("dana")))
      w.pass(10)
      await visitor.submit((await asking(visitor, "other")).page, typed("dana"))
      return visitor.get("/consent", { interaction: interactionOf(consent) })
    },
    expect: { status: 303, to: "/connect/authorize/resume" },
  },
  {
    title: "specification §2.1 acr_values, RFC 8628 §3.3: a device of a client of one tenant is not approved by another's session",
    rule: "session.tenant",
    options,
    run: async (w) => {
      const { json } = await post(w, "/connect/deviceauthorization", "tv", { scope: "openid" })
      const visitor = await someone(w, "carol", "labs")
      return visitor.get("/device", { user_code: String(json?.["user_code"]) })
    },
    expect: { status: 303, to: "/login" },
  },
  {
    title: "specification §2.1 acr_values: a request that was made for one tenant is answered by no session of another when it is resumed",
    rule: "person.tenant",
    options,
    run: async (w) => {
      const visitor = w.visitor()
      const waiting = await follow(visitor, await visitor.get("/connect/authorize", request("web", { acr_values: "tenant:other" })))
      w.pass(10)
      await visitor.submit((await asking(visitor, "labs")).page, typed("carol"))
      return visitor.get("/connect/authorize/resume", { interaction: interactionOf(waiting) })
    },
    expect: { status: 303, to: "/login" },
  },
]
