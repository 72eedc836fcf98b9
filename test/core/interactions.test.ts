import { type Client, type InteractionState, secretOf } from "@postern/core/model"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { answer, atConsent, atSignIn, device, ownPages, waitingAt } from "../cases/interactions.ts"
import { lastRefusal } from "../cases/case.ts"
import { basic, post, redeem, request } from "../support/flows.ts"
import { withUpstream } from "../support/upstream.ts"
import { type World, beginning, world } from "../support/world.ts"
import { runs } from "../tiers/tier.ts"

/** A pushed request that waits. */
const pushed = async (w: World) => {
  const visitor = w.visitor()
  const { json } = await post(w, "/connect/par", "web", request())
  const sent = await visitor.get("/connect/authorize", { client_id: "web", request_uri: String(json?.["request_uri"]) })
  return waitingAt(w, visitor, sent.header("location") ?? "")
}

const alice = { signIn: { subject: "sub-alice", amr: ["pwd", "otp"], acr: "urn:example:two" } }

describe("provider.interaction", () => {
  test("OpenID Connect Core §3.1.2.3: tells that a sign-in is needed, for whom, and the rule that asks for it", async () => {
    const w = await world(ownPages)
    const { state, target } = await atSignIn(w, "web", { login_hint: "alice@example.com", ui_locales: "de", acr_values: "urn:a urn:b" })
    expect(target).toMatch(/^\/own\/sign-in\?interaction=/)
    expect(state).toMatchObject({
      need: "sign_in",
      why: { rule: "person.signed-in", cites: "OpenID Connect Core §3.1.2.3", reason: "no session" },
      client: { clientId: "web", name: "Web App" },
      signIn: { again: false, acrValues: ["urn:a", "urn:b"], essentialAcr: [], loginHint: "alice@example.com", local: true, providers: [] },
      expiresAt: beginning + 900,
      locales: ["de"],
    })
    expect(state.person).toBeUndefined()
    expect(w.trails.at(-1)).toMatchObject({ endpoint: "interaction", requestId: state.requestId })
  })

  test("OpenID Connect Core §5.5.1.1: tells a step-up: the acr that is essential, and the one that was reached", async () => {
    const w = await world(ownPages)
    const first = await atSignIn(w)
    await answer(w, first, { signIn: { subject: "sub-alice" } })
    const claims = JSON.stringify({ id_token: { acr: { essential: true, values: ["urn:example:two"] } } })
    const at = await atSignIn(w, "web", { claims }, first.visitor)
    expect(at.state).toMatchObject({
      need: "sign_in",
      why: { rule: "person.acr-essential" },
      person: { subject: "sub-alice", name: "Alice Ant" },
      signIn: { again: true, acrValues: ["urn:example:two"], essentialAcr: ["urn:example:two"], acr: "urn:postern:password" },
    })
    const sent = await answer(w, at, alice)
    const { json } = await redeem(w, sent.params["code"] ?? "")
    expect(JSON.parse(atob(String(json?.["id_token"]).split(".")[1] ?? ""))).toMatchObject({ acr: "urn:example:two", amr: ["pwd", "otp"] })
  })

  test("OpenID Connect Core §3.1.2.1: tells the earliest sign-in that will do, for prompt=login and max_age", async () => {
    const w = await world(ownPages)
    expect((await atSignIn(w, "web", { prompt: "login" })).state.signIn?.notBefore).toBe(beginning)
    expect((await atSignIn(w, "web", { max_age: "60" })).state.signIn?.notBefore).toBe(beginning - 60)
    expect((await atSignIn(w, "strict-age")).state.signIn?.notBefore).toBe(beginning - 600)
    expect((await atSignIn(w)).state.signIn?.notBefore).toBeUndefined()
  })

  test("OpenID Connect Core §3.1.2.4: tells the scopes and claims that consent is needed for", async () => {
    const w = await world(ownPages)
    const claims = JSON.stringify({ userinfo: { middle_name: null } })
    const { state, target } = await atConsent(w, { scope: "openid api.read", claims })
    expect(target).toMatch(/^\/own\/consent\?interaction=/)
    expect(state).toMatchObject({
      need: "consent",
      why: { rule: "person.consented", reason: "no remembered consent covers the scope" },
      person: { subject: "sub-alice" },
      consent: { destination: "https://app.example" },
    })
    expect(state.consent?.scopes.map(({ name, kind }) => [name, kind])).toEqual([
      ["openid", "identity"],
      ["claim middle_name", "claim"],
      ["api.read", "resource"],
    ])
  })

  test("RFC 8628 §3.3: tells a device by its code, its client and its scopes", async () => {
    const w = await world(ownPages)
    const { at, code, userCode } = await device(w)
    expect(at.target).toMatch(/^\/own\/device\?interaction=/)
    expect(at.state).toMatchObject({
      need: "device",
      client: { name: "Television" },
      device: { userCode },
      person: { subject: "sub-alice" },
    })
    expect(at.state.consent?.scopes.map(({ name }) => name)).toEqual(["openid", "api.read"])
    await answer(w, at, { consent: { scopes: ["openid", "api.read"] } })
    w.pass(6)
    const grant = { grant_type: "urn:ietf:params:oauth:grant-type:device_code", device_code: code, client_id: "tv" }
    expect((await w.visitor().post("/connect/token", grant)).json).toMatchObject({ scope: "openid api.read" })
  })

  test("RFC 8628 §3.3: a wrong code comes back to the embedder's page with its problem", async () => {
    const w = await world(ownPages)
    const visitor = w.visitor()
    expect((await visitor.get("/device")).to).toBe("/own/device")
    expect(await visitor.get("/device", { user_code: "XXXX-XXXX" })).toMatchObject({ to: "/own/device", params: { problem: "unknown" } })
  })

  test("law 2: it changes nothing: asked a hundred times, the request still waits", async () => {
    const commits: Array<number> = []
    const plain = (await world(ownPages)).tokens
    const w = await world({
      ...ownPages,
      tokens: { ...plain, commit: (commands) => (commits.push(commands.length), plain.commit(commands)) },
    })
    const at = await atSignIn(w)
    commits.length = 0
    for (let times = 0; times < 100; times++) await w.provider.interaction(at.visitor.message(at.target, "POST"))
    expect(commits).toEqual([])
    expect((await answer(w, at, alice)).to).toBe("https://app.example/cb")
  })

  test("law 2: it commits nothing, whatever would refuse the request now", async () => {
    const committed: Array<number> = []
    const refusing: ReadonlyArray<Partial<Client>> = [
      { responseTypes: [] },
      { disabled: true },
      { scope: [] },
      { redirectUris: [] },
      { requirePkce: true, grantTypes: [] },
      { allowLocalLogin: false },
    ]
    for (const change of refusing)
      for (const from of [(w: World) => atSignIn(w), async (w: World) => atConsent(w), (w: World) => pushed(w)]) {
        const plain = (await world(ownPages)).tokens
        const w = await world({
          ...ownPages,
          tokens: { ...plain, commit: (commands) => (committed.push(commands.length), plain.commit(commands)) },
        })
        const at = await from(w)
        const before = [...w.clients]
        for (const [id, client] of before) w.clients.set(id, { ...client, ...change })
        committed.length = 0
        const state = await w.provider.interaction(at.visitor.message(at.target))
        expect(committed).toEqual([])
        // It waits as it did, once the client is mended.
        for (const [id, client] of before) w.clients.set(id, client)
        expect((await w.provider.interaction(at.visitor.message(at.target))).need).toBe(at.state.need)
        if ("responseTypes" in change)
          expect(state).toMatchObject({ need: "nothing", location: expect.stringContaining("/resume?") as unknown })
      }
  })

  test("OpenID Connect Core §3.1.2.1: the earliest sign-in that will do for max_age moves on with the clock", async () => {
    const w = await world(ownPages)
    const at = await atSignIn(w, "web", { max_age: "60" })
    w.pass(850)
    expect((await waitingAt(w, at.visitor, at.target)).state.signIn?.notBefore).toBe(beginning + 790)
    const never = await atSignIn(w, "web", { max_age: "0" })
    w.pass(10)
    expect((await waitingAt(w, never.visitor, never.target)).state.signIn?.notBefore).toBe(beginning + 850)
  })

  test("RFC 8414 §3.1: with an issuer below a path the forms of other providers go below it", async () => {
    const options = withUpstream({}, { issuer: "https://op.example/auth" })
    const w = await world({ ...options, more: { ...options.more, ...ownPages.more } })
    const visitor = w.visitor()
    const sent = await visitor.get("/auth/connect/authorize", request("work"))
    const { state } = await waitingAt(w, visitor, sent.header("location") ?? "")
    expect(state.signIn?.providers.map(({ form }) => form.action)).toEqual(["/auth/login/upstream", "/auth/login/upstream"])
    const form = state.signIn?.providers[0]?.form
    const gone = await visitor.post(form?.action ?? "", Object.fromEntries(form?.hidden ?? []))
    expect(gone.to).toBe("https://corp.example/authorize")
    const another = w.visitor()
    const asked = await another.post("/auth/connect/deviceauthorization", { scope: "openid" }, { authorization: basic("board") })
    const typed = await another.get("/auth/device", { user_code: String(asked.json?.["user_code"]) })
    const device = await waitingAt(w, another, typed.header("location") ?? "")
    expect(device.state.signIn?.providers.map(({ form: each }) => each.action)).toEqual(["/auth/login/upstream", "/auth/login/upstream"])
  })

  test("OpenID Connect Core §8.1: tells the person asked for by their own subject, and nobody where the client knows a pseudonym", async () => {
    const w = await world({ ...ownPages, more: { ...ownPages.more, pairwiseSalt: secretOf("s".repeat(32)) } })
    const claims = JSON.stringify({ id_token: { sub: { value: "sub-alice" } } })
    expect((await atSignIn(w, "web", { claims })).state.signIn?.subject).toBe("sub-alice")
    const client = w.clients.get("web")
    if (client !== undefined) w.clients.set("web", { ...client, subjectType: "pairwise" })
    expect((await atSignIn(w, "web", { claims })).state.signIn).not.toHaveProperty("subject")
  })

  test.each([
    ["no handle", "/own/sign-in", "interaction.known", "interaction_expired"],
    ["a handle that is none", "/own/sign-in?interaction=i.1.2", "interaction.known", "interaction_expired"],
  ])("RFC 9700 §4.7.1: %s is told as refused, by its rule", async (_, target, rule, trouble) => {
    const w = await world(ownPages)
    expect(await w.provider.interaction(w.visitor().message(target))).toMatchObject({
      need: "refused",
      status: 400,
      trouble,
      why: { rule },
    })
  })

  test("RFC 9700 §4.7.1: another browser's, one that is too old and one that is finished are told as refused", async () => {
    const w = await world(ownPages)
    const at = await atSignIn(w)
    const told = async (visitor = at.visitor) => {
      const state: InteractionState = await w.provider.interaction(visitor.message(at.target))
      return state.need === "refused" ? state.why?.rule : state.need
    }
    expect(await told(w.visitor())).toBe("interaction.browser")
    const late = await atSignIn(w)
    await answer(w, late, { deny: true })
    w.pass(11)
    expect(await w.provider.interaction(late.visitor.message(late.target))).toMatchObject({ why: { rule: "interaction.unfinished" } })
    w.pass(900)
    expect(await told()).toBe("interaction.fresh")
  })

  test("RFC 6749 §4.1.2.1: a store that fails is told as refused, and rejects nothing", async () => {
    const tokens = (await world()).tokens
    const w = await world({ ...ownPages, tokens: { ...tokens, findInteraction: () => Promise.reject(new Error("gone")) } })
    expect(await w.provider.interaction(w.visitor().message("/own?interaction=i.0123456789abcdef.AAAA"))).toMatchObject({ need: "refused" })
  })
})

