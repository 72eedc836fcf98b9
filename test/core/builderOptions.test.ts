import {
  type AnyFeature,
  type AssertingProvider,
  type CibaOptions,
  type ClientElsewhere,
  type DocumentPolicy,
  type HintIssuer,
  type IdJagOptions,
  type MetadataDocumentOptions,
  type NewInitialAccessToken,
  type RegistrationOptions,
  type RegistrationPolicy,
  type ResourceAuthorizationServer,
  type StatementIssuer,
  ciba,
  compositionFaults,
  createProvider,
  defaultFeatures,
  idJag,
  initialAccessToken,
  metadataDocuments,
  registration,
} from "@postern/core"
import { type JwtBearerOptions, type TokenExchangeOptions, type TrustedIssuer, jwtBearer, tokenExchange } from "@postern/core/grants"
import { type Lifetimes, defaultLifetimes } from "@postern/core/model"
import { describe, expect, test } from "vitest"

/** Values that a member takes, and values that it never can. */
interface Values {
  readonly right: ReadonlyArray<unknown>
  readonly wrong: ReadonlyArray<unknown>
}

/** Every member of an object, with its values, or with the object or the list of objects that it is. */
type Table<Of> = { readonly [Name in keyof Of]-?: Values | Nested }

/** A member that is an object or a list of objects: the place of the object in it, a right one, and the table of its members. */
interface Nested {
  readonly within: "" | "[0]" | ".a"
  readonly base: object
  readonly table: Readonly<Record<string, Values | Nested>>
}

const of = <Of>(within: Nested["within"], base: Of & object, table: Table<Of>): Nested => ({
  within,
  base,
  // Each member is in the table of its type.
  table: table as Readonly<Record<string, Values | Nested>>,
})

const url = "https://peer.example/jwks"
const key = { kty: "EC", crv: "P-256", x: "x", y: "y" }
const notWhole = [Number.NaN, -1, Infinity, 1.5, "1", null]
const whole = (least: number, most?: number): Values => ({
  right: [least, most ?? 1e9],
  wrong: [...notWhole, ...(least === 0 ? [] : [least - 1]), ...(most === undefined ? [] : [most + 1])],
})
const flag: Values = { right: [true, false], wrong: ["yes", 1, null] }
const run: Values = { right: [() => true], wrong: [true, "yes", {}] }
const text: Values = { right: ["a", "urn:a", "A b"], wrong: ["", 5, null, ["a"]] }
const texts: Values = { right: [[], ["a"], ["a", "b"]], wrong: ["a", [""], [5], [null], {}] }
const scope: Values = { right: [[], ["a"], ["https://a.example/read"]], wrong: ["a", [""], ["two words"], ['"'], [5]] }
const record: Values = { right: [{}, { a: "b" }], wrong: [[], "a", { a: 5 }, { a: "" }, { a: null }] }
const names: Values = { right: [["a"], ["a", "b"]], wrong: [[], [""], ["a", "a"], "a", [5]] }

/** The values of the keys of another party (RFC 7591 §2, RFC 7517 §4, §5, §9.2). */
const jwks: Values = {
  right: [{ keys: [key] }, { keys: [key, { kty: "AKP", pub: "x" }], use: "any" }, { keys: [{ kty: "RSA", n: "n", e: "AQAB", kid: "a" }] }],
  wrong: [
    {},
    [],
    "x",
    { keys: {} },
    { keys: [] },
    { keys: [{}] },
    { keys: [null] },
    { keys: [{ ...key, d: "d" }] },
    { keys: [{ kty: "oct", k: "AAAA" }] },
    { keys: [{ kty: "RSA", n: "n" }] },
    { keys: [{ kty: 5 }] },
  ],
}
const jwksUri: Values = {
  right: [url, "https://peer.example:8443/a?b=c", "http://127.0.0.1:8080/jwks", "http://[::1]/jwks", "http://localhost/jwks"],
  wrong: [
    "",
    "jwks",
    "/jwks",
    "http://peer.example/jwks",
    "file:///etc/passwd",
    "ftp://a/b",
    `${url}#a`,
    "https://u:p@peer.example/",
    5,
    {},
  ],
}

