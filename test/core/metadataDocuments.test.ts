import {
  type AuditEvent,
  type DocumentPolicy,
  defaultFeatures,
  deliveriesOf,
  metadataDocumentRows,
  metadataDocuments,
  rowKindsOf,
} from "@postern/core"
import { memoryLimiter, memoryTokenStore } from "@postern/core/memory"
import { happening, secretOf } from "@postern/core/model"
import { OutwardRefused, type OutboundAnswer, type SignerPort } from "@postern/core/ports"
import { describe, expect, test } from "vitest"
import { clientKey } from "../support/clientKeys.ts"
import {
  allow,
  askFor,
  document,
  documentCode,
  documentId,
  documentWorld,
  documents,
  redeemAs,
  webDocument,
  webOf,
} from "../support/documents.ts"
import { authorize, post, signedIn, userinfo } from "../support/flows.ts"
import { logoutRound, waitingLogouts } from "../support/logouts.ts"
import { type World, world } from "../support/world.ts"

/** A signer without RS256. */
const onlyEs256 = (own: SignerPort): SignerPort => ({ ...own, algorithms: () => ["ES256"] })
const jwtBearer = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
const rows = (w: World) => w.tokens.list(metadataDocumentRows, "documents", {})
const shownPage = async (w: World, clientId?: string) => (await askFor(w, clientId)).page?.["_tag"]

describe("how long a document counts (draft-ietf-oauth-client-id-metadata-document §4.3, RFC 9111)", () => {
  const lives: ReadonlyArray<readonly [string, Partial<Extract<OutboundAnswer, { _tag: "Fetched" }>>, number]> = [
    ["five minutes where nothing is said", {}, 300],
    ["as long as max-age says", { caching: { cacheControl: "public, max-age=900" } }, 900],
    ["what shared caches are told, before max-age", { caching: { cacheControl: "max-age=900, s-maxage=120" } }, 120],
    ["less what it has spent in another cache", { caching: { cacheControl: "max-age=900", age: "600" } }, 300],
    ["an hour at most", { caching: { cacheControl: "max-age=31536000" } }, 3600],
    ["a minute at least", { caching: { cacheControl: "max-age=0, must-revalidate" } }, 60],
    ["a minute where it is to be asked about each time", { caching: { cacheControl: "no-cache" } }, 60],
    ["a minute where its life cannot be read", { caching: { cacheControl: "max-age=soon" } }, 60],
    ["until it expires", { caching: { expires: "Mon, 01 Mar 2027 00:10:00 GMT", date: "Sun, 28 Feb 2027 23:55:00 GMT" } }, 900],
    ["a minute where its end cannot be read", { caching: { expires: "0", date: "Sun, 28 Feb 2027 23:55:00 GMT" } }, 60],
  ]
  test.for(lives)("%s", async ([, more, life]) => {
    const w = await documentWorld()
    w.web.answers.set(documentId, document(webDocument, more))
    await askFor(w)
    const once = w.web.asked.length
    w.pass(life - 1)
    await askFor(w)
    expect(w.web.asked).toHaveLength(once)
    w.pass(1)
    await askFor(w)
    expect(w.web.asked).toHaveLength(once + 1)
  })

  const unkept = ["no-store", "private", "No-Store, max-age=60"]
  test.for(unkept)("%s: it is fetched for each request, and no copy stands in for it", async (cacheControl) => {
    const w = await documentWorld()
    w.web.answers.set(documentId, document(webDocument, { caching: { cacheControl } }))
    expect([await shownPage(w), await shownPage(w), w.web.asked.length]).toEqual(["Consent", "Consent", 4])
    w.web.answers.set(documentId, document({ ...webDocument, redirect_uris: ["https://app.example/other"] }, { caching: { cacheControl } }))
    expect([await shownPage(w), w.web.asked.length]).toEqual(["Error", 5])
    w.web.answers.set(documentId, { _tag: "Unfetched", reason: "gone", isUnreachable: true })
    expect([await shownPage(w), w.web.asked.length]).toEqual(["Error", 6])
  })

  test.for(unkept)(
    "%s: a client that has it is told of the end of a session all the same (Back-Channel Logout §2.5)",
    async (cacheControl) => {
      const w = await documentWorld()
      const told = { ...webDocument, backchannel_logout_uri: "https://app.example/backchannel" }
      w.web.answers.set(documentId, document(told, { caching: { cacheControl } }))
      const person = await signedIn(w)
      await redeemAs(w, await documentCode(w, documentId, { scope: "openid" }, person))
      w.web.answers.set(documentId, { _tag: "Unfetched", reason: "gone", isUnreachable: true })
      w.pass(3_600)
      await person.submit((await person.get("/logout")).page)
      expect(await waitingLogouts(w)).toHaveLength(1)
      expect((await rows(w))[0]?.keepUntil).toBeGreaterThan(w.now() + 29 * 86_400)
    },
  )

  test("a copy that answers nothing is written once a minute at most, however often its document is fetched", async () => {
    const w = await documentWorld()
    w.web.answers.set(documentId, document(webDocument, { caching: { cacheControl: "no-store" } }))
    await askFor(w)
    const [first] = await rows(w)
    w.pass(59)
    await askFor(w)
    expect(await rows(w)).toEqual([first])
    w.pass(1)
    await askFor(w)
    expect(await rows(w)).toEqual([{ ...first, fetchedAt: w.now(), freshUntil: w.now(), keepUntil: (first?.keepUntil ?? 0) + 60 }])
  })

  test("a failure is remembered for half a minute, and is never a client", async () => {
    const w = await documentWorld()
    w.web.answers.set(documentId, document("<html>", { contentType: "text/html" }))
    expect(await shownPage(w)).toBe("Error")
    w.web.answers.set(documentId, document(webDocument))
    w.pass(29)
    expect([await shownPage(w), w.web.asked.length]).toEqual(["Error", 1])
    w.pass(1)
    expect([await shownPage(w), w.web.asked.length]).toEqual(["Consent", 2])
  })

  test("whoever asks while it is fetched waits for the same fetch", async () => {
    const w = await documentWorld()
    const gate = Promise.withResolvers<OutboundAnswer>()
    w.web.answers.set(documentId, () => gate.promise)
    const visitors = await Promise.all([1, 2, 3].map(() => signedIn(w)))
    const asking = visitors.map((visitor) => authorize(visitor, documentId))
    gate.resolve(document(webDocument))
    expect((await Promise.all(asking)).map(({ page }) => page?.["_tag"])).toEqual(["Consent", "Consent", "Consent"])
    expect(w.web.asked).toHaveLength(1)
  })
})

