import type { AuditEvent } from "@postern/core/model"
import { describe, expect, test } from "vitest"
import { authorize, claimsOf, follow, redeem, signInAgain, signedIn } from "../support/flows.ts"
import { logoutRound } from "../support/logouts.ts"
import type { Visitor } from "../support/visitor.ts"
import { type World, type WorldOptions, clients, password, world } from "../support/world.ts"

const uri = (id: string) => `https://${id}.example/backchannel`

const told = (more: Record<string, unknown> = {}, options: WorldOptions = {}): Promise<World> =>
  world({
    ...options,
    clients: clients.map((each) =>
      ["web", "other"].includes(each.client_id) ? { ...each, backchannel_logout_uri: uri(each.client_id), ...more } : each,
    ),
  })

const use = async (w: World, visitor: Visitor, clientId: string, scope = "openid") => {
  const { params } = await authorize(visitor, clientId, { scope })
  return (await redeem(w, params["code"] ?? "", clientId)).json as Record<string, string>
}

const sidOf = (tokens: Record<string, string>): string => String(claimsOf(tokens["id_token"] ?? "")["sid"])

const leave = async (visitor: Visitor) => visitor.submit((await visitor.get("/logout")).page)

const sentIn = async (w: World) =>
  (await logoutRound(w)).sent.map(({ url, claims }) => `${url} ${String(claims["sub"])} ${String(claims["sid"])}`).toSorted()

const standing = async (w: World, subject = "sub-alice") => (await w.tokens.grantsOf(subject)).map(({ sessionId }) => String(sessionId))

/** Another person signs in in a browser, by the page for another account. */
const another = async (visitor: Visitor, username = "bob") =>
  follow(
    visitor,
    await visitor.submit((await visitor.get("/login", { another: "1" })).page, [
      ["username", username],
      ["password", password],
    ]),
  )

describe("a person who signs in again in the same browser (OpenID Connect Back-Channel Logout §2, §2.5)", () => {
  test("nobody is told of it, and no grant ends", async () => {
    const w = await told()
    const visitor = await signedIn(w)
    const first = sidOf(await use(w, visitor, "other"))
    const second = sidOf(await signInAgain(w, visitor))
    expect(second).not.toBe(first)
    expect(await sentIn(w)).toEqual([])
    expect((await standing(w)).toSorted()).toEqual([first, second].toSorted())
  })

  test("at the sign-out the clients of each sign-in before are told of theirs, and the grants of all end", async () => {
    const w = await told()
    const visitor = await signedIn(w)
    const first = sidOf(await use(w, visitor, "other"))
    const second = sidOf(await signInAgain(w, visitor))
    const third = sidOf(await signInAgain(w, visitor))
    await leave(visitor)
    expect(await sentIn(w)).toEqual(
      [`${uri("other")} sub-alice ${first}`, `${uri("web")} sub-alice ${second}`, `${uri("web")} sub-alice ${third}`].toSorted(),
    )
    expect(await standing(w)).toEqual([])
  })

  test("signed out everywhere, each client is told once, without a sid; by sid where it requires one", async () => {
    for (const required of [false, true]) {
      const w = await told({ backchannel_logout_session_required: required })
      const visitor = await signedIn(w)
      const first = sidOf(await use(w, visitor, "other"))
      await use(w, visitor, "web")
      const second = sidOf(await signInAgain(w, visitor))
      expect(await w.provider.signOut("sub-alice")).toBe(1)
      const by = (sid: string) => (required ? sid : "undefined")
      const expected = [`${uri("other")} sub-alice ${by(first)}`, `${uri("web")} sub-alice ${by(second)}`]
      expect(await sentIn(w)).toEqual((required ? [...expected, `${uri("web")} sub-alice ${first}`] : expected).toSorted())
    }
  })

  test("a session that had run out before is not gone on with: its clients were told, or are not to be", async () => {
    const w = await told()
    const visitor = await signedIn(w)
    await use(w, visitor, "other")
    w.pass(36_000)
    const again = sidOf(await signInAgain(w, visitor))
    await leave(visitor)
    expect(await sentIn(w)).toEqual([`${uri("web")} sub-alice ${again}`])
  })

  test("who ends the session on the account page ends what was granted in those before it", async () => {
    const w = await told()
    const visitor = await signedIn(w)
    await use(w, visitor, "other", "openid offline_access")
    const kept = sidOf(await signInAgain(w, visitor))
    const elsewhere = await signedIn(w)
    await elsewhere.submit((await elsewhere.get("/")).page, [["session", kept]], "endSession")
    expect(await standing(w)).toEqual([])
  })

  test("an ID token of the sign-in before is a hint of the session that lasts: nobody is asked (RP-Initiated Logout §2)", async () => {
    const w = await told()
    const visitor = await signedIn(w)
    const { id_token = "" } = await use(w, visitor, "other")
    await signInAgain(w, visitor)
    expect((await visitor.get("/connect/endsession", { id_token_hint: id_token })).page?.["_tag"]).toBe("SignedOut")
    expect(await sentIn(w)).toHaveLength(2)
  })

  test("a client's server ends the session that lasts by an ID token of the one before", async () => {
    const w = await told({ end_session_by_hint: true })
    const visitor = await signedIn(w)
    const { id_token = "" } = await use(w, visitor, "other")
    await signInAgain(w, visitor)
    await w.visitor().get("/connect/endsession", { id_token_hint: id_token })
    expect(await w.tokens.sessionsOf("sub-alice")).toEqual([])
    expect(await sentIn(w)).toHaveLength(2)
  })

  test("one frame is shown for each client, of its latest sign-in (OpenID Connect Front-Channel Logout §3)", async () => {
    const framed = clients.map((each) => ({
      ...each,
      ...(["web", "other"].includes(each.client_id) && { frontchannel_logout_uri: `https://${each.client_id}.example/front` }),
    }))
    const w = await world({ clients: framed })
    const visitor = await signedIn(w)
    const first = sidOf(await use(w, visitor, "other"))
    await use(w, visitor, "web")
    const second = sidOf(await signInAgain(w, visitor))
    const frames = ((await leave(visitor)).page?.["frames"] ?? []) as ReadonlyArray<string>
    const shown = frames.map((each) => `${new URL(each).host} ${String(new URL(each).searchParams.get("sid"))}`)
    expect(shown).toEqual([`web.example ${second}`, `other.example ${first}`])
  })
})

