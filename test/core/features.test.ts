import {
  type AuditEvent,
  type Fault,
  type Feature,
  type Registration,
  compose,
  defaultFeatures,
  defaultLifetimes,
  defineClient,
  member,
  pass,
  registration,
  table,
  values,
  valuesOfSchema,
} from "@postern/core"
import { registeredClient } from "@postern/core/registered"
import { certificateBound, keyBound, pushedAlone } from "@postern/core/model"
import * as Schema from "effect/Schema"
import { describe, expect, test } from "vitest"
import { follow, interactionOf, request, signedIn, tokensFor } from "../support/flows.ts"
import { said } from "../support/visitor.ts"
import { type WorldOptions, world } from "../support/world.ts"

const politeness = member("require_greeting", values.flag, false, "Requires a greeting. Default: false.")
const language = member("greeting_language", valuesOfSchema(Schema.Literals(["en", "de"])), "en", "The language of greetings. Default: en.")

/** A feature with client metadata, a rule of registration, a setting and discovery members. */
const greetings: Feature = {
  name: "greetings",
  clientMetadata: [politeness, member("dpop_bound_access_tokens", values.flag, false, "Kept by others, read by this one.")],
  registration: table<Registration, Fault>("registration/greetings").rule("registration.greeting", "house rule 1", (s) =>
    s.client.client_name === undefined && politeness.of(s)
      ? { path: ["client_name"], reason: "is missing: nobody is greeted without a name", hint: "give the client a name" }
      : pass,
  ),
  providerSettings: [language],
  discovery: ({ settings }) => ({ greeting_languages_supported: [language.of(settings)], prompt_values_supported: ["greet"] }),
}
const withoutProofs = defaultFeatures.filter(({ name }) => name !== "dpop")
const features = [...withoutProofs, greetings]
const redirect_uris = ["https://app.example/cb"]
const tableOf = (name: string, rule: string) => table(name).rule(rule, "none", () => pass)
const document = async (more: NonNullable<WorldOptions["more"]>) =>
  said(await (await world({ more })).send({ path: "/.well-known/openid-configuration" })).json