const issuer: TrustedIssuer = { issuer: "https://peer.example", jwksUri: url }
const { audiences, subjectClaim, ...issuerTable }: Table<TrustedIssuer> = {
  issuer: text,
  // A table has the one or the other, of which each test has one.
  jwks,
  jwksUri,
  audiences: texts,
  algorithms: {
    right: [["ES256"], ["RS256", "EdDSA"], ["ML-DSA-65"]],
    wrong: [[], ["none"], ["None"], ["HS256"], ["ES256", "HS512"], [""], "ES256", [5]],
  },
  subjectClaim: text,
  subjects: record,
  maxLifetime: whole(1),
  acrValues: record,
}
const trusted = of<TrustedIssuer>("[0]", issuer, { ...issuerTable, audiences, subjectClaim })
const { acrValues: _, ...hintTable } = { ...issuerTable, audiences, subjectClaim }

const policy: Table<RegistrationPolicy> = {
  redirectHosts: {
    right: [[], ["app.example.com"], ["*.example.com"], ["localhost"], ["127.0.0.1"], ["[::1]"], ["com.example.app:"]],
    wrong: [[""], ["https://a.example/x"], ["A.example"], ["a b"], ["a.example/x"], ["*"], ["*."], ["a..b"], "a.example", [5]],
  },
  scope,
  grantTypes: { right: [["authorization_code"], ["refresh_token", "authorization_code"]], wrong: [[""], "authorization_code", [5]] },
  metadata: { right: [{}, { client_name: "A" }], wrong: [[], "a", 5] },
}
const lifetimes = of<Lifetimes>("", defaultLifetimes, {
  accessToken: whole(1),
  idToken: whole(1),
  authorizationCode: whole(1),
  refreshTokenAbsolute: whole(0),
  refreshTokenSliding: whole(0),
  refreshTokenGrace: whole(0),
  consent: whole(0),
  deviceCode: whole(1),
  devicePollingInterval: whole(1),
})

const server: ResourceAuthorizationServer = { issuer: "https://as.example", scope: ["a", "b"], clients: {}, resources: ["urn:a"] }

const bare = { issuer: "https://peer.example" }
const twofold = { ...issuer, jwks: { keys: [key] } }

