import {
  type AuditEvent,
  type RegistrationOptions,
  compose,
  defaultFeatures,
  initialAccessToken,
  registeredClients,
  registration,
  rowKindsOf,
} from "@postern/core"
import { memoryTokenStore } from "@postern/core/memory"
import type { SignerPort } from "@postern/core/ports"
import { SignJWT, exportJWK, generateKeyPair } from "jose"
import { describe, expect, test } from "vitest"
import { carrying } from "../support/assertions.ts"
import { authorize, basic, codeFor, follow, post, redeem, request, signedIn, token } from "../support/flows.ts"
import { app, publicApp, register, registers, registrationPath, sendJson, tokenIn } from "../support/registering.ts"
import { said } from "../support/visitor.ts"
import { type World, beginning, world } from "../support/world.ts"

const open = (options: RegistrationOptions = {}) => world(registers({ open: true, ...options }))

const clientIn = async (w: World, metadata: unknown = app): Promise<Record<string, string>> => {
  const answer = await register(w, metadata)
  expect(answer.status).toBe(201)
  return answer.json as Record<string, string>
}

/** Signs a person in for a client that asks for consent, and allows everything; gives the code. */
const consented = async (w: World, clientId = "", visitor = signedIn(w)): Promise<string> => {
  const person = await visitor
  const answer = await authorize(person, clientId, { scope: "openid" })
  const granted =
    answer.page?.["_tag"] === "Consent"
      ? await person.submit(answer.page, [
          ["decision", "allow"],
          ["scope", "openid"],
        ])
      : answer
  return (await follow(person, granted)).params["code"] ?? ""
}

const rows = (w: World) => w.tokens.list(registeredClients, "newest", {})

