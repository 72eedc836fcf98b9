import { type Message, type OutboundBody, ciba, createProviders, defaultFeatures, rowKindsOf } from "@postern/core"
import { memoryClientStore, memoryLimiter, memoryTokenStore } from "@postern/core/memory"
import { maintain } from "@postern/core/maintain"
import { outbox, type AuditEvent, type Trail } from "@postern/core/model"
import { CompactSign } from "jose"
import { describe, expect, test } from "vitest"
import { ask, decide, notifications, tills } from "../support/asking.ts"
import { keys, signingClients } from "../support/assertions.ts"
import { authorize, codeFor, post, redeem, request, signedIn, signIn, token, tokensFor } from "../support/flows.ts"
import { issuersWorld } from "../support/issuers.ts"
import type { Said } from "../support/visitor.ts"
import { clients as everyone, resources, world } from "../support/world.ts"

const [one, two] = ["https://op.example/one", "https://op.example/two"]
const both = () => issuersWorld({ issuers: { one: { issuer: one }, two: { issuer: two } } })

describe("several issuers in one process, which share clients, people and keys", () => {
  test("RFC 9068 §4: a JWT access token of one issuer is none at another", async () => {
    const { at } = await both()
    const { access_token } = await tokensFor(at(one))
    const bearer = { authorization: `Bearer ${access_token}` }
    expect((await post(at(one), "/connect/userinfo", undefined, {}, bearer)).status).toBe(200)
    const there = await post(at(two), "/connect/userinfo", undefined, {}, bearer)
    expect([there.status, there.header("www-authenticate")]).toEqual([401, expect.stringContaining("invalid_token")])
  })

  test("RFC 6749 §5.2: codes, refresh tokens and reference tokens of one issuer are none at another", async () => {
    const { at } = await both()
    const code = await codeFor(at(one))
    expect(await redeem(at(two), code)).toMatchObject({ status: 400, json: { error: "invalid_grant" } })
    // Nothing was revoked by that: the code is good where it was made.
    expect((await redeem(at(one), code)).status).toBe(200)
    const { refresh_token, access_token } = await tokensFor(at(one), "opaque", "openid offline_access api.read")
    expect(await token(at(two), "opaque", { grant_type: "refresh_token", refresh_token })).toMatchObject({
      status: 400,
      json: { error: "invalid_grant" },
    })
    const asked = { token: access_token }
    expect((await post(at(one), "/connect/introspect", "api", asked)).json).toMatchObject({ active: true })
    expect((await post(at(two), "/connect/introspect", "api", asked)).json).toEqual({ active: false })
    expect((await post(at(two), "/connect/revocation", "opaque", asked)).status).toBe(200)
    expect((await post(at(one), "/connect/introspect", "api", asked)).json).toMatchObject({ active: true })
  })

  test("a sign-in at one issuer is none at another, in one browser of one host", async () => {
    const { at } = await both()
    const visitor = await signedIn(at(one))
    const names = [...visitor.cookies.keys()]
    expect(names).toContain("__Host-postern-session-_2f_one")
    const elsewhere = at(two).visitor()
    // All cookies of the host reach both, and so does a session's value under the other's name.
    for (const [name, value] of visitor.cookies) {
      elsewhere.cookies.set(name, value)
      elsewhere.cookies.set(name.replace("_2f_one", "_2f_two"), value)
    }
    const asked = { ...request("web"), prompt: "none" }
    expect((await visitor.get("/connect/authorize", asked)).params).toHaveProperty("code")
    expect((await elsewhere.get("/connect/authorize", asked)).params).toMatchObject({ error: "login_required" })
    // The browser's cookies of one are not written over by the other.
    expect(await signIn(elsewhere)).toMatchObject({ status: 303 })
    for (const name of names) expect(elsewhere.cookies.get(name)).toBe(visitor.cookies.get(name))
  })

  test("a request that waits at one issuer cannot be answered at another", async () => {
    const { at } = await both()
    const visitor = at(one).visitor()
    const { page } = await authorize(visitor, "asks")
    const stranger = at(two).visitor()
    await stranger.get("/login")
    const form = page?.["form"] as { readonly hidden: ReadonlyArray<readonly [string, string]> }
    const answer = await stranger.post("/login", [...form.hidden, ["username", "alice"], ["password", "correct horse"]])
    expect(answer.params).not.toHaveProperty("code")
    expect(answer.status).toBe(400)
  })

  test("RFC 8628: a user code of one issuer is unknown at another, and so is its device code", async () => {
    const { at } = await both()
    const { json } = await post(at(one), "/connect/deviceauthorization", "tv", { scope: "openid" })
    const visitor = await signedIn(at(two))
    const { page } = await visitor.get("/device")
    const shown = await visitor.submit(page, [["user_code", String(json?.["user_code"])]])
    expect(JSON.stringify(shown.page)).toContain("unknown")
    const grant = { grant_type: "urn:ietf:params:oauth:grant-type:device_code", device_code: String(json?.["device_code"]) }
    expect((await token(at(two), "tv", grant)).json).toMatchObject({ error: expect.stringMatching(/invalid_grant|expired_token/) })
    expect((await token(at(one), "tv", grant)).json).toMatchObject({ error: "authorization_pending" })
  })

  test("RFC 9126 §4: a pushed request of one issuer is none at another", async () => {
    const { at } = await both()
    const { json } = await post(at(one), "/connect/par", "web", request("web"))
    const pushed = { client_id: "web", request_uri: String(json?.["request_uri"]) }
    expect((await (await signedIn(at(two))).get("/connect/authorize", pushed)).status).toBe(400)
    expect((await (await signedIn(at(one))).get("/connect/authorize", pushed)).params).toHaveProperty("code")
  })

  test("OpenID Connect Core §11: signing a person out of one issuer leaves them signed in at another", async () => {
    const { at, providers } = await both()
    const [here, there] = [await signedIn(at(one)), await signedIn(at(two))]
    expect(await (await providers.of(one))?.signOut("sub-alice")).toBe(1)
    const asked = { ...request("web"), prompt: "none" }
    expect((await here.get("/connect/authorize", asked)).params).toMatchObject({ error: "login_required" })
    expect((await there.get("/connect/authorize", asked)).params).toHaveProperty("code")
  })

  test("NIST SP 800-63B §3.2.2: guesses of one password are counted together where people are shared, and apart where they are not", async () => {
    const guess = async (visitor: ReturnType<Awaited<ReturnType<typeof both>>["whole"]["visitor"]>) => {
      const { page } = await visitor.get("/login")
      return visitor.submit(page, [
        ["username", "alice"],
        ["password", "wrong"],
      ])
    }
    const shared = await both()
    for (let tries = 0; tries < 5; tries++) await guess(shared.at(one).visitor())
    expect((await guess(shared.at(two).visitor())).status).toBe(429)
    const { authenticator } = shared.shared
    const apart = await issuersWorld({ issuers: { one: { issuer: one, authenticator }, two: { issuer: two, authenticator } } })
    for (let tries = 0; tries < 5; tries++) await guess(apart.at(one).visitor())
    expect((await guess(apart.at(one).visitor())).status).toBe(429)
    expect((await guess(apart.at(two).visitor())).status).not.toBe(429)
  })

  test("requests are limited for each issuer by itself", async () => {
    const limiter = memoryLimiter({ client: 1 })
    const { at } = await issuersWorld({ limiter, issuers: { one: { issuer: one }, two: { issuer: two } } })
    const ask = (issuer: string) => token(at(issuer), "machine", { grant_type: "client_credentials" })
    expect([(await ask(one)).status, (await ask(one)).status, (await ask(two)).status]).toEqual([200, 429, 200])
  })

  test("trails and audit events name their issuer, and hashes of accounts differ", async () => {
    const events: Array<AuditEvent> = []
    const trails: Array<Trail> = []
    const { at } = await issuersWorld({
      audit: { record: (told) => events.push(...told()) },
      trails: { record: (told) => trails.push(told()) },
      issuers: { one: { issuer: one }, two: { issuer: two } },
    })
    await signedIn(at(one))
    await signedIn(at(two))
    expect(new Set(trails.map(({ issuer }) => issuer))).toEqual(new Set(["one", "two"]))
    const accounts = events.filter(({ event }) => event === "sign_in").map(({ issuer, account }) => [issuer, account] as const)
    expect(accounts.map(([issuer]) => issuer)).toEqual(["one", "two"])
    expect(accounts[0]?.[1]).not.toBe(accounts[1]?.[1])
  })

  test("Back-Channel Logout §2.5: one worker delivers the messages of all issuers, each signed by its own", async () => {
    const clients = [
      {
        client_id: "told",
        client_secret: "secret of told",
        redirect_uris: ["https://app.example/cb"],
        scope: "openid",
        require_consent: false,
        backchannel_logout_uri: "https://app.example/backchannel",
      },
    ]
    const posted: Array<string> = []
    const outbound = {
      fetch: () => ({ _tag: "Unfetched", reason: "nothing" }) as const,
      post: (_: string, { text }: { readonly text: string }) => {
        posted.push(text.replace("logout_token=", ""))
        return { _tag: "Fetched", status: 200, body: "" } as const
      },
    }
    const { at, providers, whole } = await issuersWorld({ outbound, issuers: { one: { issuer: one }, two: { issuer: two } } }, { clients })
    for (const issuer of [one, two]) {
      await codeFor(at(issuer), "told")
      await (await providers.of(issuer))?.signOut("sub-alice")
    }
    const { now, tokens } = whole
    expect(await maintain({ tokens, now, handlers: providers.deliveries })).toMatchObject({ delivered: 2, failed: 0, faults: [] })
    const issuers = posted.map((jwt) => JSON.parse(Buffer.from(jwt.split(".")[1] ?? "", "base64url").toString())["iss"] as string)
    expect(issuers.sort()).toEqual([one, two])
    expect(await tokens.list(outbox, "due", { now: now() + 9999 })).toEqual([])
  })

  test("Back-Channel Logout §2.5: of sessions that run out each client is told by the issuer of the session, once", async () => {
    const clients = ["told", "other"].map((client_id) => ({
      client_id,
      client_secret: `secret of ${client_id}`,
      redirect_uris: ["https://app.example/cb"],
      scope: "openid",
      require_consent: false,
      backchannel_logout_uri: `https://${client_id}.example/backchannel`,
    }))
    const posted: Array<string> = []
    const outbound = {
      fetch: () => ({ _tag: "Unfetched", reason: "nothing" }) as const,
      post: (_: string, { text }: { readonly text: string }) => {
        const { iss, aud } = JSON.parse(Buffer.from(text.split(".")[1] ?? "", "base64url").toString()) as Record<string, unknown>
        posted.push(`${String(iss)} ${String(aud)}`)
        return { _tag: "Fetched", status: 200, body: "" } as const
      },
    }
    const settings = { backchannel_logout_on_expiry: true }
    const { at, providers, whole } = await issuersWorld(
      { outbound, settings, issuers: { one: { issuer: one }, two: { issuer: two } } },
      { clients },
    )
    await codeFor(at(one), "told")
    await codeFor(at(two), "other")
    const { now, tokens } = whole
    whole.pass(36_000)
    for (let each = 0; each < 3; each++) expect((await maintain({ tokens, now, handlers: providers.deliveries })).faults).toEqual([])
    expect(posted.sort()).toEqual([`${one} told`, `${two} other`])
    expect(await tokens.list(outbox, "due", { now: now() + 99_999 })).toEqual([])
  })

  test("CIBA Core §10.2: what one issuer has sealed for a client is opened where all issuers' messages are delivered", async () => {
    const posted: Array<readonly [url: string, authorization: string | undefined, body: Record<string, unknown>]> = []
    const outbound = {
      fetch: () => ({ _tag: "Unfetched", reason: "nothing" }) as const,
      post: (url: string, { text, authorization }: OutboundBody) => {
        posted.push([url, authorization?.reveal(), JSON.parse(text) as Record<string, unknown>])
        return { _tag: "Fetched", status: 204, body: "" } as const
      },
    }
    const features = [...defaultFeatures, ciba()]
    const tokens = memoryTokenStore(rowKindsOf({ features }))
    const { at, providers, whole } = await issuersWorld(
      { outbound, features, issuers: { one: { issuer: one }, two: { issuer: two } } },
      { clients: [...everyone, ...tills], tokens },
    )
    const asked = []
    for (const issuer of [one, two]) {
      asked.push(await ask(at(issuer), "pinged"))
      await decide(at(issuer), asked.at(-1) as Said)
    }
    expect(await maintain({ tokens, now: whole.now, handlers: providers.deliveries })).toMatchObject({
      delivered: 2,
      failed: 0,
      faults: [],
    })
    // Messages of one moment are delivered in any order.
    const ordered = (all: ReadonlyArray<unknown>) => all.map((each) => JSON.stringify(each)).toSorted()
    const expected = asked.map(({ json }) => [notifications, "Bearer notify~me+1/2=", { auth_req_id: json?.["auth_req_id"] }])
    expect(ordered(posted)).toEqual(ordered(expected))
  })

  test("RFC 7523 §3 (7): a jti that was used at one issuer is unused at another", async () => {
    const { at, whole } = await issuersWorld({ issuers: { one: { issuer: one }, two: { issuer: two } } }, { clients: signingClients })
    const claims = { iss: "signs", sub: "signs", jti: "once", exp: whole.now() + 60, aud: [`${one}/connect/token`, `${two}/connect/token`] }
    const client_assertion = await new CompactSign(new TextEncoder().encode(JSON.stringify(claims)))
      .setProtectedHeader({ alg: "ES256", kid: "ec" })
      .sign(keys.ec.privateKey)
    const ask = (issuer: string) =>
      token(at(issuer), undefined, {
        grant_type: "client_credentials",
        client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
        client_assertion,
      })
    expect([(await ask(one)).status, (await ask(one)).status, (await ask(two)).status]).toEqual([200, 401, 200])
  })
})