/** Every function of core that builds a feature, or a part of one, from an embedder's options. */
const builders: ReadonlyArray<readonly [called: string, run: (options: never) => unknown, options: Nested]> = [
  [
    "ciba",
    ciba,
    of<CibaOptions>(
      "",
      {},
      {
        notify: run,
        checkUserCode: run,
        loginHintTokenIssuers: of<HintIssuer>("[0]", issuer, { ...hintTable, subjectIds: flag, reusable: flag }),
        lifetime: whole(30, 3600),
        interval: whole(1, 60),
        mostWaiting: whole(1, 20),
        mostPrompts: whole(1, 100),
      },
    ),
  ],
  [
    "registration",
    registration,
    of<RegistrationOptions>(
      "",
      { softwareStatements: [issuer] },
      {
        open: flag,
        policy: of<RegistrationPolicy>("", {}, policy),
        softwareStatements: of<StatementIssuer>("[0]", issuer, { issuer: text, jwks, jwksUri, ofStranger: flag }),
        softwareStatementRequired: flag,
        unusedLifetime: whole(60),
        mostUnused: whole(1),
        lifetimes,
      },
    ),
  ],
  [
    "metadataDocuments",
    metadataDocuments,
    of<MetadataDocumentOptions>(
      "",
      {},
      {
        policies: of<DocumentPolicy>(
          "[0]",
          { hosts: ["*"] },
          {
            ...policy,
            hosts: {
              right: [["*"], ["a.example"], ["*.a.example"], ["a.example:8443"], ["localhost:65535"], ["[::1]:443"], ["127.0.0.1"]],
              wrong: [
                [],
                [""],
                [".."],
                ["a.example:99999"],
                ["a.example:65536"],
                ["https://a"],
                ["A.example"],
                ["*."],
                ["a/b"],
                ["a:b"],
                "*",
                [5],
              ],
            },
            allow: flag,
            verified: flag,
            development: flag,
          },
        ),
        others: of<RegistrationPolicy>("", {}, policy),
        loopbackLocalhost: flag,
        mostDocuments: whole(1),
        staleLifetime: whole(0),
        lifetimes,
      },
    ),
  ],
  [
    "idJag",
    idJag,
    of<IdJagOptions>(
      "",
      {},
      {
        authorizationServers: of<ResourceAuthorizationServer>("[0]", server, {
          issuer: { right: ["https://as.example/a", "http://as.example"], wrong: ["", "as", "//as.example", 5] },
          clients: of<ClientElsewhere>(
            ".a",
            { clientId: "c" },
            {
              clientId: text,
              scope: { right: [["a"], ["b", "a"]], wrong: [[], ["of.another"], ["two words"], [""], "a"] },
              resources: { right: [[], ["urn:a", "urn:of-another"]], wrong: [["a"], [""], "urn:a"] },
              detailTypes: { right: [[]], wrong: [["a"], [5], "a"] },
            },
          ),
          client: text,
          scope: { right: [["a"]], wrong: [[], [""], ["two words"], "a", [5]] },
          resources: { right: [[], ["https://a.example/x", "urn:a"]], wrong: [["a"], [""], ["https://a.example/#b"], "urn:a", [5]] },
          detailTypes: names,
          requireResource: flag,
          tenants: names,
          audTenant: { right: ["a", "a".repeat(255)], wrong: ["", "a".repeat(256), 5] },
          acrValues: { right: [["a"]], wrong: [[], [""], "a", [5]] },
          maxAge: whole(0),
          claims: texts,
          lifetime: whole(1, 3600),
        }),
        identityProviders: of<AssertingProvider>(
          "[0]",
          { ...issuer, subjects: {} },
          {
            ...issuerTable,
            tenant: { right: ["a", "a".repeat(255)], wrong: ["", "a".repeat(256), 5] },
            email: flag,
            emailDomains: { right: [], wrong: [[], ["A.example"], ["a"], ["a.example", "a.example"], ["a.example"], "a.example", [5]] },
            clients: texts,
            scope,
            detailTypes: names,
            reusable: flag,
          },
        ),
      },
    ),
  ],
  ["jwtBearer", jwtBearer, of<JwtBearerOptions>("", { issuers: [] }, { issuers: trusted })],
  [
    "initialAccessToken",
    (asked: NewInitialAccessToken) => initialAccessToken(asked, 1_700_000_000_000),
    of<NewInitialAccessToken>(
      "",
      { name: "a" },
      {
        name: { right: ["a"], wrong: [5, null] },
        policy: of<RegistrationPolicy>("", {}, policy),
        mostUses: whole(1),
        expiresAt: { right: [1_800_000_000], wrong: ["a", null] },
      },
    ),
  ],
  ["tokenExchange", tokenExchange, of<TokenExchangeOptions>("", {}, { issuers: trusted })],
]

/** One value of one member, somewhere in the options of a builder. */
interface Case {
  readonly place: string
  readonly options: unknown
  readonly isRight: boolean
}

/** Puts each value of a table in its place. A member whose other way is given, such as the keys beside their URL, takes that one's place. */
const casesOf = ({ base, table }: Nested, within: string, whole: (object: unknown) => unknown): ReadonlyArray<Case> =>
  Object.entries(table).flatMap(([name, each]) => {
    const { jwks: _jwks, jwksUri: _uri, ...others } = base as Readonly<Record<string, unknown>>
    const rest = name === "jwks" || name === "jwksUri" ? others : base
    const place = within === "" ? name : `${within}.${name}`
    const put = (value: unknown): unknown => whole({ ...rest, [name]: value })
    if ("within" in each) {
      const wrapped = (value: unknown): unknown => (each.within === "[0]" ? [value] : each.within === ".a" ? { a: value } : value)
      const strange = [
        { place: `${place}${each.within}.nonsense`, options: put(wrapped({ ...each.base, nonsense: 1 })), isRight: false },
        ...["a", 5, null].map((value) => ({ place: `${place}${each.within}`, options: put(wrapped(value)), isRight: false })),
        ...["a", 5, null].map((value) => ({ place, options: put(value), isRight: false })),
      ]
      return [...strange, ...casesOf(each, `${place}${each.within}`, (object) => put(wrapped(object)))]
    }
    return [true, false].flatMap((isRight) => each[isRight ? "right" : "wrong"].map((value) => ({ place, options: put(value), isRight })))
  })