describe("clients that register themselves", () => {
  test("RFC 8414 §2: discovery names the registration endpoint only where clients may register", async () => {
    const document = async (w: World) => said(await w.send({ path: "/.well-known/openid-configuration" })).json?.["registration_endpoint"]
    expect(await document(await open())).toBe("https://op.example/connect/register")
    const without = await world()
    expect(await document(without)).toBeUndefined()
    expect((await sendJson(without, "POST", registrationPath, { body: app })).status).toBe(404)
  })

  test("RFC 7591 §3.2.1: a client signs people in by the secret that it was given, and by no other", async () => {
    const w = await open()
    const { client_id: id = "", client_secret: secret } = await clientIn(w)
    const code = await consented(w, id)
    const by = (password: string | undefined) =>
      token(
        w,
        undefined,
        { grant_type: "authorization_code", code, redirect_uri: "https://app.example/cb", code_verifier: "v".repeat(43) },
        { authorization: basic(id, password) },
      )
    expect((await by("another")).json).toMatchObject({ error: "invalid_client" })
    expect(await by(secret)).toMatchObject({ status: 200, json: { scope: "openid" } })
  })

  test("RFC 7591 §2.2: its pages get what it calls itself in each language, and no member of another name", async () => {
    const w = await world(registers({ open: true }))
    const named = {
      "client_name#de": "Anwendung",
      "tos_uri#de": "https://app.example/agb",
      "client_name#pt-BR": "Aplicativo",
      "scope#de": "x",
    }
    const id = String((await register(w, { ...app, ...named })).json?.["client_id"])
    const { page } = await authorize(await signedIn(w), id)
    expect(page?.["client"]).toMatchObject({
      name: "App",
      inLanguages: { de: { name: "Anwendung", tosUri: "https://app.example/agb" }, "pt-BR": { name: "Aplicativo" } },
    })
    expect((await authorize(await signedIn(w), "asks")).page?.["client"]).not.toHaveProperty("inLanguages")
  })

  test("the page that asks for consent says that nobody has verified the client", async () => {
    const w = await open()
    const { client_id: id } = await clientIn(w)
    expect((await authorize(await signedIn(w), id)).page).toMatchObject({ _tag: "Consent", client: { name: "App", unverified: true } })
    expect((await authorize(await signedIn(w), "asks")).page).toMatchObject({ _tag: "Consent", client: { name: "Asking App" } })
    expect((await authorize(await signedIn(w), "asks")).page?.["client"]).not.toHaveProperty("unverified")
  })

  test("a client that never has a grant is gone after an hour; one that has is kept for as long as that lives", async () => {
    const w = await open()
    const [unused, used] = [await clientIn(w), await clientIn(w, { ...app, client_name: "Used" })]
    const code = await consented(w, used["client_id"])
    expect(code).not.toBe("")
    w.pass(3600)
    const asked = async (id: string | undefined) => (await authorize(await signedIn(w), id)).page?.["_tag"]
    expect([await asked(unused["client_id"]), await asked(used["client_id"])]).toEqual(["Error", undefined])
    const sweep = (w.tokens as ReturnType<typeof memoryTokenStore>).sweep
    sweep(w.now())
    expect((await rows(w)).map(({ clientId }) => clientId)).toEqual([used["client_id"]])
    w.pass(86_400 * 400)
    sweep(w.now())
    expect(await rows(w)).toEqual([])
  })

  test("RFC 7592 §2.3: tokens of a client that is deleted are good for nothing", async () => {
    const w = await open()
    const { client_id: id = "", registration_client_uri: uri = "", registration_access_token: own } = await clientIn(w)
    const code = await consented(w, id)
    const fields = { grant_type: "authorization_code", code, redirect_uri: "https://app.example/cb", code_verifier: "v".repeat(43) }
    const { json: client = {} } = await sendJson(w, "GET", uri, { token: String(own) })
    const { json: changed } = await sendJson(w, "PUT", uri, {
      token: String(own),
      body: { ...app, client_id: client["client_id"], token_endpoint_auth_method: "none" },
    })
    expect(changed).toMatchObject({ token_endpoint_auth_method: "none" })
    const tokens = await token(w, undefined, { ...fields, client_id: id })
    const bearer = { authorization: `Bearer ${String(tokens.json?.["access_token"])}` }
    const userinfo = async () => (await w.send({ path: "/connect/userinfo", headers: bearer })).status
    expect(await userinfo()).toBe(200)
    expect((await sendJson(w, "DELETE", uri, { token: String(own) })).status).toBe(204)
    expect(await userinfo()).toBe(401)
  })

  test("RFC 7592 §2.2: a change of redirect URIs asks people again what they agreed to before", async () => {
    const w = await open()
    const { client_id: id = "", registration_client_uri: uri = "", registration_access_token: own = "" } = await clientIn(w)
    const visitor = await signedIn(w)
    await consented(w, id, Promise.resolve(visitor))
    const silent = async () => (await authorize(visitor, id, { prompt: "none" })).params
    expect(await silent()).toHaveProperty("code")
    const put = (more: object) => sendJson(w, "PUT", uri, { token: own, body: { ...app, client_id: id, ...more } })
    await put({ client_name: "Renamed" })
    expect(await silent()).toHaveProperty("code")
    w.pass(1)
    await put({ redirect_uris: [...app.redirect_uris, "https://other.example/cb"] })
    expect(await silent()).toMatchObject({ error: "consent_required" })
    w.pass(1)
    await consented(w, id, Promise.resolve(visitor))
    expect(await silent()).toHaveProperty("code")
  })

  test("equal public clients are one, which nobody manages, and which is kept for as long as it is asked for", async () => {
    const w = await open()
    const first = await clientIn(w, publicApp)
    expect(first).not.toHaveProperty("registration_access_token")
    w.pass(3000)
    const reordered = Object.fromEntries(Object.entries(publicApp).toReversed())
    expect(await clientIn(w, { ...reordered, unknown: 1 })).toMatchObject({ client_id: first["client_id"] })
    w.pass(3000)
    expect(await clientIn(w, publicApp)).toMatchObject({ client_id: first["client_id"] })
    w.pass(3600)
    expect((await clientIn(w, publicApp))["client_id"]).not.toBe(first["client_id"])
    expect((await clientIn(w, { ...publicApp, client_name: "Other" }))["client_id"]).not.toBe(first["client_id"])
    expect(await rows(w)).toHaveLength(2)
  })

  test("RFC 7591 §5: many registrations from one address take a bounded number of rows, and none of a client in use", async () => {
    const w = await open({ mostUnused: 50 })
    const used = await clientIn(w)
    expect(await consented(w, used["client_id"])).not.toBe("")
    for (let at = 0; at < 1000; at++) await clientIn(w, { ...(at % 2 === 0 ? app : publicApp), client_name: `Client ${at}` })
    const left = await rows(w)
    expect(left.length).toBeLessThanOrEqual(51)
    expect(left.some(({ clientId }) => clientId === used["client_id"])).toBe(true)
    const late = await clientIn(w, { ...app, client_name: "Late" })
    expect(await consented(w, late["client_id"])).not.toBe("")
    expect((await redeem(w, await codeFor(w))).status).toBe(200)
  })

  test("near the bound it is the clients that were asked for longest ago that make way", async () => {
    const w = await open({ mostUnused: 40 })
    const made: Array<string> = []
    for (let at = 0; at < 200; at++) {
      w.pass(1)
      made.push((await clientIn(w, { ...app, client_name: `Client ${at}` }))["client_id"] ?? "")
    }
    const left = (await rows(w)).map(({ clientId }) => made.indexOf(clientId))
    const middle = left.toSorted((one, other) => one - other)[Math.floor(left.length / 2)] ?? 0
    expect(middle).toBeGreaterThan(150)
    // The newest is there in any case: nothing made way for itself.
    expect(left).toContain(199)
  })

  test("RFC 7591 §3: of two requests that race for the last use of an initial access token one registers a client", async () => {
    const w = await world(registers())
    const initial = await tokenIn(w, { mostUses: 1 })
    const answers = await Promise.all([register(w, app, initial), register(w, { ...app, client_name: "Two" }, initial)])
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([201, 401])
    expect(await rows(w)).toHaveLength(1)
  })

  test("RFC 7591 §3: a limit of an initial access token is never taken for none, and a time of another unit for no time", async () => {
    const w = await world(registers())
    for (const mostUses of [0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])
      await expect(tokenIn(w, { mostUses })).rejects.toThrow(
        `initialAccessToken: mostUses: is ${mostUses}, and must be a whole number from 1 on`,
      )
    await expect(tokenIn(w, { expiresAt: Date.now() })).rejects.toThrow(/^initialAccessToken: expiresAt: is \d+, and must count seconds/)
    await expect(initialAccessToken({ name: "partners" }, w.now())).rejects.toThrow("initialAccessToken: millis: must count milliseconds")
  })

  test("audit events tell of each registration, change and removal, and of each use of an initial access token", async () => {
    const events: Array<AuditEvent> = []
    const w = await world({ more: { ...registers().more, audit: { record: (made) => void events.push(...made()) } } })
    const initial = await tokenIn(w)
    const { json: client = {} } = await register(w, app, initial)
    const own = String(client["registration_access_token"])
    const uri = String(client["registration_client_uri"])
    await sendJson(w, "PUT", uri, { token: own, body: { ...app, client_id: client["client_id"] } })
    await sendJson(w, "DELETE", uri, { token: own })
    await register(w)
    expect(events.map(({ event, clientId, detail }) => [event, clientId ?? detail])).toEqual([
      ["registration_token_used", initial.slice(2, 18)],
      ["client_registered", client["client_id"]],
      ["client_changed", client["client_id"]],
      ["client_removed", client["client_id"]],
      ["refused", "register.token-present"],
    ])
    expect(JSON.stringify(events)).not.toContain(initial.slice(18))
  })

  test("architecture 9: rows hold neither a secret nor a token", async () => {
    const w = await world(registers())
    const initial = await tokenIn(w)
    const { json: client = {} } = await register(w, app, initial)
    const kept = JSON.stringify(await rows(w))
    for (const secret of [client["client_secret"], client["registration_access_token"], initial])
      expect(kept).not.toContain(String(secret).slice(-43))
  })

  test("a provider whose store keeps no registered clients is not made", async () => {
    await expect(world({ ...registers(), tokens: memoryTokenStore() })).rejects.toThrow("rowKindsOf")
    expect(rowKindsOf({ features: [...defaultFeatures, registration()] }).map(({ name }) => name)).toContain("registration_clients")
    expect(() => registration({ unusedLifetime: 1 })).toThrow("unusedLifetime")
    expect(() => registration({ mostUnused: 0 })).toThrow("mostUnused")
  })

  test("OpenID Connect Registration §2: every algorithm that is offered can be registered and answers", async () => {
    const w = await open()
    const discovery = said(await w.send({ path: "/.well-known/openid-configuration" })).json ?? {}
    const offered = discovery["id_token_signing_alg_values_supported"] as ReadonlyArray<string>
    expect(offered.length).toBeGreaterThan(1)
    for (const alg of offered) {
      const { client_id: id = "", client_secret: secret } = await clientIn(w, {
        ...app,
        id_token_signed_response_alg: alg,
        userinfo_signed_response_alg: alg,
      })
      const code = await consented(w, id)
      const fields = { grant_type: "authorization_code", code, redirect_uri: "https://app.example/cb", code_verifier: "v".repeat(43) }
      const { json } = await token(w, undefined, fields, { authorization: basic(id, secret) })
      const header = (jwt: unknown) =>
        JSON.parse(Buffer.from(String(jwt).split(".")[0] ?? "", "base64url").toString()) as { readonly alg: string }
      expect(header(json?.["id_token"]).alg).toBe(alg)
      const userinfo = await w.send({ path: "/connect/userinfo", headers: { authorization: `Bearer ${String(json?.["access_token"])}` } })
      expect(header(userinfo.body).alg).toBe(alg)
    }
  })

  test("RFC 6749 §3.1.2: a parameter of a registered redirect URI comes back, and another is not taken", async () => {
    const w = await open()
    const { client_id: id = "" } = await clientIn(w, { ...app, redirect_uris: ["https://app.example/cb?tab=1"] })
    const visitor = await signedIn(w)
    expect((await visitor.get("/connect/authorize", request(id, { redirect_uri: "https://app.example/cb?tab=2" }))).page?.["_tag"]).toBe(
      "Error",
    )
    expect((await authorize(visitor, id, { redirect_uri: "https://app.example/cb?tab=1" })).page?.["_tag"]).toBe("Consent")
  })

  test("a member that no registry has is an operator's to state, whatever a feature calls it", async () => {
    const w = await open()
    const own = compose({ features: [...defaultFeatures, registration()] }).clientMetadata.map(({ name }) => name)
    const withheld = {
      require_consent: false,
      require_pkce: false,
      profile: "default",
      allow_local_login: false,
      introspection_resources: ["https://api.example"],
      id_token_user_claims: true,
      access_token_lifetime: 1_000_000,
    }
    for (const name of Object.keys(withheld)) expect(own).toContain(name)
    const answer = await clientIn(w, { ...app, ...withheld })
    for (const name of Object.keys(withheld)) expect(answer).not.toHaveProperty(name)
    expect(answer["client_id_issued_at"]).toBe(beginning)
  })
})