describe("the addresses of several issuers", () => {
  test.each([
    ["OpenID Connect Discovery §4", "/one/.well-known/openid-configuration"],
    ["RFC 8414 §3.1", "/.well-known/oauth-authorization-server/one"],
    ["RFC 8414 §5", "/.well-known/openid-configuration/one"],
  ])("%s: the document of an issuer with a path is at %s", async (_, path) => {
    const { providers } = await both()
    const answer = await providers.handle({ method: "GET", path, query: "", headers: { host: "op.example" }, body: "" })
    expect(JSON.parse(answer.body)).toMatchObject({ issuer: one, token_endpoint: `${one}/connect/token` })
  })

  const ask = async (path: string, host: string | undefined, issuers: ReadonlyArray<string>) => {
    const { shared } = await issuersWorld({ issuers: { one: { issuer: one } } })
    const providers = createProviders({ ...shared, issuers: Object.fromEntries(issuers.map((issuer, at) => [`i${at}`, { issuer }])) })
    const message: Message = { method: "GET", path, query: "", headers: { host }, body: "" }
    const { status, body } = await providers.handle(message)
    return status === 200 ? (JSON.parse(body) as { readonly issuer: string }).issuer : status
  }
  const document = "/.well-known/openid-configuration"

  test.each<[string, string, string | undefined, string | number]>([
    ["RFC 9110 §15.5.20: a host that no issuer has is answered 421", document, "evil.example", 421],
    ["RFC 9110 §15.5.20: no host is answered 421", document, undefined, 421],
    ["RFC 9110 §15.5.20: two hosts are none", document, "a.example, b.example", 421],
    ["a host in capitals is the same", document, "A.Example", "https://a.example"],
    ["the default port of https is none", document, "a.example:443", "https://a.example"],
    ["another port is another host", document, "a.example:8443", 421],
    ["an issuer by its host", document, "b.example", "https://b.example"],
    ["an issuer by its path", `/x${document}`, "b.example", "https://b.example/x"],
    ["the longest path counts", `/x/y${document}`, "b.example", "https://b.example/x/y"],
    ["a path that begins alike is another", `/xy${document}`, "b.example", 404],
    ["RFC 9110 §15.5.5: a host's path without an issuer is answered 404", `/z${document}`, "c.example", 404],
    ["an issuer with a port", document, "d.example:8443", "https://d.example:8443"],
    ["an issuer with a slash at its end", `/slash${document}`, "e.example", "https://e.example/slash/"],
    ["an address of version 6", document, "[::1]:9000", "http://[::1]:9000"],
    ["a path in capitals is another", `/X${document}`, "c.example", 404],
    ["an encoded path is another", `/%78${document}`, "b.example", 404],
  ])("%s", async (_, path, host, expected) => {
    const issuers = [
      "https://a.example",
      "https://b.example",
      "https://b.example/x",
      "https://b.example/x/y",
      "https://c.example/q",
      "https://d.example:8443",
      "https://e.example/slash/",
      "http://[::1]:9000",
    ]
    expect(await ask(path, host, issuers)).toBe(expected)
  })

  test("a web-standard request is told apart by its URL", async () => {
    const { providers } = await both()
    const answer = await providers.fetch(new Request(`${two}/.well-known/openid-configuration`))
    expect(await answer.json()).toMatchObject({ issuer: two })
    expect((await providers.fetch(new Request(`https://other.example${document}`))).status).toBe(421)
  })

  test("a shell finds the endpoint of any issuer, and counts it by its path below", async () => {
    const { providers } = await both()
    expect(providers.endpointAt("/one/connect/token")).toMatchObject({ name: "token", countedAs: "/connect/token" })
    expect(providers.endpointAt("/.well-known/oauth-authorization-server/one")?.name).toBe("metadata")
    expect(providers.endpointAt("/made/up")).toBeUndefined()
    expect(providers.serves("/one/connect/token", "op.example")).toBe(true)
    expect(providers.serves("/three/connect/token", "op.example")).toBe(false)
    expect(providers.serves("/one/other", "op.example")).toBe(false)
  })
})