describe("another person who signs in in the same browser (OpenID Connect Back-Channel Logout §2)", () => {
  test("the session before ends as by a sign-out: its clients are told, and its grants end but for those with offline_access", async () => {
    const audited: Array<AuditEvent> = []
    const w = await told({}, { more: { audit: { record: (events) => void audited.push(...events()) } } })
    const visitor = await signedIn(w)
    const first = sidOf(await use(w, visitor, "other"))
    await use(w, visitor, "web", "openid offline_access")
    audited.length = 0
    await another(visitor)
    expect(await sentIn(w)).toEqual([`${uri("other")} sub-alice ${first}`, `${uri("web")} sub-alice ${first}`])
    expect((await w.tokens.grantsOf("sub-alice")).map(({ clientId }) => clientId)).toEqual(["web"])
    expect(
      audited.filter(({ event }) => event === "sign_out" || event === "sign_in").map(({ event, subject }) => [event, subject]),
    ).toEqual([
      ["sign_out", "sub-alice"],
      ["sign_in", "sub-bob"],
    ])
    await leave(visitor)
    expect(await sentIn(w)).toEqual([])
  })

  test("so do those in whose place it was; and what the other person signs out of is theirs alone", async () => {
    const w = await told()
    const visitor = await signedIn(w)
    const first = sidOf(await use(w, visitor, "other"))
    const second = sidOf(await signInAgain(w, visitor))
    await another(visitor)
    expect(await sentIn(w)).toEqual([`${uri("other")} sub-alice ${first}`, `${uri("web")} sub-alice ${second}`])
    const theirs = sidOf(await use(w, visitor, "web"))
    await leave(visitor)
    expect(await sentIn(w)).toEqual([`${uri("web")} sub-bob ${theirs}`])
  })

  test("by way of a client, in one commit with its request; of several at one moment the clients are told once", async () => {
    const w = await told()
    const visitor = await signedIn(w)
    const first = sidOf(await use(w, visitor, "other"))
    await signInAgain(w, visitor, "web", "bob")
    expect(await sentIn(w)).toEqual([`${uri("other")} sub-alice ${first}`])
  })
})