const said = async (run: (options: never) => unknown, options: unknown): Promise<string> => {
  try {
    // The options are wrong on purpose.
    await run(options as never)
    return "taken"
  } catch (error) {
    return error instanceof TypeError ? error.message : `no TypeError: ${String(error)}`
  }
}

describe("issue 16 (8): a builder takes what can work, and refuses what cannot, by the name of the member", () => {
  describe.each(builders)("%s", (called, run, options) => {
    const cases = casesOf(options, "", (object) => object)

    test("takes each right value", async () => {
      for (const each of cases)
        if (each.isRight) expect.soft(await said(run, each.options), `${each.place} of ${JSON.stringify(each.options)}`).toBe("taken")
    })

    test("names the member of each wrong value", async () => {
      for (const each of cases) {
        if (each.isRight) continue
        const message = await said(run, each.options)
        const names = message.startsWith(`${called}: `) && (message.includes(`: ${each.place}`) || message.includes(`- ${each.place}`))
        expect.soft(names, `${each.place} of ${JSON.stringify(each.options)}: ${message}`).toBe(true)
      }
    })

    test("names the members of all wrong values at once", async () => {
      const wrong = Object.entries(options.table).flatMap(([name, each]) => ("wrong" in each ? [[name, each.wrong[0]] as const] : []))
      const message = await said(run, { ...options.base, ...Object.fromEntries(wrong) })
      for (const [name] of wrong) expect.soft(message).toContain(`${name}: `)
    })
  })

  test.each<readonly [fault: string, build: () => unknown]>([
    ["jwtBearer: issuers[0]: has no keys; give either jwks or jwksUri (RFC 7591 §2)", () => jwtBearer({ issuers: [bare] })],
    ["ciba: loginHintTokenIssuers[0]: has no keys", () => ciba({ loginHintTokenIssuers: [bare] })],
    ["idJag: identityProviders[0]: has its keys twice", () => idJag({ identityProviders: [twofold] })],
    ["tokenExchange: issuers[0]: has its keys twice", () => tokenExchange({ issuers: [twofold] })],
    ["registration: softwareStatements[0]: has its keys twice", () => registration({ softwareStatements: [twofold] })],
    ["jwtBearer: issuers[1].issuer: is also that of an earlier entry; name each once", () => jwtBearer({ issuers: [issuer, issuer] })],
    ["tokenExchange: issuers[1].issuer: is also that", () => tokenExchange({ issuers: [issuer, issuer] })],
    ["ciba: loginHintTokenIssuers[1].issuer: is also that", () => ciba({ loginHintTokenIssuers: [issuer, issuer] })],
    ["registration: softwareStatements[1].issuer: is also that", () => registration({ softwareStatements: [issuer, issuer] })],
    ["registration: softwareStatementRequired: refuses every client", () => registration({ softwareStatementRequired: true })],
    [
      "idJag: authorizationServers[0].requireResource: refuses every request without resources",
      () => idJag({ authorizationServers: [{ ...server, resources: [], requireResource: true }] }),
    ],
    [
      "metadataDocuments: policies[0].development: is set for hosts that are verified",
      () => metadataDocuments({ policies: [{ hosts: ["*"], verified: true, development: true }] }),
    ],
  ])("members that do not go together are refused: %s", (fault, build) => {
    expect(build).toThrow(fault)
  })

  test("RFC 7517 §5: a key of an unknown type is ignored where it is used, and one without its members is named", () => {
    expect(() =>
      jwtBearer({ issuers: [{ ...bare, jwks: { keys: [key, { kty: "EC", crv: "P-256", x: "x" }, { ...key, d: "d" }] } }] }),
    ).toThrow("\n- issuers[0].jwks.keys[1].y: is missing, and must be a text\n- issuers[0].jwks.keys[2]: holds d, which is secret")
  })

  test("the table has cases of every member", () => {
    expect(builders.flatMap(([, , options]) => casesOf(options, "", (object) => object)).length).toBeGreaterThan(900)
  })
})

