import { finishRequest } from "@postern/core/model"
import { authorize, follow, interactionOf, redeem, signedIn } from "../support/flows.ts"
import type { Said, Visitor } from "../support/visitor.ts"
import { type World, password } from "../support/world.ts"
import { type Case, sentBack, shown } from "./case.ts"

const credentials = (username: string) =>
  [
    ["username", username],
    ["password", password],
  ] as const

/** A visitor on the sign-in page of a request. */
const atSignIn = async (w: World, clientId = "web", changes: Readonly<Record<string, string>> = {}) => {
  const visitor = w.visitor()
  return { visitor, form: await authorize(visitor, clientId, changes) }
}

/** Fails unless something is so. */
const sure = (is: boolean, told: unknown): void => {
  if (!is) throw new Error(`not so: ${JSON.stringify(told)}`)
}

/** Signs in by a form, to the code that it comes to. */
const signedInBy = async (visitor: Visitor, form: Said, username = "alice"): Promise<Said> => {
  const answer = await follow(visitor, await visitor.submit(form.page, credentials(username)))
  sure(answer.params["code"] !== undefined, answer)
  return answer
}

const finished = shown("interaction_finished", "invalid_request")

const sameCode = { status: 303, to: "https://app.example/cb", params: { state: "st", same: "true" } }

/** Tells of an answer if its code is that of another. */
const compared = (first: Said, second: Said): Said => ({
  ...second,
  params: { ...second.params, same: String(first.params["code"] !== undefined && first.params["code"] === second.params["code"]) },
})