describe("a client whose document is gone or cannot be had (§4)", () => {
  const gone: ReadonlyArray<readonly [string, OutboundAnswer]> = [
    ["404", document("", { status: 404 })],
    ["410", document("", { status: 410 })],
    ["a redirect", { _tag: "Unfetched", reason: "answered with status 302; redirects are not followed" }],
    ["a page", document("<html>", { contentType: "text/html" })],
    ["another client_id", document({ ...webDocument, client_id: "https://other.example/c.json" })],
    ["a secret", document({ ...webDocument, client_secret: "s" })],
  ]
  test.for(gone)("%s: it is gone at once for every leg, and no copy is kept", async ([, answer]) => {
    const w = await documentWorld()
    const code = await documentCode(w)
    w.web.answers.set(documentId, answer)
    w.pass(300)
    expect((await redeemAs(w, code)).json).toMatchObject({ error: "invalid_client" })
    expect(await rows(w)).toEqual([])
    expect(await shownPage(w)).toBe("Error")
  })

  const passing: ReadonlyArray<readonly [string, OutboundAnswer]> = [
    ["its host cannot be reached", { _tag: "Unfetched", reason: "not there within 4000 ms", isUnreachable: true }],
    ...[400, 401, 403, 408, 425, 429, 451, 500, 503].map((status): readonly [string, OutboundAnswer] => [
      `its host answers ${status}`,
      document("slow down", { status, contentType: "text/html" }),
    ]),
  ]
  test.for(passing)("where %s the copy counts for a day more, and for a client that nobody knows there is none", async ([, answer]) => {
    const w = await documentWorld()
    await askFor(w)
    w.web.answers.set(documentId, answer)
    w.pass(300)
    expect(await shownPage(w)).toBe("Consent")
    w.pass(86_399)
    expect(await shownPage(w)).toBe("Consent")
    w.pass(1)
    expect(await shownPage(w)).toBe("Error")
    w.web.answers.set("https://new.example/c.json", answer)
    expect(await shownPage(w, "https://new.example/c.json")).toBe("Error")
  })
})

describe("who is served, and with what (§4.4)", () => {
  const policies: ReadonlyArray<DocumentPolicy> = [
    { hosts: ["app.example"], verified: true, scope: ["openid", "api.read"], metadata: { access_token_format: "reference" } },
    { hosts: ["*.evil.example", "evil.example"], allow: false },
  ]

  test("a policy vouches for a host, gives scopes of its APIs, and adds metadata", async () => {
    const w = await documentWorld(webDocument, { policies })
    const asked = await askFor(w, documentId, { scope: "openid api.read" })
    expect(asked.page).toMatchObject({ _tag: "Consent", client: { host: "app.example", callsItself: "App" } })
    expect(asked.page?.["client"]).not.toHaveProperty("unverified")
    const tokens = await redeemAs(w, await documentCode(w, documentId, { scope: "openid api.read" }))
    expect(tokens).toMatchObject({ status: 200, json: { scope: "openid api.read" } })
    expect(String(tokens.json?.["access_token"])).toMatch(/^a_/)
    expect((await askFor(w, documentId, { scope: "openid api.write" })).params).toMatchObject({ error: "invalid_scope" })
  })

  test("a host that is denied is never asked, nor one that no policy names where others are not served", async () => {
    const w = await documentWorld(webDocument, { policies, others: false })
    for (const id of ["https://evil.example/c.json", "https://a.evil.example/c.json", "https://other.example/c.json"])
      expect(await shownPage(w, id)).toBe("Error")
    expect(w.web.asked).toEqual([])
    expect(await shownPage(w)).toBe("Consent")
  })

  test("a port leads past no policy (RFC 3986 §6.2.3), and the port of https is no other host", async () => {
    const w = await documentWorld(webDocument, { policies, others: {} })
    for (const id of ["evil.example:443", "a.evil.example:443", "a.evil.example:8443", "EVIL.example:1"].map(
      (host) => `https://${host}/c.json`,
    ))
      expect([id, await shownPage(w, id)]).toEqual([id, "Error"])
    expect(w.web.asked).toEqual([])
    for (const [host, shown] of [
      ["app.example:443", { name: "app.example" }],
      ["app.example:8443", { name: "app.example:8443", unverified: true }],
    ] as const) {
      const id = `https://${host}/c.json`
      w.web.answers.set(id, document({ ...webDocument, client_id: id }))
      const { page } = await askFor(w, id)
      expect(page).toMatchObject({ _tag: "Consent", client: shown })
      expect("unverified" in ((page?.["client"] ?? {}) as object)).toBe("unverified" in shown)
    }
  })

  test("a policy with a port names that port alone", async () => {
    const w = await documentWorld(webDocument, { policies: [{ hosts: ["app.example:8443"], verified: true }], others: false })
    expect(await shownPage(w)).toBe("Error")
    const id = "https://app.example:8443/c.json"
    w.web.answers.set(id, document({ ...webDocument, client_id: id }))
    const { page } = await askFor(w, id)
    expect(page).toMatchObject({ _tag: "Consent" })
    expect(page?.["client"]).not.toHaveProperty("unverified")
  })

  test.for(["2130706433", "127.1", "0x7f.0.0.1", "[0:0:0:0:0:0:0:1]"])(
    "%s, another form of an address, is no id: policies name hosts",
    async (host) => {
      const w = await documentWorld(webDocument)
      expect(await shownPage(w, `https://${host}/c.json`)).toBe("Error")
      expect(w.web.asked).toEqual([])
    },
  )

  test("a client that an operator registered under the same URL comes before the document (§4.4)", async () => {
    const registered = {
      client_id: documentId,
      token_endpoint_auth_method: "none" as const,
      redirect_uris: ["https://app.example/cb"],
      scope: "openid",
    }
    const web = webOf()
    const w = await world({ ...documents(web), clients: [{ ...registered, client_name: "Registered" }] })
    expect((await askFor(w)).page).toMatchObject({ _tag: "Consent", client: { name: "Registered" } })
    expect(web.asked).toEqual([])
  })

  test("where the feature is off a URL is no client, and nothing is fetched", async () => {
    const web = webOf({ [documentId]: document(webDocument) })
    const w = await world({ more: { outbound: web } })
    expect(await shownPage(w)).toBe("Error")
    expect(web.asked).toEqual([])
  })

  test.for(["", "App.example", "https://app.example", "app.example/x", "*.*.example"])("a policy for the host %j is refused", (host) => {
    expect(() => metadataDocuments({ policies: [{ hosts: [host] }] })).toThrow(TypeError)
  })
})

