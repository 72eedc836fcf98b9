import { type ProviderOptions, createProvider, createProviders } from "@postern/core"
import { memoryAuthenticator, memoryClientStore, memoryTokenStore } from "@postern/core/memory"
import { describe, expect, test } from "vitest"
import { world } from "../support/world.ts"

const { signer } = await world()

const ports = {
  clients: memoryClientStore([]),
  tokens: memoryTokenStore(),
  signer,
  authenticator: memoryAuthenticator([]),
  pages: { render: () => "" },
}

type Declared = Pick<ProviderOptions, "scopes" | "resources" | "acrValues">

const identity = (name: string, claims: ReadonlyArray<string> = []) => ({ name, claims, required: false })
const api = (identifier: string, ...names: ReadonlyArray<string>) => ({
  identifier,
  scopes: names.map((name) => ({ name, required: false })),
})

const faults: ReadonlyArray<readonly [title: string, declared: Declared, fault: string]> = [
  [
    "RFC 6749 §3.3: refuses an identity scope that is declared twice, of which the later one would count",
    { scopes: [identity("team", ["team"]), identity("team", ["team", "salary"])] },
    "scopes[1].name: is also the name of an earlier entry; give each scope its own name",
  ],
  [
    "RFC 6749 §3.3: refuses a scope that a resource declares twice",
    { resources: [api("https://api.example", "read", "write", "read")] },
    "resources[0].scopes[2]: is declared twice by this resource; keep one of them",
  ],
  [
    "OpenID Connect Core §5.4: refuses a resource's scope that is a standard one",
    { resources: [api("https://api.example", "email")] },
    "resources[0].scopes[0]: email is an identity scope; a scope is either about a person or about a resource: rename one of them",
  ],
  [
    "OpenID Connect Core §5.4: refuses a resource's scope that is an identity scope beside it",
    { scopes: [identity("team")], resources: [api("https://api.example", "team")] },
    "resources[0].scopes[0]: team is an identity scope; a scope is either about a person or about a resource: rename one of them",
  ],
  [
    "OpenID Connect Core §11: refuses offline_access among identity scopes",
    { scopes: [identity("offline_access")] },
    "scopes[0].name: is built in; remove it: every client with the refresh_token grant may ask for it",
  ],
  [
    "OpenID Connect Core §11: refuses offline_access among a resource's scopes",
    { resources: [api("https://api.example", "offline_access")] },
    "resources[0].scopes[0]: is built in; remove it: no resource owns it",
  ],
  [
    "OpenID Connect Core §2: refuses an openid without sub",
    { scopes: [identity("openid", ["name"])] },
    "scopes[0].claims: lacks sub, which openid always releases; add sub, or remove this declaration: openid is built in",
  ],
  [
    "RFC 8707 §2: refuses a resource that is declared twice",
    { resources: [api("https://api.example", "read"), api("https://api.example", "write")] },
    "resources[1].identifier: is also the identifier of an earlier resource; list all scopes of a resource in one place",
  ],
  [
    "RFC 8707 §2: refuses an identifier with a fragment, which no request can name",
    { resources: [api("https://api.example#a", "read")] },
    "resources[0].identifier: has a fragment; remove the # and everything after it",
  ],
  [
    "RFC 9470 §5: refuses a context that is named twice, which has two places in the order",
    { acrValues: ["urn:weak", "urn:strong", "urn:weak"] },
    "acrValues[2]: is named twice; name each context once",
  ],
]

describe("scopes, resources and contexts that an embedder declares", () => {
  for (const [title, declared, fault] of faults)
    test(title, () => {
      expect(() => createProvider({ issuer: "https://op.example", ...ports, ...declared })).toThrow(
        new TypeError(`createProvider: ${fault}`),
      )
      expect(() => createProviders({ ...ports, issuers: { a: { issuer: "https://op.example", ...declared } } })).toThrow(fault)
    })

  test("tells all of them at once", () => {
    const every = faults.map(([, declared]) => declared)
    const declared = {
      scopes: every.flatMap(({ scopes = [] }) => scopes),
      resources: every.flatMap(({ resources = [] }) => resources),
    }
    expect(() => createProvider({ issuer: "https://op.example", ...ports, ...declared })).toThrow(
      /scopes\[1\][^]*lacks sub[^]*earlier resource[^]*fragment/,
    )
  })

  test("takes scopes that two resources share, and a standard scope that is declared anew", () => {
    const resources = [api("https://a.example", "read"), api("https://b.example", "read")]
    const scopes = [identity("profile", ["name"]), identity("openid", ["sub", "tenant"])]
    const { settings } = createProvider({ issuer: "https://op.example", ...ports, scopes, resources })
    expect(settings.catalog.owners.get("read")).toEqual(["https://a.example", "https://b.example"])
    expect(settings.catalog.identity.get("profile")?.claims).toEqual(["name"])
  })
})