describe("issuers that are looked up", () => {
  const lookedUp = async (
    find: NonNullable<Parameters<typeof createProviders>[0]["find"]>,
    more: Parameters<typeof createProviders>[0] = {},
  ) => {
    let millis = 0
    const { shared, whole } = await issuersWorld({ issuers: { one: { issuer: one } } })
    const faults: Array<unknown> = []
    const providers = createProviders({ ...shared, clock: () => millis, report: ({ cause }) => faults.push(cause), find, ...more })
    const ask = async (tenant: string) =>
      (
        await providers.handle({
          method: "GET",
          path: `/${tenant}${"/.well-known/openid-configuration"}`,
          query: "",
          headers: { host: "op.example" },
          body: "",
        })
      ).status
    return { providers, ask, faults, whole, pass: (seconds: number) => void (millis += seconds * 1000) }
  }
  const known = (sought: { readonly issuer: string } | { readonly name: string }) => {
    const name = "issuer" in sought ? sought.issuer.split("/").at(-1) : sought.name
    return name === undefined || !name.startsWith("t") ? undefined : { name, issuer: `https://op.example/${name}` }
  }

  test("are asked for once by all who come together, and not again until they are due", async () => {
    let asked = 0
    const { ask, pass } = await lookedUp(async (sought) => {
      asked++
      return known(sought)
    })
    expect(await Promise.all(Array.from({ length: 50 }, () => ask("t1")))).toEqual(Array.from({ length: 50 }, () => 200))
    expect(asked).toBe(1)
    expect(await ask("t1")).toBe(200)
    expect(asked).toBe(1)
    pass(60)
    expect(await ask("t1")).toBe(200)
    expect(asked).toBe(2)
  })

  test("that are not there are answered 404, asked for once in ten seconds, and never in the way of those that are", async () => {
    let asked = 0
    const { ask, pass, providers } = await lookedUp(
      (sought) => {
        asked++
        return known(sought)
      },
      { ready: 2 },
    )
    expect([await ask("t1"), await ask("t2")]).toEqual([200, 200])
    for (let at = 0; at < 20; at++) expect(await ask(`none-${at}`)).toBe(404)
    expect(await ask("none-19")).toBe(404)
    expect(asked).toBe(22)
    expect([await ask("t1"), await ask("t2")]).toEqual([200, 200])
    expect(asked).toBe(22)
    pass(10)
    expect(await ask("none-19")).toBe(404)
    expect(asked).toBe(23)
    expect(providers.load()).toMatchObject({ ready: 2, making: 0 })
  })

  test("make way for others, the one that was asked for the longest time ago first", async () => {
    const asked: Array<string> = []
    const { ask, providers } = await lookedUp(
      (sought) => {
        if ("issuer" in sought) asked.push(sought.issuer.split("/").at(-1) ?? "")
        return known(sought)
      },
      { ready: 2 },
    )
    for (const each of ["t1", "t2", "t1", "t3", "t1", "t2"]) expect(await ask(each)).toBe(200)
    expect(asked).toEqual(["t1", "t2", "t3", "t2"])
    expect(providers.load().ready).toBe(2)
  })

  test("RFC 6749 §4.1.2.1: a lookup that fails is answered 503 and reported; an issuer that is there goes on", async () => {
    let isAway = false
    const { ask, pass, faults } = await lookedUp(async (sought) => {
      if (isAway) throw new Error("the database is away")
      return known(sought)
    })
    expect(await ask("t1")).toBe(200)
    isAway = true
    expect(await ask("t2")).toBe(503)
    expect(faults).toHaveLength(1)
    pass(60)
    expect(await ask("t1")).toBe(200)
    isAway = false
    expect(await ask("t2")).toBe(200)
  })

  test("RFC 6749 §4.1.2.1: also of an address that had no issuer before, a lookup that fails or may not be made now is answered 503", async () => {
    let isAway = false
    let isHeld = false
    const { ask, pass, faults } = await lookedUp(async (sought) => {
      if (isAway) throw new Error("the database is away")
      return isHeld ? new Promise(() => undefined) : known(sought)
    })
    expect(await ask("none")).toBe(404)
    isAway = true
    pass(10)
    expect([await ask("none"), faults.length]).toEqual([503, 1])
    isAway = false
    isHeld = true
    for (let at = 0; at < 100; at++) void ask(`made-up-${at}`)
    expect([await ask("none"), faults.length]).toEqual([503, 1])
  })

  test("a lookup that never ends is answered 503 after ten seconds and gives its place back, once, also where it was forgotten", async () => {
    const rings = new Set<() => void>()
    const start = (milliseconds: number, ring: () => void) => {
      expect(milliseconds).toBe(10_000)
      rings.add(ring)
      return () => void rings.delete(ring)
    }
    const ring = (): void => {
      for (const each of rings) if (rings.delete(each)) each()
    }
    let asked = 0
    const never = (): Promise<undefined> => {
      asked++
      return new Promise(() => undefined)
    }
    const { ask, faults, providers } = await lookedUp(never, { timer: { start } })
    const flood = (round: string, count: number) => Array.from({ length: count }, (_, at) => ask(`${round}-${at}`))
    const first = flood("first", 100)
    expect([await ask("more"), asked, providers.load().making]).toEqual([503, 100, 100])
    ring()
    expect(new Set(await Promise.all(first))).toEqual(new Set([503]))
    expect([String(faults[0]), faults.length]).toEqual(["MakingTimedOut: it was not made within 10000 ms", 100])
    expect([rings.size, providers.load().making]).toEqual([0, 0])
    const second = flood("second", 100)
    for (let at = 0; at < 50; at++) providers.forget(`https://op.example/second-${at}`)
    const third = flood("third", 50)
    expect([await ask("more"), asked, providers.load().making]).toEqual([503, 250, 100])
    ring()
    expect(new Set(await Promise.all([...second, ...third]))).toEqual(new Set([503]))
    const last = flood("last", 100)
    expect([await ask("more"), asked]).toEqual([503, 350])
    ring()
    await Promise.all(last)
  })

  describe("places of lookups", () => {
    /** Issuers whose lookups wait until they are released. */
    const waiting = async (more: Parameters<typeof createProviders>[0] = {}) => {
      let held: Array<() => void> = []
      const { providers } = await lookedUp((sought) => new Promise((resolve) => held.push(() => resolve(known(sought)))), more)
      const from = async (address: string | undefined, host: string, tenant: string) => {
        const headers = { host }
        const path = `/${tenant}/.well-known/openid-configuration`
        return (await providers.handle({ method: "GET", path, query: "", headers, body: "", address })).status
      }
      const release = async () => {
        for (; held.length > 0; await new Promise(setImmediate)) {
          const now = held
          held = []
          for (const each of now) each()
        }
      }
      return { from, release, count: () => held.length }
    }
    const made = <A>(count: number, make: (at: number) => A): ReadonlyArray<A> => Array.from({ length: count }, (_, at) => make(at))

    test("one address takes at most half of them at one host, and three quarters in all: others are answered at once", async () => {
      const { from, release, count } = await waiting()
      const flood = made(150, (at) => from("203.0.113.9", "op.example", `t-made-up-${at}`))
      await new Promise(setImmediate)
      expect(count()).toBe(100)
      const elsewhere = made(300, (at) => from("203.0.113.9", `${at}.example`, "t1"))
      await new Promise(setImmediate)
      expect(count()).toBe(150)
      // Another address finds places at the same host, and at another one.
      const [same, other] = [from("198.51.100.1", "op.example", "t1"), from("2001:db8::1", "other.example", "t1")]
      await new Promise(setImmediate)
      expect(count()).toBe(152)
      await release()
      expect([await same, await other]).toEqual([200, 503])
      const statuses = await Promise.all([...flood, ...elsewhere])
      expect(statuses.filter((status) => status === 503).length).toBeGreaterThanOrEqual(50 + 250)
      // All places are free again.
      const again = made(150, (at) => from("203.0.113.9", "op.example", `t-others-${at}`))
      await new Promise(setImmediate)
      expect(count()).toBe(100)
      await release()
      expect((await Promise.all(again)).filter((status) => status === 200)).toHaveLength(100)
    })

    test("addresses of one network count as one, and requests without an address too", async () => {
      const { from, release, count } = await waiting()
      const network = made(150, (at) => from(`2001:db8::${at + 1}`, "op.example", `t-${at}`))
      await new Promise(setImmediate)
      expect(count()).toBe(100)
      const unknown = made(150, (at) => from(undefined, "op.example", `t-unknown-${at}`))
      await new Promise(setImmediate)
      // Half of those that were left.
      expect(count()).toBe(150)
      await release()
      await Promise.all([...network, ...unknown])
    })

    test.each([
      ["an IPv4 /24", (at: number) => `203.0.113.${at}`],
      ["an IPv6 /48", (at: number) => `2001:db8:0:${at.toString(16)}::1`],
    ])("addresses of one network, %s, take at most seven eighths of them", async (_, address) => {
      const { from, release, count } = await waiting()
      const network = made(250, (at) => from(address(at), `${at}.example`, "t1"))
      await new Promise(setImmediate)
      expect(count()).toBe(175)
      const other = from("198.51.100.1", "op.example", "t1")
      await new Promise(setImmediate)
      expect(count()).toBe(176)
      await release()
      expect(await other).toBe(200)
      await Promise.all(network)
    })

    test("issuers that were found before have a hundred of their own, whoever asks, also once another one has taken their place", async () => {
      const { from, release, count } = await waiting({ ready: 1 })
      for (const tenant of ["t1", "t2"]) {
        const found = from("203.0.113.9", "op.example", tenant)
        await new Promise(setImmediate)
        await release()
        expect(await found).toBe(200)
      }
      const flood = made(100, (at) => from("203.0.113.9", "op.example", `t-made-up-${at}`))
      const [unknown, evicted] = [from("203.0.113.9", "op.example", "t3"), from("203.0.113.9", "op.example", "t1")]
      await new Promise(setImmediate)
      expect(count()).toBe(101)
      expect(await unknown).toBe(503)
      await release()
      expect(await evicted).toBe(200)
      await Promise.all(flood)
    })
  })

  test("are not looked up by addresses that no issuer has", async () => {
    const sought: Array<unknown> = []
    const { providers } = await lookedUp((given) => {
      sought.push(given)
      return undefined
    })
    const odd = [
      "/../connect/token",
      "/.hidden/connect/token",
      "//connect/token",
      "/a%2fb/connect/token",
      "/ä/connect/token",
      `/${"x".repeat(65)}/connect/token`,
      "/",
      "",
    ]
    for (const path of odd)
      expect((await providers.handle({ method: "GET", path, query: "", headers: { host: "op.example" }, body: "" })).status).toBe(404)
    for (const host of ["", "a b", "a/b", "a@b", "a,b", "x".repeat(300), undefined])
      expect((await providers.handle({ method: "GET", path: "/t1/login", query: "", headers: { host }, body: "" })).status).toBe(421)
    expect(sought).toEqual([])
  })

  test("RFC 9728 §3.1: share resources, of which each serves its own: metadata that it would never serve is reported at each lookup, and left out", async () => {
    const resource = (identifier: string) => ({ identifier, scopes: [], metadata: {} })
    const [here, there] = ["https://op.example/t1/files", "https://op.example/t2/files"]
    const { providers, pass, faults } = await lookedUp(known, { resources: [resource(here), resource(there)] })
    const get = async (path: string) => {
      const { status, body } = await providers.handle({ method: "GET", path, query: "", headers: { host: "op.example" }, body: "" })
      return status === 200 ? (JSON.parse(body) as Readonly<Record<string, unknown>>) : status
    }
    const documents = async () => [await get("/t1/.well-known/openid-configuration"), await get("/t2/.well-known/openid-configuration")]
    expect(await documents()).toMatchObject([{ protected_resources: [here] }, { protected_resources: [there] }])
    expect(await get("/.well-known/oauth-protected-resource/t1/files")).toMatchObject({ resource: here })
    expect(await get("/t3/.well-known/openid-configuration")).not.toHaveProperty("protected_resources")
    const told = (tenant: string, at: number, identifier: string) =>
      `https://op.example/${tenant}: resources[${at}].metadata: the metadata of ${identifier} is asked of the issuer`
    expect(faults.map(String)).toEqual([
      expect.stringContaining(told("t1", 1, there)),
      expect.stringContaining(told("t2", 0, here)),
      expect.stringMatching(/t3: resources\[0\][^\n]+\nresources\[1\]/),
    ])
    await documents()
    expect(faults).toHaveLength(3)
    pass(60)
    await documents()
    expect(faults).toHaveLength(5)
  })

  test("RFC 9728 §3.1: that share a resource whose metadata leads to none of them are refused at once", async () => {
    const nowhere = { resources: [{ identifier: "https://api.example/", scopes: [], metadata: {} }] }
    const fault = "resources[0].metadata: the metadata of https://api.example/ is asked of no issuer, whichever is looked up"
    await expect(lookedUp(known, nowhere)).rejects.toThrow(fault)
    // Not where it leads to an issuer of another form, or to one that is declared.
    await expect(lookedUp(known, { ...nowhere, form: { segments: 0 } })).resolves.toBeDefined()
    await expect(lookedUp(known, { ...nowhere, issuers: { root: { issuer: "https://op.example" } } })).resolves.toBeDefined()
  })

  test("of two with one name the second is refused: they would share their rows", async () => {
    const { ask, faults } = await lookedUp((sought) => ("issuer" in sought ? { name: "same", issuer: sought.issuer } : undefined))
    expect([await ask("t1"), await ask("t2"), await ask("t1")]).toEqual([200, 503, 200])
    expect(String(faults[0])).toContain("would share their rows")
  })

  test("an answer for another issuer is refused", async () => {
    const { ask, faults } = await lookedUp(() => ({ name: "other", issuer: "https://op.example/other" }))
    expect(await ask("t1")).toBe(503)
    expect(String(faults[0])).toContain("find answered https://op.example/other")
  })

  test("null is no issuer, as from a database that has no such row: 404, and no fault", async () => {
    const { ask, faults, providers } = await lookedUp(() => null as never)
    expect([await ask("t1"), faults]).toEqual([404, []])
    const lost = { locator: "m\u001fgone", kind: "", payload: {}, createdAt: 0, attempts: 0 } as never
    const delivered = Object.values(providers.deliveries).map((deliver) => deliver(lost, new AbortController().signal))
    expect(await Promise.all(delivered)).toEqual(delivered.map(() => ({ _tag: "Failed", failure: "no issuer is named gone" })))
  })

  test.each<readonly [unknown, string]>([
    ["t1", "find answered a string for https://op.example/t1"],
    [7, "find answered a number for https://op.example/t1"],
    [{ issuer: "https://op.example/t1" }, "https://op.example/t1 has a name that cannot mark its rows"],
    [{ issuer: "https://op.example/t1", name: 1 }, "https://op.example/t1 has a name that cannot mark its rows"],
    [{ issuer: "https://op.example/t1", name: null }, "https://op.example/t1 has a name that cannot mark its rows"],
    [{ issuer: "https://op.example/t1", name: "t1", unnamedRows: 1 }, "unnamedRows: is a number, and must be true or false"],
    [{ issuer: "https://op.example/t1", name: "t1", people: 1 }, "people: is a number, and must be a text"],
  ])("%o is answered 503, and reported by what is wrong with it", async (found, fault) => {
    const { ask, faults } = await lookedUp(() => found as never)
    expect(await ask("t1")).toBe(503)
    expect(String(faults[0])).toContain(fault)
  })

  test("an issuer whose row has null for what it does not state is found", async () => {
    const { ask, faults } = await lookedUp((sought) => ({ ...known(sought), people: null, unnamedRows: null }) as never)
    expect([await ask("t1"), faults]).toEqual([200, []])
  })

  test("one that was forgotten is looked up again, also where it was being looked up", async () => {
    let asked = 0
    const { ask, providers } = await lookedUp(async (sought) => {
      asked++
      return known(sought)
    })
    const first = ask("t1")
    providers.forget("https://op.example/t1")
    expect([await first, await ask("t1")]).toEqual([200, 200])
    expect(asked).toBe(2)
  })
})