describe("every leg knows the client", () => {
  test("authorize, token, refresh, revocation, introspection, pushed requests and devices", async () => {
    const grants = ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"]
    const w = await documentWorld({ ...webDocument, grant_types: grants }, { others: { grantTypes: grants } })
    const scope = "openid offline_access"
    const tokens = await redeemAs(w, await documentCode(w, documentId, { scope }))
    const { refresh_token: first = "" } = tokens.json as Record<string, string>
    const as = (path: string, fields: Record<string, string>) => post(w, path, undefined, { client_id: documentId, ...fields })
    const refreshed = await as("/connect/token", { grant_type: "refresh_token", refresh_token: first })
    expect(refreshed).toMatchObject({ status: 200, json: { scope } })
    const { refresh_token: second = "", access_token: access = "" } = refreshed.json as Record<string, string>
    expect(second).not.toBe(first)
    expect((await post(w, "/connect/introspect", "api", { token: access })).status).toBe(200)
    expect(
      (
        await as("/connect/par", {
          response_type: "code",
          redirect_uri: "https://app.example/cb",
          scope: "openid",
          code_challenge: "c".repeat(43),
          code_challenge_method: "S256",
        })
      ).status,
    ).toBe(201)
    expect((await as("/connect/deviceauthorization", { scope: "openid" })).status).toBe(200)
    expect((await as("/connect/revocation", { token: second })).status).toBe(200)
    expect((await as("/connect/token", { grant_type: "refresh_token", refresh_token: second })).json).toMatchObject({
      error: "invalid_grant",
    })
    const person = await signedIn(w)
    expect((await person.get("/")).page).toMatchObject({
      _tag: "Home",
      consents: [{ client: { clientId: documentId, name: "app.example" } }],
    })
    expect(w.web.asked).toEqual([documentId])
  })
})

