import { defaultFeatures, deliveriesOf, metadataDocuments } from "@postern/core"
import { memoryTokenStore } from "@postern/core/memory"
import { saveGrant, touchSession } from "@postern/core/model"
import { describe, expect, test } from "vitest"
import { documents } from "../support/documents.ts"
import { authorize, post, redeem, signInAgain, signedIn, token } from "../support/flows.ts"
import { logoutRound, waitingLogouts } from "../support/logouts.ts"
import type { Visitor } from "../support/visitor.ts"
import { clients, type World, type WorldOptions, world } from "../support/world.ts"

const uri = (id: string) => `https://${id}.example/backchannel`

/** A world whose policy is that clients are told of sessions that run out. */
const expiring = (ids: ReadonlyArray<string>, more: Record<string, unknown> = {}, options: WorldOptions = {}, policy = true) =>
  world({
    clients: clients.map((each) =>
      ids.includes(each.client_id) ? { ...each, backchannel_logout_uri: uri(each.client_id), ...more } : each,
    ),
    ...options,
    more: { ...options.more, settings: { backchannel_logout_on_expiry: policy } },
  })

const use = async (w: World, visitor: Visitor, clientId = "web", scope = "openid") => {
  const { params } = await authorize(visitor, clientId, { scope })
  return (await redeem(w, params["code"] ?? "", clientId)).json as Record<string, string>
}

const sidOf = (tokens: Record<string, string>) =>
  (JSON.parse(Buffer.from(tokens["id_token"]?.split(".")[1] ?? "", "base64url").toString()) as Record<string, unknown>)["sid"]

const leave = async (visitor: Visitor) => visitor.submit((await visitor.get("/logout")).page)

/** Looks at sessions that may have ended, and then delivers what that wrote. */
const rounds = async (w: World) => {
  const looked = await logoutRound(w)
  const delivered = await logoutRound(w)
  return { sent: [...looked.sent, ...delivered.sent], audited: [...looked.audited, ...delivered.audited] }
}

