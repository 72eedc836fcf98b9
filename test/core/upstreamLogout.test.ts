import { memoryTokenStore } from "@postern/core/memory"
import { type AuditEvent, addMessage, endSession, latest, putting, saveGrant, saveSession } from "@postern/core/model"
import { OutwardRefused } from "@postern/core/ports"
import { defaultFeatures, deliveriesOf, rowKindsOf, upstreamLogout } from "@postern/core"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { codePoint } from "../properties/codePoint.ts"
import { upstreamSessions } from "../../packages/core/src/features/upstream-logout/rows.ts"
import { clientKey } from "../support/clientKeys.ts"
import { authorize, claimsOf, follow, redeem, signedIn } from "../support/flows.ts"
import { logoutRound, waitingLogouts } from "../support/logouts.ts"
import { comeBack, fakeProviders, withUpstreamLogout } from "../support/upstream.ts"
import { sendLogout, upstreamToken } from "../support/upstreamLogout.ts"
import { type World, type WorldOptions, password, world } from "../support/world.ts"
import { runs } from "../tiers/tier.ts"

const sidOf = (tokens: Record<string, string>): string => String(claimsOf(tokens["id_token"] ?? "")["sid"])

const downstream = "https://work.example/backchannel"

/** A world whose client `work` takes logout tokens. */
const setting = async (more: WorldOptions = {}): Promise<World> => {
  const options = withUpstreamLogout(more)
  return world({
    ...options,
    clients: (options.clients ?? []).map((each) => (each.client_id === "work" ? { ...each, backchannel_logout_uri: downstream } : each)),
  })
}

/** Signs somebody in at another provider and on to the client `work`. */
const signedInThere = async (w: World, code = "ann~s1", idp = "corp") => {
  const visitor = w.visitor()
  const away = await authorize(visitor, "work", { acr_values: `idp:${idp}` })
  const { params } = await follow(visitor, await comeBack(visitor, away, { code }))
  const tokens = (await redeem(w, params["code"] ?? "", "work")).json as Record<string, string>
  const isIn = async () => (await authorize(visitor, "work", { prompt: "none" })).params["code"] !== undefined
  return { visitor, tokens, isIn }
}

