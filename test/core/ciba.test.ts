import { createHash } from "node:crypto"
import {
  authenticationRequests,
  ciba,
  defaultFeatures,
  deliveriesOf,
  type ExtensionGrant,
  idJag,
  rowKindsOf,
  type WaitingAuthentication,
} from "@postern/core"
import { jwtBearer, jwtBearerGrantType, tokenExchange, tokenExchangeGrantType } from "@postern/core/grants"
import { memoryTokenStore } from "@postern/core/memory"
import { outbox, secretOf } from "@postern/core/model"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { accountKey, ask, asking, decide, deliver, locatorOf, modelOf, open, poll } from "../support/asking.ts"
import { claimsOf, headerOf, refresh, signedIn, userinfo } from "../support/flows.ts"
import { answering } from "../support/logouts.ts"
import { peerIssuer, peerJwks } from "../support/peer.ts"
import { issuer, type World, world } from "../support/world.ts"
import { runs } from "../tiers/tier.ts"

const rowOf = async (w: World, locator: string) => w.tokens.find(authenticationRequests, { locator })

const half = (text: string, alg: string): string => {
  const digest = createHash(alg === "EdDSA" ? "sha512" : "sha256")
    .update(text)
    .digest()
  return digest.subarray(0, digest.length / 2).toString("base64url")
}

describe("CIBA Core §4: discovery", () => {
  test("states the endpoint, the modes and the algorithms, and no user codes", async () => {
    const w = await world(asking())
    const { body } = await w.send({ path: "/.well-known/openid-configuration" })
    expect(JSON.parse(body)).toMatchObject({
      backchannel_authentication_endpoint: `${issuer}/connect/ciba`,
      backchannel_token_delivery_modes_supported: ["poll", "ping", "push"],
      backchannel_authentication_request_signing_alg_values_supported: expect.arrayContaining(["ES256", "PS256"]),
      backchannel_user_code_parameter_supported: false,
      grant_types_supported: expect.arrayContaining(["urn:openid:params:grant-type:ciba"]),
    })
  })

  test("states user codes where somebody checks them", async () => {
    const w = await world(asking({ checkUserCode: () => true }))
    const { body } = await w.send({ path: "/.well-known/openid-configuration" })
    expect(JSON.parse(body)).toMatchObject({ backchannel_user_code_parameter_supported: true })
  })

  test("says nothing of it where it is off", async () => {
    const w = await world()
    const { body } = await w.send({ path: "/.well-known/openid-configuration" })
    expect(body).not.toContain("backchannel_authentication")
    expect((await ask(w)).status).toBe(404)
  })
})

describe("RFC 8725 §3.12: a login_hint_token is taken for nothing else", () => {
  const trusted = { issuer: peerIssuer, jwks: peerJwks }
  const made = (...grants: ReadonlyArray<ExtensionGrant>) => {
    const { more } = asking({ loginHintTokenIssuers: [trusted] })
    return world({ ...asking(), more: { ...more, grants } })
  }

  test.each([
    ["an assertion", jwtBearer({ issuers: [trusted] }), jwtBearerGrantType],
    ["a subject token", tokenExchange({ issuers: [trusted] }), tokenExchangeGrantType],
  ])("a provider that would take it for %s is not made", async (_, grant, name) => {
    await expect(made(grant)).rejects.toThrow(
      `ciba: loginHintTokenIssuers[0].issuer: ${peerIssuer} issues login_hint_tokens, and the grant ${name} takes its JWTs: a hint would be taken there; trust it for one of the two`,
    )
  })

  test("other issuers may be trusted with assertions, and an ID-JAG has a type of its own", async () => {
    const other = { ...trusted, issuer: "https://other.example" }
    await expect(made(jwtBearer({ issuers: [other] }), tokenExchange({ issuers: [other] }))).resolves.toBeDefined()
    const { more } = asking({ loginHintTokenIssuers: [trusted] })
    const features = [...(more?.features ?? []), idJag({ identityProviders: [trusted] })]
    await expect(world({ ...asking(), more: { ...more, features } })).resolves.toBeDefined()
  })
})

