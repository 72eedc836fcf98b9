import { defineClient } from "@postern/core"
import { type Client, type Grant, type Json, type Settings, boundByKind } from "@postern/core/model"
import { sampleTime as now, sampleGrant, sampleLocator, sampleRefreshToken } from "@postern/core/testing"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { type AccessTokenContent, accessTokenFor, accessTokenLife } from "../../packages/core/src/issuance/accessToken.ts"
import { familyEnd, familyOf, familyWithin, longestLife, refreshExpiry } from "../../packages/core/src/issuance/family.ts"
import { keepings, keptAhead, keptFor, rememberedFor } from "../../packages/core/src/issuance/grant.ts"
import { type Grant as GrantOfTokens, grantAmong } from "../../packages/core/src/issuance/grantType.ts"
import { idTokenFor } from "../../packages/core/src/issuance/idToken.ts"
import { refreshTokenFor } from "../../packages/core/src/issuance/refreshToken.ts"
import { claimOfWord, claimWords, grantedClaims, readClaimsRequest } from "../../packages/core/src/rules/claims.ts"
import { isPkceString, proves } from "../../packages/core/src/rules/pkce.ts"
import { sectorDocumentFault, sectorOf } from "../../packages/core/src/rules/sector.ts"
import { endsWithSession, isLive } from "../../packages/core/src/rules/session.ts"
import {
  extensionClaims,
  grantOfJti,
  idTokenJti,
  isIdTokenJti,
  jtiOf,
  present,
  reservedClaims,
} from "../../packages/core/src/rules/tokens.ts"
import { runs } from "../tiers/tier.ts"

const base = defineClient({ client_id: "web", redirect_uris: ["https://web.example/cb"], token_endpoint_auth_method: "none" })
const clientWith = (lifetimes: Partial<Client["lifetimes"]>, told: Partial<Client> = {}): Client => ({
  ...base,
  grantTypes: ["authorization_code", "refresh_token"],
  ...told,
  lifetimes: { ...base.lifetimes, ...lifetimes },
})

const identity = (name: string, claims: ReadonlyArray<string>) => [name, { name, claims, required: false }] as const
const catalog = {
  identity: new Map([identity("openid", ["sub"]), identity("profile", ["name", "nickname"]), identity("email", ["email"])]),
  resources: new Map(),
} as unknown as Settings["catalog"]

describe("the grant behind tokens", () => {
  test("OpenID Connect Back-Channel Logout §2.4: one of a session is remembered for as long as the feature that remembers it longest", () => {
    const until = (sessionId: ReturnType<typeof sampleLocator> | undefined, ...seconds: ReadonlyArray<number>): number =>
      rememberedFor({ sessionMemories: seconds.map((each) => () => each) }, { sessionLifetime: 3600 }, base, sessionId, now)
    const session = sampleLocator(0)
    expect([until(undefined, 60), until(session), until(session, 0, 0)]).toEqual([0, 0, 0])
    expect([until(session, 60, 0, 600, 5), until(session, 0, 60)]).toEqual([now + 600, now + 60])
  })

  test("architecture 10: every feature keeps what it has of one for as long as the grant is kept", () => {
    const command = (event: string) => ({ event }) as unknown as ReturnType<typeof keepings>[number]
    const asked: Array<unknown> = []
    const keep =
      (event: string) =>
      (...given: ReadonlyArray<unknown>) => {
        asked.push(given)
        return [command(event)]
      }
    expect(keepings({ grantKeepings: [] }, base, now + 60, now)).toEqual([])
    expect(keepings({ grantKeepings: [keep("one"), keep("other")] }, base, now + 60, now)).toEqual([command("one"), command("other")])
    expect(asked).toEqual([
      [base, now + 60, now],
      [base, now + 60, now],
    ])
  })

  test("RFC 6749 §4.5: of grants that share a type a request is of the one that takes it, or else of the one that takes any", () => {
    const grant = (table: string, takes?: GrantOfTokens["takes"]) => ({ tables: [table], takes }) as unknown as GrantOfTokens
    const params = { one: () => "theirs", all: () => ["theirs"] } as unknown as Parameters<typeof grantAmong>[1]
    const [mine, theirs, any] = [
      grant("mine", (sent) => sent.one("assertion") === "mine"),
      grant("theirs", (sent) => sent.one("assertion") === "theirs"),
      grant("any"),
    ]
    expect([grantAmong([mine, any, theirs], params), grantAmong([mine, any], params), grantAmong([mine], params)]).toEqual([
      theirs,
      any,
      mine,
    ])
    expect(grantAmong([], params)).toBeUndefined()
  })
})