/** Documents behind URLs of a client, which it may change. */
const publishing = () => {
  const published = new Map<string, string>()
  const fetched: Array<string> = []
  const outbound = {
    fetch: (url: string) => {
      fetched.push(url)
      const body = published.get(url)
      return body === undefined
        ? ({ _tag: "Unfetched", reason: "no such document" } as const)
        : ({ _tag: "Fetched", status: 200, contentType: undefined, body } as const)
    },
  }
  return { published, fetched, outbound }
}

const keyed = async (kid: string) => {
  const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true })
  return { privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: "ES256", use: "sig" } }
}

test("RFC 9396 §10: a client gives itself no types of authorization details; a policy may give some to all", async () => {
  const type = {
    resources: ["https://api.example"],
    words: { en: { title: "Pay", summary: "Pay {creditor}" } },
    schema: { properties: { creditor: { type: "string", maxLength: 70 } } },
  }
  const settings = { authorization_details_types: { pay: type, read: type } }
  const asking = { ...app, authorization_details_types: ["pay", "read"] }
  const none = await world({ more: { ...registers({ open: true }).more, settings } })
  expect((await register(none, asking)).json).not.toHaveProperty("authorization_details_types")
  const policy = { metadata: { authorization_details_types: ["read"] } }
  const some = await world({ more: { ...registers({ open: true, policy }).more, settings } })
  expect((await register(some, asking)).json).toMatchObject({ authorization_details_types: ["read"] })
})