describe("CIBA Core §10.1.1: tokens of an approved request", () => {
  test("the ID token tells when and how the person signed in, for this client", async () => {
    const w = await world(asking())
    const asked = await ask(w)
    await decide(w, asked)
    const idToken = String((await poll(w, asked)).json?.["id_token"])
    expect(headerOf(idToken)).toMatchObject({ alg: "RS256" })
    expect(claimsOf(idToken)).toMatchObject({ iss: issuer, aud: "till", sub: "sub-alice", auth_time: w.now(), amr: ["pwd"] })
    expect(claimsOf(idToken)).not.toHaveProperty("nonce")
  })

  test("of sixteen polls that come at once one gets tokens (CIBA Core §11)", async () => {
    const w = await world(asking())
    const asked = await ask(w)
    await decide(w, asked)
    const answers = await Promise.all(Array.from({ length: 16 }, () => poll(w, asked)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ json }) => json?.["error"] === "invalid_grant")).toHaveLength(15)
  })

  test("of sixteen answers that come at once one counts (CIBA Core §8)", async () => {
    const w = await world(asking())
    const asked = await ask(w)
    const visitor = await signedIn(w)
    const page = modelOf(await open(visitor, asked))
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, at) => visitor.submit(page, [["decision", at % 2 === 0 ? "allow" : "deny"]])),
    )
    const outcomes = answers.map((answer) => modelOf(answer)["outcome"])
    expect(outcomes.filter((outcome) => outcome !== "none")).toHaveLength(1)
    expect((await rowOf(w, locatorOf(asked)))?.version).toBe(1)
  })
})

describe("CIBA Core §10.3.1: tokens that are pushed", () => {
  test("the ID token is bound to the request, the access token and the refresh token", async () => {
    const w = await world(asking())
    const asked = await ask(w, "pushed", { scope: "openid offline_access" })
    await decide(w, asked)
    const [{ body }] = (await deliver(w)).received as unknown as [{ body: Record<string, string> }]
    const { access_token = "", refresh_token = "", id_token = "" } = body
    const { alg } = headerOf(id_token) as { alg: string }
    expect(await w.signer.verify(id_token, "JWT")).toMatchObject({
      aud: "pushed",
      at_hash: half(access_token, alg),
      "urn:openid:params:jwt:claim:rt_hash": half(refresh_token, alg),
      "urn:openid:params:jwt:claim:auth_req_id": asked.json?.["auth_req_id"],
    })
    expect((await userinfo(w, access_token)).status).toBe(200)
    expect((await refresh(w, refresh_token, "pushed")).status).toBe(200)
  })

  test("architecture law 9: neither the tokens nor the client's own token stand in any row", async () => {
    const w = await world(asking())
    await decide(w, await ask(w, "pushed", { scope: "openid offline_access" }))
    await decide(w, await ask(w, "pinged"))
    const stored = JSON.stringify([
      await w.tokens.list(outbox, "due", { now: w.now() }),
      await w.tokens.list(authenticationRequests, "ofPerson", { subject: "sub-alice" }),
    ])
    const { received } = await deliver(w)
    expect(received).toHaveLength(2)
    for (const { body, authorization = "" } of received)
      for (const secret of [...Object.values(body), authorization.slice("Bearer ".length)])
        if (typeof secret === "string" && secret.length > 20) expect(stored).not.toContain(secret)
    expect(stored).not.toContain("notify~me")
  })

  test("a result is not sent under another account key than it was sealed with", async () => {
    const w = await world(asking())
    await decide(w, await ask(w, "pushed"))
    const { received, outcomes } = await deliver(w, {}, () => answering(204), secretOf("another key of the accounts, of 40 letters"))
    expect([received, outcomes]).toEqual([[], [{ _tag: "Refused", failure: expect.stringContaining("account key") }]])
  })

  test("a push that failed is sent again, with the same tokens", async () => {
    const w = await world(asking())
    await decide(w, await ask(w, "pushed"))
    const first = await deliver(w, {}, () => answering(503))
    w.pass(60)
    const second = await deliver(w)
    expect([first.outcomes[0]?._tag, second.outcomes]).toEqual(["Failed", [undefined]])
    expect(second.received).toEqual(first.received)
  })
})

