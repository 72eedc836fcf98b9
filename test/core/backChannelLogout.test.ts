import { defaultLifetimes } from "@postern/core"
import { locatorAt, outbox, revokeGrant, saveGrant, secretOf, type Session } from "@postern/core/model"
import { memoryTokenStore } from "@postern/core/memory"
import { registeredClient } from "@postern/core/registered"
import { describe, expect, test } from "vitest"
import { clientKey, opened } from "../support/clientKeys.ts"
import { authorize, redeem, signedIn, tokensFor, token } from "../support/flows.ts"
import { answering, logoutRound, waitingLogouts } from "../support/logouts.ts"
import type { Visitor } from "../support/visitor.ts"
import { clients, issuer, type World, type WorldOptions, world } from "../support/world.ts"

const web = clients.find(({ client_id }) => client_id === "web") ?? clients[0]

const uri = (id: string) => `https://${id}.example/backchannel`

/** A world in which some clients take logout tokens. */
const telling = (ids: ReadonlyArray<string>, more: Record<string, unknown> = {}, options: WorldOptions = {}): Promise<World> =>
  world({
    ...options,
    clients: clients.map((each) =>
      ids.includes(each.client_id) ? { ...each, backchannel_logout_uri: uri(each.client_id), ...more } : each,
    ),
  })

/** Signs a visitor in to a client, with tokens. */
const use = async (w: World, visitor: Visitor, clientId = "web", scope = "openid") => {
  const { params } = await authorize(visitor, clientId, { scope })
  return (await redeem(w, params["code"] ?? "", clientId)).json as Record<string, string>
}

const leave = async (visitor: Visitor) => visitor.submit((await visitor.get("/logout")).page)

describe("Back-Channel Logout §2.4: the logout token", () => {
  test("it states iss, aud, iat, exp, jti, sub, sid and the event, and nothing else; typ is logout+jwt", async () => {
    const w = await telling(["web"])
    const visitor = await signedIn(w)
    const idToken = JSON.parse(Buffer.from((await use(w, visitor))["id_token"]?.split(".")[1] ?? "", "base64url").toString()) as Record<
      string,
      unknown
    >
    await leave(visitor)
    const { sent, outcomes, audited } = await logoutRound(w)
    expect(sent).toHaveLength(1)
    const [{ url, contentType, header, claims, token: jwt }] = sent as [(typeof sent)[0]]
    expect([url, contentType]).toEqual([uri("web"), "application/x-www-form-urlencoded"])
    expect(header).toMatchObject({ alg: "RS256", typ: "logout+jwt" })
    expect(header["kid"]).toEqual(expect.any(String))
    expect(claims).toEqual({
      iss: issuer,
      aud: "web",
      iat: w.now(),
      exp: w.now() + 120,
      jti: expect.stringMatching(/^[\w-]{22}$/),
      sub: idToken["sub"],
      sid: idToken["sid"],
      events: { "http://schemas.openid.net/event/backchannel-logout": {} },
    })
    expect(await w.signer.verify(jwt, "logout+jwt")).toEqual(claims)
    expect(outcomes).toEqual([undefined])
    expect(audited).toEqual([{ event: "logout_delivered", at: w.now(), clientId: "web", subject: "sub-alice", detail: undefined }])
    expect(await waitingLogouts(w)).toEqual([])
  })

  test("§2.6: it is no ID token and no access token of ours, whatever is tried with it", async () => {
    const w = await telling(["web"])
    const visitor = await signedIn(w)
    await use(w, visitor)
    await leave(visitor)
    const { sent } = await logoutRound(w)
    const jwt = sent[0]?.token ?? ""
    expect(await w.signer.verify(jwt, "JWT")).toBeUndefined()
    expect(await w.signer.verify(jwt, "at+jwt")).toBeUndefined()
    expect((await w.visitor().get("/connect/endsession", { id_token_hint: jwt })).status).toBe(400)
    expect((await token(w, "web", { grant_type: "refresh_token", refresh_token: jwt })).status).toBe(400)
  })

  test("every client of a session is told, however many were signed in to within one second (reference B-6)", async () => {
    const ids = Array.from({ length: 250 }, (_, at) => `crowd${at}`)
    const crowd = ids.map((client_id) => ({ ...web, client_id, backchannel_logout_uri: uri(client_id) }))
    const w = await world({ clients: [...clients, ...crowd] })
    const visitor = await signedIn(w)
    await use(w, visitor)
    const [grant] = await w.tokens.grantsOf("sub-alice")
    if (grant === undefined) throw new Error("there is no grant")
    const made = ids.map((clientId, at) =>
      saveGrant({ ...grant, clientId, id: locatorAt(w.now() * 1000 + (at % 1000), Uint8Array.of(0, 0, 0, 0, at >> 8, at & 255)) }),
    )
    expect(await w.tokens.commit(made)).toBe("Committed")
    await leave(visitor)
    const sent = [...(await logoutRound(w)).sent]
    for (let round = 0; round < 5 && sent.length < 250; round++) sent.push(...(await logoutRound(w)).sent)
    expect(sent.map(({ url }) => url).toSorted()).toEqual(ids.map(uri).toSorted())
  })

  test("each attempt has a jti, iat and exp of its own (reference B-5)", async () => {
    const w = await telling(["web"])
    const visitor = await signedIn(w)
    await use(w, visitor)
    await leave(visitor)
    const first = await logoutRound(w, () => answering(500))
    w.pass(60)
    const second = await logoutRound(w)
    const [one, other] = [first.sent[0]?.claims, second.sent[0]?.claims]
    expect(other?.["jti"]).not.toBe(one?.["jti"])
    expect(other).toMatchObject({ iat: w.now(), exp: w.now() + 120, sid: one?.["sid"], sub: one?.["sub"] })
  })

  test("it is signed by the algorithm of the client's ID tokens, and encrypted as they are (§2.4)", async () => {
    const { publicJwk } = await clientKey("RSA-OAEP-256")
    const jwks = { keys: [publicJwk] }
    const encryption = { id_token_encrypted_response_alg: "RSA-OAEP-256", id_token_encrypted_response_enc: "A128CBC-HS256", jwks }
    const w = await telling(["web"], { ...encryption, id_token_signed_response_alg: "ES256" })
    const visitor = await signedIn(w)
    await use(w, visitor)
    await leave(visitor)
    const { sent } = await logoutRound(w)
    const { text: inner } = await opened(sent[0]?.token ?? "", "RSA-OAEP-256")
    expect(await w.signer.verify(inner, "logout+jwt")).toMatchObject({ aud: "web" })
    expect(JSON.parse(Buffer.from(inner.split(".")[0] ?? "", "base64url").toString())).toMatchObject({ alg: "ES256" })
  })
})

