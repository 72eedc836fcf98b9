import { revokeGrant } from "@postern/core/model"
import type { Command } from "@postern/core"
import { memoryTokenStore } from "@postern/core/memory"
import { expect, test } from "vitest"
import { authorize, codeFor, follow, interactionOf, post, redeem, refresh, signedIn, token, tokensFor } from "../support/flows.ts"
import type { Said, Visitor } from "../support/visitor.ts"
import { type World, world } from "../support/world.ts"

type Moment = Command["event"]

/** A world in which something can be slipped in before a consent is next read, or before the next commit that holds a certain command. */
const slipping = async (): Promise<{ readonly w: World; readonly before: (moment: Moment, run: () => unknown) => void }> => {
  const store = memoryTokenStore()
  let waiting: { readonly moment: Moment; readonly run: () => unknown } | undefined
  const slip = async (...moments: ReadonlyArray<Moment>): Promise<void> => {
    if (waiting === undefined || !moments.includes(waiting.moment)) return
    const { run } = waiting
    waiting = undefined
    await run()
  }
  const w = await world({
    tokens: {
      ...store,
      findConsent: async (...of) => {
        await slip("findConsent")
        return store.findConsent(...of)
      },
      commit: async (commands) => {
        await slip(...commands.map(({ event }) => event))
        return store.commit(commands)
      },
    },
  })
  return { w, before: (moment, run) => void (waiting = { moment, run }) }
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
  before("ReplaceConsent", () => visitor.submit(home.page, [["client_id", "asks"]], "withdrawConsent"))
  await visitor.submit(second.page, [
    ["decision", "allow"],
    ["scope", "email"],
  ])
  expect((await w.tokens.findConsent("sub-alice", "asks"))?.scope).toEqual(["openid", "email"])
})

/** Allows some of what a client asks for. */
const allow = (visitor: Visitor, { page }: Said, ...scope: ReadonlyArray<string>): Promise<Said> =>
  visitor.submit(page, [["decision", "allow"], ...scope.map((name) => ["scope", name] as const)])

test("architecture law 4: of consents given in one second each carries on the one before it", async () => {
  const { w, before } = await slipping()
  const visitor = await signedIn(w)
  const [first, second, third] = [
    await authorize(visitor, "asks", { scope: "openid api.write" }),
    await authorize(visitor, "asks", { scope: "openid email" }),
    await authorize(visitor, "asks", { scope: "openid phone" }),
  ]
  await allow(visitor, first, "api.write")
  before("ReplaceConsent", () => allow(visitor, second, "email"))
  await allow(visitor, third, "phone")
  expect((await w.tokens.findConsent("sub-alice", "asks"))?.scope.toSorted()).toEqual(["api.write", "email", "openid", "phone"])
})

test("RFC 6749 §4.1.2, architecture law 4: a consent withdrawn while its request is answered once more is withdrawn from that answer, and not given anew by it", async () => {
  const { w, before } = await slipping()
  const visitor = await signedIn(w)
  const asked = await authorize(visitor, "asks", { scope: "openid email api.write" })
  const { page } = await visitor.get("/")
  await allow(visitor, asked, "api.write")
  before("findConsent", async () => {
    await visitor.submit(page, [["client_id", "asks"]], "withdrawConsent")
    await allow(visitor, asked, "email")
  })
  const { page: shown } = await visitor.get("/connect/authorize/resume", { interaction: interactionOf(asked) })
  expect(shown).toMatchObject({ _tag: "Error", trouble: "interaction_finished" })
  expect(await w.tokens.findConsent("sub-alice", "asks")).toBe(undefined)
})

test("architecture law 4: a session that is ended while it ends another, or withdraws a consent, does neither", async () => {
  const { w, before } = await slipping()
  const [thief, owner, third] = [await signedIn(w), await signedIn(w), await signedIn(w)]
  const { refresh_token } = await tokensFor(w)
  const idOf = async (visitor: Visitor): Promise<string> => {
    const sessions = (await visitor.get("/")).page?.["sessions"] as Array<{ id: string; current: boolean }>
    return sessions.find(({ current }) => current)?.id ?? ""
  }
  const [theirs, mine] = [await idOf(thief), await idOf(owner)]
  const [home, thirdHome] = [(await owner.get("/")).page, (await third.get("/")).page]
  const stolen = (await thief.get("/")).page
  before("SignOut", () => owner.submit(home, [["session", theirs]], "endSession"))
  expect((await thief.submit(stolen, [["session", mine]], "endSession")).status).toBe(400)
  expect((await owner.get("/")).status).toBe(200)
  before("RemoveConsent", () => third.submit(thirdHome, [["session", mine]], "endSession"))
  expect((await owner.submit(home, [["client_id", "web"]], "withdrawConsent")).status).toBe(400)
  expect((await refresh(w, refresh_token)).status).toBe(200)
})

test("RFC 8628 §3.3, architecture law 4: a session ended while its device is approved approves nothing", async () => {
  const { w, before } = await slipping()
  const [thief, owner] = [await signedIn(w), await signedIn(w)]
  const home = await owner.get("/")
  const sessions = home.page?.["sessions"] as Array<{ id: string; current: boolean }>
  const device = (await post(w, "/connect/deviceauthorization", "tv", {})).json
  const confirm = await thief.get(`/device?user_code=${String(device?.["user_code"])}`)
  before("SaveGrant", () => owner.submit(home.page, [["session", sessions.find(({ current }) => !current)?.id ?? ""]], "endSession"))
  const answer = await thief.submit(confirm.page, [["decision", "allow"]])
  expect(answer.page?.["_tag"]).not.toBe("DeviceDone")
  const grant_type = "urn:ietf:params:oauth:grant-type:device_code"
  const polled = await token(w, "tv", { grant_type, device_code: String(device?.["device_code"]) })
  expect(polled.json).toMatchObject({ error: "authorization_pending" })
})

test("RFC 6749 §4.1.2, architecture law 4: a grant revoked while its code is redeemed gives no tokens, with and without a refresh token", async () => {
  for (const scope of ["openid", "openid offline_access"]) {
    const { w, before } = await slipping()
    const code = await codeFor(w, "web", { scope })
    before("ConsumeCode", async () => {
      const found = await w.tokens.findCode(code.slice(2, 18))
      await w.tokens.commit([revokeGrant(found?.grant.id ?? "", w.now())])
    })
    const { status, json } = await redeem(w, code)
    expect({ scope, status, error: json?.["error"] }).toEqual({ scope, status: 400, error: "invalid_grant" })
    expect(json).not.toHaveProperty("access_token")
  }
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