describe("provider.resume", () => {
  test("OpenID Connect Core §3.1.2.3: with one page of the embedder's own the others are ours", async () => {
    const w = await world({ more: { interactions: { signIn: "/own/sign-in" } } })
    const at = await atSignIn(w, "asks")
    const sent = await answer(w, at, alice)
    expect(sent.to).toBe("/consent")
    const page = await at.visitor.get(sent.header("location") ?? "")
    expect(page.page).toMatchObject({ _tag: "Consent", person: { username: "alice" } })
    expect((await at.visitor.submit(page.page, [["decision", "allow"]])).to).toBe("https://app.example/cb")
  })

  test("OpenID Connect Core §3.1.2.3: with no page of the embedder's own both functions work beside our pages", async () => {
    const w = await world()
    const visitor = w.visitor()
    const sent = await visitor.get("/connect/authorize", request())
    expect(sent.to).toBe("/login")
    const at = await waitingAt(w, visitor, sent.header("location") ?? "")
    expect((await answer(w, at, alice)).to).toBe("https://app.example/cb")
  })

  test("OpenID Connect Core §3.1.2.3: with none of our pages there is still everything that people need", async () => {
    const { defaultFeatures } = await import("@postern/core")
    const features = defaultFeatures.filter(({ name }) => name !== "login" && name !== "consent")
    const w = await world({ more: { ...ownPages.more, features } })
    const at = await atConsent(w)
    expect((await at.visitor.get("/login")).status).toBe(404)
    expect((await answer(w, at, { consent: { scopes: ["openid"] } })).to).toBe("https://app.example/cb")
  })

  test("behaviour: our sign-in page sends a browser on to the embedder's, with the request that waits", async () => {
    const w = await world(ownPages)
    const visitor = w.visitor()
    expect((await visitor.get("/login", { interaction: "i.1", another: "1" })).to).not.toBe("/login")
    expect((await visitor.get("/login")).header("location")).toBe("/")
    expect((await visitor.get("/login", { another: "1" })).header("location")).toBe("/?another=1")
    expect((await visitor.get("/")).to).toBe("/own/sign-in")
  })

  test("OpenID Connect Core §3.1.2.3: whoever opens a page of the provider signs in on the embedder's page, and comes back", async () => {
    const w = await world(ownPages)
    const visitor = w.visitor()
    const sent = await visitor.get("/")
    const at = await waitingAt(w, visitor, sent.header("location") ?? "")
    expect(at.state).toMatchObject({ need: "sign_in", why: { rule: "session.live" }, signIn: { again: false, local: true, providers: [] } })
    expect(at.state.client).toBeUndefined()
    const back = await answer(w, at, alice)
    expect(back).toMatchObject({ status: 303, to: "/" })
    expect((await visitor.get("/")).page).toMatchObject({ _tag: "Home", person: { username: "alice" }, another: "/?another=1" })
    // Read again, the row has nothing more to ask.
    expect(await w.provider.interaction(visitor.message(at.target))).toMatchObject({ need: "nothing", location: "https://op.example/" })
  })

  test("OpenID Connect Core §3.1.2.1: another account signs in there, although somebody is signed in", async () => {
    const w = await world(ownPages)
    const first = await atSignIn(w)
    await answer(w, first, alice)
    const { visitor } = first
    const sent = await visitor.get("/", { another: "1" })
    expect(sent.header("location")).toMatch(/^\/own\/sign-in\?interaction=i_[^&]+&another=1$/)
    const at = await waitingAt(w, visitor, sent.header("location") ?? "")
    expect(at.state).toMatchObject({ need: "sign_in", signIn: { again: true } })
    expect(await answer(w, at, { signIn: { subject: "sub-bob" } })).toMatchObject({ status: 303, to: "/" })
    expect((await visitor.get("/")).page).toMatchObject({ _tag: "Home", person: { username: "bob" } })
  })

  test("RFC 6749 §4.1.2.1: whoever declines to sign in for a page of the provider is sent back to it, and has nothing to consent to", async () => {
    const w = await world(ownPages)
    const visitor = w.visitor()
    const at = await waitingAt(w, visitor, (await visitor.get("/")).header("location") ?? "")
    expect(await answer(w, at, { deny: true })).toMatchObject({ status: 303, to: "/" })
    expect(await answer(w, at, { error: { error: "login_required" } })).toMatchObject({ status: 303, to: "/" })
    expect((await answer(w, at, { consent: { scopes: [] } })).status).toBe(400)
    expect(await answer(w, at, alice)).toMatchObject({ status: 303, to: "/" })
  })

  test("RFC 8414 §3.1: with an issuer below a path the embedder's page is a path of the origin", async () => {
    const w = await world({ ...ownPages, issuer: "https://op.example/auth" })
    const visitor = w.visitor()
    const sent = await visitor.get("/auth/connect/authorize", request())
    expect(sent.to).toBe("/own/sign-in")
  })

  test("Fetch §4: a script that asks for JSON is told the place to go to, and why it is refused", async () => {
    const w = await world(ownPages)
    const at = await atSignIn(w)
    const json = { accept: "application/json" }
    expect(await answer(w, at, { ...alice, csrf: "of another" }, "POST", json)).toMatchObject({
      status: 400,
      json: { error: "invalid_request", error_description: "The form is no longer valid.", trouble: "form_stale" },
    })
    const sent = await answer(w, at, alice, "POST", json)
    expect([sent.status, String(sent.json?.["location"]).split("?")[0]]).toEqual([200, "https://app.example/cb"])
    expect(at.visitor.cookies.has("__Host-postern-session")).toBe(true)
  })

  test("OAuth 2.0 Form Post Response Mode §2: a script is told the form to post", async () => {
    const w = await world(ownPages)
    const at = await atSignIn(w, "web", { response_mode: "form_post" })
    const sent = await answer(w, at, alice, "POST", { accept: "application/json" })
    expect(sent.json).toMatchObject({ form: { action: "https://app.example/cb" } })
    expect(sent.json?.["form"]).toMatchObject({ fields: expect.arrayContaining([["state", "st"]]) as unknown })
  })

  test("behaviour: web-standard requests are taken and answered, their bodies left to the embedder", async () => {
    const w = await world(ownPages)
    const { visitor, target, state } = await atSignIn(w)
    const { headers } = visitor.message(target)
    const init = { method: "POST", headers: { cookie: headers["cookie"] ?? "" }, body: new URLSearchParams({ csrf: state.csrf }) }
    const asked = new Request(`https://op.example${target}`, init)
    const form = new URLSearchParams(await asked.text())
    expect(await w.provider.interaction(asked)).toMatchObject({ need: "sign_in" })
    const response = await w.provider.resume(asked, { csrf: form.get("csrf") ?? "", ...alice }, { address: "192.0.2.9" })
    expect([response.status, response.headers.get("location")?.split("?")[0]]).toEqual([303, "https://app.example/cb"])
    expect(response.headers.getSetCookie().join()).toContain("__Host-postern-session=")
  })

  test("NIST SP 800-63B §5.1: a sign-in of the embedder's begins a session that home shows, and audit tells it", async () => {
    const events: Array<string> = []
    const audit = {
      record: (told: () => ReadonlyArray<{ readonly event: string }>) => void events.push(...told().map(({ event }) => event)),
    }
    const w = await world({ more: { ...ownPages.more, audit } })
    const at = await atConsent(w)
    expect(events).toContain("sign_in")
    await answer(w, at, { deny: true })
    expect(events).toContain("consent_denied")
    expect((await at.visitor.get("/")).page).toMatchObject({ _tag: "Home", person: { username: "alice" } })
  })
})