describe("Back-Channel Logout §2.5 (reference B-10): a session that runs out", () => {
  test("each client of it is told once, by sub and sid, as of a sign-out", async () => {
    const w = await expiring(["web", "other"])
    const visitor = await signedIn(w)
    const [web] = [await use(w, visitor, "web"), await use(w, visitor, "other"), await use(w, visitor, "web")]
    w.pass(35_999)
    expect((await rounds(w)).sent).toEqual([])
    w.pass(1)
    const { sent, audited } = await rounds(w)
    expect(sent.map(({ url, claims }) => `${url} ${String(claims["sub"])} ${String(claims["sid"])}`).toSorted()).toEqual([
      `${uri("other")} sub-alice ${String(sidOf(web))}`,
      `${uri("web")} sub-alice ${String(sidOf(web))}`,
    ])
    expect(audited.map(({ event, sessionId }) => [event, sessionId])).toEqual([
      ["session_expired", sidOf(web)],
      ["logout_delivered", undefined],
      ["logout_delivered", undefined],
    ])
    w.pass(100_000)
    expect(await rounds(w)).toEqual({ sent: [], audited: [] })
    expect(await waitingLogouts(w)).toEqual([])
  })

  test("by default nobody is told, and nothing waits for the end of a session", async () => {
    const w = await expiring(["web"], {}, {}, false)
    await use(w, await signedIn(w))
    expect(await waitingLogouts(w)).toEqual([])
    w.pass(36_000)
    expect((await rounds(w)).sent).toEqual([])
  })

  test("a session that no client with a backchannel_logout_uri uses is not waited for", async () => {
    const w = await expiring([])
    await use(w, await signedIn(w))
    expect(await waitingLogouts(w)).toEqual([])
  })

  test("a client may want it where the provider does not have it, and not want it where it has", async () => {
    const wanted = (id: string, wants: boolean) =>
      clients.map((each) => (each.client_id === id ? { ...each, backchannel_logout_on_expiry: wants } : each))
    const told = async (policy: boolean) => {
      const all = wanted("web", !policy).map((each) =>
        ["web", "other"].includes(each.client_id) ? { ...each, backchannel_logout_uri: uri(each.client_id) } : each,
      )
      const w = await expiring([], {}, { clients: all }, policy)
      const visitor = await signedIn(w)
      for (const id of ["web", "other"]) await use(w, visitor, id)
      w.pass(36_000)
      return (await rounds(w)).sent.map(({ url }) => url)
    }
    expect(await told(false)).toEqual([uri("web")])
    expect(await told(true)).toEqual([uri("other")])
  })

  test("idle time counts: a session that is used lasts, and its clients are told when it is not used any more", async () => {
    const w = await expiring(["web"])
    const visitor = await signedIn(w)
    await use(w, visitor)
    for (let each = 0; each < 4; each++) {
      w.pass(30_000)
      expect((await rounds(w)).sent).toEqual([])
      await use(w, visitor)
    }
    w.pass(35_999)
    expect((await rounds(w)).sent).toEqual([])
    w.pass(1)
    expect((await rounds(w)).sent).toHaveLength(1)
  })

  test("a session that lasts for months is told of too, also where all that was granted in it has run out long before", async () => {
    const tokens = memoryTokenStore()
    const w = await expiring(["web"], {}, { tokens, more: { sessionLifetime: 90 * 86_400 } })
    await use(w, await signedIn(w))
    for (let each = 0; each < 90; each++) {
      tokens.sweep(w.now())
      expect((await rounds(w)).sent).toEqual([])
      w.pass(86_400)
    }
    tokens.sweep(w.now())
    expect((await rounds(w)).sent.map(({ url }) => url)).toEqual([uri("web")])
  })

  test("who signed out before is not told of again, also where the session has been swept since", async () => {
    const tokens = memoryTokenStore()
    const w = await expiring(["web"], {}, { tokens })
    const visitor = await signedIn(w)
    await use(w, visitor)
    await leave(visitor)
    expect((await rounds(w)).sent).toHaveLength(1)
    w.pass(40_000)
    tokens.sweep(w.now())
    expect((await rounds(w)).sent).toEqual([])
  })

  test("a session that was swept before anybody looked has its clients told all the same", async () => {
    const tokens = memoryTokenStore()
    const w = await expiring(["web"], {}, { tokens })
    const sid = sidOf(await use(w, await signedIn(w)))
    w.pass(200_000)
    tokens.sweep(w.now())
    expect(await tokens.findSession(String(sid))).toBeUndefined()
    expect((await rounds(w)).sent.map(({ claims }) => claims["sid"])).toEqual([sid])
  })

  test("a session that its person's next sign-in in the same browser replaced lasts as long as that one, and clients are told of both", async () => {
    const w = await expiring(["web"])
    const visitor = await signedIn(w)
    const first = sidOf(await use(w, visitor))
    w.pass(10_000)
    const second = sidOf(await signInAgain(w, visitor))
    expect(second).not.toBe(first)
    w.pass(35_999)
    expect((await rounds(w)).sent).toEqual([])
    w.pass(1)
    expect((await rounds(w)).sent.map(({ claims }) => String(claims["sid"])).toSorted()).toEqual([String(first), String(second)].toSorted())
  })

  test.each([
    [true, false, 0],
    [false, true, 0],
  ])("the policy is that of the moment at which the session runs out: at first %s, then %s", async (before, after, told) => {
    const w = await expiring(["web"], {}, {}, before)
    await use(w, await signedIn(w))
    w.pass(36_000)
    const choice = { settings: { backchannel_logout_on_expiry: after } }
    await logoutRound(w, undefined, choice)
    expect((await logoutRound(w, undefined, choice)).sent).toHaveLength(told)
  })

  test("§2.7: refresh tokens without offline_access of the clients that are told die with it; with it, and of other clients, they live", async () => {
    const w = await expiring(["web", "other"])
    const visitor = await signedIn(w)
    const bound = await use(w, visitor, "web")
    const offline = await use(w, visitor, "other", "openid offline_access")
    const untold = await use(w, visitor, "opaque")
    w.pass(36_000)
    await rounds(w)
    const refreshed = async (id: string, tokens: Record<string, string>) =>
      (await token(w, id, { grant_type: "refresh_token", refresh_token: tokens["refresh_token"] ?? "none" })).status
    expect([await refreshed("web", bound), await refreshed("other", offline), await refreshed("opaque", untold)]).toEqual([
      400,
      200,
      untold["refresh_token"] === undefined ? 400 : 200,
    ])
  })

  test("of those that look at the same moment one tells", async () => {
    const w = await expiring(["web"])
    await use(w, await signedIn(w))
    w.pass(36_000)
    await Promise.all([logoutRound(w), logoutRound(w), logoutRound(w)])
    expect((await waitingLogouts(w)).map(({ kind }) => kind)).toEqual(["back-channel-logout.token"])
  })

  test("a session that is prolonged between the look and the commit lasts", async () => {
    const tokens = memoryTokenStore()
    let meanwhile: (() => unknown) | undefined
    const racing = {
      ...tokens,
      commit: async (commands: Parameters<typeof tokens.commit>[0]) => {
        if (commands.some(({ event }) => event === "ExpireSession")) await meanwhile?.()
        return tokens.commit(commands)
      },
    }
    const w = await expiring(["web"], {}, { tokens: racing })
    const sid = String(sidOf(await use(w, await signedIn(w))))
    w.pass(36_000)
    const until = w.now() + 500
    meanwhile = async () => tokens.commit([touchSession(sid, { seenAt: w.now() - 1, expiresAt: until, keepUntil: until })])
    const { outcomes } = await logoutRound(w)
    meanwhile = undefined
    expect(outcomes).toMatchObject([{ _tag: "Failed" }])
    expect((await w.tokens.findSession(sid))?.endedAt).toBeUndefined()
    w.pass(100)
    expect((await rounds(w)).sent).toEqual([])
    w.pass(400)
    expect((await rounds(w)).sent).toHaveLength(1)
  })

  test("a device that a person approved in a session has its client told", async () => {
    const all = clients.map((each) => (each.client_id === "tv" ? { ...each, backchannel_logout_uri: uri("tv") } : each))
    const w = await expiring([], {}, { clients: all })
    const visitor = await signedIn(w)
    const begun = (await post(w, "/connect/deviceauthorization", "tv", { scope: "openid" })).json as Record<string, string>
    const asked = await visitor.get("/device", { user_code: begun["user_code"] ?? "" })
    await visitor.submit(asked.page, [["decision", "allow"]])
    w.pass(36_000)
    expect((await rounds(w)).sent.map(({ url }) => url)).toEqual([uri("tv")])
  })

  test("the answer to a sign-in does not wait for what is looked for hours later", async () => {
    const told: Array<ReadonlyArray<string>> = []
    const w = await expiring(["web"], {}, { more: { outbox: { written: (messages) => void told.push(messages.map(({ kind }) => kind)) } } })
    const visitor = await signedIn(w)
    await use(w, visitor)
    expect(told).toEqual([])
    await leave(visitor)
    expect(told).toEqual([["back-channel-logout.token"]])
  })

  test("a client whose metadata document is gone keeps no other from being told", async () => {
    const w = await expiring(["web"], {}, documents())
    await use(w, await signedIn(w))
    const [grant] = await w.tokens.grantsOf("sub-alice")
    if (grant === undefined) throw new Error("nothing was granted")
    await w.tokens.commit([saveGrant({ ...grant, id: "stranger", clientId: "https://gone.example/client.json" })])
    w.pass(36_000)
    const choice = { features: [...defaultFeatures, metadataDocuments()], settings: { backchannel_logout_on_expiry: true } }
    await logoutRound(w, undefined, choice)
    expect((await logoutRound(w, undefined, choice)).sent.map(({ url }) => url)).toEqual([uri("web")])
  })

  test("deliveries without a token store tell nobody, and say so", async () => {
    const w = await expiring(["web"])
    await use(w, await signedIn(w))
    const [message] = await waitingLogouts(w)
    const handlers = deliveriesOf({}, { issuer: "https://op.example", clients: { find: () => undefined }, signer: w.signer, now: w.now })
    if (message === undefined) throw new Error("nothing waits")
    expect(await handlers[message.kind]?.(message, new AbortController().signal)).toEqual({
      _tag: "Failed",
      failure: "the deliveries were given no token store",
    })
  })
})