test("OpenID Connect Core §10.1.1: a registered client rotates the keys behind its jwks_uri, and is known by the new one at once", async () => {
  const { published, fetched, outbound } = publishing()
  const { more } = registers({ open: true, policy: { grantTypes: ["client_credentials"], scope: ["api.read"] } })
  const w = await world({ more: { ...more, outbound } })
  const jwks_uri = "https://app.example/jwks"
  const [old, next] = [await keyed("old"), await keyed("next")]
  const put = (...keys: ReadonlyArray<object>) => published.set(jwks_uri, JSON.stringify({ keys }))
  put(old.jwk)
  const metadata = {
    token_endpoint_auth_method: "private_key_jwt",
    jwks_uri,
    grant_types: ["client_credentials"],
    response_types: [],
    scope: "api.read",
  }
  const made = await register(w, metadata)
  const id = String(made.json?.["client_id"])
  const asked = async ({ privateKey, jwk }: typeof old) => {
    const assertion = await new SignJWT({ iss: id, sub: id, aud: w.provider.settings.issuer, jti: String(Math.random()) })
      .setProtectedHeader({ alg: "ES256", kid: jwk.kid })
      .setIssuedAt(w.now())
      .setExpirationTime(w.now() + 60)
      .sign(privateKey)
    const fields = { grant_type: "client_credentials", scope: "api.read", ...carrying(assertion) }
    return (await post(w, "/connect/token", undefined, fields)).status
  }
  expect([made.status, await asked(old), await asked(next)]).toEqual([201, 200, 401])
  put(next.jwk)
  w.pass(60)
  expect(await asked(next)).toBe(200)
  w.pass(3600)
  expect([await asked(old), new Set(fetched)]).toEqual([401, new Set([jwks_uri])])
})