describe("logout tokens of another provider (OpenID Connect Back-Channel Logout §2.5 to §2.8, reference B-10)", () => {
  test("the sessions of that sign-in end, their clients are told in turn, and nobody else's end", async () => {
    const w = await setting()
    const [here, there, other] = [await signedInThere(w), await signedInThere(w, "ann~s2"), await signedInThere(w, "bob~s3")]
    const local = await signedIn(w)
    expect((await sendLogout(w, await upstreamToken(w, { claims: { sid: "s1" } }))).status).toBe(200)
    expect([await here.isIn(), await there.isIn(), await other.isIn()]).toEqual([false, true, true])
    expect((await local.get("/")).status).toBe(200)
    const { sent } = await logoutRound(w)
    expect(sent.map(({ url, claims }) => [url, claims["aud"]])).toEqual([[downstream, "work"]])
  })

  test("a token without a sid ends all sessions of the person there, however many, and none of the same sub elsewhere", async () => {
    const w = await setting()
    const elsewhere = await signedInThere(w, "ann~x", "school")
    const all = []
    for (let each = 0; each < 120; each++) all.push(await signedInThere(w, `ann~s${each}`))
    expect((await sendLogout(w, await upstreamToken(w))).status).toBe(200)
    expect(await Promise.all(all.map(({ isIn }) => isIn()))).toEqual(all.map(() => false))
    expect(await elsewhere.isIn()).toBe(true)
  })

  test("of somebody with more sessions than one commit ends, deliveries end the rest, step by step, and tell all clients", async () => {
    const w = await setting()
    const { tokens } = await signedInThere(w)
    const [first] = await w.tokens.sessionsOf(String((await w.tokens.findSession(sidOf(tokens)))?.subject))
    const [grant] = await w.tokens.grantsOf(first?.subject ?? "")
    if (first === undefined || grant === undefined) throw new Error("nobody signed in")
    const rows = await w.tokens.list(upstreamSessions, "ofSid", { provider: "corp", theirSid: "s1", ...latest })
    const names = Array.from({ length: 1300 }, (_, at) => `0${String(at).padStart(6, "0")}`)
    for (const name of names)
      await w.tokens.commit([
        saveSession({ ...first, locator: name, digest: name }),
        saveGrant({ ...grant, id: `g${name}`, sessionId: name }),
        // Half of the sign-ins named a session, and half did not.
        putting(upstreamSessions, "SaveUpstreamSession", {
          ...rows[0],
          session: name,
          theirSid: Number(name) % 2 === 0 ? "s1" : undefined,
        } as never),
      ])
    expect((await sendLogout(w, await upstreamToken(w, { claims: { sid: "s1" } }))).status).toBe(200)
    const choice = { features: [...defaultFeatures, upstreamLogout()] }
    const lasting = async () => {
      const found = await Promise.all(names.map(async (name) => w.tokens.findSession(name)))
      return found.filter((session) => session?.endedAt === undefined).length
    }
    expect(await lasting()).toBeGreaterThan(100)
    const said = new Map<string, number>()
    let steps = 0
    for (; (await waitingLogouts(w)).length > 0; steps++)
      for (const { claims } of (await logoutRound(w, undefined, choice)).sent)
        said.set(String(claims["sid"]), (said.get(String(claims["sid"])) ?? 0) + 1)
    expect([await lasting(), steps < 40]).toEqual([0, true])
    expect([said.size, new Set(said.values())]).toEqual([1301, new Set([1])])
    expect(await w.tokens.grantsOf(first.subject)).toEqual([])
  }, 60_000)

  test("a step that is delivered twice at one moment is done once; without a token store it says so", async () => {
    const w = await setting()
    const { tokens } = await signedInThere(w)
    const session = await w.tokens.findSession(sidOf(tokens))
    const at = { provider: "corp", issuer: "https://corp.example", sub: "ann", list: "ofSubject", ...latest }
    await w.tokens.commit([addMessage("rest", "upstream-logout.rest", at, w.now())])
    const choice = { features: [...defaultFeatures, upstreamLogout()] }
    const [message] = await waitingLogouts(w)
    if (message === undefined) throw new Error("nothing waits")
    const bare = deliveriesOf(choice, {
      issuer: w.provider.settings.issuer,
      clients: { find: () => undefined },
      signer: w.signer,
      now: w.now,
    })
    expect(await bare[message.kind]?.(message, new AbortController().signal)).toMatchObject({ _tag: "Failed" })
    const rounds = await Promise.all([logoutRound(w, undefined, choice), logoutRound(w, undefined, choice)])
    expect(rounds.flatMap(({ audited }) => audited.filter(({ event }) => event === "sign_out"))).toMatchObject([
      { subject: session?.subject, sessionId: session?.locator },
    ])
    expect((await logoutRound(w, undefined, choice)).sent.map(({ claims }) => claims["sid"])).toEqual([session?.locator])
  })

  test("§2.7: clients of a sign-in that another in the same browser replaced are told, and the other goes on", async () => {
    const w = await setting()
    const { visitor, tokens } = await signedInThere(w)
    const away = await authorize(visitor, "work", { prompt: "login" })
    await follow(
      visitor,
      await visitor.submit(away.page, [
        ["username", "alice"],
        ["password", password],
      ]),
    )
    const isSame = (await w.tokens.findSession(sidOf(tokens)))?.subject === "sub-alice"
    expect((await sendLogout(w, await upstreamToken(w, { claims: { sid: "s1" } }))).status).toBe(200)
    // Another person's sign-in told the clients already.
    expect((await logoutRound(w)).sent.map(({ claims }) => claims["sid"])).toEqual([sidOf(tokens)])
    expect([isSame, (await visitor.get("/")).status]).toEqual([false, 200])
  })

  test("a session that is used lasts longer, and so does the memory of where it came from", async () => {
    const tokens = memoryTokenStore(rowKindsOf({ features: [...defaultFeatures, upstreamLogout()] }))
    const w = await setting({ tokens })
    const here = await signedInThere(w)
    for (let each = 0; each < 5; each++) {
      w.pass(20_000)
      expect(await here.isIn()).toBe(true)
      tokens.sweep(w.now())
    }
    await sendLogout(w, await upstreamToken(w))
    expect(await here.isIn()).toBe(false)
  })

  test("§2.7: what was granted in a session that another sign-in in the same browser replaced ends too", async () => {
    const w = await setting()
    const [first, second] = [await signedInThere(w), await signedInThere(w, "ann~s2")]
    const sessionOf = ({ tokens }: typeof first) => String(claimsOf(tokens["id_token"] ?? "")["sid"])
    const session = await w.tokens.findSession(sessionOf(first))
    await w.tokens.commit([endSession(sessionOf(first), w.now())])
    const standing = async () => {
      const grants = await w.tokens.grantsOf(session?.subject ?? "")
      return grants.map(({ sessionId }) => String(sessionId)).toSorted((one, other) => one.localeCompare(other))
    }
    expect(await standing()).toEqual([sessionOf(first), sessionOf(second)].toSorted((one, other) => one.localeCompare(other)))
    expect((await sendLogout(w, await upstreamToken(w, { claims: { sid: "s1" } }))).status).toBe(200)
    expect(await standing()).toEqual([sessionOf(second)])
  })

  test("of the same token twice at one moment one is taken, and clients are told once", async () => {
    const w = await setting()
    await signedInThere(w)
    const token = await upstreamToken(w)
    const answers = await Promise.all([sendLogout(w, token), sendLogout(w, token), sendLogout(w, token)])
    expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(["200", "400", "400"])
    expect((await logoutRound(w)).sent).toHaveLength(1)
  })

  test("of two tokens of one session at one moment both are taken, and clients are told once", async () => {
    const w = await setting()
    await signedInThere(w)
    const tokens = [await upstreamToken(w), await upstreamToken(w, { claims: { sid: "s1" } })]
    const answers = await Promise.all(tokens.map((token) => sendLogout(w, token)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect((await logoutRound(w)).sent).toHaveLength(1)
  })

  test("§2.6 (2): a key that is new is asked for once more, and the token is taken", async () => {
    const asked: Array<boolean> = []
    const fresh = await clientKey("ES256", "corp")
    const old = await clientKey("ES256", "corp-before")
    const providers = fakeProviders()
    const logoutKeys: typeof providers.logoutKeys = async ({ lacking }) => {
      asked.push(lacking !== undefined)
      const keys = { keys: [lacking !== undefined ? fresh.publicJwk : old.publicJwk] }
      return { issuer: "https://corp.example", clientId: "postern-there", algorithms: ["ES256"], keys }
    }
    const w = await setting({ more: { identityProviders: { ...providers, logoutKeys } } })
    const here = await signedInThere(w)
    expect((await sendLogout(w, await upstreamToken(w))).status).toBe(200)
    expect([asked, await here.isIn()]).toEqual([[false, true], false])
  })

  test("a provider that cannot be reached uses nothing up: 503, and the same token is taken later", async () => {
    const providers = fakeProviders()
    let isDown = true
    const logoutKeys: typeof providers.logoutKeys = (asked) => {
      if (isDown) throw new Error("no route to host")
      return providers.logoutKeys?.(asked)
    }
    const w = await setting({ more: { identityProviders: { ...providers, logoutKeys } } })
    const here = await signedInThere(w)
    const token = await upstreamToken(w)
    expect((await sendLogout(w, token)).status).toBe(503)
    isDown = false
    expect((await sendLogout(w, token)).status).toBe(200)
    expect(await here.isIn()).toBe(false)
  })

  test("§2.8: a key that is not known where it is too early to look again: 503 with Retry-After, and the same token is taken later", async () => {
    const providers = fakeProviders()
    const old = await clientKey("ES256", "corp-before")
    const before = { keys: [old.publicJwk] }
    let isEarly = true
    const logoutKeys: typeof providers.logoutKeys = async ({ provider, lacking }) => {
      if (!isEarly) return providers.logoutKeys?.({ provider })
      if (lacking !== undefined) throw new OutwardRefused("its keys were fetched a moment ago", 17)
      return { issuer: "https://corp.example", clientId: "postern-there", algorithms: ["ES256"], keys: before }
    }
    const w = await setting({ more: { identityProviders: { ...providers, logoutKeys } } })
    const here = await signedInThere(w)
    const token = await upstreamToken(w)
    const early = await sendLogout(w, token)
    expect([early.status, early.json, early.header("retry-after")]).toMatchObject([503, { error: "temporarily_unavailable" }, "17"])
    isEarly = false
    expect((await sendLogout(w, token)).status).toBe(200)
    expect(await here.isIn()).toBe(false)
  })

  test("whether a token was taken before is looked up only where it is good otherwise", async () => {
    const tokens = memoryTokenStore(rowKindsOf({ features: [...defaultFeatures, upstreamLogout()] }))
    let looked = 0
    const counting: typeof tokens = { ...tokens, find: (...given) => (looked++, tokens.find(...given)) }
    const w = await setting({ tokens: counting })
    for (const claims of [{ iss: "https://else.example" }, { exp: 1 }, { nonce: "n" }, { jti: undefined }])
      expect((await sendLogout(w, await upstreamToken(w, { claims }))).status).toBe(400)
    expect(looked).toBe(0)
    expect((await sendLogout(w, await upstreamToken(w))).status).toBe(200)
    expect(looked).toBeGreaterThan(0)
  })

  test("a port that knows no keys takes no logout tokens", async () => {
    const { logoutKeys: _, ...providers } = fakeProviders()
    const w = await setting({ more: { identityProviders: providers } })
    expect((await sendLogout(w, await upstreamToken(w))).json).toMatchObject({ error_description: "No logout tokens are taken." })
  })

  test("the audit log tells each session that ended, its person, and the endpoint", async () => {
    const events: Array<AuditEvent> = []
    const w = await setting({ more: { audit: { record: (made) => void events.push(...made()) } } })
    await signedInThere(w)
    events.length = 0
    await sendLogout(w, await upstreamToken(w))
    expect(events).toMatchObject([
      { event: "sign_out", endpoint: "upstream-logout", subject: expect.any(String), sessionId: expect.any(String) },
    ])
  })

  test("there is an endpoint for each provider, and none where there is no provider", async () => {
    const w = await setting()
    expect((await w.send({ method: "GET", path: "/login/upstream-logout/corp" })).status).toBe(405)
    expect((await sendLogout(w, "x", "else")).status).toBe(404)
    const bare = await world()
    expect((await sendLogout(bare, "x")).status).toBe(404)
  })

  test("whatever is sent is answered 200 or 400, and ends no session that it does not name (fuzz)", async () => {
    const w = await setting()
    const here = await signedInThere(w)
    const claim = fc.constantFrom("iss", "aud", "iat", "exp", "jti", "sub", "sid", "events", "nonce", "typ")
    const signed = fc.dictionary(claim, fc.jsonValue()).filter(({ sub, sid }) => sub !== undefined && (sub !== "ann" || sid !== undefined))
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string({ unit: codePoint }), fc.base64String(), signed), async (sent) => {
        const token = typeof sent === "string" ? sent : await upstreamToken(w, { claims: sent })
        const { status } = await sendLogout(w, token)
        expect([200, 400]).toContain(status)
      }),
      { numRuns: runs(300) },
    )
    expect(await here.isIn()).toBe(true)
  }, 60_000)
})