describe("CIBA Core §12: a request that ran out", () => {
  test("nobody answers it once its client was told, on a machine whose clock is behind either", async () => {
    const w = await world(asking())
    const asked = await ask(w, "pushed")
    const visitor = await signedIn(w)
    const page = modelOf(await open(visitor, asked))
    w.pass(300)
    expect((await deliver(w)).received.map(({ body }) => body["error"])).toEqual(["expired_token"])
    w.pass(-2)
    expect(modelOf(await visitor.submit(page, [["decision", "allow"]]))["outcome"]).toBe("none")
    expect((await rowOf(w, locatorOf(asked)))?.state).toBe("expired")
    expect((await deliver(w)).received).toEqual([])
  })

  test("an expiry that was not taken is pushed again", async () => {
    const w = await world(asking())
    await ask(w, "pushed")
    w.pass(300)
    const first = await deliver(w, {}, () => answering(503))
    w.pass(60)
    const second = await deliver(w)
    expect([first.outcomes[0]?._tag, second.outcomes]).toEqual(["Failed", [undefined]])
    expect(second.received).toEqual(first.received)
  })

  test("of an answer and the end that come at once, one counts, and the client is told of that alone", async () => {
    const w = await world(asking())
    const asked = await ask(w, "pushed")
    const visitor = await signedIn(w)
    const page = modelOf(await open(visitor, asked))
    const due = w.now() + 300
    const [message] = await w.tokens.list(outbox, "due", { now: due })
    const handlers = deliveriesOf(
      { features: [...defaultFeatures, ciba()] },
      { issuer, clients: { find: (id) => w.clients.get(id) }, tokens: w.tokens, signer: w.signer, accountKey, now: () => due },
    )
    if (message === undefined) throw new Error("no message ends the request")
    await Promise.all([handlers[message.kind]?.(message, new AbortController().signal), visitor.submit(page, [["decision", "allow"]])])
    const { state } = (await rowOf(w, locatorOf(asked))) ?? {}
    const told = (await w.tokens.list(outbox, "due", { now: w.now() })).map(({ kind }) => kind)
    expect([
      ["expired", 0],
      ["consumed", 1],
    ]).toContainEqual([state, told.filter((kind) => kind === "ciba.push").length])
  })

  test("law 13: the worker is woken for what is due, and no answer waits for what is due later", async () => {
    const woken: Array<string> = []
    const options = asking()
    const written = async (messages: ReadonlyArray<{ readonly kind: string }>) => void woken.push(...messages.map(({ kind }) => kind))
    const w = await world({ ...options, more: { ...options.more, outbox: { written } } })
    const asked = await ask(w, "pushed")
    expect(woken).toEqual([])
    await decide(w, asked)
    expect(woken).toEqual(["ciba.push"])
  })

  test("without a token store it stays, and the operator sees why", async () => {
    const w = await world(asking())
    await ask(w, "pushed")
    const [message] = await w.tokens.list(outbox, "due", { now: w.now() + 300 })
    const handlers = deliveriesOf(
      { features: [...defaultFeatures, ciba()] },
      { issuer, clients: { find: (id) => w.clients.get(id) }, signer: w.signer, now: () => w.now() + 300 },
    )
    expect(message && (await handlers[message.kind]?.(message, new AbortController().signal))).toEqual({
      _tag: "Failed",
      failure: "the deliveries were given no token store",
    })
  })
})