describe("features", () => {
  test("architecture 10: client metadata of a feature is read, judged and checked by its own declaration", () => {
    const client = defineClient({ client_id: "app", client_name: "App", redirect_uris, require_greeting: true }, { features })
    expect([politeness.of(client), politeness.of(defineClient({ client_id: "app", redirect_uris }))]).toEqual([true, false])
    expect(politeness.of(registeredClient({ client_id: "kept", contacts: ["a"] }, defaultLifetimes))).toBe(false)
    expect(() => defineClient({ client_id: "app", redirect_uris, require_greeting: true }, { features })).toThrow("nobody is greeted")
    expect(() => defineClient({ client_id: "app", redirect_uris, require_greeting: "yes" }, { features })).toThrow(
      "require_greeting: expected",
    )
    expect(() => defineClient({ client_id: "app", redirect_uris, require_greetin: true }, { features })).toThrow(
      "did you mean require_greeting?",
    )
  })

  test("RFC 7591 §2: without the feature its metadata is refused, and what others promise stays a demand", () => {
    const asking = { client_id: "app", redirect_uris, require_greeting: true }
    expect(() => defineClient(asking, { features: defaultFeatures })).toThrow("require_greeting: is no client metadata")
    const bound = { client_id: "app", redirect_uris, dpop_bound_access_tokens: true }
    expect(() => defineClient(bound, { features: withoutProofs })).toThrow("access tokens bound to a key")
    expect(defineClient(bound, { features }).members).toEqual(bound)
  })

  test("RFC 9126 §5, §6: without pushed authorization requests neither a client nor the provider can be held to them", async () => {
    const without = defaultFeatures.filter(({ name }) => name !== "pushed-authorization")
    const holding = { client_id: "app", redirect_uris, require_pushed_authorization_requests: true }
    expect(defineClient(holding).members).toEqual(holding)
    expect(() => defineClient(holding, { features: without })).toThrow("require_pushed_authorization_requests: is no client metadata")
    for (const settings of [{ require_pushed_authorization_requests: true }, { pushed_authorization_request_lifetime: 60 }])
      await expect(world({ more: { features: without, settings } })).rejects.toThrow("is no setting of the provider's features")
    for (const lifetime of [4, 601, 60.5, "60"])
      await expect(world({ more: { settings: { pushed_authorization_request_lifetime: lifetime } } })).rejects.toThrow("does not fit")
  })

  test.each([keyBound, certificateBound, pushedAlone])(
    "architecture 10: a protection that profiles demand, by the feature %s, is its own member %s of client metadata",
    (feature, member) => {
      const own = defaultFeatures.find(({ name }) => name === feature)
      expect(own?.clientMetadata?.map(({ name }) => name)).toContain(member)
    },
  )

  test("RFC 8414 §2: discovery states the members of every feature, lists joined, and none of an absent one", async () => {
    const json = await document({ features, settings: { greeting_language: "de" } })
    expect(json).toMatchObject({ greeting_languages_supported: ["de"] })
    expect(json?.["prompt_values_supported"]).toEqual(["none", "login", "consent", "select_account", "greet"])
    expect(await document({})).not.toHaveProperty("greeting_languages_supported")
  })

  test("behaviour: a setting is of a feature and fits it, or no provider is made", async () => {
    await expect(world({ more: { features, settings: { greeting_language: "fr" } } })).rejects.toThrow(
      "settings.greeting_language: is a string",
    )
    await expect(world({ more: { settings: { greeting_language: "de" } } })).rejects.toThrow("settings.greeting_language: is no setting")
  })

  test("Fetch §3.2: scripts of other origins may send and read the headers of every feature", async () => {
    const w = await world({
      more: { features: [...withoutProofs, { name: "proof", allowedHeaders: ["proof"], exposedHeaders: ["proof-nonce"] }] },
    })
    const preflight = said(await w.send({ path: "/connect/token", method: "OPTIONS" }))
    expect(preflight.header("access-control-allow-headers")).toBe("authorization, content-type, proof")
    expect(preflight.header("access-control-expose-headers")).toBe("x-request-id, www-authenticate, retry-after, proof-nonce")
  })

  test("RFC 6749 §3.1: a parameter of a feature is kept while a person is asked, and may come twice if it says so; no other does", async () => {
    const asking: Feature = { name: "asking", authorizationParameters: [{ name: "mood" }, { name: "wish", repeats: true }] }
    const w = await world({ more: { features: [...defaultFeatures, asking] } })
    const query = (more: string) => `/connect/authorize?${new URLSearchParams(request()).toString()}&${more}`
    const visitor = w.visitor()
    const login = await follow(visitor, await visitor.get(query("mood=k&wish=a&wish=b&client_secret=oops")))
    const [, locator = ""] = /^i_([^.]{16})/.exec(interactionOf(login)) ?? []
    const waiting = await w.tokens.findInteraction(locator as never)
    const kept = waiting?.kind === "authorization" ? waiting.params : []
    expect(kept.filter(([name]) => ["mood", "wish", "client_secret"].includes(name))).toEqual([
      ["mood", "k"],
      ["wish", "a"],
      ["wish", "b"],
    ])
    const signed = await signedIn(w)
    expect((await signed.get(query("mood=a&mood=b"))).params).toMatchObject({ error: "invalid_request" })
    expect((await signed.get(query("wish=a&wish=b"))).params["code"]).toMatch(/^c_/)
  })

  test("architecture 10: a change of state is audited in the words of the feature that names it", async () => {
    const told: Array<AuditEvent> = []
    const audit = { record: (events: () => ReadonlyArray<AuditEvent>) => void told.push(...events()) }
    const redeemed: Feature = { name: "redeemed", audit: { ConsumeCode: () => ["code_redeemed", { detail: "once" }] } }
    await tokensFor(await world({ more: { audit, features: [...defaultFeatures, redeemed] } }))
    expect(told.filter(({ event }) => event === "code_redeemed")).toMatchObject([{ endpoint: "token", clientId: "web", detail: "once" }])
    await tokensFor(await world({ more: { audit } }))
    expect(told.filter(({ event }) => event === "code_redeemed")).toHaveLength(1)
  })

  test("architecture 10: features are added up once where their list cannot change, and anew where it can", () => {
    expect(Object.isFrozen(defaultFeatures)).toBe(true)
    expect(compose()).toBe(compose({ features: defaultFeatures }))
    const upstream = Object.freeze([{ name: "corp", displayName: "Corporation" }])
    expect(compose({}, upstream)).toBe(compose({}, upstream))
    expect(compose({}, upstream)).not.toBe(compose())
    const growing = [...defaultFeatures]
    const names = (): number => compose({ features: growing }).features.length
    const before = names()
    growing.push(greetings)
    expect(names()).toBe(before + 1)
  })

  test("architecture 10: a provider without a feature lacks it: its path, its discovery members, its grant", async () => {
    const without = defaultFeatures.filter(({ name }) => name !== "device" && name !== "revocation")
    const w = await world({ more: { features: without } })
    for (const path of ["/connect/revocation", "/connect/deviceauthorization", "/device"])
      expect([path, (await w.send({ path, method: "POST" })).status]).toEqual([path, 404])
    const { json } = said(await w.send({ path: "/.well-known/openid-configuration" }))
    expect(Object.keys(json ?? {}).filter((name) => /^(revocation|device)/.test(name))).toEqual([])
    expect(json?.["grant_types_supported"]).not.toContain("urn:ietf:params:oauth:grant-type:device_code")
    expect(compose({ features: without }).grantTypes).not.toContain("urn:ietf:params:oauth:grant-type:device_code")
    const tv = { client_id: "tv", grant_types: ["urn:ietf:params:oauth:grant-type:device_code"], response_types: [] }
    expect(() => defineClient(tv, { features: without })).toThrow("is not a grant type of this provider")
  })

  test.each([
    [{ name: "device" }, "there is a feature named device already"],
    [{ name: "mine", clientMetadata: [politeness, politeness] }, "there is a member of client metadata named require_greeting already"],
    [{ name: "mine", providerSettings: [language, language] }, "there is a setting named greeting_language already"],
    [{ name: "mine", tables: [table("mine").rule("code.known", "none", () => pass)] }, "there is a rule or table named code.known already"],
    [{ name: "mine", authorizationParameters: [{ name: "scope" }] }, "there is a parameter of authorization requests named scope already"],
    [{ name: "mine", grantTypes: ["password"] }, "there is a grant named password already"],
  ] as ReadonlyArray<[Feature, string]>)("behaviour: two things of one name make no provider (%#)", async (feature, problem) => {
    await expect(world({ more: { features: [...defaultFeatures, feature] } })).rejects.toThrow(problem)
  })

  test("behaviour: where clients register themselves, a rule of another feature has no name of a rule that they are judged by", async () => {
    const mine: Feature = { name: "mine", tables: [table("mine").rule("registration.redirect-uris", "none", () => pass)] }
    const features = [...defaultFeatures, registration(), mine]
    await expect(world({ more: { features } })).rejects.toThrow("there is a rule or table named registration.redirect-uris already")
  })

  test("behaviour: where nobody registers, the names of the rules of registration are kept free too, but for rules of registration", async () => {
    const named = (table: string, rule: string): Feature => ({ name: "mine", tables: [tableOf(table, rule)] })
    const creation = (feature: Feature) => world({ more: { features: [...defaultFeatures, feature] } })
    const told = (name: string) => `features: ${name} is named like a rule or table of registration: name it after its feature instead`
    for (const [given, name] of [
      [named("mine", "registration.redirect-uris"), "registration.redirect-uris"],
      [named("registration/mine", "mine.rule"), "registration/mine"],
      [named("registration", "mine.rule"), "registration"],
    ] as const)
      await expect(creation(given)).rejects.toThrow(told(name))
    await expect(creation(named("registrations", "mine.registration"))).resolves.toBeDefined()
    await expect(creation(greetings)).rejects.toThrow("there is a member of client metadata named dpop_bound_access_tokens already")
    await expect(world({ more: { features } })).resolves.toBeDefined()
  })

  test("behaviour: a rule of registration of a feature has no name of another one", () => {
    const taken = table<Registration, Fault>("registration/mine").rule("registration.redirect-uris", "none", () => pass)
    const options = { features: [...defaultFeatures, { name: "mine", registration: taken }] }
    expect(() => defineClient({ client_id: "app", redirect_uris }, options)).toThrow(
      "features: there is a rule or table named registration.redirect-uris already",
    )
  })
})