describe("families of refresh tokens", () => {
  const life = fc.integer({ min: 1, max: 1000 })

  test("OpenID Connect Core §11: one begins where offline_access was granted to a client that may refresh", () => {
    const may = clientWith({ refreshTokenSliding: 10, refreshTokenAbsolute: 100 })
    expect(familyOf(may, ["openid", "offline_access"], now)).toEqual({ _tag: "New", expiresAt: now + 10, absoluteExpiresAt: now + 100 })
    expect(familyOf(may, ["openid"], now)).toBeUndefined()
    expect(familyOf({ ...may, grantTypes: ["authorization_code"] }, ["offline_access"], now)).toBeUndefined()
  })

  test("RFC 9700 §4.14.2: a token ends by the nearer of its sliding and its family's end; 0 is no end of a family", () => {
    fc.assert(
      fc.property(life, fc.option(life, { nil: 0 }), fc.nat(2000), (refreshTokenSliding, refreshTokenAbsolute, later) => {
        const client = clientWith({ refreshTokenSliding, refreshTokenAbsolute })
        const family = familyOf(client, ["offline_access"], now)
        const end = refreshTokenAbsolute === 0 ? 0 : now + refreshTokenAbsolute
        const first = end === 0 ? now + refreshTokenSliding : Math.min(now + refreshTokenSliding, end)
        expect(family).toEqual({ _tag: "New", expiresAt: first, absoluteExpiresAt: end })
        const sliding = now + later + refreshTokenSliding
        expect(refreshExpiry(client, now + later, end)).toBe(end === 0 ? sliding : Math.min(sliding, end))
        expect(familyEnd(client, family, now + later)).toBe(first)
        expect(familyEnd(client, undefined, now)).toBe(0)
        const token = { absoluteExpiresAt: end } as never
        expect(familyEnd(client, { _tag: "Rotated", token, secret: "" }, now + later)).toBe(refreshExpiry(client, now + later, end))
      }),
      { numRuns: runs(500) },
    )
  })

  test("RFC 9700 §4.14.2: a family that came of another ends no later than that one may; 0 is no end", () => {
    fc.assert(
      fc.property(life, fc.option(life, { nil: 0 }), fc.option(life, { nil: 0 }), (sliding, absolute, end) => {
        const family = familyOf(clientWith({ refreshTokenSliding: sliding, refreshTokenAbsolute: absolute }), ["offline_access"], 0)
        const within = familyWithin(family, end)
        if (end === 0) expect(within).toBe(family)
        else {
          expect(within?.expiresAt).toBe(Math.min(family?.expiresAt ?? 0, end))
          expect(within?.absoluteExpiresAt).toBe(absolute === 0 ? end : Math.min(absolute, end))
          expect(within?._tag).toBe("New")
        }
        expect(familyWithin(undefined, end)).toBeUndefined()
      }),
      { numRuns: runs(500) },
    )
  })
})