describe("two nodes that share a store", () => {
  test("see one version on both legs, however the document changes in between", async () => {
    const tokens = memoryTokenStore(rowKindsOf({ features: [...defaultFeatures, metadataDocuments()] }))
    const [web, other] = [
      webOf({ [documentId]: document(webDocument) }),
      webOf({ [documentId]: document({ ...webDocument, client_name: "Changed" }) }),
    ]
    const [first, second] = await Promise.all([world({ ...documents(web), tokens }), world({ ...documents(other), tokens })])
    const code = await documentCode(first)
    expect(await redeemAs(second, code)).toMatchObject({ status: 200 })
    expect(other.asked).toEqual([])
  })

  test("keep no more documents than there are places; the one that was fetched longest ago leaves", async () => {
    const web = webOf()
    const w = await world(documents(web, { mostDocuments: 3 }))
    const ids = Array.from({ length: 12 }, (_, at) => `https://app${at}.example/c.json`)
    for (const id of ids) {
      web.answers.set(id, document({ ...webDocument, client_id: id }))
      w.pass(1)
      expect(await shownPage(w, id)).toBe("Consent")
    }
    const kept = await rows(w)
    expect(kept.length).toBeLessThanOrEqual(3)
    expect(kept[0]?.clientId).toBe(ids.at(-1))
  })

  test("a host is asked for 120 documents a minute at most by one of them", async () => {
    const w = await documentWorld()
    const person = await signedIn(w)
    const statuses = new Map<number, number>()
    for (let at = 0; at < 122; at++) {
      const { status } = await person.get("/connect/authorize", { client_id: `${documentId}?${at}` })
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
    expect(statuses).toEqual(
      new Map([
        [400, 120],
        [503, 2],
      ]),
    )
    w.pass(60)
    expect((await person.get("/connect/authorize", { client_id: `${documentId}?z` })).status).toBe(400)
  })

  test("a host that was asked for as many is left alone, however many others are named meanwhile", async () => {
    const w = await documentWorld()
    const person = await signedIn(w)
    const asked = async (clientId: string) => (await person.get("/connect/authorize", { client_id: clientId })).status
    for (let at = 0; at < 120; at++) expect(await asked(`${documentId}?${at}`)).toBe(400)
    for (let at = 0; at < 1_001; at++) expect(await asked(`https://h${at}.example/c.json`)).toBe(400)
    expect(await asked(`${documentId}?again`)).toBe(503)
  })

  test("a failure is remembered, however many ids of other hosts are made up meanwhile", async () => {
    const w = await documentWorld()
    const person = await signedIn(w)
    const asked = (clientId: string) => person.get("/connect/authorize", { client_id: clientId })
    const failing = "https://slow.example/c.json"
    await asked(failing)
    for (let at = 0; at < 1_001; at++) await asked(`https://h${at % 9}.example/c.json?${at}`)
    const once = w.web.asked.length
    await asked(failing)
    expect(w.web.asked).toHaveLength(once)
  })
})

describe("fetches that others pay for", () => {
  test("logos count among the fetches of their host, at whatever port: documents of many hosts cannot have one asked", async () => {
    const web = webOf()
    const w = await world(documents(web))
    const person = await signedIn(w)
    for (let at = 0; at < 125; at++) {
      const id = `https://app${at}.example/c.json`
      web.answers.set(id, document({ ...webDocument, client_id: id, logo_uri: `https://victim.example:${at + 1000}/expensive?${at}` }))
      expect((await askFor(w, id, {}, person)).page?.["_tag"]).toBe("Consent")
    }
    expect(web.asked.filter((url) => url.includes("victim"))).toHaveLength(120)
  })

  test("its keys are fetched as what a stranger chose, and those of a client that an operator registered are not", async () => {
    const jwks_uri = "https://app.example/jwks"
    const keyed = { ...webDocument, token_endpoint_auth_method: "private_key_jwt" as const, jwks_uri, scope: "openid" }
    const web = webOf({ [documentId]: document(keyed) })
    const w = await world({ ...documents(web), clients: [{ ...keyed, client_id: "registered", jwks_uri: `${jwks_uri}/2` }] })
    for (const iss of [documentId, "registered"]) {
      const claims = { iss, sub: iss, aud: w.provider.settings.issuer, exp: w.now() + 60, jti: "j" }
      const [header, body] = [{ alg: "ES256" }, claims].map((each) => Buffer.from(JSON.stringify(each)).toString("base64url"))
      const assertion = { client_assertion_type: jwtBearer, client_assertion: `${header}.${body}.c2ln` }
      await post(w, "/connect/token", undefined, { grant_type: "authorization_code", code: "c", client_id: iss, ...assertion })
    }
    expect(web.asked.slice(1)).toEqual([jwks_uri, `${jwks_uri}/2`])
    expect(web.limits.slice(1)).toEqual([{ ofStranger: true }, undefined])
  })

  test("an address has so many documents fetched a minute as its limit says (RFC 6585 §4), and costs others nothing", async () => {
    const web = webOf({ [documentId]: document(webDocument) })
    const w = await world(documents(web, {}, { limiter: memoryLimiter({ documentAddress: 3 }) }))
    const person = await signedIn(w)
    const asked = async (n: number) => {
      const { status, header } = await person.get("/connect/authorize", { client_id: `${documentId}?${n}` })
      return [status, header("retry-after")]
    }
    expect(await asked(1)).toEqual([400, undefined])
    expect(await asked(1)).toEqual([400, undefined])
    expect(await shownPage(w)).toBe("Consent")
    expect(await asked(2)).toEqual([400, undefined])
    expect(await asked(3)).toEqual([503, "20"])
    const other = {
      ...w.visitor().message(`/connect/authorize?client_id=${encodeURIComponent(`${documentId}?3`)}`),
      address: "198.51.100.7",
    }
    expect((await w.provider.handle(other)).status).toBe(400)
    expect(await shownPage(w)).toBe("Consent")
    w.pass(20)
    expect(await asked(4)).toEqual([400, undefined])
    expect(await asked(5)).toEqual([503, "20"])
  })

  test("a copy whose time is over counts on where its address may have no more fetched", async () => {
    const web = webOf({ [documentId]: document(webDocument) })
    const w = await world(documents(web, {}, { limiter: memoryLimiter({ documentAddress: 1 }) }))
    const person = await signedIn(w)
    expect((await askFor(w, documentId, {}, person)).page?.["_tag"]).toBe("Consent")
    w.pass(300)
    await person.get("/connect/authorize", { client_id: `${documentId}?1` })
    expect((await askFor(w, documentId, {}, person)).page?.["_tag"]).toBe("Consent")
  })
})

describe("what a person agreed to (§6.5)", () => {
  const again = async (changed: object) => {
    const w = await documentWorld()
    const person = await signedIn(w)
    await documentCode(w, documentId, {}, person)
    w.web.answers.set(documentId, document({ ...webDocument, ...changed }))
    w.pass(300)
    return (await authorize(person, documentId)).page
  }

  test("a consent is remembered while the client stays as it was, whatever it calls itself", async () => {
    expect(await again({})).toBeUndefined()
    expect(await again({ client_name: "Another", tos_uri: "https://app.example/tos" })).toBeUndefined()
  })

  const keys = { token_endpoint_auth_method: "private_key_jwt", jwks_uri: "https://app.example/jwks" }
  test.for([
    [
      "redirect URIs",
      { redirect_uris: [...webDocument.redirect_uris, "https://elsewhere.example/cb"] },
      [{ part: "redirect", value: "https://elsewhere.example" }],
    ],
    [
      "fewer redirect URIs",
      { redirect_uris: ["https://app.example/cb", "https://app.example/cb"].slice(1), scope: "openid" },
      [{ part: "scope", value: "openid" }],
    ],
    ["keys, and the way it authenticates", keys, [{ part: "keys" }, { part: "method" }]],
    [
      "the name beside something else",
      { scope: "openid", client_name: "B" },
      [
        { part: "scope", value: "openid" },
        { part: "name", value: "App" },
      ],
    ],
  ] as const)("new %s: the person is asked again, and told", async ([, changed, changes]) => {
    expect(await again(changed)).toMatchObject({ _tag: "Consent", changes })
  })

  test("the consent that follows counts for the new version, and a denial changes nothing", async () => {
    const w = await documentWorld()
    const person = await signedIn(w)
    await documentCode(w, documentId, {}, person)
    w.web.answers.set(documentId, document({ ...webDocument, scope: "openid" }))
    w.pass(300)
    const asked = await authorize(person, documentId)
    expect((await person.submit(asked.page, [["decision", "deny"]])).params).toMatchObject({ error: "access_denied" })
    expect((await authorize(person, documentId)).page).toMatchObject({ _tag: "Consent" })
    expect((await allow(person, await authorize(person, documentId))).params).toHaveProperty("code")
    expect((await authorize(person, documentId)).page).toBeUndefined()
  })

  test("a consent to a client that an operator registered does not count for a document under the same id", async () => {
    const registered = {
      client_id: documentId,
      token_endpoint_auth_method: "none" as const,
      redirect_uris: ["https://app.example/cb"],
      scope: "openid",
    }
    const w = await world({ ...documents(), clients: [registered] })
    const person = await signedIn(w)
    await documentCode(w, documentId, {}, person)
    w.clients.delete(documentId)
    expect((await authorize(person, documentId)).page).toMatchObject({ _tag: "Consent", changes: [] })
  })

  test("a redirect URI that the document no longer lists is refused when the person answers", async () => {
    const w = await documentWorld()
    const person = await signedIn(w)
    const asked = await authorize(person, documentId)
    w.web.answers.set(documentId, document({ ...webDocument, redirect_uris: ["https://app.example/other"] }))
    w.pass(300)
    expect((await allow(person, asked)).status).toBe(400)
    expect((await authorize(person, documentId)).page).toMatchObject({ _tag: "Error", trouble: "redirect_uri_invalid" })
  })
})

describe("the name and the logo (§6)", () => {
  const png = Buffer.concat([
    Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"),
    Buffer.from([0, 0, 0, 48, 0, 0, 0, 48, 8, 6, 0, 0, 0]),
  ])
  const logo = "https://cdn.example/logo.png"
  const withLogo = async (body: Buffer | string, more: object = {}) => {
    const w = await documentWorld({ ...webDocument, logo_uri: logo })
    w.web.answers.set(logo, document(Buffer.from(body).toString("base64"), { contentType: "image/png", ...more }))
    return ((await askFor(w)).page?.["client"] as { readonly logoUri?: string } | undefined)?.logoUri
  }

  test("a long name does not push the host away", async () => {
    const w = await documentWorld({ ...webDocument, client_name: "My Bank ".repeat(20) })
    expect((await askFor(w)).page).toMatchObject({ client: { name: "app.example", callsItself: `${"My Bank ".repeat(20).slice(0, 59)}…` } })
  })

  test("a logo is shown as a copy of the provider's own; a browser never asks the client for it", async () => {
    expect(await withLogo(png)).toBe(`data:image/png;base64,${png.toString("base64")}`)
  })

  const wide = Buffer.from(png)
  wide.writeUInt32BE(30_000, 16)
  test.for([
    ["a picture that unfolds to more than 1024 pixels a side", wide, {}],
    ["an SVG, which can hold scripts", "<svg xmlns='http://www.w3.org/2000/svg'/>", {}],
    ["a page that says it is a picture", "<html>", {}],
    ["nothing", "", {}],
    ["a status that is none of success", png, { status: 404 }],
  ] as const)("no logo is shown for %s", async ([, body, more]) => {
    expect(await withLogo(body, more)).toBeUndefined()
  })

  test("a logo that cannot be fetched costs no client, and its limits are told to the port", async () => {
    const w = await documentWorld({ ...webDocument, logo_uri: logo })
    expect(await shownPage(w)).toBe("Consent")
    expect(w.web.asked).toEqual([documentId, logo])
    expect(w.web.limits).toEqual([
      { bytes: 5120, milliseconds: 4000, ofStranger: true },
      { bytes: 16_384, milliseconds: 2000, isBinary: true, ofStranger: true },
    ])
  })
})

describe("loopback redirect URIs (RFC 8252 §7.3)", () => {
  const native = { ...webDocument, redirect_uris: ["http://localhost/callback", "http://127.0.0.1/callback", "http://[::1]/callback"] }
  const at = async (redirectUri: string, options = {}, more = {}) => {
    const w = await documentWorld(native, options, more)
    return (await askFor(w, documentId, { redirect_uri: redirectUri })).page
  }
  const ok = { _tag: "Consent", client: { isOnDevice: true } }

  test("any port on 127.0.0.1 and [::1]; on localhost where the switch is on, and the token request repeats it", async () => {
    const on = { loopbackLocalhost: true }
    expect(await at("http://127.0.0.1:50123/callback", on)).toMatchObject(ok)
    expect(await at("http://[::1]:50123/callback", on)).toMatchObject(ok)
    expect(await at("http://localhost:50123/callback", on)).toMatchObject(ok)
    expect(await at("http://localhost:50123/other", on)).toMatchObject({ trouble: "redirect_uri_invalid" })
    expect(await at("https://localhost:50123/callback", on)).toMatchObject({ trouble: "redirect_uri_invalid" })
    expect(await at("http://localhost.evil.example:50123/callback", on)).toMatchObject({ trouble: "redirect_uri_invalid" })
    expect(await at("http://localhost:0/callback", on)).toMatchObject({ trouble: "redirect_uri_invalid" })
    const w = await documentWorld(native, on)
    const redirect_uri = "http://localhost:50123/callback"
    expect(
      (await redeemAs(w, await documentCode(w, documentId, { redirect_uri }), documentId, "http://localhost:50124/callback")).json,
    ).toMatchObject({ error: "invalid_grant" })
    expect((await redeemAs(w, await documentCode(w, documentId, { redirect_uri }), documentId, redirect_uri)).status).toBe(200)
  })

  test("without the switch a document with localhost is refused, as registration refuses it", async () => {
    expect(await at("http://127.0.0.1:50123/callback")).toMatchObject({ _tag: "Error", trouble: "client_unknown" })
  })
})

describe("a copy stays while somebody needs it", () => {
  const logoutUri = "https://app.example/backchannel"
  const told = { ...webDocument, backchannel_logout_uri: logoutUri }

  const admitted = { policies: [{ hosts: ["app.example"], redirectHosts: ["app.example"] }], others: { redirectHosts: ["nobody.example"] } }

  test("a document that a policy or a rule of registration refuses takes no place, is asked for again after half a minute, and its logo is not fetched", async () => {
    const logo = "https://cdn.example/logo.png"
    for (const refused of [{ redirect_uris: ["https://elsewhere.example/cb"] }, { backchannel_logout_uri: "http://app.example/b" }]) {
      const w = await documentWorld({ ...told, ...refused, logo_uri: logo }, admitted)
      expect(await shownPage(w)).toBe("Error")
      expect(await rows(w)).toEqual([])
      expect(w.web.asked).toEqual([documentId])
      w.pass(29)
      expect(await shownPage(w)).toBe("Error")
      expect(w.web.asked).toEqual([documentId])
      w.pass(1)
      w.web.answers.set(documentId, document(webDocument))
      expect(await shownPage(w)).toBe("Consent")
    }
  })

  test("a version that is refused takes the place of none: no logout token goes to its address", async () => {
    const w = await documentWorld(told, admitted)
    await askFor(w)
    w.web.answers.set(
      documentId,
      document({ ...told, redirect_uris: ["https://elsewhere.example/cb"], backchannel_logout_uri: "https://elsewhere.example/b" }),
    )
    w.pass(300)
    expect(await shownPage(w)).toBe("Error")
    expect(JSON.stringify(await rows(w))).not.toContain("elsewhere")
  })

  test("a copy counts by the policies and the rules of registration that hold now: no logout token goes where they lead nobody (§4.4)", async () => {
    const tokens = memoryTokenStore(rowKindsOf({ features: [...defaultFeatures, metadataDocuments()] }))
    const web = webOf({ [documentId]: document(told) })
    const before = await world({ ...documents(web), tokens })
    await redeemAs(before, await documentCode(before))
    const after = await world({ ...documents(web, { others: { redirectHosts: ["nobody.example"] } }), tokens })
    expect(await after.provider.signOut("sub-alice")).toBe(1)
    expect(await waitingLogouts(after)).toEqual([])
  })

  test("the places of an id are known to nobody without the account key", async () => {
    const slotsBy = async (accountKey: string) => {
      const web = webOf()
      const w = await world(documents(web, {}, { accountKey: secretOf(accountKey) }))
      for (const at of [1, 2, 3]) {
        const id = `https://app${at}.example/c.json`
        web.answers.set(id, document({ ...webDocument, client_id: id }))
        await askFor(w, id)
      }
      return (await rows(w)).map(({ clientId, slot }) => `${clientId} ${slot}`).toSorted()
    }
    const [one, same, another] = [await slotsBy("k".repeat(43)), await slotsBy("k".repeat(43)), await slotsBy("l".repeat(43))]
    expect(same).toEqual(one)
    expect(another).not.toEqual(one)
  })

  test("a client that is to be told of the end of a session makes way after those that nobody has one of", async () => {
    const web = webOf({ [documentId]: document(told) })
    const w = await world(documents(web, { mostDocuments: 12 }, { accountKey: secretOf("k".repeat(43)) }))
    await redeemAs(w, await documentCode(w))
    for (let at = 0; at < 60; at++) {
      const id = `https://app${at}.example/c.json`
      web.answers.set(id, document({ ...webDocument, client_id: id }))
      w.pass(1)
      expect(await shownPage(w, id)).toBe("Consent")
    }
    expect((await rows(w)).map(({ clientId }) => clientId)).toContain(documentId)
  })

  test("a copy is kept for as long as the session of a client that is told of its end, and for as long as a grant", async () => {
    const w = await documentWorld(told)
    const person = await signedIn(w)
    await redeemAs(w, await documentCode(w, documentId, { scope: "openid" }, person))
    const [grant] = await w.tokens.grantsOf("sub-alice")
    const [row] = await rows(w)
    expect(grant?.keepUntil).toBeGreaterThanOrEqual(w.now() + 30 * 86_400)
    expect(row?.keepUntil).toBeGreaterThanOrEqual(grant?.keepUntil ?? Infinity)
    w.pass(300)
    await askFor(w)
    expect((await rows(w))[0]?.keepUntil).toBe(row?.keepUntil)
    w.web.answers.set(documentId, { _tag: "Unfetched", reason: "gone", isUnreachable: true })
    w.pass(300 + 86_400)
    expect(await shownPage(w)).toBe("Error")
  })

  test("a grant that is made while a document is fetched anew is not forgotten", async () => {
    const w = await documentWorld(told)
    await askFor(w)
    const gate = Promise.withResolvers<OutboundAnswer>()
    w.web.answers.set(documentId, () => gate.promise)
    w.pass(300)
    const asking = askFor(w)
    while (w.web.asked.length < 2) await new Promise((resolve) => setImmediate(resolve))
    const until = w.now() + 9e6
    await w.tokens.commit([happening(metadataDocumentRows, "KeepDocument", { clientId: documentId, until })])
    gate.resolve(document(told))
    expect((await asking).page).toMatchObject({ _tag: "Consent" })
    expect((await rows(w))[0]).toMatchObject({ keepUntil: until, fetchedAt: w.now() })
  })

  test("Back-Channel Logout §2.4: a provider that does not sign with RS256 signs the logout token of such a client as its ID tokens", async () => {
    const w = await world({ ...documents(webOf({ [documentId]: document(told) })), signer: onlyEs256 })
    await redeemAs(w, await documentCode(w))
    await w.provider.signOut("sub-alice")
    const { sent } = await logoutRound(w, undefined, { features: [...defaultFeatures, metadataDocuments()] })
    expect(sent.map(({ url, header }) => [url, header["alg"]])).toEqual([[logoutUri, "ES256"]])
  })

  test("a logout token waits for a copy of the document where none is kept (OpenID Connect Back-Channel Logout §2.5)", async () => {
    const w = await documentWorld(told)
    const person = await signedIn(w)
    await redeemAs(w, await documentCode(w, documentId, { scope: "openid" }, person))
    await person.submit((await person.get("/logout")).page)
    const [message] = await waitingLogouts(w)
    if (message === undefined) throw new Error("no logout token waits")
    const posted: Array<string> = []
    const deliver = () =>
      deliveriesOf(
        { features: [...defaultFeatures, metadataDocuments()] },
        {
          issuer: w.provider.settings.issuer,
          clients: { find: () => undefined },
          tokens: w.tokens,
          signer: w.signer,
          outbound: { ...w.web, post: (url) => (posted.push(url), document("", { status: 204 })) },
          now: w.now,
        },
      )[message.kind]?.(message, new AbortController().signal)
    const [row] = await rows(w)
    if (row === undefined) throw new Error("no copy is kept")
    await w.tokens.commit([happening(metadataDocumentRows, "RemoveDocument", { clientId: row.clientId, fetchedAt: row.fetchedAt })])
    await expect(deliver()).rejects.toThrow("no copy is kept")
    expect(posted).toEqual([])
    await askFor(w)
    expect(await deliver()).toBeUndefined()
    expect(posted).toEqual([logoutUri])
  })
})

describe("a client's host decides nothing of a person's own sessions and consents", () => {
  const hosts: ReadonlyArray<readonly [string, object, () => OutboundAnswer | Promise<OutboundAnswer>]> = [
    ["cannot be reached", { caching: { cacheControl: "no-store" } }, () => ({ _tag: "Unfetched", reason: "gone", isUnreachable: true })],
    ["never answers", { caching: { cacheControl: "no-store" } }, () => new Promise<never>(() => undefined)],
    [
      "was asked too often, or is left alone",
      { caching: { cacheControl: "no-store" } },
      () => Promise.reject(new OutwardRefused("left alone", 30)),
    ],
    ["never answers, and the time of its copy is over", {}, () => new Promise<never>(() => undefined)],
    ["is left alone, and the time of its copy is over", {}, () => Promise.reject(new OutwardRefused("left alone", 30))],
  ]
  const used = async (more: object, then: () => OutboundAnswer | Promise<OutboundAnswer>, content = webDocument) => {
    const w = await documentWorld(content, { others: { scope: ["openid", "api.read"] } })
    w.web.answers.set(documentId, document(content, more))
    const person = await signedIn(w)
    const tokens = await redeemAs(w, await documentCode(w, documentId, { scope: "openid api.read" }, person))
    w.web.answers.set(documentId, then)
    w.pass(300)
    const asked = w.web.asked.length
    return { w, person, access: String(tokens.json?.["access_token"]), nothingWasAsked: () => expect(w.web.asked).toHaveLength(asked) }
  }

  test.for(hosts)("one that %s: the person signs out", async ([, more, then]) => {
    const { w, person, nothingWasAsked } = await used(more, then)
    const page = (await person.get("/logout")).page
    expect(await person.submit(page)).toMatchObject({ status: 200 })
    expect((await person.get("/")).to).toBe("/login")
    expect((await w.tokens.sessionsOf("sub-alice")).length).toBe(0)
    nothingWasAsked()
  })

  test.for(hosts)("one that %s: the person signs out at the end session endpoint, whoever names the client", async ([, more, then]) => {
    const { w, person, nothingWasAsked } = await used(more, then)
    const { page } = await person.get("/connect/endsession", { client_id: documentId })
    expect(page).toMatchObject({ _tag: "Logout" })
    expect((await person.submit(page)).status).toBe(200)
    expect((await w.tokens.sessionsOf("sub-alice")).length).toBe(0)
    nothingWasAsked()
  })

  test.for(hosts)(
    "one that %s: the person sees home with its consent, withdraws it, and ends a session from there",
    async ([, more, then]) => {
      const { w, person, nothingWasAsked } = await used(more, then)
      const other = await signedIn(w)
      const { page } = await person.get("/")
      expect(page).toMatchObject({ _tag: "Home", consents: [{ client: { clientId: documentId, name: "app.example" } }] })
      const sessions = page?.["sessions"] as ReadonlyArray<{ readonly id: string; readonly current: boolean }>
      const theirs = sessions.find(({ current }) => !current)?.id ?? ""
      expect((await person.submit(page, [["session", theirs]], "endSession")).status).toBe(303)
      expect((await other.get("/")).to).toBe("/login")
      expect((await person.submit(page, [["client_id", documentId]], "withdrawConsent")).status).toBe(303)
      expect(await w.tokens.consentsOf("sub-alice")).toEqual([])
      nothingWasAsked()
    },
  )

  test.for(hosts)("one that %s: a resource server is told of its token at once (RFC 7662 §2.2)", async ([, more, then]) => {
    const { w, access, nothingWasAsked } = await used(more, then)
    expect(await post(w, "/connect/introspect", "api", { token: access })).toMatchObject({
      status: 200,
      json: { active: true, client_id: documentId },
    })
    nothingWasAsked()
  })

  test.for(hosts)(
    "one that %s: userinfo answers at once, and a client that is gone here gets nothing (RFC 6750 §3.1)",
    async ([, more, then]) => {
      const { w, access, nothingWasAsked } = await used(more, then)
      expect(await userinfo(w, access)).toMatchObject({ status: 200, json: { sub: "sub-alice" } })
      const fetchedAt = (await rows(w))[0]?.fetchedAt ?? 0
      await w.tokens.commit([happening(metadataDocumentRows, "RemoveDocument", { clientId: documentId, fetchedAt })])
      expect(await userinfo(w, access)).toMatchObject({ status: 401, json: { error: "invalid_token" } })
      nothingWasAsked()
    },
  )

  test.for(hosts)("one that %s: an operator signs the person out", async ([, more, then]) => {
    const { w, nothingWasAsked } = await used(more, then)
    expect(await w.provider.signOut("sub-alice")).toBe(1)
    expect(await w.tokens.sessionsOf("sub-alice")).toEqual([])
    nothingWasAsked()
  })
})

test("auditors are told of a client that is new, has changed or is gone", async () => {
  const events: Array<AuditEvent> = []
  const w = await documentWorld(webDocument, {}, { audit: { record: (made) => events.push(...made()) } })
  const told = () =>
    events.splice(0).flatMap(({ event, clientId, detail }) => (event.startsWith("client_document") ? [[event, clientId, detail]] : []))
  const digest = expect.stringMatching(/^[\w-]{43}$/) as unknown
  await askFor(w)
  expect(told()).toEqual([["client_document_fetched", documentId, digest]])
  w.pass(300)
  await askFor(w)
  expect(told()).toEqual([])
  w.web.answers.set(documentId, document({ ...webDocument, client_name: "B" }))
  w.pass(300)
  await askFor(w)
  expect(told()).toEqual([["client_document_changed", documentId, digest]])
  w.web.answers.set(documentId, document("", { status: 410 }))
  w.pass(300)
  await askFor(w)
  expect(told()).toEqual([["client_document_gone", documentId, "document.status"]])
})

test.each([
  ["one that states none", {}, "ES256"],
  ["one that can verify several", { id_token_signing_alg_values_supported: ["EdDSA", "RS256", "ES256"] }, "ES256"],
])(
  "RFC 7591 §3.2.1: at a provider that does not sign with RS256 a client gets its tokens by an algorithm that there is: %s",
  async (_, more, expected) => {
    const w = await world({ ...documents(webOf({ [documentId]: document({ ...webDocument, ...more }) })), signer: onlyEs256 })
    const { json } = await redeemAs(w, await documentCode(w))
    const algOf = (name: string): unknown =>
      (JSON.parse(Buffer.from(String(json?.[name]).split(".")[0] ?? "", "base64url").toString()) as { alg: unknown }).alg
    expect([algOf("access_token"), algOf("id_token")]).toEqual([expected, expected])
  },
)

test("FAPI 2.0 Security Profile §5.4.1 (1): a document of a client with keys is good under the profile, which refuses RS256", async () => {
  const { publicJwk } = await clientKey("ES256")
  const keyed = { ...webDocument, token_endpoint_auth_method: "private_key_jwt", jwks: { keys: [publicJwk] } }
  const w = await documentWorld(keyed, {}, { profile: "fapi2-security" })
  expect((await askFor(w)).params).toMatchObject({ error: "invalid_request", error_description: "The request must be pushed." })
})
