import { revokeGrant } from "@postern/core/model"
import { type AuditEvent, type ExtensionGrant, type Refusal, defaultFeatures, extensionGrant, pass, refuse, table } from "@postern/core"
import { tokenExchange, tokenExchangeGrantType } from "@postern/core/grants"
import { memoryTokenStore } from "@postern/core/memory"
import { describe, expect, test } from "vitest"
import { ask, echo, echoName, echoing } from "../cases/extensionGrants.ts"
import { exchange, world as exchanging } from "../cases/tokenExchange.ts"
import { claimsOf, refresh, token, tokensFor } from "../support/flows.ts"
import { type World, beginning, clients, world } from "../support/world.ts"

const name = "https://grants.example/failing"

/** A world with one grant, and a client that may use it. */
const withGrant = (grant: ExtensionGrant): Promise<World> =>
  world({
    clients: [...clients, { client_id: "it", client_secret: "secret of it", grant_types: [name], response_types: [], scope: "api.read" }],
    more: { grants: [grant] },
  })
const boom = (): never => {
  throw new Error("boom: secret/path")
}
const failing = (what: "rules" | "load" | "grant" | "policy", load: () => Promise<object> = async () => ({})): ExtensionGrant =>
  extensionGrant({
    name,
    parameters: { hint: "optional" },
    policy: () => (what === "policy" ? boom() : { policy: undefined }),
    rules: table("token/failing").rule("failing.rule", "none", (): Refusal | undefined => (what === "rules" ? boom() : pass)),
    load,
    grant: () => (what === "grant" ? boom() : { subject: "sub-alice" }),
  })
const send = (w: World) => token(w, "it", { grant_type: name })

test("RFC 6749 §4.5: a provider without the feature that runs extension grants takes none, and says so when it is made", async () => {
  const features = defaultFeatures.filter((each) => each.name !== "extension-grants")
  await expect(world({ more: { features } })).resolves.toBeDefined()
  await expect(world({ more: { features, grants: [failing("load")] } })).rejects.toThrow(
    `grant ${name}: an extension grant needs the feature extensionGrants; add it to the features`,
  )
})

describe("an extension grant that fails", () => {
  test.each(["rules", "grant", "policy"] as const)(
    "architecture law 7: %s that throw are a defect: 500, empty of detail, and nothing is changed",
    async (what) => {
      const w = await withGrant(failing(what))
      const answer = await send(w)
      expect([answer.status, answer.json?.["error"]]).toEqual([500, "server_error"])
      expect(answer.body).not.toContain("boom")
      expect(w.trails.at(-1)).toMatchObject({ outcome: "Defect", fault: expect.stringContaining("boom") as string })
      expect(await w.tokens.grantsOf("sub-alice")).toEqual([])
    },
  )

  test("architecture law 7: a load that throws at once is a defect too", async () => {
    const answer = await send(await withGrant(failing("load", boom)))
    expect([answer.status, answer.json?.["error"]]).toEqual([500, "server_error"])
  })

  test("architecture law 7: a load that rejects is a port that failed: 503 with Retry-After, and the trail says why", async () => {
    const w = await withGrant(failing("load", () => Promise.reject(new Error("the badge office is closed"))))
    const answer = await send(w)
    expect([answer.status, answer.json?.["error"], answer.header("retry-after")]).toEqual([503, "temporarily_unavailable", "2"])
    expect(w.trails.at(-1)).toMatchObject({ outcome: "PortFailed", fault: expect.stringContaining("the badge office is closed") as string })
  })

  test("architecture law 7: what it asks of a port that fails is that port's failure", async () => {
    const store = memoryTokenStore()
    const w = await world({
      ...exchanging({ clients: ["web"], impersonation: true }),
      tokens: {
        ...store,
        findAccessToken: () => Promise.reject(new Error("disk on fire")),
      },
    })
    const answer = await exchange(w, `a_${"0".repeat(16)}${"A".repeat(43)}`)
    expect([answer.status, answer.json?.["error"]]).toEqual([503, "temporarily_unavailable"])
    expect(w.trails.at(-1)?.fault).toContain("TokenStore.findAccessToken")
  })

  test.each([
    [{ subject: "sub-alice", claims: { sub: "sub-bob" } }, "claims that are core's own: sub"],
    [{ subject: "sub-alice", claims: { act: {}, scope: "all" } }, "claims that are core's own: act, scope"],
    [{ subject: "sub-alice", lifetime: 0 }, "a lifetime of 0"],
    [{ subject: "sub-alice", lifetime: 1.5 }, "a lifetime of 1.5"],
    [{ signIn: { acr: "gold" } }, "signIn and no subject"],
    [{ subject: "sub-alice", signIn: { authTime: beginning + 1 } }, `a sign-in at ${beginning + 1}, which is no second that has passed`],
    [{ subject: "sub-alice", signIn: { authTime: 0.5 } }, "a sign-in at 0.5"],
    [{ authorizationDetails: [] }, "authorizationDetails and no subject"],
    [{ subject: "sub-alice", signIn: { authTime: -1 } }, "a sign-in at -1"],
  ])("architecture law 7: an answer that cannot be given is a defect of its author: %j", async (answer, fault) => {
    const w = await world(echoing)
    expect((await ask(w, answer)).status).toBe(500)
    expect(w.trails.at(-1)).toMatchObject({ outcome: "Defect", fault: expect.stringContaining(fault) as string })
  })

  test("architecture law 7: what depends on a token has a subject", async () => {
    const w = await world(echoing)
    const { access_token } = await tokensFor(w)
    expect((await ask(w, {}, { origin: access_token })).status).toBe(500)
  })
})