describe("lives of tokens and grants", () => {
  test("a token lives as long as its client says, and as its extension grant says where that is less (RFC 6749 §4.2.2)", () => {
    const client = clientWith({ accessToken: 100, idToken: 50 })
    const extension = (lifetime: number) => ({ name: "x", lifetime, claims: {} }) as never
    expect([undefined, extension(30), extension(300)].map((each) => accessTokenLife(client, each))).toEqual([100, 30, 100])
    expect([longestLife(client), longestLife(clientWith({ accessToken: 5, idToken: 50 }))]).toEqual([100, 50])
  })

  test("RFC 6749 §4.1.2: a grant is kept for its code's life and that of a token made of it, or for its family", () => {
    const client = clientWith({ authorizationCode: 7, accessToken: 100, idToken: 50, refreshTokenSliding: 60, refreshTokenAbsolute: 0 })
    const code = { redirectUri: "", challenge: undefined }
    const family = (expiresAt: number) => ({ _tag: "New", expiresAt, absoluteExpiresAt: 0 }) as const
    expect(keptFor({ client, code: undefined, family: undefined }, now)).toBe(now + 100)
    expect(keptFor({ client, code, family: undefined }, now)).toBe(now + 107)
    expect(keptFor({ client, code, family: family(now + 60) }, now)).toBe(now + 107)
    expect(keptFor({ client, code, family: family(now + 160) }, now)).toBe(now + 160)
  })

  test("a grant is kept a sixty-fourth longer than its tokens need, so that few refreshes write it, but no longer than its family may have tokens", () => {
    const client = clientWith({ accessToken: 100, idToken: 50 })
    const token = (absoluteExpiresAt: number) => ({ absoluteExpiresAt }) as never
    const kept = (needed: number, end: number | undefined) => {
      const rotated = end === undefined ? undefined : ({ _tag: "Rotated", token: token(end), secret: "" } as const)
      const begun = end === undefined ? undefined : ({ _tag: "New", expiresAt: now, absoluteExpiresAt: end } as const)
      const each = [rotated, begun].map((family) => keptAhead(now + needed, { client, family }, now) - now)
      expect(each[0]).toBe(each[1])
      return each[0]
    }
    expect([kept(6400, undefined), kept(6400, 0), kept(63, 0), kept(64, 0)]).toEqual([6500, 6500, 63, 65])
    expect([kept(6400, now + 7000), kept(6400, now + 6350), kept(6400, now + 5000)]).toEqual([6500, 6450, 6400])
  })

  test("OpenID Connect Core §3.1.2.3: a session stands until it is ended or its time is over", () => {
    const session = (told: object) => ({ endedAt: undefined, expiresAt: now + 1, ...told }) as never
    expect([session({}), session({ expiresAt: now }), session({ endedAt: now - 5 }), undefined].map((each) => isLive(each, now))).toEqual([
      true,
      false,
      false,
      false,
    ])
  })

  test("revoke_on_logout: all grants of a session end with it, or those alone that act no longer than their person is there", () => {
    const ends = (revokeOnLogout: Client["revokeOnLogout"]) =>
      [["openid"], ["openid", "offline_access"]].map((scope) => endsWithSession({ ...base, revokeOnLogout }, scope))
    expect([ends("all"), ends("online"), ends("none" as never)]).toEqual([
      [true, true],
      [true, false],
      [false, false],
    ])
  })
})