describe("Back-Channel Logout §2.5, §2.7: who is told", () => {
  test("every client with a grant of the session once, and no client of another session", async () => {
    const w = await telling(["web", "other", "spa", "hybrid"])
    const visitor = await signedIn(w)
    for (const id of ["web", "other", "web", "spa"]) await use(w, visitor, id, id === "other" ? "openid offline_access" : "openid")
    await use(w, await signedIn(w), "hybrid")
    await leave(visitor)
    const { sent } = await logoutRound(w)
    expect(sent.map(({ url }) => url).toSorted()).toEqual([uri("other"), uri("spa"), uri("web")])
  })

  test("refresh tokens without offline_access die with the session, and with it live (§2.7)", async () => {
    const w = await telling(["web", "other"])
    const visitor = await signedIn(w)
    const [bound, offline] = [await use(w, visitor, "web"), await use(w, visitor, "other", "openid offline_access")]
    await leave(visitor)
    expect((await token(w, "web", { grant_type: "refresh_token", refresh_token: bound["refresh_token"] ?? "x" })).status).toBe(400)
    expect((await token(w, "other", { grant_type: "refresh_token", refresh_token: offline["refresh_token"] ?? "" })).status).toBe(200)
  })

  test("a grant without a session tells nobody: offline grants make no session (reference B-9)", async () => {
    const w = await telling(["web"])
    await tokensFor(w, "web")
    const other = await signedIn(w)
    await leave(other)
    expect((await logoutRound(w)).sent).toEqual([])
  })

  test("more grants in one session than a list holds hide no client", async () => {
    const w = await telling(["web", "other"])
    const visitor = await signedIn(w)
    await use(w, visitor, "other")
    for (let each = 0; each < 230; each++) {
      if (each % 60 === 0) w.pass(1)
      await authorize(visitor, "web")
    }
    await leave(visitor)
    expect((await logoutRound(w)).sent.map(({ url }) => url).toSorted()).toEqual([uri("other"), uri("web")])
  })

  test("§2.3: a client whose tokens have long expired is still told, after any sweep", async () => {
    const tokens = memoryTokenStore()
    const w = await telling(["web"], {}, { tokens })
    const visitor = await signedIn(w)
    await use(w, visitor)
    w.pass(9 * 3600)
    tokens.sweep(w.now())
    await leave(visitor)
    expect((await logoutRound(w)).sent.map(({ url }) => url)).toEqual([uri("web")])
  })

  test("§2.3: a grant of a client that takes no logout tokens is swept as before", async () => {
    const tokens = memoryTokenStore()
    const w = await telling([], {}, { tokens })
    await use(w, await signedIn(w))
    w.pass(4 * 3600)
    tokens.sweep(w.now())
    expect(await tokens.grantsOf("sub-alice")).toEqual([])
  })

  test("§2.3: a client whose grant was revoked is told: it signed the person in by its ID token", async () => {
    const w = await telling(["web"])
    const visitor = await signedIn(w)
    await use(w, visitor)
    const [grant] = await w.tokens.grantsOf("sub-alice")
    await w.tokens.commit([revokeGrant(grant?.id ?? "", w.now())])
    await leave(visitor)
    expect((await logoutRound(w)).sent).toHaveLength(1)
  })

  test("a missing salt fails no sign-out: the client is told of the person", async () => {
    const w = await telling(["web"], { backchannel_logout_session_required: true }, {})
    const visitor = await signedIn(w)
    await use(w, visitor)
    const known = w.clients.get("web")
    if (known !== undefined) w.clients.set("web", { ...known, subjectType: "pairwise" })
    expect(await w.provider.signOut("sub-alice")).toBe(1)
    const { sent } = await logoutRound(w)
    expect(sent.map(({ claims }) => [claims["sub"], claims["sid"]])).toEqual([["sub-alice", undefined]])
  })

  test("a session that expired tells nobody a second time when its browser signs out", async () => {
    const w = await telling(["web"])
    const visitor = await signedIn(w)
    await use(w, visitor)
    w.pass(400_000)
    expect((await visitor.get("/logout")).page).toMatchObject({ _tag: "SignedOut" })
    expect((await logoutRound(w)).sent).toEqual([])
  })

  test("§8: each sector is told by its own sub and sid", async () => {
    const w = await telling(["web", "other"], { subject_type: "pairwise" }, { more: { pairwiseSalt: secretOf("s".repeat(40)) } })
    const visitor = await signedIn(w)
    const shown = new Map<string, unknown>()
    for (const id of ["web", "other"]) {
      const jwt = (await use(w, visitor, id))["id_token"] ?? ""
      const { sub, sid } = JSON.parse(Buffer.from(jwt.split(".")[1] ?? "", "base64url").toString()) as Record<string, unknown>
      shown.set(id, { sub, sid })
    }
    await leave(visitor)
    const { sent } = await logoutRound(w)
    for (const { claims } of sent) expect({ sub: claims["sub"], sid: claims["sid"] }).toEqual(shown.get(String(claims["aud"])))
    expect(sent).toHaveLength(2)
  })

  test("sid is never used again: who signs in anew gets another (reference B-8)", async () => {
    const w = await telling(["web"])
    const seen = new Set<unknown>()
    for (let each = 0; each < 3; each++) {
      const visitor = await signedIn(w)
      await use(w, visitor)
      await leave(visitor)
      for (const { claims } of (await logoutRound(w)).sent) seen.add(claims["sid"])
    }
    expect(seen.size).toBe(3)
  })
})

