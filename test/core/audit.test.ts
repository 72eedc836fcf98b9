import { type AuditEvent, secretOf } from "@postern/core"
import { describe, expect, test } from "vitest"
import { authorize, basic, codeFor, follow, post, redeem, refresh, signIn, signedIn, token, tokensFor, request } from "../support/flows.ts"
import { comeBack, withUpstream } from "../support/upstream.ts"
import { type World, beginning, password, world } from "../support/world.ts"

/** A world that keeps what it tells an auditor. */
const audited = async (): Promise<{ readonly w: World; readonly events: Array<AuditEvent> }> => {
  const events: Array<AuditEvent> = []
  const w = await world({ more: { audit: { record: (told) => events.push(...told()) } } })
  return { w, events }
}
const named = (events: ReadonlyArray<AuditEvent>): ReadonlyArray<string> => events.map(({ event }) => event)

describe("audit events (NIST SP 800-92 §2.1.2: who did what, when and from where)", () => {
  test("a sign-in, and one that failed, name the person or the rule, the address and the request", async () => {
    const { w, events } = await audited()
    const visitor = w.visitor()
    const { page } = await visitor.get("/login")
    await visitor.submit(page, [
      ["username", "alice"],
      ["password", "wrong"],
    ])
    await signIn(visitor)
    const common = { at: beginning, endpoint: "login", address: "192.0.2.1", requestId: expect.stringMatching(/^\w{16}$/) }
    expect(events).toEqual([
      expect.objectContaining({ ...common, event: "sign_in_failed", subject: undefined, detail: "login.verified" }),
      expect.objectContaining({ ...common, event: "sign_in", subject: "sub-alice", detail: "pwd", sessionId: expect.any(String) }),
    ])
    expect(w.trails.some(({ requestId }) => requestId === events[0]?.requestId)).toBe(true)
  })

  test("sign-ins that failed name the account by a keyed hash: guessing at one is seen, and nobody is named (NIST SP 800-63B §3.2.2)", async () => {
    const accountsOf = async (key: string) => {
      const events: Array<AuditEvent> = []
      const w = await world(withUpstream({}, { more: { accountKey: secretOf(key), audit: { record: (told) => events.push(...told()) } } }))
      const visitor = w.visitor()
      const { page } = await visitor.get("/login")
      for (const username of ["alice", " ALICE", "ａｌｉｃｅ", "alice", "alice", "alice", "nobody"])
        await visitor.submit(page, [
          ["username", username],
          ["password", "wrong"],
        ])
      await token(w, "ropc", { grant_type: "password", username: "Alice", password: "wrong" })
      for (const username of ["ann", "Ann"])
        await token(w, "ropc-work", { grant_type: "password", username, password: "wrong", acr_values: "idp:corp" })
      return events.map(({ event, account, detail }) => {
        expect(event).toBe("sign_in_failed")
        expect(account).toMatch(/^[\w-]{22}$/)
        return { account, detail }
      })
    }
    const events = await accountsOf("k".repeat(32))
    const [alice, , , , , throttled, nobody, granted, ann, again] = events
    expect(new Set(events.slice(0, 6).map(({ account }) => account))).toEqual(new Set([alice?.account]))
    expect(throttled?.detail).toBe("login.account-attempts")
    expect([granted?.account, again?.account]).toEqual([alice?.account, ann?.account])
    expect(new Set([alice, nobody, ann].map((each) => each?.account)).size).toBe(3)
    // The same on every machine and after a restart; another provider's tell nothing about it.
    expect(await accountsOf("k".repeat(32))).toEqual(events)
    expect((await accountsOf("l".repeat(32))).map(({ account }) => account)).not.toContain(alice?.account)
  })

  test("a sign-in names the account that those before it failed at; nothing else does", async () => {
    const { w, events } = await audited()
    const visitor = w.visitor()
    const form = await authorize(visitor)
    await visitor.submit(form.page, [
      ["username", " ALICE"],
      ["password", "wrong"],
    ])
    await visitor.submit(form.page, [
      ["username", "alice"],
      ["password", password],
    ])
    const account = events[0]?.account
    expect(account).toBeDefined()
    expect(events.map((each) => [each.event, each.account])).toEqual([
      ["sign_in_failed", account],
      ["sign_in", account],
      ["granted", undefined],
    ])
  })

  test("a sign-in at another provider, and one that came to nothing, are told once, where the person comes back", async () => {
    const events: Array<AuditEvent> = []
    const w = await world(withUpstream({ amr: ["otp"] }, { more: { audit: { record: (told) => events.push(...told()) } } }))
    const visitor = w.visitor()
    const away = await authorize(visitor, "work", { acr_values: "idp:corp" })
    await follow(visitor, await comeBack(visitor, away, { error: "access_denied" }))
    const again = await authorize(visitor, "work", { acr_values: "idp:corp" })
    await comeBack(visitor, again)
    const common = { endpoint: "login-callback", clientId: "work" }
    expect(events).toEqual([
      expect.objectContaining({ ...common, event: "sign_in_failed", detail: "upstream.identified" }),
      expect.objectContaining({ ...common, event: "sign_in", subject: "https://corp.example ann", detail: "otp idp:corp" }),
      expect.objectContaining({ ...common, event: "granted", subject: "https://corp.example ann" }),
    ])
  })

  test("a code flow: granted at authorize, issued at token and at refresh, under one grant", async () => {
    const { w, events } = await audited()
    const { refresh_token } = await tokensFor(w)
    await refresh(w, refresh_token)
    expect(named(events)).toEqual(["sign_in", "granted", "token_issued", "token_issued"])
    expect(events[1]).toMatchObject({ clientId: "web", subject: "sub-alice", scope: ["openid", "offline_access"], endpoint: "authorize" })
    expect(events[2]).toMatchObject({
      clientId: "web",
      subject: "sub-alice",
      endpoint: "token",
      scope: ["openid", "offline_access"],
      detail: "access_token id_token refresh_token",
    })
  })

  test("a machine's token has no subject", async () => {
    const { w, events } = await audited()
    await token(w, "machine", { grant_type: "client_credentials", scope: "api.read" })
    expect(events).toEqual([
      expect.objectContaining({
        event: "token_issued",
        clientId: "machine",
        subject: undefined,
        scope: ["api.read"],
        detail: "access_token",
      }),
    ])
  })

  test("a refusal names its rule; what it revoked is told too", async () => {
    const { w, events } = await audited()
    const code = await codeFor(w)
    await redeem(w, code)
    events.length = 0
    await redeem(w, code)
    expect(events).toEqual([
      expect.objectContaining({ event: "revoked", grantId: expect.any(String) }),
      expect.objectContaining({ event: "refused", detail: "code.unused", clientId: "web" }),
    ])
  })

  test("consent: given, denied and withdrawn", async () => {
    const { w, events } = await audited()
    const visitor = await signedIn(w)
    const first = await authorize(visitor, "asks")
    await visitor.submit(first.page, [["decision", "deny"]])
    const second = await authorize(visitor, "asks")
    await visitor.submit(second.page, [["decision", "allow"]])
    const home = await visitor.get("/")
    await visitor.submit(home.page, [["client_id", "asks"]], "withdrawConsent")
    expect(named(events)).toEqual(["sign_in", "consent_denied", "refused", "consent_given", "granted", "consent_withdrawn", "revoked"])
    expect(events[3]).toMatchObject({ subject: "sub-alice", clientId: "asks", scope: ["openid"] })
  })

  test("revocation, a device's approval, and signing out", async () => {
    const { w, events } = await audited()
    const { refresh_token } = await tokensFor(w)
    events.length = 0
    await post(w, "/connect/revocation", "web", { token: refresh_token })
    const device = await post(w, "/connect/deviceauthorization", "tv", {})
    const visitor = await signedIn(w)
    const shown = await visitor.get(`/device?user_code=${String(device.json?.["user_code"])}`)
    await visitor.submit(shown.page, [["decision", "allow"]])
    const out = await visitor.get("/logout")
    await visitor.submit(out.page)
    expect(named(events)).toEqual(["revoked", "sign_in", "device_approved", "granted", "sign_out"])
  })

  test("RFC 9126 §2: a request that is pushed, by its client, with the scopes it asks for", async () => {
    const { w, events } = await audited()
    await post(w, "/connect/par", "web", request("web", { client_id: undefined, scope: "openid email" }))
    expect(named(events)).toEqual(["authorization_pushed"])
    expect(events[0]).toMatchObject({ clientId: "web", scope: ["openid", "email"], endpoint: "pushed-authorization" })
  })

  test("a device that waits and a request that is only sent on to sign-in are no events", async () => {
    const { w, events } = await audited()
    const device = await post(w, "/connect/deviceauthorization", "tv", {})
    await token(w, "tv", {
      grant_type: "urn:ietf:params:oauth:grant-type:device_code",
      device_code: String(device.json?.["device_code"]),
    })
    await authorize(w.visitor(), "web")
    expect(events).toEqual([])
  })

  test("no secret is ever told: no code, token, cookie, client secret or password", async () => {
    const { w, events } = await audited()
    const visitor = await signedIn(w)
    const { params } = await authorize(visitor, "web", { scope: "openid offline_access" })
    const { json } = await redeem(w, params["code"] ?? "")
    await token(w, undefined, { grant_type: "client_credentials" }, { authorization: basic("machine", "a wrong secret") })
    await token(w, "ropc", { grant_type: "password", username: "alice", password: "a wrong password" })
    const told = JSON.stringify(events)
    const secrets = [
      params["code"],
      json?.["access_token"],
      json?.["refresh_token"],
      json?.["id_token"],
      password,
      ...visitor.cookies.values(),
    ]
    for (const secret of [...secrets, "a wrong secret", "a wrong password"]) expect(told).not.toContain(String(secret))
    expect(named(events)).toEqual(["sign_in", "granted", "token_issued", "refused", "sign_in_failed"])
  })

  test("an auditor that fails costs nobody an answer", async () => {
    const w = await world({
      more: {
        audit: {
          record: () => {
            throw new Error("the disk is full")
          },
        },
      },
    })
    expect((await token(w, "machine", { grant_type: "client_credentials" })).status).toBe(200)
  })
})