describe("tokens of a grant", () => {
  const settings = { issuer: "https://op.example", catalog } as unknown as Settings
  const grant = sampleGrant(1, { amr: ["pwd"], scope: ["openid", "profile"] })
  const access = (told: Partial<AccessTokenContent> = {}) =>
    accessTokenFor({
      settings,
      client: base,
      grant,
      extension: undefined,
      target: { scope: ["openid"], audience: ["https://api.example"] },
      confirmation: undefined,
      now,
      sid: undefined,
      handle: { kind: "jwt", locator: "u" },
      ...told,
    })

  test("RFC 9068 §2.2: a JWT says its form and claims; amr is left out where there is none; several audiences are a list", () => {
    const { plan, commands } = access()
    expect([plan, commands]).toMatchObject([
      {
        _tag: "Jwt",
        claims: { iss: "https://op.example", sub: grant.sub, aud: "https://api.example", jti: `${grant.id}.u`, amr: ["pwd"] },
      },
      [],
    ])
    const claims = (told: Partial<AccessTokenContent>) => (access(told).plan as { readonly claims: object }).claims
    for (const each of [undefined, { ...grant, amr: [] }]) expect(claims({ grant: each })).not.toHaveProperty("amr")
    expect(claims({ grant: undefined })).toMatchObject({ sub: base.clientId, jti: "u" })
    expect(claims({ target: { scope: ["a", "b"], audience: ["x", "y"] } })).toMatchObject({ aud: ["x", "y"], scope: "a b" })
  })

  test("a reference token is a row that ends with it, and the value that leads to it", () => {
    const handle = { kind: "reference", locator: "l", digest: "d", value: "v" } as never
    const { plan, commands } = access({ handle })
    expect(plan).toEqual({ _tag: "Reference", value: "v" })
    expect(commands).toMatchObject([
      { table: "access_tokens", row: { locator: "l", digest: "d", grantId: grant.id, expiresAt: now + base.lifetimes.accessToken } },
    ])
  })

  test("OpenID Connect Core §5.4, §5.5: an ID token has the claims of its scopes where nothing else tells them, and those asked for by name", () => {
    const person = {
      subject: grant.subject,
      username: "ann",
      active: true,
      claims: { name: "Ann", email: "ann@example.com", nickname: "A" },
    }
    const claimsOf = (alone: boolean, told: object = {}, claims?: Grant["claims"]) =>
      idTokenFor({
        settings,
        client: { ...base, scope: ["openid", "profile", "email"], ...told },
        grant: { ...grant, claims },
        person,
        scope: grant.scope,
        now,
        nonce: "n",
        sid: undefined,
        unique: "u",
        alone,
      }).claims
    expect(claimsOf(false)).toMatchObject({ nonce: "n", jti: `${grant.id}.id.u`, exp: now + base.lifetimes.idToken })
    for (const [has, claims] of [
      [false, claimsOf(false)],
      [true, claimsOf(true)],
      [true, claimsOf(false, { idTokenUserClaims: true })],
      [true, claimsOf(false, {}, { idToken: ["name"], userinfo: [], locales: [] } as never)],
      [false, claimsOf(false, {}, { idToken: ["email"], userinfo: [], locales: [] } as never)],
      [false, claimsOf(false, { scope: ["openid", "email"] }, { idToken: ["name"], userinfo: [], locales: [] } as never)],
    ] as const)
      expect("name" in claims).toBe(has)
  })

  test("RFC 9700 §4.14.2: a rotated token gives way to its successor in one commit, with the scope and the end of its family", () => {
    const next = { handle: { locator: "n", digest: "nd", secret: "ns", value: "nv" }, sealed: "sealed" } as never
    const content = { client: clientWith({ refreshTokenSliding: 50 }), grant, confirmation: undefined, now }
    const family = { _tag: "New", expiresAt: now + 10, absoluteExpiresAt: now + 100 } as const
    expect(refreshTokenFor(family, next, content)).toMatchObject({
      value: "nv",
      commands: [
        { event: "SaveRefreshToken", row: { scope: grant.scope, expiresAt: now + 10, absoluteExpiresAt: now + 100, keepUntil: now + 10 } },
      ],
    })
    const token = sampleRefreshToken(1, { scope: ["openid"], absoluteExpiresAt: now + 30 })
    const rotated = refreshTokenFor({ _tag: "Rotated", token, secret: "s" }, next, content)
    expect(rotated?.commands).toMatchObject([
      { event: "RotateRefreshToken", given: { locator: token.locator } },
      { event: "SaveRefreshToken", row: { scope: ["openid"], expiresAt: now + 30, absoluteExpiresAt: now + 30 } },
    ])
    expect(refreshTokenFor({ _tag: "Repeated", token, successor: "again" }, undefined, content)).toEqual({ value: "again", commands: [] })
    expect([refreshTokenFor(undefined, next, content), refreshTokenFor(family, undefined, content)]).toEqual([undefined, undefined])
  })

  test("FAPI 2.0 Security Profile §5.3.2.1 (9): a token that stays is extended ahead, at its first use and then at few, within its family", () => {
    const client = clientWith({ refreshTokenSliding: 6400 })
    const extended = (expiresAt: number, absoluteExpiresAt: number) => {
      const token = sampleRefreshToken(1, { expiresAt, absoluteExpiresAt })
      const content = { client, grant, confirmation: undefined, now }
      const step = { _tag: "Extended", token, value: "same" } as const
      const { value, commands } = refreshTokenFor(step, undefined, content) ?? { value: "", commands: [] }
      expect(value).toBe("same")
      // Its grant is there for as long as the token.
      expect(
        keptFor(
          { client: { ...client, lifetimes: { ...client.lifetimes, accessToken: 1, idToken: 1 } }, family: step, code: undefined },
          now,
        ),
      ).toBe(Number(commands[0]?.given["expiresAt"] ?? expiresAt))
      return commands.map(({ event, given }) => [event, given["locator"] === token.locator, Number(given["expiresAt"]) - now])
    }
    expect(extended(now + 6399, 0)).toEqual([["ExtendRefreshToken", true, 6500]])
    expect([extended(now + 6400, 0), extended(now + 6500, 0)]).toEqual([[], []])
    expect(extended(now + 10, now + 6450)).toEqual([["ExtendRefreshToken", true, 6450]])
    expect(extended(now + 10, now + 20)).toEqual([["ExtendRefreshToken", true, 20]])
    expect(extended(now + 20, now + 20)).toEqual([])
  })

  test("RFC 9449 §5, RFC 8705 §4: a refresh token is bound as its first was, or by this request; by its kind a public client's is", () => {
    const next = { handle: { locator: "n", digest: "nd", secret: "ns", value: "nv" }, sealed: "" } as never
    const family = { _tag: "New", expiresAt: now, absoluteExpiresAt: 0 } as const
    const bound = (client: Client, step: Parameters<typeof refreshTokenFor>[0], jkt?: string) =>
      refreshTokenFor(step, next, { client, grant, confirmation: jkt === undefined ? undefined : { jkt }, now })?.commands.at(-1)?.row
    const secret = { ...base, tokenEndpointAuthMethod: "client_secret_basic" } as Client
    const before = { _tag: "Rotated", token: sampleRefreshToken(1, { confirmation: { jkt: "old" } }), secret: "" } as const
    expect(bound(base, family, "new")).toMatchObject({ confirmation: { jkt: "new" } })
    expect(bound(base, before, "new")).toMatchObject({ confirmation: { jkt: "old" } })
    expect(bound(secret, family, "new")).toMatchObject({ confirmation: { jkt: "new" } })
    expect(bound(base, family)).toMatchObject({ confirmation: undefined })
    expect([boundByKind({ ...base, tokenEndpointAuthMethod: "none" }), boundByKind(secret)]).toEqual([
      { access: true, refresh: true },
      { access: true, refresh: false },
    ])
  })
})