describe("telling people", () => {
  test("the channel gets who asks, the message and the page; nothing once the request has ended", async () => {
    const told: Array<WaitingAuthentication> = []
    const options = { notify: (waiting: WaitingAuthentication) => void told.push(waiting) }
    const w = await world(asking(options))
    const asked = await ask(w)
    await ask(w, "till", { requested_expiry: "30" })
    w.pass(30)
    await deliver(w, options)
    expect(told).toEqual([
      {
        subject: "sub-alice",
        clientId: "till",
        clientName: "Till",
        bindingMessage: "W4SCT",
        address: `${issuer}/approve?request=${locatorOf(asked)}`,
        expiresAt: w.now() + 270,
      },
    ])
  })

  test("login_hint is whatever the authenticator makes of it", async () => {
    const w = await world({
      ...asking(),
      authenticator: { identify: (hint) => (hint === "tel:+15550100" ? w.people.get("sub-alice") : undefined) },
    })
    expect((await ask(w, "till", { login_hint: "tel:+15550100" })).status).toBe(200)
    expect((await ask(w, "till", { login_hint: "sub-alice" })).json?.["error"]).toBe("unknown_user_id")
  })
})

describe("limits (CIBA Core §14)", () => {
  test("of requests that come at once no more wait than may", async () => {
    const w = await world(asking({ mostWaiting: 3 }))
    const answers = await Promise.all(Array.from({ length: 12 }, () => ask(w)))
    const taken = answers.filter(({ status }) => status === 200).length
    // Those that lost three times in a row are asked to try again, and changed nothing.
    expect(taken).toBeLessThanOrEqual(3)
    expect(taken).toBeGreaterThan(0)
    expect(await w.tokens.list(authenticationRequests, "ofPerson", { subject: "sub-alice" })).toHaveLength(taken)
  })

  test("each person has limits of their own", async () => {
    const w = await world(asking({ mostWaiting: 1 }))
    expect((await ask(w)).status).toBe(200)
    expect((await ask(w, "till", { login_hint: "sub-bob" })).status).toBe(200)
    expect((await ask(w)).status).toBe(429)
  })

  test.each([
    ["lifetime", 29],
    ["lifetime", 3601],
    ["interval", 0],
    ["mostWaiting", 0],
    ["mostPrompts", 101],
    ["mostPrompts", 1.5],
  ])("%s of %d is refused at creation", (name, value) => {
    expect(() => ciba({ [name]: value })).toThrow(`ciba: ${name}: is ${value}, and must be a whole number from`)
  })
})

test(
  "CIBA Core §11, as a property: whatever comes in whatever order, tokens come once, and only of a request that its person approved in time",
  { timeout: 120_000 },
  async () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant("poll" as const), as: fc.constantFrom("till", "may-sign") }),
      fc.record({
        do: fc.constant("answer" as const),
        decision: fc.constantFrom("allow", "deny", "perhaps"),
        who: fc.constantFrom("alice", "bob"),
      }),
      fc.record({ do: fc.constant("pass" as const), seconds: fc.integer({ min: 1, max: 200 }) }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const w = await world({ ...asking(), tokens: memoryTokenStore(rowKindsOf({ features: [...defaultFeatures, ciba()] })) })
        const asked = await ask(w)
        const [alice, bob] = [await signedIn(w), await signedIn(w, "bob")]
        const end = w.now() + 300
        let approvedAt: number | undefined
        let decided = false
        let tokens = 0
        for (const each of steps) {
          if (each.do === "pass") w.pass(each.seconds)
          else if (each.do === "answer") {
            const visitor = each.who === "alice" ? alice : bob
            const page = await open(visitor, asked)
            const mine = each.who === "alice" && !decided && w.now() < end
            expect(modelOf(page)["outcome"] === undefined).toBe(mine)
            if (!mine) continue
            const { status } = await visitor.submit(modelOf(page), [["decision", each.decision]])
            expect(status).toBe(each.decision === "perhaps" ? 400 : 200)
            if (each.decision === "perhaps") continue
            decided = true
            if (each.decision === "allow") approvedAt = w.now()
          } else {
            const { status, json } = await poll(w, asked, each.as)
            if (status !== 200) continue
            tokens++
            expect([each.as, json?.["scope"], approvedAt !== undefined && w.now() < end]).toEqual(["till", "openid email", true])
          }
        }
        expect(tokens).toBeLessThanOrEqual(1)
      }),
      { numRuns: runs(200) },
    )
  },
)