describe("signing a person out everywhere (Back-Channel Logout §2.4)", () => {
  test.each([undefined, null, 5, {}])(
    "OpenID Connect Core §2: %o is nobody to sign out, and is refused rather than answered 0",
    async (subject) => {
      const w = await world()
      await expect(w.provider.signOut(subject as never)).rejects.toThrow(/^signOut: subject: is .*, and must be a text$/)
    },
  )

  test("each client gets one token with sub and without sid; one that requires a sid gets one for each session", async () => {
    const w = await world({
      clients: clients.map((each) => {
        if (each.client_id === "web") return { ...each, backchannel_logout_uri: uri("web") }
        if (each.client_id !== "other") return each
        return { ...each, backchannel_logout_uri: uri("other"), backchannel_logout_session_required: true }
      }),
    })
    for (let each = 0; each < 3; each++) {
      const visitor = await signedIn(w)
      await use(w, visitor, "web")
      await use(w, visitor, "other")
    }
    expect(await w.provider.signOut("sub-alice")).toBe(3)
    const { sent } = await logoutRound(w)
    const byClient = Map.groupBy(sent, ({ claims }) => claims["aud"])
    expect(byClient.get("web")?.map(({ claims }) => [claims["sub"], "sid" in claims])).toEqual([["sub-alice", false]])
    expect(new Set(byClient.get("other")?.map(({ claims }) => claims["sid"])).size).toBe(3)
    expect((await w.tokens.sessionsOf("sub-alice")) as ReadonlyArray<Session>).toEqual([])
    expect(await w.provider.signOut("sub-alice")).toBe(0)
    expect((await logoutRound(w)).sent).toEqual([])
  })

  test("every grant is revoked, offline ones too, and nobody else's", async () => {
    const w = await telling(["web"])
    const [alice, bob] = [await tokensFor(w, "web"), await tokensFor(w, "web", "openid offline_access", "bob")]
    await w.provider.signOut("sub-alice")
    expect((await token(w, "web", { grant_type: "refresh_token", refresh_token: alice.refresh_token })).status).toBe(400)
    expect((await token(w, "web", { grant_type: "refresh_token", refresh_token: bob.refresh_token })).status).toBe(200)
  })
})

