import { secretOf } from "@postern/core/model"
import { memoryTokenStore } from "@postern/core/memory"
import { registeredClient } from "@postern/core/registered"
import { defaultLifetimes } from "@postern/core"
import { describe, expect, test } from "vitest"
import { authorize, claimsOf, redeem, signedIn } from "../support/flows.ts"
import { logoutRound } from "../support/logouts.ts"
import type { Visitor } from "../support/visitor.ts"
import { type World, type WorldOptions, clients, issuer, world } from "../support/world.ts"

const uri = (id: string) => `https://${id}.example/front`

/** A world in which some clients have frames. */
const framing = (ids: ReadonlyArray<string>, more: Record<string, unknown> = {}, options: WorldOptions = {}): Promise<World> =>
  world({
    ...options,
    clients: clients.map((each) =>
      ids.includes(each.client_id) ? { ...each, frontchannel_logout_uri: uri(each.client_id), ...more } : each,
    ),
  })

const use = async (w: World, visitor: Visitor, clientId: string): Promise<string> => {
  const { params } = await authorize(visitor, clientId)
  return String((await redeem(w, params["code"] ?? "", clientId)).json?.["id_token"])
}

const leave = async (visitor: Visitor) => visitor.submit((await visitor.get("/logout")).page)

const framesOf = (page: Record<string, unknown> | undefined) =>
  ((page?.["frames"] ?? []) as ReadonlyArray<string>).map((each) => {
    const { origin, pathname, searchParams } = new URL(each)
    return { at: origin + pathname, ...Object.fromEntries(searchParams) }
  })