describe("what createProviders refuses", () => {
  test("every fault of every issuer at once", async () => {
    const { shared } = await issuersWorld({ issuers: { one: { issuer: one } } })
    const make = () =>
      createProviders({
        ...shared,
        issuers: {
          Wrong: { issuer: "https://w.example" },
          same: { issuer: "https://s.example/a" },
          again: { issuer: "https://s.example/a/" },
          odd: { issuer: "nothing" },
          first: { issuer: "https://f.example", unnamedRows: true, sessionLifetime: -1 },
          second: { issuer: "https://g.example", unnamedRows: true },
        },
      })
    expect(make).toThrow(/issuers\.Wrong: a name is 1 to 32/)
    expect(make).toThrow(/https:\/\/s\.example\/a\/ has the address of https:\/\/s\.example\/a/)
    expect(make).toThrow(/issuers\.odd: issuer: must be an http or https URL/)
    expect(make).toThrow(/issuers\.first: sessionLifetime/)
    expect(make).toThrow(/only one may have the rows without a name/)
    expect(() => createProviders({ ...shared, issuers: { one: { issuer: one, unnamedRows: 1 as never } } })).toThrow(
      "issuers.one: unnamedRows: is a number, and must be true or false",
    )
    expect(() => createProviders({ ...shared })).toThrow("there is none")
    expect(() => createProviders({ issuers: { one: { issuer: one } } })).toThrow("tokens: is missing")
  })

  test.each<readonly [object, string]>([
    [{ form: { segment: 2 } }, "form.segment: is no member of it; did you mean segments?"],
    [{ form: { segments: "2" } }, "form.segments: is a string, and must be a number"],
    [{ form: { segments: 1.5 } }, "form.segments: must be a whole number from 0 to 32"],
    [{ form: { segments: -1 } }, "form.segments: must be a whole number from 0 to 32"],
    [{ form: { segments: Number.NaN } }, "form.segments: must be a whole number from 0 to 32"],
    [{ form: { scheme: "HTTPS" } }, "form.scheme: must be https or http"],
    [{ ready: 0 }, "ready: must be a number of providers from 1"],
    [{ ready: Number.NaN }, "ready: must be a number of providers from 1"],
    [{ refresh: -1 }, "refresh: must be a number of seconds from 0"],
    [{ refresh: Number.NaN }, "refresh: must be a number of seconds from 0"],
  ])("%o, by which no issuer would be found, or none again", async (options, fault) => {
    const { shared } = await issuersWorld({ issuers: { one: { issuer: one } } })
    expect(() => createProviders({ ...shared, find: () => undefined, ...options })).toThrow(new TypeError(`createProviders: ${fault}`))
  })

  test("RFC 9728 §3.1: a resource whose metadata would be asked of another issuer, or of none", async () => {
    const { shared } = await issuersWorld({ issuers: { one: { issuer: one } } })
    const [deep, wide] = ["https://op.example/one/deep", "https://op.example/wide"]
    const resource = (identifier: string, more = { metadata: {} }) => ({ identifier, scopes: [], ...more })
    const make = (more: Parameters<typeof createProviders>[0]) => () => createProviders({ ...shared, resources: [], ...more })
    const issuersWith = (resources: ReadonlyArray<ReturnType<typeof resource>>) => ({
      issuers: { one: { issuer: one, resources }, deep: { issuer: deep }, wide: { issuer: wide } },
    })
    const mend = `give the resource a URL below ${one}, or leave metadata out, let the resource's own server serve it, and set listed to true`
    for (const [identifier, asked] of [
      ["https://api.example/files", "is asked of no issuer"],
      [`${deep}/files`, `is asked of the issuer ${deep}`],
      [`${wide}?q=1`, `is asked of the issuer ${wide}`],
    ] as const)
      expect(make(issuersWith([resource(`${one}/files`), resource(identifier)]))).toThrow(
        `issuers.one: resources[1].metadata: the metadata of ${identifier} ${asked}, so ${one} would never serve it; ${mend}`,
      )
    // Nothing is refused where it is served, where it is somebody else's to serve, and where the provider serves none.
    expect(make(issuersWith([resource(`${one}/files?q=1`), resource(one), resource("https://files.example/one/x")]))).not.toThrow()
    expect(
      make({ resources: [{ identifier: "https://api.example/files", listed: true, scopes: [] }], issuers: { one: { issuer: one } } }),
    ).not.toThrow()
    const features = defaultFeatures.filter(({ name }) => name !== "protected-resources")
    expect(make({ features, resources: [resource("https://api.example/files")], issuers: { one: { issuer: one } } })).not.toThrow()
    expect(make({ resources: [resource("https://api.example/files")], issuers: { one: { issuer: one }, wide: { issuer: wide } } })).toThrow(
      "issuers.wide: resources[0].metadata",
    )
    // With the other faults of the issuer.
    expect(make({ issuers: { one: { issuer: one, sessionLifetime: -1, resources: [resource("https://api.example/files")] } } })).toThrow(
      /resources\[0\]\.metadata: [^]*sessionLifetime/,
    )
  })

  test("clients, people and looks of an issuer's own are its own alone", async () => {
    const { shared } = await issuersWorld({ issuers: { one: { issuer: one } } })
    const { at } = await issuersWorld({
      issuers: {
        one: { issuer: one, clients: memoryClientStore([]), pages: { render: () => "ours" } },
        two: { issuer: two },
      },
    })
    expect((await token(at(one), "machine", { grant_type: "client_credentials" })).status).toBe(401)
    expect((await token(at(two), "machine", { grant_type: "client_credentials" })).status).toBe(200)
    expect((await at(one).send({ path: "/login" })).body).toBe("ours")
    expect((await at(two).send({ path: "/login" })).body).not.toBe("ours")
    expect(shared.resources).toEqual(resources)
  })

  test("the rows of a store that served one issuer before are that issuer's, and no other's", async () => {
    const tokens = memoryTokenStore()
    const host = "https://before.example"
    const code = await codeFor(await world({ tokens, issuer: host }))
    const { at } = await issuersWorld({ issuers: { old: { issuer: host, unnamedRows: true }, new: { issuer: two } } }, { tokens })
    expect(await redeem(at(two), code)).toMatchObject({ status: 400 })
    expect((await redeem(at(host), code)).status).toBe(200)
  })
})