describe("Back-Channel Logout §2.5, §2.8: the answer", () => {
  const tried = async (...answers: Parameters<typeof answering>) => {
    const w = await telling(["web"])
    const visitor = await signedIn(w)
    await use(w, visitor)
    await leave(visitor)
    const round = await logoutRound(w, () => answering(...answers))
    return { w, ...round, waiting: await waitingLogouts(w), dead: await w.tokens.list(outbox, "dead", {}) }
  }

  test.each([200, 204])("%i is delivered", async (status) => {
    expect(await tried(status)).toMatchObject({ outcomes: [undefined], waiting: [], dead: [] })
  })

  test.each([400, 401, 404, 405])("%i is a refusal: never tried again, kept as a dead letter, and audited", async (status) => {
    const { outcomes, waiting, dead, audited } = await tried(status)
    expect(outcomes).toEqual([{ _tag: "Refused", failure: `refused with status ${status}` }])
    expect(waiting).toEqual([])
    expect(dead).toMatchObject([{ lastFailure: `refused with status ${status}` }])
    expect(audited).toMatchObject([{ event: "logout_refused", clientId: "web", subject: "sub-alice" }])
  })

  test.each([408, 425, 429, 500, 502, 503])("%i is tried again", async (status) => {
    const { outcomes, waiting, dead } = await tried(status)
    expect(outcomes).toEqual([{ _tag: "Failed", failure: `answered with status ${status}` }])
    expect(waiting).toHaveLength(1)
    expect(dead).toEqual([])
  })

  test.each([
    ["120", 120],
    ["999999999", 3600],
    ["-5", undefined],
    ["Wed, 21 Oct 2026 07:28:00 GMT", undefined],
    ["12345678901234567890", undefined],
  ])("Retry-After: %s is kept within an hour (RFC 9110 §10.2.3)", async (retryAfter, seconds) => {
    const { w, outcomes } = await tried(503, retryAfter)
    const notBefore = seconds === undefined ? {} : { notBefore: w.now() + seconds }
    expect(outcomes).toEqual([{ _tag: "Failed", failure: "answered with status 503", ...notBefore }])
  })

  test("of sign-outs of one session at one moment one tells its clients", async () => {
    const w = await telling(["web"])
    const visitor = await signedIn(w)
    await use(w, visitor)
    const { page } = await visitor.get("/logout")
    const [one, other] = await Promise.all([visitor.submit(page), visitor.submit(page)])
    expect([one.page?.["_tag"], other.page?.["_tag"]]).toEqual(["SignedOut", "SignedOut"])
    expect((await logoutRound(w)).sent).toHaveLength(1)
  })

  test("of two who end a session on the account page at one moment one tells its clients", async () => {
    const w = await telling(["web"])
    const [visitor, one, other] = [await signedIn(w), await signedIn(w), await signedIn(w)]
    await use(w, visitor)
    const [grant] = await w.tokens.grantsOf("sub-alice")
    const ended = [["session", grant?.sessionId ?? "none"]] as const
    const [first, second] = [(await one.get("/")).page, (await other.get("/")).page]
    await Promise.all([one.submit(first, ended, "endSession"), other.submit(second, ended, "endSession")])
    expect((await logoutRound(w)).sent).toHaveLength(1)
  })

  test("a client that takes no logout tokens any more, or is gone, has been told all it wants to hear", async () => {
    const w = await telling(["web", "other"])
    const visitor = await signedIn(w)
    await use(w, visitor, "web")
    await use(w, visitor, "other")
    await leave(visitor)
    const plain = clients.find(({ client_id }) => client_id === "other")
    if (plain !== undefined) w.clients.set("other", registeredClient(plain, defaultLifetimes))
    w.clients.delete("web")
    expect(await logoutRound(w)).toMatchObject({ sent: [], outcomes: [undefined, undefined] })
    expect(await waitingLogouts(w)).toEqual([])
  })
})

test("Back-Channel Logout §2.1: discovery states that logout tokens are sent, and that they name sessions", async () => {
  const w = await world()
  const { body } = await w.send({ path: "/.well-known/openid-configuration" })
  expect(JSON.parse(String(body))).toMatchObject({ backchannel_logout_supported: true, backchannel_logout_session_supported: true })
})
