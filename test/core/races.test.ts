import type { Command } from "@postern/core"
import { memoryTokenStore } from "@postern/core/memory"
import { expect, test } from "vitest"
import { authorize, follow, redeem, refresh, signedIn, tokensFor } from "../support/flows.ts"
import { type World, world } from "../support/world.ts"

/** A world in which something can be slipped in before the next commit that holds a certain command. */
const slipping = async (): Promise<{ readonly w: World; readonly before: (tag: Command["_tag"], run: () => unknown) => void }> => {
  const store = memoryTokenStore()
  let waiting: { readonly tag: Command["_tag"]; readonly run: () => unknown } | undefined
  const w = await world({
    tokens: {
      ...store,
      commit: async (commands) => {
        if (waiting !== undefined && commands.some(({ _tag }) => _tag === waiting?.tag)) {
          const { run } = waiting
          waiting = undefined
          await run()
        }
        return store.commit(commands)
      },
    },
  })
  return { w, before: (tag, run) => void (waiting = { tag, run }) }
}

test("architecture law 4: a session ended while its authorization is decided gives no code", async () => {
  const { w, before } = await slipping()
  const [thief, owner] = [await signedIn(w), await signedIn(w)]
  const home = await owner.get("/")
  const sessions = home.page?.["sessions"] as Array<{ id: string; current: boolean }>
  before("SaveGrant", () => owner.submit(home.page, [["session", sessions.find(({ current }) => !current)?.id ?? ""]], "endSession"))
  const answer = await authorize(thief, "web", { prompt: "none" })
  expect(answer.params).toMatchObject({ error: "login_required" })
})

test("architecture law 4: a consent withdrawn while a request that rests on it is decided gives no code", async () => {
  const { w, before } = await slipping()
  const visitor = await signedIn(w)
  const { page } = await authorize(visitor, "asks")
  await follow(visitor, await visitor.submit(page, [["decision", "allow"]]))
  const home = await visitor.get("/")
  before("SaveGrant", () => visitor.submit(home.page, [["client_id", "asks"]], "withdrawConsent"))
  expect((await authorize(visitor, "asks", { prompt: "none" })).params).toMatchObject({ error: "consent_required" })
})

test("architecture law 4: a consent withdrawn while another is given does not come back with it", async () => {
  const { w, before } = await slipping()
  const visitor = await signedIn(w)
  const first = await authorize(visitor, "asks", { scope: "openid api.write" })
  await follow(
    visitor,
    await visitor.submit(first.page, [
      ["decision", "allow"],
      ["scope", "api.write"],
    ]),
  )
  const home = await visitor.get("/")
  const second = await authorize(visitor, "asks", { scope: "openid email" })
  before("SaveConsent", () => visitor.submit(home.page, [["client_id", "asks"]], "withdrawConsent"))
  await visitor.submit(second.page, [
    ["decision", "allow"],
    ["scope", "email"],
  ])
  expect((await w.tokens.findConsent("sub-alice", "asks"))?.scope).toEqual(["openid", "email"])
})

test("RFC 6749 §4.1.2: a code is remembered for as long as the refresh tokens it made live", async () => {
  const store = memoryTokenStore()
  const w = await world({ tokens: store })
  const code = (await authorize(await signedIn(w), "web", { scope: "openid offline_access" })).params["code"] ?? ""
  const { json } = await redeem(w, code)
  w.pass(86_400)
  store.sweep(w.now())
  expect((await redeem(w, code)).json).toMatchObject({ error_description: "The authorization code has been used." })
  expect((await refresh(w, String(json?.["refresh_token"]))).json).toMatchObject({ error: "invalid_grant" })
})

test("behaviour, people: a client that asked for no consent and may act offline is on the home page, and can be withdrawn", async () => {
  const w = await world()
  const { refresh_token } = await tokensFor(w)
  const visitor = await signedIn(w)
  const home = await visitor.get("/")
  const consents = (home.page?.["consents"] ?? []) as Array<{ client: { clientId: string } }>
  expect(consents.map(({ client }) => client.clientId)).toEqual(["web"])
  await visitor.submit(home.page, [["client_id", "web"]], "withdrawConsent")
  expect((await refresh(w, refresh_token)).json).toMatchObject({ error: "invalid_grant" })
})

test("architecture: a sign-in decided again after a conflict asks the authenticator once", async () => {
  const { w, before } = await slipping()
  const visitor = w.visitor()
  const { page } = await authorize(visitor)
  const fields = [
    ["username", "alice"],
    ["password", "correct horse"],
  ] as const
  before("SaveSession", () => visitor.submit(page, fields))
  expect((await visitor.submit(page, fields)).status).toBe(303)
  expect(w.trails.filter(({ endpoint }) => endpoint === "login").every(({ outcome }) => outcome !== "Contended")).toBe(true)
})