test("OpenID Connect Core §3.1.2.3: a request whose person signed in in another tab needs nothing, and goes on at its location", async () => {
  const w = await world(ownPages)
  const at = await atSignIn(w)
  const other = await atSignIn(w, "web", {}, at.visitor)
  await answer(w, other, alice)
  const state = await w.provider.interaction(at.visitor.message(at.target))
  expect(state).toMatchObject({ need: "nothing", person: { subject: "sub-alice" } })
  const location = state.need === "refused" ? "" : (state.location ?? "")
  expect((await at.visitor.get(location.replace("https://op.example", ""))).to).toBe("https://app.example/cb")
})

test("OpenID Connect Core §3.1.2.3: a session of the embedder's application answers with the time it was begun", async () => {
  const w = await world(ownPages)
  const at = await atSignIn(w)
  await answer(w, at, { signIn: { subject: "sub-alice", authTime: beginning - 3600 } })
  expect((await w.tokens.sessionsOf("sub-alice"))[0]).toMatchObject({ authTime: beginning - 3600, createdAt: beginning })
})

test.each([[() => undefined], [{ signIn: () => "sub-alice" }], ["text"], [undefined]])(
  "RFC 6749 §4.1.1: an answer that is no data is refused (%#)",
  async (given) => {
    const w = await world(ownPages)
    const { visitor, target } = await atSignIn(w)
    const said = visitor.take(await w.provider.resume(visitor.message(target, "POST"), given as never))
    expect([said.status, lastRefusal(w)]).toEqual([400, "interaction.answer"])
  },
)