describe("extension grants beside each other", () => {
  test("RFC 7523 §3: of many requests that use one thing up at once, one succeeds", async () => {
    const w = await world(echoing)
    const answer = { subject: "sub-alice", scope: ["api.read"], useOnce: [{ key: "k", until: w.now() + 60 }] }
    const statuses = (await Promise.all(Array.from({ length: 8 }, () => ask(w, answer)))).map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(statuses.filter((status) => status === 400)).toHaveLength(7)
  })

  test("RFC 7662 §2.2: a grant revoked while its token is exchanged leaves nothing alive", async () => {
    const store = memoryTokenStore()
    let armed = ""
    const w = await world({
      ...exchanging({ clients: ["web"], impersonation: true }),
      tokens: {
        ...store,
        commit: (commands) => {
          // Somebody else is a moment quicker.
          if (armed !== "") store.commit([revokeGrant(armed, 1)])
          armed = ""
          return store.commit(commands)
        },
      },
    })
    const { access_token } = await tokensFor(w, "web", "openid api.read")
    armed = String(claimsOf(access_token)["jti"]).split(".")[0] ?? ""
    const answer = await exchange(w, access_token)
    expect([answer.status, answer.json?.["error_description"]]).toEqual([400, "The subject_token has been revoked."])
  })

  test("RFC 7009 §2.1: what came of what came of a grant is renewed for as long as that grant can be revoked, and no longer", async () => {
    const store = memoryTokenStore()
    const w = await world({ ...exchanging({ clients: ["web"], impersonation: true, refresh_token: true }), tokens: store })
    const { access_token } = await tokensFor(w, "web", "openid api.read")
    const middle = await exchange(w, String((await exchange(w, access_token)).json?.["access_token"]))
    const asked = { requested_token_type: "urn:ietf:params:oauth:token-type:refresh_token" }
    const last = await exchange(w, String(middle.json?.["access_token"]), asked)
    w.pass(3000)
    const renewed = await refresh(w, String(last.json?.["refresh_token"]), "orders")
    w.pass(5000)
    for (let more = true; more;) more = store.sweep(w.now()).more
    await store.commit([revokeGrant(String(claimsOf(access_token)["jti"]).split(".")[0] ?? "", w.now())])
    const refused = await refresh(w, String(renewed.json?.["refresh_token"]), "orders")
    expect([refused.status, refused.json?.["error_description"]]).toEqual([400, "The refresh token has been revoked."])
  })

  test("RFC 8693 §2.1: an ID token that lasts longer than access tokens can be exchanged to its end", async () => {
    const store = memoryTokenStore()
    const options = exchanging({ clients: ["web"], impersonation: true, subject_token_types: ["id_token"], add_scope: "api.read" })
    const longer = (options.clients ?? []).map((each) => (each.client_id === "web" ? { ...each, id_token_lifetime: 7000 } : each))
    const w = await world({ ...options, clients: longer, tokens: store })
    const { id_token } = await tokensFor(w, "web", "openid")
    w.pass(6990)
    for (let more = true; more;) more = store.sweep(w.now()).more
    const answer = await exchange(w, id_token, { subject_token_type: "urn:ietf:params:oauth:token-type:id_token" })
    expect([answer.status, answer.json?.["expires_in"]]).toEqual([200, 10])
  })

  const sound = { parameters: {}, load: () => ({}), grant: () => ({}) } as const
  const empty = table("token/empty")
  test.each([
    ["Upper", empty, {}, "absolute URI, or a word"],
    ["two words", empty, {}, "absolute URI, or a word"],
    ["word", table(""), {}, "needs a name"],
    ["word", empty, { scope: "optional" }, "must not declare scope"],
    ["word", empty, { client_assertion: "optional" }, "must not declare client_assertion"],
    ["word", empty, { "a b": "optional" }, "letters, digits"],
  ] as const)("RFC 6749 §4.5: %s cannot be one (%#)", (named, rules, parameters, problem) => {
    expect(() => extensionGrant({ ...sound, name: named, rules, parameters })).toThrow(problem)
  })

  test.each([
    ["password", "token/mine", "mine.rule", "there is a grant named password already"],
    ["implicit", "token/mine", "mine.rule", "there is a grant named implicit already"],
    [echoName, "token/mine", "mine.rule", `there is a grant named ${echoName} already`],
    ["mine", "token/password", "mine.rule", "there is a rule or table named token/password already"],
    ["mine", "token/mine", "code.pkce-proof", "there is a rule or table named code.pkce-proof already"],
    ["mine", "token/mine", "echo-back.form", "there is a rule or table named echo-back.form already"],
  ])("behaviour: a provider refuses to be made with two of one name: %s, %s, %s", async (grantType, tableName, ruleId, problem) => {
    const never = () => refuse("invalid_request", "Never.")
    const mine = extensionGrant({ ...sound, name: grantType, rules: table(tableName).rule(ruleId, "none", never) })
    await expect(world({ more: { grants: [echo, mine] } })).rejects.toThrow(problem)
  })

  test("RFC 8414 §2: discovery states those that are there, and no others", async () => {
    const document = async (w: World) =>
      JSON.parse((await w.send({ path: "/.well-known/openid-configuration" })).body) as { readonly grant_types_supported: Array<string> }
    expect((await document(await world())).grant_types_supported).not.toContain(tokenExchangeGrantType)
    expect((await document(await world({ more: { grants: [tokenExchange(), echo] } }))).grant_types_supported.slice(-2)).toEqual([
      tokenExchangeGrantType,
      echoName,
    ])
  })
})