describe("what tokens say by themselves", () => {
  test("RFC 7519 §4: an absent value is left out, and no other", () => {
    expect(present({ a: 1, b: undefined, c: null, d: false, e: "", f: 0 })).toEqual({ a: 1, c: null, d: false, e: "", f: 0 })
    expect(Object.keys(present({ b: undefined }))).toEqual([])
  })

  test("RFC 9068 §2.2: an extension's claims are all but those that a token says by itself; names of introspection are reserved too", () => {
    const usual = [
      "iss",
      "sub",
      "aud",
      "client_id",
      "scope",
      "iat",
      "exp",
      "nbf",
      "jti",
      "auth_time",
      "acr",
      "amr",
      "sid",
      "cnf",
      "authorization_details",
    ]
    const all = Object.fromEntries([...usual, "act", "active", "token_type", "username", "own"].map((name) => [name, name]))
    expect(Object.keys(extensionClaims(all))).toEqual(["act", "active", "token_type", "username", "own"])
    expect([...reservedClaims].toSorted()).toEqual([...usual, "act", "active", "token_type", "username"].toSorted())
  })

  test("a jti names its grant, where there is one, and says whether it is an ID token's", () => {
    expect([jtiOf("grant", "u"), jtiOf(undefined, "u"), idTokenJti("grant", "u")]).toEqual(["grant.u", "u", "grant.id.u"])
    expect([grantOfJti("grant.u"), grantOfJti("u"), grantOfJti(".u"), grantOfJti("grant.id.u")]).toEqual(["grant", undefined, "", "grant"])
    expect(["grant.id.u", "grant.u", "id.u", "u"].map(isIdTokenJti)).toEqual([true, false, false, false])
  })

  test("RFC 7636 §4.1, §4.6: a verifier has 43 to 128 unreserved characters, and proves its challenge by the challenge's method", () => {
    const good = ["a".repeat(43), "Z".repeat(128), `${"-._~".repeat(10)}abc`]
    const bad = ["a".repeat(42), "a".repeat(129), `${"a".repeat(43)}=`, `+${"a".repeat(43)}`, `${"a".repeat(43)}\n`, ""]
    expect([good.every(isPkceString), bad.some(isPkceString)]).toEqual([true, false])
    const [verifier, digest] = ["v".repeat(43), "d".repeat(43)]
    const tried = (method: "S256" | "plain") => [verifier, digest].map((value) => proves({ method, value }, verifier, digest))
    expect([tried("plain"), tried("S256")]).toEqual([
      [true, false],
      [false, true],
    ])
  })
})