test("RFC 8628 §3.3: a script is told that our page ends a device's sign-in", async () => {
  const w = await world({ more: { interactions: { signIn: "/own/sign-in" } } })
  const visitor = w.visitor()
  const asked = await visitor.post("/connect/deviceauthorization", { client_id: "tv", scope: "openid" })
  const typed = await visitor.get("/device", { user_code: String(asked.json?.["user_code"]) })
  const at = await waitingAt(w, visitor, typed.header("location") ?? "")
  await answer(w, at, alice)
  const confirm = await waitingAt(w, visitor, at.target)
  const done = await answer(w, confirm, { consent: { scopes: ["openid"] } }, "POST", { accept: "application/json" })
  expect(done.json).toEqual({ page: "DeviceDone" })
})

describe("whatever an embedder answers", () => {
  const anything = fc.oneof(
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.constant(undefined),
    fc.array(fc.string()),
    fc.object(),
  )
  const texts = fc.constantFrom("sub-alice", "sub-bob", "sub-mallory", "nobody", "", "web")
  const signIn = fc.record(
    {
      subject: fc.oneof(texts, anything),
      amr: anything,
      acr: anything,
      authTime: fc.oneof(fc.integer(), fc.constantFrom(beginning, beginning - 60), anything),
    },
    { requiredKeys: [] },
  )
  const scopes = fc.oneof(fc.subarray(["openid", "email", "api.read", "api.write", "billing", "offline_access"]), anything)
  const hostile = fc.oneof(
    fc.record({ signIn: fc.oneof(signIn, anything) }),
    fc.record({ consent: fc.oneof(fc.record({ scopes }), anything) }),
    fc.record({ deny: anything }),
    fc.record({
      error: fc.oneof(
        fc.record({
          error: fc.oneof(fc.constantFrom("access_denied", "login_required", "invalid_grant"), anything),
          description: anything,
        }),
        anything,
      ),
    }),
    fc.object(),
  )

  /** Expects of the rows that nothing was granted beyond what was asked for. */
  const lawful = async (w: World, subject: string, asked: ReadonlyArray<string>) => {
    for (const grant of await w.tokens.grantsOf(subject)) expect(asked).toEqual(expect.arrayContaining([...grant.scope]))
  }

  test(
    "RFC 6749 §3.3, OpenID Connect Core §3.1.2: no grant for nobody, for the disabled, or for more than was asked; no defect",
    { timeout: 120_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom("signIn", "consent"),
          fc.array(hostile, { minLength: 1, maxLength: 3 }),
          fc.constantFrom("login", "none", "consent"),
          async (from, answers, prompt) => {
            const w = await world(ownPages)
            const asked = ["openid", "email", "api.read"]
            const changes = { scope: asked.join(" "), ...(prompt === "none" ? {} : { prompt }) }
            const at = from === "signIn" ? await atSignIn(w, "asks", changes) : await atConsent(w, { scope: asked.join(" ") })
            for (const given of answers) {
              const said = await answer(w, at, given)
              expect(said.status).toBeLessThan(500)
            }
            expect(w.reports).toEqual([])
            for (const subject of ["sub-alice", "sub-bob"]) await lawful(w, subject, asked)
            for (const subject of ["sub-mallory", "nobody", "web", ""]) {
              expect(await w.tokens.grantsOf(subject)).toEqual([])
              expect(await w.tokens.sessionsOf(subject)).toEqual([])
            }
          },
        ),
        { numRuns: runs(300) },
      )
    },
  )

  test("RFC 9700 §4.7.1: no answer of another browser, with whatever token, changes anything", { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(hostile, fc.constantFrom("own", "theirs", "none"), async (given, token) => {
        const w = await world(ownPages)
        const at = await atSignIn(w)
        const other = await atSignIn(w)
        const csrf = { own: other.state.csrf, theirs: at.state.csrf, none: "" }[token]
        const said = await answer(w, { ...at, visitor: other.visitor }, { ...given, csrf })
        expect(said.status).toBe(400)
        expect(lastRefusal(w)).toBe("interaction.browser")
        expect((await w.provider.interaction(at.visitor.message(at.target))).need).toBe("sign_in")
      }),
      { numRuns: runs(100) },
    )
  })
})

describe("createProvider", () => {
  test.each(["https://elsewhere.example/sign-in", "//elsewhere.example", "sign-in", "/sign-in?x=1", "/a b"])(
    "RFC 6265bis §5.7: interactions.signIn %s is refused: no other origin gets the browser's cookies",
    async (signIn) => {
      await expect(world({ more: { interactions: { signIn } } })).rejects.toThrow(
        "interactions.signIn: must be a path of the issuer's origin",
      )
    },
  )

  test("behaviour: a page of the embedder's own is none of the provider's paths", async () => {
    await expect(world({ more: { interactions: { signIn: "/login" } } })).rejects.toThrow(
      "interactions.signIn: /login is a path of the provider's own",
    )
  })
})
