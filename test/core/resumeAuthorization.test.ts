import { memoryTokenStore } from "@postern/core/memory"
import type { Command } from "@postern/core/model"
import type { TokenStorePort } from "@postern/core/ports"
import { expect, test } from "vitest"
import { authorize, redeem, signIn } from "../support/flows.ts"
import { world } from "../support/world.ts"

const alice = [
  ["username", "alice"],
  ["password", "correct horse"],
] as const

/** A token store that tells what is committed, and can be made to fail. */
const telling = () => {
  const store = memoryTokenStore()
  const commits: Array<ReadonlyArray<Command["event"]>> = []
  const state = { fails: false }
  const tokens: TokenStorePort = {
    ...store,
    commit: (commands) => {
      if (state.fails) throw new Error("disk full")
      commits.push(commands.map(({ event }) => event))
      return store.commit(commands)
    },
  }
  return { tokens, commits, state }
}

test("OpenID Connect Core §3.1.2.3: a sign-in goes on with the request that waited, session and code in one commit", async () => {
  const { tokens, commits } = telling()
  const w = await world({ tokens })
  const visitor = w.visitor()
  const form = await authorize(visitor)
  commits.length = 0
  const answer = await visitor.submit(form.page, alice)
  expect([answer.status, answer.to]).toEqual([303, "https://app.example/cb"])
  expect(commits).toEqual([
    // The try is counted before the password is looked at.
    ["ReserveAttempt", "CountAttempt", "ReserveAttempt"],
    ["SaveSession", "ForgetAttempts", "ForgetAttempts", "ReturnAttempt", "RequireSession", "SaveGrant", "SaveCode", "FinishRequest"],
  ])
  expect((await redeem(w, answer.params["code"] ?? "")).status).toBe(200)
  expect((await authorize(visitor, "web", { prompt: "none" })).params["code"]).toBeDefined()
})

test("OpenID Connect Core §3.1.2.4: a sign-in leads to the consent page, and that to the client: a commit each", async () => {
  const { tokens, commits } = telling()
  const w = await world({ tokens })
  const visitor = w.visitor()
  const form = await authorize(visitor, "asks")
  const signedIn = await visitor.submit(form.page, alice)
  expect([signedIn.status, signedIn.to]).toEqual([303, "/consent"])
  const consent = await visitor.get(signedIn.header("location") ?? "")
  commits.length = 0
  const answer = await visitor.submit(consent.page, [["decision", "allow"]])
  expect([answer.status, answer.to]).toEqual([303, "https://app.example/cb"])
  expect(commits).toHaveLength(1)
  expect((await redeem(w, answer.params["code"] ?? "", "asks")).status).toBe(200)
})

test("RFC 6749 §4.1.2.1: who denies consent is sent back with access_denied at once, and nothing is granted", async () => {
  const { tokens, commits } = telling()
  const w = await world({ tokens })
  const visitor = w.visitor()
  await signIn(visitor)
  const consent = await authorize(visitor, "asks")
  commits.length = 0
  const answer = await visitor.submit(consent.page, [["decision", "deny"]])
  expect([answer.status, answer.to, answer.params["error"]]).toEqual([303, "https://app.example/cb", "access_denied"])
  expect(commits).toEqual([["RequireSession", "FinishRequest"]])
})

test("OAuth 2.0 Form Post Response Mode §2: a sign-in that is answered by form_post keeps its session", async () => {
  const w = await world()
  const visitor = w.visitor()
  const form = await authorize(visitor, "web", { response_mode: "form_post" })
  const answer = await visitor.submit(form.page, alice)
  expect([answer.status, answer.page?.["_tag"]]).toEqual([200, "FormPost"])
  expect((await authorize(visitor, "web", { prompt: "none" })).params["code"]).toBeDefined()
})

test("architecture law 7: where what a person answered cannot be kept, a page says so, and the answer can be given again", async () => {
  const { tokens, state } = telling()
  const w = await world({ tokens })
  const visitor = w.visitor()
  const form = await authorize(visitor)
  state.fails = true
  const failed = await visitor.submit(form.page, alice)
  expect([failed.status, failed.page?.["trouble"]]).toEqual([503, "unavailable"])
  state.fails = false
  expect((await visitor.submit(form.page, alice)).params["code"]).toBeDefined()
})

test("RFC 6749 §4.1.2.1: a request that cannot be trusted any more is refused after the sign-in, which stands", async () => {
  const w = await world()
  const visitor = w.visitor()
  const form = await authorize(visitor)
  w.clients.delete("web")
  const signedIn = await visitor.submit(form.page, alice)
  expect([signedIn.status, signedIn.to]).toEqual([303, "/connect/authorize/resume"])
  expect((await visitor.get(signedIn.header("location") ?? "")).page?.["_tag"]).toBe("Error")
  expect((await visitor.get("/")).page?.["_tag"]).toBe("Home")
})
