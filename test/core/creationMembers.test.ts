import { type ProviderOptions, type ProviderPorts, createProvider, createProviders } from "@postern/core"
import { memoryAuthenticator, memoryClientStore, memoryTokenStore } from "@postern/core/memory"
import { describe, expect, test } from "vitest"
import { featureKinds } from "../../packages/core/src/features/kinds.ts"
import { grantKinds, kindsWithin, scopeKinds, settingKinds } from "../../packages/core/src/provider/kinds.ts"
import { portKinds } from "../../packages/core/src/provider/portFaults.ts"
import { world } from "../support/world.ts"

const { signer } = await world()

const whole: ProviderOptions & ProviderPorts = {
  issuer: "https://op.example",
  clients: memoryClientStore([]),
  tokens: memoryTokenStore(),
  signer,
  authenticator: memoryAuthenticator([]),
  pages: { render: () => "" },
}

type Made = (more: object) => unknown

// As callers without types give them.
const provider: Made = (more) => createProvider({ ...whole, ...more })
const issuer: Made = (more) => {
  const { issuer: own, ...shared } = whole
  return createProviders({ ...shared, issuers: { a: { issuer: own, ...more } } })
}

/** The faults that are told, each by its line; none where the options are taken. Whatever else is thrown fails the test. */
const faultsOf = (make: Made, more: object): ReadonlyArray<string> => {
  try {
    make(more)
    return []
  } catch (error) {
    expect(error).toBeInstanceOf(TypeError)
    const { message } = error as TypeError
    expect(message).toMatch(/^createProviders?: /)
    const lines = message
      .replace(/^createProviders?: /, "")
      .split("\n- ")
      .filter((line) => !/^(?:issuers\.a: )?$/.test(line))
      .map((line) => line.replace(/^issuers\.a: /, ""))
    // Each begins with its place, as no error of the language does.
    for (const line of lines) expect(line).toMatch(/^[\w-]+(?:\.[\w-]*|\[\d+\])*: |^needs an object|^is /)
    return lines
  }
}

const values = {
  nothing: null,
  text: "wrong\u0000 text",
  number: Number.NaN,
  boolean: true,
  function: () => undefined,
  list: [],
  lists: [[null, 5, "wrong text", {}, undefined]],
  objects: [{}],
  object: { zebra: undefined },
} as const

/** The values that a kind takes, whatever its rules say of them afterwards. */
const taken: Readonly<Record<string, ReadonlyArray<keyof typeof values>>> = {
  text: ["text"],
  number: ["number"],
  boolean: ["boolean"],
  function: ["function"],
  list: ["list", "lists", "objects"],
  texts: ["list"],
  functions: ["list"],
  objects: ["list", "objects"],
  object: ["object"],
  table: ["text"],
}

/** An object among the options: its place, the kinds of its members, and the options with a member of it. */
interface Place {
  readonly place: string
  readonly kinds: Readonly<Record<string, string>>
  readonly given: (name: string, value: unknown) => object
}

const scope = { name: "a", claims: [], required: false }
const resource = { identifier: "urn:a", scopes: [] }

const places: ReadonlyArray<Place> = [
  { place: "", kinds: settingKinds, given: (name, value) => ({ [name]: value }) },
  { place: "scopes[0].", kinds: kindsWithin.scopes, given: (name, value) => ({ scopes: [{ ...scope, [name]: value }] }) },
  { place: "resources[0].", kinds: kindsWithin.resources, given: (name, value) => ({ resources: [{ ...resource, [name]: value }] }) },
  {
    place: "resources[0].scopes[0].",
    kinds: scopeKinds,
    given: (name, value) => ({ resources: [{ ...resource, scopes: [{ name: "a", required: false, [name]: value }] }] }),
  },
  {
    place: "upstream[0].",
    kinds: kindsWithin.upstream,
    given: (name, value) => ({ upstream: [{ name: "a", displayName: "A", [name]: value }] }),
  },
  { place: "interactions.", kinds: kindsWithin.interactions, given: (name, value) => ({ interactions: { [name]: value } }) },
  { place: "acr.", kinds: kindsWithin.acr, given: (name, value) => ({ acr: { [name]: value } }) },
  { place: "features[0].", kinds: featureKinds, given: (name, value) => ({ features: [{ name: "a", [name]: value }] }) },
  {
    place: "grants[0].",
    kinds: grantKinds,
    given: (name, value) => ({
      grants: [{ name: "a", repeatable: [], tables: [], policyFault: () => undefined, open: () => undefined, [name]: value }],
    }),
  },
  ...Object.entries(portKinds).map(([port, kinds]): Place => {
    const sound = Object.fromEntries(
      Object.entries(kinds).flatMap(([name, kind]) => (kind === "function" ? [[name, () => undefined]] : [])),
    )
    return { place: `${port}.`, kinds, given: (name, value) => ({ [port]: { ...sound, [name]: value } }) }
  }),
]

const isPort = (place: string): boolean => Object.hasOwn(portKinds, place.slice(0, -1))

const misspelled = (name: string): string => name.slice(0, -1) + name.slice(-2)