describe("the claims parameter (OpenID Connect Core §5.5)", () => {
  const read = (value: Json) => readClaimsRequest(JSON.stringify(value))

  test("§5.5.1: a claim is asked for as voluntary, essential, or with the values that will do", () => {
    expect(
      read({
        userinfo: { a: null, b: { essential: true }, c: { essential: false } },
        id_token: { d: { value: 1 }, e: { values: [1, "x"] }, f: {} },
      }),
    ).toEqual({
      userinfo: [
        { name: "a", essential: false, values: [] },
        { name: "b", essential: true, values: [] },
        { name: "c", essential: false, values: [] },
      ],
      idToken: [
        { name: "d", essential: false, values: [1] },
        { name: "e", essential: false, values: [1, "x"] },
        { name: "f", essential: false, values: [] },
      ],
    })
  })

  test.each([{}, { userinfo: null }, { id_token: null }, { other: 5 }])("%j asks for nothing", (value) => {
    expect(read(value as Json)).toEqual({ userinfo: [], idToken: [] })
  })

  test.each([
    null,
    5,
    "text",
    [],
    { userinfo: 5 },
    { userinfo: [] },
    { id_token: "a" },
    { userinfo: { a: true } },
    { userinfo: { a: [] } },
    { userinfo: { a: { essential: "yes" } } },
    { id_token: { a: { values: "x" } } },
    { id_token: { good: null, bad: 5 } },
  ])("%j is none", (value) => {
    expect(read(value as Json)).toBeUndefined()
  })

  test("§5.5, §3.1.2.4: a person is asked for each claim that no scope gives, of those that the client may have", () => {
    const client = { ...base, scope: ["openid", "profile", "email", "unknown"] }
    const request = read({ userinfo: { sub: null, name: null, email: null, phone_number: null }, id_token: { email: null } })
    expect(claimWords(catalog, client, ["openid", "profile", "unknown"], request)).toEqual(["claim email"])
    expect(claimWords(catalog, client, ["openid"], request)).toEqual(["claim name", "claim email"])
    expect(claimWords(catalog, client, ["openid"], undefined)).toEqual([])
    expect(["claim email", "email", "a claim email"].map(claimOfWord)).toEqual(["email", undefined, undefined])
    const wanted = request?.userinfo ?? []
    const answered = { requested: ["openid"], granted: ["openid"], refused: ["claim email"] }
    expect(grantedClaims(catalog, client, wanted, answered)).toEqual(["sub", "name"])
    expect(grantedClaims(catalog, client, wanted, { ...answered, requested: ["openid", "profile"] })).toEqual(["sub"])
    expect(grantedClaims(catalog, { ...client, scope: [] }, wanted, { ...answered, refused: [] })).toEqual([])
  })

  test("nor is text that is no JSON, and two hundred claims in one place are read, one more is not", () => {
    expect([readClaimsRequest(undefined), readClaimsRequest(""), readClaimsRequest("{")]).toEqual([undefined, undefined, undefined])
    const claims = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`c${at}`, null]))
    expect(read({ userinfo: claims(200) })?.userinfo).toHaveLength(200)
    expect(read({ userinfo: claims(201) })).toBeUndefined()
  })
})

describe("sectors (OpenID Connect Core §8.1)", () => {
  const sector = (redirectUris: ReadonlyArray<string>, sectorIdentifierUri?: string) =>
    sectorOf({ sectorIdentifierUri, redirectUris, clientId: "app" })

  test("a sector is the host of the sector identifier, or else of the redirect URIs", () => {
    expect(sector(["https://WEB.example/cb"])).toEqual(["host", "web.example"])
    expect(sector(["https://web.example/cb"], "https://sector.example/list")).toEqual(["host", "sector.example"])
  })

  test.each([[[]], [["http://127.0.0.1:8080/cb"]], [["http://[::1]/cb"]], [["com.example.app:/cb"]], [["nonsense"]]])(
    "an app with %j is a sector by itself: every such app has that host",
    (redirectUris) => {
      expect(sector(redirectUris)).toEqual(["client", "app"])
    },
  )

  test("OpenID Connect Dynamic Client Registration §5: the document is an array of texts that lists every redirect URI, or the jwks_uri without any", () => {
    const [one, two, keys] = ["https://a.example/1", "https://a.example/2", "https://a.example/keys"]
    const fault = (list: Json, redirectUris: ReadonlyArray<string>, jwksUri?: string) =>
      sectorDocumentFault(JSON.stringify(list), { redirectUris, jwksUri }) !== undefined
    expect([fault([one, two], [one, two]), fault([one], [one, two]), fault([], [one])]).toEqual([false, true, true])
    expect([fault([keys], [], keys), fault([one], [], keys), fault([keys], [one], keys), fault([one], [one], keys)]).toEqual([
      false,
      true,
      true,
      false,
    ])
    for (const list of [[one, 5], { [one]: one }, one, null]) expect(fault(list as Json, [one])).toBe(true)
    expect([fault([one], []), sectorDocumentFault("[", { redirectUris: [one], jwksUri: undefined }) !== undefined]).toEqual([true, true])
  })
})
