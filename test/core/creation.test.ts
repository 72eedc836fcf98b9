import { type ProviderOptions, type ProviderPorts, createProvider, defaultFeatures, defineGrant, settingsFrom } from "@postern/core"
import { type Feature, defineFeature } from "@postern/core/features"
import { memoryAuthenticator, memoryClientStore, memoryTokenStore } from "@postern/core/memory"
import { describe, expect, test } from "vitest"
import { world } from "../support/world.ts"

type Options = ProviderOptions & ProviderPorts

const whole = async (): Promise<Options> => ({
  issuer: "https://op.example",
  clients: memoryClientStore([]),
  tokens: memoryTokenStore(),
  signer: (await world()).signer,
  authenticator: memoryAuthenticator([]),
  pages: { render: () => "" },
})

/** A caller without types. */
const make = (options: unknown) => () => createProvider(options as Options)

const faultsOf = (run: () => unknown): ReadonlyArray<string> => {
  try {
    run()
  } catch (error) {
    expect(error).toBeInstanceOf(TypeError)
    return (error as TypeError).message.split("\n- ").slice(1)
  }
  throw new Error("nothing was refused")
}

describe("createProvider refuses missing and wrong ports", () => {
  test("all of them at once, each with what it should be", () => {
    expect(faultsOf(make({}))).toEqual([
      "issuer: must be an http or https URL in lower case, without query or fragment (RFC 8414 §2)",
      "clients: is missing, and must be an object, ClientStorePort, with find, verifySecret, secretOf",
      "tokens: is missing, and must be an object, TokenStorePort, with find, list, findGrant, grantsOf, findCode, findAccessToken, findRefreshToken, findSession, sessionsOf, findInteraction, findDevice, findDeviceByUserCode, findAttempts, findConsent, consentsOf, commit",
      "signer: is missing, and must be an object, SignerPort, with sign, verify, decrypt, keys, algorithms, encryptionAlgorithms",
      "authenticator: is missing, and must be an object, AuthenticatorPort, with verify, find, admit",
      "pages: is missing, and must be an object, PagesPort, with render",
    ])
  })

  test("each member by its name", async () => {
    const options = await whole()
    expect(
      faultsOf(
        make({
          ...options,
          clients: { ...options.clients, secretOf: undefined, verifySecret: "yes" },
          tokens: { ...options.tokens, commit: null, durable: 5 },
          signer: [],
          pages: { render: () => "", languages: ["en", 5] },
          trails: () => undefined,
          clock: 5,
          report: "console",
          limiter: null,
          sessionLifetime: 0,
          interactionLifetime: 1.5,
          processes: 0,
          pairwiseSalt: "a salt that is no Secret",
        }),
      ),
    ).toEqual([
      "sessionLifetime: must be a whole number of seconds above 0",
      "interactionLifetime: must be a whole number of seconds above 0",
      "processes: must be a whole number above 0",
      "pairwiseSalt: must be a Secret of at least 32 characters, made with secretOf (OpenID Connect Core §8.1)",
      "clients.verifySecret: is a string, and must be a function (ClientStorePort)",
      "clients.secretOf: is missing, and must be a function (ClientStorePort)",
      "tokens.commit: is null, and must be a function (TokenStorePort)",
      "tokens.durable: is a number, and must be a function (TokenStorePort)",
      "signer: is an array, and must be an object, SignerPort, with sign, verify, decrypt, keys, algorithms, encryptionAlgorithms",
      "pages.languages: is an array, and must be a list of texts (PagesPort)",
      "trails: is a function, and must be an object, TrailPort, with record",
      "limiter: is null, and must be an object, LimiterPort, with take",
      "clock: is a number, and must be a function",
      "report: is a string, and must be a function",
    ])
  })

  test("each setting of another kind, and each name that there is none of, with the one that is near", async () => {
    expect(
      faultsOf(
        make({
          ...(await whole()),
          sesionLifetime: 5,
          findAccount: () => undefined,
          interactionLifetime: "900",
          scopes: "openid",
          resources: ["https://api.example"],
          upstream: [null],
          acrValues: [5],
          tenants: { acme: true },
          features: 5,
          grants: [undefined],
          settings: [],
          profile: 7,
          interactions: "/sign-in",
          rulesOff: "code.unused",
          issuer: 5,
        }),
      ),
    ).toEqual([
      "sesionLifetime: is no setting and no port; did you mean sessionLifetime?",
      "findAccount: is no setting and no port",
      "interactionLifetime: is a string, and must be a number",
      "scopes: is a string, and must be a list of objects",
      "resources: is an array, and must be a list of objects",
      "upstream: is an array, and must be a list of objects",
      "acrValues: is an array, and must be a list of texts",
      "tenants: is an object, and must be a list of texts",
      "features: is a number, and must be a list of objects",
      "grants: is an array, and must be a list of objects",
      "settings: is an array, and must be an object",
      "profile: is a number, and must be a text",
      "interactions: is a string, and must be an object",
      "rulesOff: is a string, and must be a list of texts",
      "issuer: must be an http or https URL in lower case, without query or fragment (RFC 8414 §2)",
    ])
  })

  test("one alone in one line, and a secret is never shown", async () => {
    expect(make({ ...(await whole()), tokens: "s3cr3t" })).toThrow(
      /^createProvider: tokens: is a string, and must be an object, TokenStorePort, with /,
    )
    expect(make(undefined)).toThrow(new TypeError("createProvider: needs an object of settings and ports"))
  })

  test("no port of a class whose functions are the prototype's", async () => {
    class Clients {
      find() {
        return undefined
      }
      verifySecret() {
        return false
      }
      secretOf() {
        return undefined
      }
    }
    expect(make({ ...(await whole()), clients: new Clients() })().settings.issuer).toBe("https://op.example")
  })

  test("RFC 8414 §2: settingsFrom tells every fault of settings", () => {
    expect(() => settingsFrom({ issuer: "HTTPS://op.example", upstream: [{ name: "A", displayName: "" }] })).toThrow(
      /issuer: .*; upstream: /,
    )
  })
})