describe("what load may ask", () => {
  test("RFC 7523 §3: whether something was used before, of this grant and no other", async () => {
    const asking = (name: string) =>
      extensionGrant({
        name,
        parameters: { key: "required" },
        rules: table(`token/${name}`),
        load: async (q, { usedBefore }) => ({ used: await usedBefore(q.parameters.key) }),
        grant: ({ parameters, used, now }) => ({
          subject: "sub-alice",
          claims: { used },
          useOnce: used ? [] : [{ key: parameters.key, until: now + 60 }],
        }),
      })
    const more = { client_id: "it", client_secret: "secret of it", grant_types: ["one", "two"], response_types: [], scope: "api.read" }
    const w = await world({ clients: [...clients, more], more: { grants: [asking("one"), asking("two")] } })
    const used = async (grant_type: string): Promise<unknown> =>
      claimsOf(String((await token(w, "it", { grant_type, key: "k" })).json?.["access_token"]))["used"]
    expect([await used("one"), await used("one"), await used("two")]).toEqual([false, true, false])
    w.pass(60)
    expect(await used("one")).toBe(false)
  })

  test("RFC 6749 §2.2, OpenID Connect Core §2: clients and people, and what it is about", async () => {
    const grant = extensionGrant({
      name: "asks",
      parameters: {},
      rules: table("token/asks"),
      load: async (_, { clients: { find }, people }) => ({
        other: (await find("spa"))?.clientId ?? "none",
        nobody: (await find("nobody")) === undefined,
        person: (await people.find("sub-bob"))?.username ?? "none",
      }),
      grant: ({ other, nobody, person, client, settings, tokenEndpoint, now }) => ({
        claims: { other, nobody, person, asks: client.clientId, issuer: settings.issuer, tokenEndpoint, now },
      }),
    })
    const more = { client_id: "it", client_secret: "secret of it", grant_types: ["asks"], response_types: [], scope: "api.read" }
    const w = await world({ clients: [...clients, more], more: { grants: [grant] } })
    expect(claimsOf(String((await token(w, "it", { grant_type: "asks" })).json?.["access_token"]))).toMatchObject({
      other: "spa",
      nobody: true,
      person: "bob",
      asks: "it",
      issuer: "https://op.example",
      tokenEndpoint: "https://op.example/connect/token",
      now: w.now(),
    })
  })
})

describe("audit events", () => {
  test("RFC 8693 §5: what an extension grant gave names it, and the grant that it was derived from", async () => {
    const events: Array<AuditEvent> = []
    const options = exchanging({ clients: ["web"], impersonation: true })
    const w = await world({ ...options, more: { ...options.more, audit: { record: (told) => events.push(...told()) } } })
    const { access_token } = await tokensFor(w, "web", "openid api.read")
    await exchange(w, access_token)
    const [parent] = String(claimsOf(access_token)["jti"]).split(".")
    expect(events.slice(-2)).toEqual([
      expect.objectContaining({
        event: "granted",
        clientId: "orders",
        subject: "sub-alice",
        scope: ["openid", "api.read"],
        detail: `${tokenExchangeGrantType} ${parent ?? ""}`,
      }),
      expect.objectContaining({ event: "token_issued", clientId: "orders", subject: "sub-alice", detail: "access_token" }),
    ])
  })
})

describe("pairwise subjects (OpenID Connect Core §8.1)", () => {
  const options = exchanging({ clients: ["web"], impersonation: true }, { subject_type: "pairwise" })
  const salted = { ...options, more: { ...options.more, pairwiseSalt: { reveal: () => "s".repeat(32) } } }

  test("an exchanged token names the person as the client that asked knows them", async () => {
    const w = await world(salted)
    const { access_token } = await tokensFor(w, "web", "openid api.read")
    const answer = await exchange(w, access_token)
    const { sub } = claimsOf(String(answer.json?.["access_token"]))
    expect(sub).not.toBe("sub-alice")
    const again = await exchange(w, String(answer.json?.["access_token"]))
    expect([again.status, claimsOf(String(again.json?.["access_token"]))["sub"]]).toEqual([200, sub])
  })
})