describe("a provider is refused for options of its features that it makes impossible or unsafe", () => {
  const own = "https://op.example"
  const self = { ...issuer, issuer: own }
  const faultsOf = (features: ReadonlyArray<AnyFeature>, at: string | undefined = own): ReadonlyArray<string> =>
    compositionFaults({ features: [...defaultFeatures, ...features], issuer: at })

  test("RFC 8725 §3.12: it is not among the issuers that it trusts, because its own tokens would be assertions", () => {
    expect(faultsOf([jwtBearer({ issuers: [issuer, self] })])).toEqual([
      `grants: urn:ietf:params:oauth:grant-type:jwt-bearer trusts ${own}, the provider itself; remove it`,
    ])
    expect(faultsOf([tokenExchange({ issuers: [self] })])[0]).toContain("token-exchange trusts")
    expect(faultsOf([ciba({ loginHintTokenIssuers: [issuer, self] })])[0]).toContain(
      "ciba: loginHintTokenIssuers[1].issuer: is this provider",
    )
    expect(faultsOf([idJag({ identityProviders: [self], authorizationServers: [{ ...server, issuer: own }] })])).toEqual([
      "idJag: authorizationServers[0].issuer: is this provider itself; remove it",
    ])
  })

  test("RFC 7591 §2.3: it may issue the software statements that it takes", () => {
    expect(faultsOf([registration({ softwareStatements: [self] })])).toEqual([])
  })

  test("without an issuer yet, as for a list of several, nothing is of its own", () => {
    expect(faultsOf([jwtBearer({ issuers: [issuer] }), idJag({ identityProviders: [issuer] })], undefined)).toEqual([])
  })

  test.each([
    [{ grantTypes: [] }, ".grantTypes: has no grant type of this provider"],
    [{ grantTypes: ["nosuch"] }, ".grantTypes: has no grant type of this provider"],
    [{ metadata: { client_nam: "A" } }, ".metadata.client_nam: is not client metadata of this provider"],
    [{ metadata: { client_name: 5 } }, ".metadata.client_name: is not an allowed value"],
    [{ metadata: { default_max_age: -1 } }, ".metadata.default_max_age: is not an allowed value"],
    [{ metadata: { token_endpoint_auth_method: "nosuch" } }, ".metadata.token_endpoint_auth_method: is not an allowed value"],
    [{ metadata: { client_secret: "s".repeat(43) } }, ".metadata.client_secret: is each client's own"],
    [{ metadata: { client_id: "a" } }, ".metadata.client_id: is each client's own"],
  ])("RFC 7591 §3.2.1: a policy under which nobody could register: %j", (policy, fault) => {
    expect(faultsOf([registration({ policy })])).toEqual([expect.stringContaining(`registration: policy${fault}`)])
    expect(faultsOf([metadataDocuments({ others: policy })])).toEqual([expect.stringContaining(`metadataDocuments: others${fault}`)])
    expect(faultsOf([metadataDocuments({ others: false, policies: [{ hosts: ["a"] }, { hosts: ["*"], ...policy }] })])).toEqual([
      expect.stringContaining(`metadataDocuments: policies[1]${fault}`),
    ])
  })

  test.each([
    { grantTypes: ["nosuch", "client_credentials"] },
    { grantTypes: [], metadata: { grant_types: ["client_credentials"] } },
    { metadata: { token_endpoint_auth_method: "none", client_uri: "https://a.example", software_id: "a", require_consent: true } },
    { redirectHosts: [], scope: ["of.another"], grantTypes: ["client_credentials"] },
  ])("a policy under which some can: %j", (policy) => {
    expect(faultsOf([registration({ policy }), metadataDocuments({ others: policy })])).toEqual([])
  })

  test("createProvider says all of it at once", () => {
    const features = [
      ...defaultFeatures,
      registration({ policy: { metadata: { nonsense: 1 } } }),
      idJag({ authorizationServers: [{ ...server, issuer: own }] }),
    ]
    // The ports are missing on purpose.
    const make = () => createProvider({ issuer: own, features } as never)
    expect(make).toThrow("registration: policy.metadata.nonsense: is not client metadata")
    expect(make).toThrow("idJag: authorizationServers[0].issuer: is this provider itself")
  })
})