describe("RFC 8414 §3.3: an issuer is in the form in which clients compare it", () => {
  test.each([
    "https://op.example",
    "https://op.example/",
    "http://127.0.0.1:8080",
    "https://op.example/a/b",
    "https://op.example:8443/a/",
    "https://[::1]:9/a%2Fb",
  ])("%s is taken", (issuer) => expect(settingsFrom({ issuer }).issuer).toBe(issuer))
  test.each([
    "https://op.example:443",
    "https://op.example:",
    "https://op.examplehttps://op.example",
    "https://op.example/a//b",
    "https://op.example/a//",
    "https://op.example/a/../b",
    "https://op.example/./a",
    "https://[0:0::1]",
    "https://127.1",
    "https://op.example:99999",
  ])("%s is refused", (issuer) => expect(() => settingsFrom({ issuer })).toThrow(/issuer: must be in normal form/))
})

describe("FAPI 2.0 Security Profile §5.3.2: createProvider refuses a profile that its features do not meet", () => {
  const without = (...names: ReadonlyArray<string>) => defaultFeatures.filter(({ name }) => !names.includes(name))
  const pushes = "pushed authorization requests of every client: the provider needs the feature pushed-authorization"

  test.each([
    ["fapi2-security", [], undefined],
    ["fapi2-message-signing", [], undefined],
    ["fapi1-advanced", ["pushed-authorization", "dpop"], undefined],
    ["fapi2-security", ["dpop"], undefined],
    ["fapi2-security", ["mutual-tls"], undefined],
    ["fapi2-security", ["jarm"], undefined],
    ["default", ["pushed-authorization", "dpop", "mutual-tls", "jarm"], undefined],
    ["fapi2-security", ["pushed-authorization"], pushes],
    ["fapi2-security", ["dpop", "mutual-tls"], "bound tokens of every client: the provider needs the feature dpop or mutual-tls"],
    ["fapi1-advanced", ["mutual-tls"], "bound tokens of every client: the provider needs the feature mutual-tls"],
    ["fapi2-message-signing", ["jarm"], "responses as JWTs of every client: the provider needs the feature jarm"],
  ] as const)("%s without %j", async (profile, names, fault) => {
    const made = make({ ...(await whole()), profile, features: without(...names) })
    if (fault === undefined) expect(made().settings.profile.name).toBe(profile)
    else expect(made).toThrow(new TypeError(`createProvider: profile: ${profile} demands ${fault}`))
  })
})

describe("defineFeature and defineGrant refuse what is wrong", () => {
  const refusal = (run: () => unknown): string => {
    try {
      run()
    } catch (error) {
      return error instanceof TypeError ? error.message : "no TypeError"
    }
    return "nothing was refused"
  }
  // As callers without types give them.
  const feature = (given: unknown) => refusal(() => defineFeature(given as Feature))
  const grant = (given: unknown) => refusal(() => defineGrant(given as never))

  test("every fault of a feature at once: its name, members of another kind, and those that no feature has", () => {
    expect(
      feature({ name: "Office Hours", endpoint: () => [], endpoints: [], tables: {}, discovery: null, deliveries: [], audit: undefined }),
    ).toBe(
      "feature Office Hours: name: is 1 to 50 lower-case letters, digits and dashes, a letter first; " +
        "endpoint: is no member of it; did you mean endpoints?; endpoints: is an array, and must be a function; tables: is an object, and must be a list of objects; " +
        "discovery: is null, and must be a function; deliveries: is an array, and must be an object",
    )
    expect(feature({})).toBe("feature undefined: name: is missing, and must be a text")
    expect(feature({ name: 5, zebra: 1 })).toBe("feature 5: name: is a number, and must be a text; zebra: is no member of it")
    expect(feature(undefined)).toBe("defineFeature: needs an object, the members of a feature")
    const whole = { name: "office", registration: "token" as const, tables: [] }
    expect(defineFeature(whole)).toBe(whole)
  })

  test("every fault of a grant at once: what is missing, what is of another kind, and its parameters", () => {
    expect(
      grant({ name: "A B", parameters: { scope: "required", "a b": "required", badge: "must" }, rules: { name: "" }, loads: () => ({}) }),
    ).toBe(
      "extension grant A B: load: is missing, and must be a function; grant: is missing, and must be a function; loads: is no member of it; did you mean load?; " +
        "its name must be an absolute URI, or a word in lower case; its table needs a name; it must not declare scope, which core reads; " +
        "a parameter's name is made of letters, digits, _, . and -; the parameter badge must be required, optional, repeatable",
    )
    expect(grant({ name: "badge", load: 5 })).toBe(
      "extension grant badge: parameters: is missing, and must be an object; rules: is missing, and must be an object; " +
        "grant: is missing, and must be a function; load: is a number, and must be a function",
    )
    expect(grant(null)).toBe("extension grant: needs an object, the members of a grant")
  })
})