describe("the frames of a sign-out (OpenID Connect Front-Channel Logout §3)", () => {
  test("one for each client of the session, with iss and the sid of its ID token, and with nothing else", async () => {
    const w = await framing(["web", "other", "spa"])
    const visitor = await signedIn(w)
    const [web, other] = [await use(w, visitor, "web"), await use(w, visitor, "other")]
    await use(w, visitor, "web")
    await use(w, await signedIn(w), "spa")
    const frames = framesOf((await leave(visitor)).page)
    expect(frames.toSorted((a, b) => a.at.localeCompare(b.at))).toEqual([
      { at: uri("other"), iss: issuer, sid: claimsOf(other)["sid"] },
      { at: uri("web"), iss: issuer, sid: claimsOf(web)["sid"] },
    ])
  })

  test("§2: the address keeps its own query", async () => {
    const w = await framing(["web"], { frontchannel_logout_uri: `${uri("web")}?from=op` })
    const visitor = await signedIn(w)
    await use(w, visitor, "web")
    expect(framesOf((await leave(visitor)).page)).toMatchObject([{ from: "op", iss: issuer, sid: expect.any(String) }])
  })

  test("OpenID Connect Core §8.1: each sector sees its own sid; without a salt there is neither iss nor sid", async () => {
    const w = await framing(["web"], { subject_type: "pairwise" }, { more: { pairwiseSalt: secretOf("s".repeat(40)) } })
    const visitor = await signedIn(w)
    const { sid } = claimsOf(await use(w, visitor, "web"))
    const [session] = await w.tokens.sessionsOf("sub-alice")
    expect(sid).not.toBe(session?.locator)
    expect(framesOf((await leave(visitor)).page)).toEqual([{ at: uri("web"), iss: issuer, sid }])
    const unsalted = await framing(["web"])
    const other = await signedIn(unsalted)
    await use(unsalted, other, "web")
    const known = unsalted.clients.get("web")
    if (known !== undefined) unsalted.clients.set("web", { ...known, subjectType: "pairwise" })
    expect(framesOf((await leave(other)).page)).toEqual([{ at: uri("web") }])
  })

  test("Content-Security-Policy: frames of just those origins may be shown, each named once, and of no others", async () => {
    const w = await framing(["web", "other"], { frontchannel_logout_uri: "https://app.example:8443/a" })
    const visitor = await signedIn(w)
    await use(w, visitor, "web")
    await use(w, visitor, "other")
    const policy = (await leave(visitor)).header("content-security-policy") ?? ""
    expect(policy.split("; ").filter((each) => each.startsWith("frame-src"))).toEqual(["frame-src https://app.example:8443"])
    expect(policy).toContain("frame-ancestors 'none'")
    expect((await visitor.get("/login")).header("content-security-policy")).not.toContain("frame-src")
  })

  test("without scripts the browser goes on by itself four seconds later (HTML §4.2.5.3); a page that stays does not", async () => {
    const w = await framing(["web"])
    const visitor = await signedIn(w)
    const id_token_hint = await use(w, visitor, "web")
    const gone = await visitor.get("/connect/endsession", {
      id_token_hint,
      post_logout_redirect_uri: "https://app.example/out",
      state: "s",
    })
    expect(gone.header("refresh")).toBe("4; url=https://app.example/out?state=s")
    const other = await signedIn(w)
    await use(w, other, "web")
    const stays = await leave(other)
    expect([stays.header("refresh"), stays.page?.["onward"]]).toEqual([undefined, undefined])
  })

  test("a client whose tokens have long expired and been swept still has its frame", async () => {
    const tokens = memoryTokenStore()
    const w = await framing(["web"], {}, { tokens })
    const visitor = await signedIn(w)
    await use(w, visitor, "web")
    w.pass(9 * 3600)
    tokens.sweep(w.now())
    expect(framesOf((await leave(visitor)).page)).toHaveLength(1)
  })

  test("a session that has expired, a client that is gone and one that has no address any more have none", async () => {
    const w = await framing(["web", "other"])
    const visitor = await signedIn(w)
    await use(w, visitor, "web")
    await use(w, visitor, "other")
    const plain = clients.find(({ client_id }) => client_id === "other")
    if (plain !== undefined) w.clients.set("other", registeredClient(plain, defaultLifetimes))
    w.clients.delete("web")
    expect((await leave(visitor)).page).toMatchObject({ _tag: "SignedOut" })
    const late = await framing(["web"])
    const stale = await signedIn(late)
    await use(late, stale, "web")
    late.pass(400_000)
    expect((await stale.get("/connect/endsession")).page).toMatchObject({ _tag: "SignedOut" })
  })

  test("a policy never grows beyond what proxies take: the clients used last have their frames", async () => {
    const many = Array.from({ length: 40 }, (_, at) => `client-${String(at).padStart(2, "0")}`)
    const own = many.map((client_id) => ({
      ...clients.find((each) => each.client_id === "web"),
      client_id,
      frontchannel_logout_uri: `https://${client_id}.${"x".repeat(60)}.${"y".repeat(60)}.example/front`,
    }))
    const w = await world({ clients: [...clients, ...own] })
    const visitor = await signedIn(w)
    for (const id of many) {
      w.pass(1)
      await authorize(visitor, id)
    }
    const answer = await leave(visitor)
    const shown = framesOf(answer.page).map(({ at }) => /client-\d\d/.exec(at)?.[0])
    expect(shown.length).toBeGreaterThan(10)
    expect(shown).toEqual(many.toReversed().slice(0, shown.length))
    expect(answer.header("content-security-policy")?.length).toBeLessThan(3000)
  })

  test.each(["https://evil.example,x", "https://evil.example;sandbox", `https://${"x".repeat(1900)}`])(
    "CSP Level 3 §2.2: a client at %s, registered by no rule, takes no other client's frame away",
    async (origin) => {
      const web = clients.find((each) => each.client_id === "web")
      const evil = { ...web, client_id: "evil", client_secret: "secret of evil", frontchannel_logout_uri: `${origin}/out` }
      const w = await framing(["web"], {}, {})
      w.clients.set("evil", registeredClient(evil, defaultLifetimes))
      const visitor = await signedIn(w)
      await use(w, visitor, "web")
      w.pass(1)
      await authorize(visitor, "evil")
      const answer = await leave(visitor)
      expect(framesOf(answer.page).map(({ at }) => at)).toEqual([uri("web")])
      expect(answer.header("content-security-policy")).toContain("frame-src https://web.example;")
    },
  )

  test("a page that cannot be drawn loses no frame: the provider writes a plain one, with the way on", async () => {
    const failing = {
      render: (page: { readonly _tag: string }) => (page._tag === "SigningOut" ? Promise.reject(new Error("no")) : JSON.stringify(page)),
    }
    const w = await framing(["web"], {}, { more: { pages: failing } })
    const visitor = await signedIn(w)
    const id_token_hint = await use(w, visitor, "web")
    const answer = await w.send({
      path: "/connect/endsession",
      query: new URLSearchParams({ id_token_hint, post_logout_redirect_uri: "https://app.example/out" }).toString(),
      headers: { cookie: [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join("; ") },
    })
    expect(answer.status).toBe(200)
    expect(answer.body).toMatch(
      /<iframe src="https:\/\/web\.example\/front\?iss=[^"]*&#38;sid=[^"]*" sandbox="allow-same-origin allow-scripts" hidden>/,
    )
    expect(answer.body).toContain('<a href="https://app.example/out"')
    expect(answer.headers.find(([name]) => name === "content-security-policy")?.[1]).toContain("frame-src https://web.example")
  })

  test("the other channel is told as well", async () => {
    const w = await framing(["web"], { backchannel_logout_uri: "https://web.example/back" })
    const visitor = await signedIn(w)
    await use(w, visitor, "web")
    expect((await leave(visitor)).page).toMatchObject({ _tag: "SigningOut" })
    expect((await logoutRound(w)).sent).toHaveLength(1)
  })
})

test("Front-Channel Logout §3: discovery states that it is supported, with sessions", async () => {
  const { body } = await (await world()).send({ path: "/.well-known/openid-configuration" })
  expect(JSON.parse(String(body))).toMatchObject({ frontchannel_logout_supported: true, frontchannel_logout_session_supported: true })
})