test("OpenID Connect Core §6.2: request objects come from the request_uris that a client registered, and from no other", async () => {
  const { published, fetched, outbound } = publishing()
  const { more } = registers({ open: true })
  const w = await world({ more: { ...more, outbound } })
  const { privateKey, jwk } = await keyed("requests")
  const request_uri = "https://app.example/request"
  const made = await register(w, {
    ...app,
    jwks: { keys: [jwk] },
    request_uris: [request_uri],
    request_object_signing_alg: "ES256",
    require_consent: false,
  })
  const id = String(made.json?.["client_id"])
  const object = await new SignJWT({ ...request(id), iss: id, aud: w.provider.settings.issuer, state: "of the object" })
    .setProtectedHeader({ alg: "ES256", kid: "requests" })
    .sign(privateKey)
  published.set(request_uri, object).set("https://app.example/other", object)
  const visitor = await signedIn(w)
  const asked = (uri: string) =>
    visitor.get("/connect/authorize", { client_id: id, request_uri: uri, response_type: "code", scope: "openid" })
  expect(made.status).toBe(201)
  expect((await asked(request_uri)).status).toBe(303)
  expect(fetched).toEqual([request_uri])
  expect((await asked("https://app.example/other")).status).toBe(400)
  expect(fetched).toEqual([request_uri])
})

describe("RFC 7591 §3.2.1: access tokens have an algorithm that there is, which a client cannot state", () => {
  const algOf = (jwt: unknown): unknown =>
    (JSON.parse(Buffer.from(String(jwt).split(".")[0] ?? "", "base64url").toString()) as { alg: unknown }).alg
  const onlyEs256 = { signer: (signer: SignerPort): SignerPort => ({ ...signer, algorithms: () => ["ES256"] }) }

  test("at a provider that does not sign with RS256", async () => {
    const w = await world({ ...registers({ open: true }), ...onlyEs256 })
    expect((await register(w)).json).toMatchObject({
      error: "invalid_client_metadata",
      error_description: expect.stringContaining("id_token_signed_response_alg"),
    })
    const made = await clientIn(w, { ...app, id_token_signed_response_alg: "ES256", token_endpoint_auth_method: "client_secret_post" })
    expect(made).toMatchObject({ access_token_signed_response_alg: "ES256" })
    const { client_id: id = "", client_secret: secret = "" } = made
    const code = await consented(w, id)
    const redeemed = await token(w, undefined, {
      grant_type: "authorization_code",
      client_id: id,
      client_secret: secret,
      code,
      redirect_uri: "https://app.example/cb",
      code_verifier: "v".repeat(43),
    })
    expect(redeemed.status).toBe(200)
    expect([algOf(redeemed.json?.["access_token"]), algOf(redeemed.json?.["id_token"])]).toEqual(["ES256", "ES256"])
  })

  test.each([
    ["of the provider", { open: true }, { profile: "fapi2-security" }],
    ["of the policy", { open: true, policy: { metadata: { profile: "fapi2-security" } } }, {}],
  ] as const)("under a profile %s that refuses RS256", async (_, options, more) => {
    const w = await world({ more: { ...registers(options).more, ...more } })
    const { jwk } = await keyed("own")
    const bank = { ...app, token_endpoint_auth_method: "private_key_jwt", jwks: { keys: [jwk] }, id_token_signed_response_alg: "ES256" }
    expect(await clientIn(w, bank)).toMatchObject({ access_token_signed_response_alg: "ES256" })
  })

  test("and RS256 where that is to be had, or whatever the policy says", async () => {
    expect(await clientIn(await open())).not.toHaveProperty("access_token_signed_response_alg")
    const w = await open({ policy: { metadata: { access_token_signed_response_alg: "ES256" } } })
    expect(await clientIn(w)).toMatchObject({ access_token_signed_response_alg: "ES256" })
  })
})