describe.each([
  ["createProvider", provider],
  ["createProviders", issuer],
])("%s names each member that is wrong, and throws nothing else", (_, make) => {
  test.each(places)("$place", ({ place, kinds, given }) => {
    let tried = 0
    for (const [name, kind] of Object.entries(kinds)) {
      const word = kind.replace("?", "")
      for (const [form, value] of Object.entries(values)) {
        const faults = faultsOf(make, given(name, value))
        tried++
        if (word === "own" || taken[word]?.includes(form as keyof typeof values) === true) continue
        expect(
          faults.filter((line) => line.startsWith(`${place}${name}`)),
          `${place}${name} as ${form}: ${faults.join(" | ")}`,
        ).not.toEqual([])
      }
      if (!kind.endsWith("?") && kind !== "boolean?")
        expect(faultsOf(make, given(name, undefined)).join("\n")).toContain(`${place}${name}: is missing`)
    }
    expect(tried).toBe(Object.keys(kinds).length * Object.keys(values).length)
  })

  // A port may be an instance of a class with members of its own.
  test.each(places.filter(({ place }) => !isPort(place)))("$place: a member that there is none of, and one that is misspelled", (each) => {
    const { place, kinds, given } = each
    const at = (name: string): ReadonlyArray<string> =>
      faultsOf(make, given(name, "x")).filter((line) => line.startsWith(`${place}${name}: is no `))
    expect(at("quetzalcoatl")).toHaveLength(1)
    for (const name of Object.keys(kinds)) expect(at(misspelled(name)).join()).toMatch(/: is no .*; did you mean \w+\?$/)
    for (const name of ["constructor", "__proto__", "toString"])
      expect(faultsOf(make, given(name, "x")).every((line) => line.startsWith(`${place}${name}`) || line.startsWith(place))).toBe(true)
  })
})

describe("createProvider names a text that is wrong by its place", () => {
  test.each([
    [
      { acrValues: ["a", "two words"] },
      "acrValues[1]: must be an authentication context of 1 to 200 printable ASCII characters without space, beginning neither with idp: nor tenant:",
    ],
    [
      { acr: { upstream: "idp:a" } },
      "acr.upstream: must be an authentication context of 1 to 200 printable ASCII characters without space, beginning neither with idp: nor tenant:",
    ],
    [{ tenants: ["a", ""] }, "tenants[1]: must be printable ASCII characters without space"],
    [
      { scopes: [{ ...scope, name: "two words" }] },
      'scopes[0].name: must be a scope of printable ASCII characters without space, " and \\ (RFC 6749 §3.3)',
    ],
    [{ resources: [{ ...resource, identifier: "" }] }, "resources[0].identifier: must be printable ASCII characters without space"],
    [
      { resources: [{ ...resource, scopes: [{ name: 'a"', required: true }] }] },
      'resources[0].scopes[0].name: must be a scope of printable ASCII characters without space, " and \\ (RFC 6749 §3.3)',
    ],
    [
      { pairwiseSalt: { reveal: () => 5 } },
      "pairwiseSalt: must be a Secret of at least 32 characters, made with secretOf (OpenID Connect Core §8.1)",
    ],
    [{ accountKey: { reveal: "x" } }, "accountKey: must be a Secret of at least 32 characters, made with secretOf"],
    [{ rulesOff: ["code.pkce-prof"] }, "rulesOff[0]: is no rule of the provider; did you mean code.pkce-proof?"],
    [{ settings: { a: 5 } }, "settings.a: is no setting of the provider's features"],
    [
      { settings: { require_pushed_authorisation_requests: true } },
      "settings.require_pushed_authorisation_requests: is no setting of the provider's features; did you mean require_pushed_authorization_requests?",
    ],
    [{ interactions: { signin: "/a" } }, "interactions.signin: is no member of it; did you mean signIn?"],
  ])("%j", (more, fault) => {
    expect(faultsOf(provider, more)).toEqual([fault])
  })

  test("a flag that is missing is false, and a scope of a resource needs its name alone", () => {
    expect(
      faultsOf(provider, { scopes: [{ name: "a", claims: [] }], resources: [{ identifier: "urn:a", scopes: [{ name: "b" }] }] }),
    ).toEqual([])
  })
})

describe("createProviders refuses options that no issuer could be judged by", () => {
  const { issuer: _, ...shared } = whole
  const told = (options: unknown) => faultsOf(() => createProviders(options as Parameters<typeof createProviders>[0]), {})
  const find = () => undefined

  test.each([
    [undefined, ["needs an object of settings, ports and issuers"]],
    [{ ...shared, issuers: [], ready: "5" }, ["issuers: is an array, and must be an object", "ready: is a string, and must be a number"]],
    [{ ...shared, issuers: { a: null, b: 5 } }, ["is null, and must be an object", "issuers.b: is a number, and must be an object"]],
    [{ ...shared, find: "x", form: 5 }, ["find: is a string, and must be a function", "form: is a number, and must be an object"]],
    [
      { ...shared, find, sesionLifetime: 5, features: [{}] },
      ["sesionLifetime: is no setting and no port; did you mean sessionLifetime?", "features[0].name: is missing, and must be a text"],
    ],
  ])("%#", (options, faults) => expect(told(options)).toEqual(faults))
})