/** One request has one outcome, however often and by whomever it is answered. */
export const cases: ReadonlyArray<Case> = [
  {
    title: "RFC 6749 §4.1.2: a sign-in form that is sent twice gets one code, and its person one session",
    rule: undefined,
    run: async (w) => {
      const { visitor, form } = await atSignIn(w)
      const first = await signedInBy(visitor, form)
      visitor.cookies.delete("__Host-postern-session")
      const second = await visitor.submit(form.page, credentials("alice"))
      const sessions = await w.tokens.sessionsOf("sub-alice")
      sure(sessions.length === 1, sessions)
      sure((await redeem(w, second.params["code"] ?? "")).status === 200, second.params)
      return compared(first, second)
    },
    expect: sameCode,
  },
  {
    title: "RFC 6749 §4.1.2, OAuth 2.0 Form Post Response Mode §2: a code that is sent again is sent in the response mode of its request",
    rule: undefined,
    run: async (w) => {
      const { visitor, form } = await atSignIn(w, "web", { response_mode: "form_post" })
      const first = await signedInBy(visitor, form)
      return compared(first, await visitor.submit(form.page, credentials("alice")))
    },
    expect: { status: 200, page: { _tag: "FormPost" }, params: { state: "st", same: "true" } },
  },
  {
    title: "RFC 6749 §4.1.2: whoever allows and then denies has allowed, and is sent the same code",
    rule: undefined,
    run: async (w) => {
      const visitor = await signedIn(w)
      const asked = await authorize(visitor, "asks")
      const first = await visitor.submit(asked.page, [["decision", "allow"]])
      return compared(first, await visitor.submit(asked.page, [["decision", "deny"]]))
    },
    expect: sameCode,
  },
  {
    title: "RFC 6749 §4.1.2.1: whoever denies and then allows has denied, and nothing is granted or remembered",
    rule: "answered.error",
    run: async (w) => {
      const visitor = await signedIn(w)
      const asked = await authorize(visitor, "asks")
      await visitor.submit(asked.page, [["decision", "deny"]])
      const second = await visitor.submit(asked.page, [["decision", "allow"]])
      sure((await w.tokens.findConsent("sub-alice", "asks")) === undefined, "a consent")
      sure((await w.tokens.grantsOf("sub-alice")).length === 0, "a grant")
      return second
    },
    expect: sentBack("access_denied", "The person did not allow it."),
  },
  {
    title: "RFC 6749 §4.1.2, §10.5: a code that was redeemed is not sent again",
    rule: "answered.code-good",
    run: async (w) => {
      const { visitor, form } = await atSignIn(w)
      const { params } = await signedInBy(visitor, form)
      sure((await redeem(w, params["code"] ?? "")).status === 200, params)
      return follow(visitor, await visitor.submit(form.page, credentials("alice")))
    },
    expect: finished,
  },
  {
    title: "RFC 6749 §4.1.2: tokens that were sent with an authorization response are not sent again",
    rule: "answered.code-good",
    run: async (w) => {
      const { visitor, form } = await atSignIn(w, "hybrid", { response_type: "code id_token", nonce: "n" })
      await signedInBy(visitor, form)
      return follow(visitor, await visitor.submit(form.page, credentials("alice")))
    },
    expect: finished,
  },
  {
    title:
      "RFC 6749 §4.1.2, OpenID Connect Core §3.1.2.3: somebody else who signs in by the same form has their own session, and no code of another person",
    rule: "answered.same-person",
    run: async (w) => {
      const { visitor, form } = await atSignIn(w)
      await signedInBy(visitor, form)
      const answer = await follow(visitor, await visitor.submit(form.page, credentials("bob")))
      const home = await visitor.get("/")
      sure((home.page?.["person"] as { username?: string } | undefined)?.username === "bob", home.page)
      return answer
    },
    expect: finished,
  },
  {
    title: "RFC 6749 §4.1.2: a request whose outcome was not kept is not answered again",
    rule: "answered.outcome-kept",
    run: async (w) => {
      const { visitor, form } = await atSignIn(w)
      const row = await w.tokens.findInteraction(interactionOf(form).slice(2, 18))
      if (row?.kind !== "authorization") throw new Error("nothing waits")
      // As a version of before finished it.
      const { answer: _, ...before } = { ...row, finishedAt: w.now(), version: row.version + 1 }
      await w.tokens.commit([{ ...finishRequest(row, w.now(), { outcome: "granted", subject: "sub-alice" }), row: before }])
      return follow(visitor, await visitor.submit(form.page, credentials("alice")))
    },
    expect: finished,
  },
  {
    title: "OpenID Connect Core §3.1.2.3: a sign-in form that is sent twice before consent makes one session",
    rule: undefined,
    run: async (w) => {
      const { visitor, form } = await atSignIn(w, "asks")
      await visitor.submit(form.page, credentials("alice"))
      visitor.cookies.delete("__Host-postern-session")
      const consent = await follow(visitor, await visitor.submit(form.page, credentials("alice")))
      const sessions = await w.tokens.sessionsOf("sub-alice")
      sure(sessions.length === 1, sessions)
      return visitor.submit(consent.page, [["decision", "allow"]])
    },
    expect: { status: 303, to: "https://app.example/cb", params: { state: "st" } },
  },
  {
    title: "OpenID Connect Core §3.1.2.3: a sign-in form that is sent again after its session has ended makes a session that lasts",
    rule: "sign-in.session-before",
    run: async (w) => {
      const { visitor, form } = await atSignIn(w, "asks")
      await visitor.submit(form.page, credentials("alice"))
      await visitor.submit((await visitor.get("/logout")).page)
      return follow(visitor, await visitor.submit(form.page, credentials("alice")))
    },
    expect: { status: 200, page: { _tag: "Consent" } },
  },
  {
    title: "OpenID Connect Core §3.1.2.3: somebody else who signs in by a form that was sent a moment ago is asked for consent themselves",
    rule: "sign-in.same",
    run: async (w) => {
      const { visitor, form } = await atSignIn(w, "asks")
      await visitor.submit(form.page, credentials("alice"))
      return follow(visitor, await visitor.submit(form.page, credentials("bob")))
    },
    expect: { status: 200, page: { _tag: "Consent", person: { username: "bob" } } },
  },
  {
    title: "OpenID Connect Core §3.1.2.3: a sign-in a quarter of a minute later is another one",
    rule: "sign-in.session-before",
    run: async (w) => {
      const { visitor, form } = await atSignIn(w, "asks")
      await visitor.submit(form.page, credentials("alice"))
      w.pass(15)
      const second = await visitor.submit(form.page, credentials("alice"))
      const [latest] = await w.tokens.sessionsOf("sub-alice")
      sure(latest?.authTime === w.now(), latest)
      return second
    },
    expect: { status: 303, to: "/consent" },
  },
  {
    title: "RFC 6749 §4.1.2, architecture law 9: neither a code nor a session that can be sent again stands in a row",
    rule: undefined,
    run: async (w) => {
      const { visitor, form } = await atSignIn(w)
      const answer = await signedInBy(visitor, form)
      const row = JSON.stringify(await w.tokens.findInteraction(interactionOf(form).slice(2, 18)))
      const secrets = [answer.params["code"] ?? "", visitor.cookies.get("__Host-postern-session") ?? ""].map((value) => value.slice(18))
      sure(
        secrets.every((secret) => secret.length === 43 && !row.includes(secret)),
        { row, secrets },
      )
      return answer
    },
    expect: { status: 303, to: "https://app.example/cb" },
  },
  {
    title: "RFC 6749 §4.1.2: the consent page of a request that is finished leads to its outcome",
    rule: "interaction.open",
    run: async (w) => {
      const visitor = await signedIn(w)
      const asked = await authorize(visitor, "asks")
      const first = await visitor.submit(asked.page, [["decision", "allow"]])
      return compared(first, await follow(visitor, await visitor.get("/consent", { interaction: interactionOf(asked) })))
    },
    expect: sameCode,
  },
  {
    title: "RFC 6749 §4.1.2: so does its sign-in page",
    rule: "interaction.open",
    run: async (w) => {
      const { visitor, form } = await atSignIn(w)
      const first = await signedInBy(visitor, form)
      return compared(first, await follow(visitor, await visitor.get("/login", { interaction: interactionOf(form), another: "1" })))
    },
    expect: sameCode,
  },
  {
    title: "RFC 6749 §4.1.2: the sign-in page of a request that is finished says so to whoever is not signed in",
    rule: "answered.same-person",
    run: async (w) => {
      const { visitor, form } = await atSignIn(w)
      await signedInBy(visitor, form)
      visitor.cookies.delete("__Host-postern-session")
      return follow(visitor, await visitor.get("/login", { interaction: interactionOf(form) }))
    },
    expect: finished,
  },
  {
    title: "RFC 6749 §4.1.2: a request that is finished needs nothing of its person, and goes on to what it was answered",
    rule: undefined,
    run: async (w) => {
      const { visitor, form } = await atSignIn(w)
      const first = await signedInBy(visitor, form)
      const told = await w.provider.interaction(visitor.message(`/own?interaction=${interactionOf(form)}`))
      if (told.need !== "nothing") throw new Error(`asks for ${told.need}`)
      return compared(first, await visitor.get(String(told.location).slice("https://op.example".length)))
    },
    expect: sameCode,
  },
]
