import { memoryTokenStore } from "@postern/core/memory"
import {
  type AuthenticatorPort,
  type EntropyPort,
  type LimiterPort,
  type PortFailed,
  after,
  foundWithGrant,
  readsOf,
} from "@postern/core/ports"
import { codes, grants } from "@postern/core/model"
import { sampleAccessToken, sampleRefreshToken } from "@postern/core/testing"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Cause from "effect/Cause"
import { describe, expect, test } from "vitest"
import {
  authenticatorOf,
  clientStoreOf,
  identityProvidersOf,
  jwtsOf,
  outboundOf,
  signerOf,
  tokenStoreOf,
} from "../../packages/core/src/ports/lifted.ts"
import { basic, codeFor, redeem, signedIn } from "../support/flows.ts"
import { type World, type WorldOptions, world } from "../support/world.ts"

/** An answer of code without types. */
const answering = (value: unknown) => () => value as never

const token = (w: World, secret = "secret of machine") =>
  w.send({
    method: "POST",
    path: "/connect/token",
    headers: { authorization: basic("machine", secret), "content-type": "application/x-www-form-urlencoded" },
    body: "grant_type=client_credentials",
  })

const garbage: ReadonlyArray<unknown> = ["garbage", 7, {}, [], () => true, Promise.resolve("later")]

describe("architecture law 7: an answer that a port's type does not allow is a failure of the port, and nothing comes of it", () => {
  test.each(garbage)("RFC 6749 §3.2.1: no client is proved by verifySecret that answers %o", async (value) => {
    const w = await world({ clientStore: (store) => ({ ...store, verifySecret: answering(value) }) })
    const { status, body } = await token(w, "wrong")
    expect([status, body]).toEqual([503, expect.stringContaining('"temporarily_unavailable"')])
    expect(w.reports).toMatchObject([{ port: "ClientStore", operation: "verifySecret", endpoint: "token", cause: expect.any(TypeError) }])
    expect(String(w.reports[0]?.cause)).toMatch(/^TypeError: answered \w+, which is not what its type says$/)
  })

  test("RFC 6749 §2.3.1: nothing, or null, is no", async () => {
    for (const value of [undefined, null, false]) {
      const w = await world({ clientStore: (store) => ({ ...store, verifySecret: answering(value) }) })
      expect((await token(w)).status).toBe(401)
      expect(w.reports).toEqual([])
    }
  })

  test("RFC 6749 §4.1.2: a signer that signs nothing uses no code up", async () => {
    let signs = false
    const w = await world({
      signer: (signer) => ({ ...signer, sign: (unsigned) => (signs ? signer.sign(unsigned) : answering(undefined)()) }),
    })
    const code = await codeFor(w)
    expect((await redeem(w, code)).status).toBe(503)
    expect(w.reports).toMatchObject([{ port: "Signer", operation: "sign" }])
    signs = true
    expect((await redeem(w, code)).status).toBe(200)
  })

  test("architecture law 4: a commit that answers neither of its two results is uncertain, and is not tried again", async () => {
    const store = memoryTokenStore()
    let tried = 0
    const commit = (commands: Parameters<typeof store.commit>[0]) => {
      tried++
      void store.commit(commands)
      return answering(undefined)()
    }
    const w = await world({ tokens: { ...store, commit } })
    await w.send({ path: "/connect/authorize", query: new URLSearchParams({ client_id: "web" }).toString() })
    await codeFor(w).catch(() => undefined)
    expect(tried).toBe(w.reports.length)
    expect(w.reports[0]).toMatchObject({ port: "TokenStore", operation: "commit", uncertain: true, cause: expect.any(TypeError) })
  })

  test.each([undefined, "alice", { _tag: "Verified" }, { _tag: "Verified", person: { subject: "1", active: 1, claims: {} }, amr: [] }])(
    "OpenID Connect Core §3.1.2.3: nobody signs in by an authenticator that answers %o",
    async (value) => {
      const w = await world({ authenticator: { verify: answering(value) } })
      await signedIn(w)
      expect(w.reports).toMatchObject([{ port: "Authenticator", operation: "verify", endpoint: "login" }])
    },
  )

  const someone = { subject: "1", username: "someone", active: true, claims: {} }
  const holdsItself: Record<string, unknown> = {}
  holdsItself["self"] = [holdsItself]
  const wrongPeople: ReadonlyArray<readonly [member: Readonly<Record<string, unknown>>, said: string]> = [
    [{ subject: 1 }, "whose subject is number, and must be text"],
    [{ username: undefined }, "whose username is undefined, and must be text"],
    [{ active: 1 }, "whose active is number, and must be true or false"],
    // A tenant that is none must not be any tenant.
    [{ tenant: 5 }, "whose tenant is number, and must be text, null or undefined"],
    [{ claims: null }, "whose claims is null, and must be an object of claims"],
    [{ claims: [] }, "whose claims is object, and must be an object of claims"],
    [{ claims: new Map([["name", "Ann"]]) }, "whose claims is object, and must be an object of claims"],
    [{ claims: Promise.resolve({}) }, "whose claims is object, and must be an object of claims"],
    [{ claims: { updated_at: 1n } }, "whose claim updated_at is bigint, and must be JSON"],
    [{ claims: { updated_at: Number.NaN } }, "whose claim updated_at is number, and must be JSON"],
    [{ claims: { updated_at: new Date(0) } }, "whose claim updated_at is object, and must be JSON"],
    [{ claims: { roles: new Set(["admin"]) } }, "whose claim roles is object, and must be JSON"],
    [{ claims: { roles: [() => "admin"] } }, "whose claim roles is object, and must be JSON"],
    [{ claims: { address: holdsItself } }, "whose claim address is object, and must be JSON"],
  ]

  test.each(wrongPeople)(
    "OpenID Connect Core §5.1: nobody signs in as a person with %o, and the report names the member",
    async (member, said) => {
      const person = { ...someone, ...member }
      const w = await world({ authenticator: { verify: answering({ _tag: "Verified", person, amr: ["pwd"] }) } })
      expect((await signedIn(w)).cookies.has("__Host-postern-session")).toBe(false)
      expect(w.reports).toMatchObject([{ port: "Authenticator", operation: "verify", endpoint: "login" }])
      expect(String(w.reports[0]?.cause)).toBe(`TypeError: answered a person ${said}`)
    },
  )

  test("OpenID Connect Core §5.1: claims are JSON, and one that is undefined or null is not there", async () => {
    const claims = {
      name: "Ann",
      nickname: undefined,
      locale: null,
      address: { country: "DE", region: undefined },
      roles: ["a", ["b"], { c: 1 }],
    }
    const w = await world({ authenticator: { verify: answering({ _tag: "Verified", person: { ...someone, claims }, amr: [] }) } })
    expect((await signedIn(w)).cookies.has("__Host-postern-session")).toBe(true)
    expect(w.reports).toEqual([])
  })

  const wrongResults: ReadonlyArray<readonly [result: unknown, said: string]> = [
    [{ _tag: "Authenticated", person: someone }, "a sign-in whose _tag is string, and must be Verified or Rejected or Throttled"],
    [{ ok: true }, "a sign-in whose _tag is undefined, and must be Verified or Rejected or Throttled"],
    [{ _tag: "Verified", amr: [] }, "a sign-in whose person is undefined, and must be a person"],
    [{ _tag: "Verified", person: someone }, "a sign-in whose amr is undefined, and must be a list of texts"],
    [{ _tag: "Verified", person: someone, amr: "pwd" }, "a sign-in whose amr is string, and must be a list of texts"],
    [{ _tag: "Verified", person: someone, amr: [1] }, "a sign-in whose amr is object, and must be a list of texts"],
    // Kept, it would make a session that no read accepts.
    [{ _tag: "Verified", person: someone, amr: [], acr: null }, "a sign-in whose acr is null, and must be text?"],
    [{ _tag: "Verified", person: someone, amr: [], acr: 2 }, "a sign-in whose acr is number, and must be text?"],
    [{ _tag: "Throttled", reason: "often" }, "a sign-in whose retryAfter is undefined, and must be a number of seconds"],
  ]

  test.each(wrongResults)(
    "OpenID Connect Core §2: a sign-in that is %o begins no session, and the report names the member",
    async (result, said) => {
      const w = await world({ authenticator: { verify: answering(result) } })
      expect((await signedIn(w)).cookies.has("__Host-postern-session")).toBe(false)
      expect(w.reports.map(({ port, operation, cause }) => [port, operation, String(cause)])).toEqual([
        ["Authenticator", "verify", `TypeError: answered ${said}`],
      ])
    },
  )

  test("OpenID Connect Dynamic Client Registration §2: a client that defineClient did not make is told by the member that it lacks", async () => {
    const metadata = { client_id: "machine", redirect_uris: [] }
    const w = await world({ clientStore: (store) => ({ ...store, find: answering(metadata) }) })
    expect((await token(w)).status).toBe(503)
    expect(String(w.reports[0]?.cause)).toBe("TypeError: answered a client whose clientId is undefined, and must be text")
  })

  const ofSubject = (subject: string) => ({ subject, username: "someone", active: true, claims: {} })
  const unfit = ["", "x".repeat(256), "jürgen", "a\nb"]

  test.each(unfit)("OpenID Connect Core §2: nobody signs in whose subject is %j", async (subject) => {
    const w = await world({ authenticator: { verify: answering({ _tag: "Verified", person: ofSubject(subject), amr: ["pwd"] }) } })
    expect((await signedIn(w)).cookies.has("__Host-postern-session")).toBe(false)
    expect(String(w.reports[0]?.cause)).toBe("TypeError: answered a person whose subject is not 1 to 255 printable ASCII characters")
    expect(w.reports).toMatchObject([{ port: "Authenticator", operation: "verify", endpoint: "login" }])
  })

  test("OpenID Connect Core §2: a subject is 1 to 255 ASCII characters, whichever way a person is found", async () => {
    const exit = (operation: keyof AuthenticatorPort, subject: string) => {
      const person = ofSubject(subject)
      const verified = () => ({ _tag: "Verified", person, amr: [] }) as const
      const port = authenticatorOf({ verify: verified, admit: verified, find: () => person, identify: () => person })
      return Effect.runSyncExit<unknown, unknown>((port[operation] as (given: unknown) => Effect.Effect<unknown, PortFailed>)({}))._tag
    }
    for (const operation of ["verify", "admit", "find", "identify"] as const) {
      for (const subject of unfit) expect([operation, subject, exit(operation, subject)]).toEqual([operation, subject, "Failure"])
      for (const subject of ["1", "x".repeat(255), "https://corp.example ann"]) expect(exit(operation, subject)).toBe("Success")
    }
  })

  const cases: ReadonlyArray<
    readonly [port: string, operation: string, options: WorldOptions, ask: (w: World) => Promise<{ readonly status: number }>]
  > = [
    ["ClientStore", "find", { clientStore: (store) => ({ ...store, find: answering({ client_id: "machine" }) }) }, token],
    [
      "Signer",
      "keys",
      { signer: (signer) => ({ ...signer, keys: answering(undefined) }) },
      (w) => w.send({ path: "/.well-known/openid-configuration/jwks" }),
    ],
    [
      "Signer",
      "algorithms",
      { signer: (signer) => ({ ...signer, algorithms: answering("RS256") }) },
      (w) => w.send({ path: "/.well-known/openid-configuration" }),
    ],
    [
      "TokenStore",
      "findAccessToken",
      { tokens: { ...memoryTokenStore(), findAccessToken: answering("a row") } },
      (w) => w.send({ path: "/connect/userinfo", headers: { authorization: `Bearer a_${"A".repeat(59)}` } }),
    ],
    ["Digest", "sha256", { more: { digest: { sha256: answering([1]), sha512: answering([1]) } } }, (w) => redeem(w, `c_${"A".repeat(59)}`)],
  ]
  test.each(cases)("%s.%s is named, and answered 503", async (port, operation, options, ask) => {
    const w = await world(options)
    expect((await ask(w)).status).toBe(503)
    expect(w.reports).toMatchObject([{ port, operation, cause: expect.any(TypeError), requestId: expect.any(String) }])
  })
})

/** A port whose every operation answers this. */
const sayingAll = (value: unknown) => new Proxy({}, { get: () => () => value }) as never

type Operations = Readonly<Record<string, (...args: ReadonlyArray<unknown>) => Effect.Effect<unknown, PortFailed>>>

const told = (port: object, operation: string, ...args: ReadonlyArray<unknown>): string => {
  const exit = Effect.runSyncExit((port as Operations)[operation]?.(...args) ?? Effect.die("no such operation"))
  if (Exit.isSuccess(exit)) return "accepted"
  const failed = exit.cause.reasons.find(Cause.isFailReason)?.error
  return failed === undefined ? "a defect" : `${failed.port}.${failed.operation}: ${String(failed.cause)}`
}

/** Each operation that must not answer a thing without members, or a list of it. */
const operations: ReadonlyArray<readonly [port: string, make: (port: never) => object, names: string]> = [
  [
    "TokenStore",
    (port) => tokenStoreOf(port),
    "findGrant findCode findAccessToken findRefreshToken findSession findInteraction findDevice findDeviceByUserCode findAttempts recentAttempts findConsent grantsOf sessionsOf consentsOf commit",
  ],
  ["ClientStore", (port) => clientStoreOf(port), "find secretOf verifySecret unsignedRequestObjects"],
  ["Authenticator", (port) => authenticatorOf(port), "verify find admit identify"],
  ["Signer", (port) => signerOf(port), "sign decrypt algorithms encryptionAlgorithms"],
  ["Outbound", (port) => outboundOf(port), "fetch"],
  ["Jwts", (port) => jwtsOf(port), "verify verifySecret encrypt"],
  ["IdentityProviders", (port) => identityProvidersOf(port), "begin finish password"],
]
const each = operations.flatMap(([port, make, names]) => names.split(" ").map((name) => [`${port}.${name}`, make, name] as const))

describe("architecture law 7: an answer without the members of its type is a failure of its port, by name", () => {
  test.each(each)("%s", (place, make, name) => {
    for (const value of [{}, { clientId: "web" }, [{}], [7], "garbage", 7])
      if (!(typeof value === "string" && /sign|decrypt|encrypt$|begin/.test(name)))
        expect([place, value, told(make(sayingAll(value)), name)]).toEqual([
          place,
          value,
          expect.stringMatching(`^${place}: TypeError: answered`),
        ])
  })

  test("a row, alone or in a list, has every column of its kind; null for what is unset would count as set", () => {
    const row = { locator: "l", digest: "d", grantId: "g", clientId: "web", redirectUri: "u", createdAt: 1, expiresAt: 2, keepUntil: 3 }
    const found = (value: unknown) => told(tokenStoreOf(sayingAll(value)), "find", codes, {})
    const listed = (value: unknown) => told(tokenStoreOf(sayingAll(value)), "list", codes, "any", {})
    expect([found(row), listed([row, row]), listed([])]).toEqual(["accepted", "accepted", "accepted"])
    const amiss: ReadonlyArray<readonly [object, string]> = [
      [{ ...row, consumedAt: null }, "consumedAt is null, and must be integer?"],
      [{ ...row, expiresAt: "2" }, "expiresAt is string, and must be integer"],
      [{ ...row, digest: undefined }, "digest is undefined, and must be text"],
      [{ ...row, challenge: "plain" }, "challenge is string, and must be json?"],
    ]
    for (const [value, fault] of amiss) {
      expect(found(value)).toBe(`TokenStore.find: TypeError: answered a code whose ${fault}`)
      expect(listed([row, value])).toBe(`TokenStore.list: TypeError: answered a code whose ${fault}`)
    }
    expect(told(tokenStoreOf(sayingAll([row])), "list", grants, "any", {})).toContain("answered a grant whose id is undefined")
  })

  /** A store of rows that lost the id of their grant, whose reads are made as docs/stores.md says. */
  const withoutGrants = (lost: unknown) => {
    const store = memoryTokenStore()
    const find: typeof store.find = (kind, key) =>
      after(store.find(kind, key), (row) => row && (kind.ofGrant === undefined ? row : { ...row, [kind.ofGrant]: lost }))
    const findWithGrant: Parameters<typeof readsOf>[0]["findWithGrant"] = (kind, key) =>
      after(find(kind, key), (row) => row && foundWithGrant(kind, row, undefined))
    return { ...store, ...readsOf({ find, list: store.list, findWithGrant }) }
  }

  test.each([undefined, null])(
    "RFC 6749 §4.1.2: a code whose row has %j for its grant is a broken store's, not an invalid code's",
    async (lost) => {
      const w = await world({ tokens: withoutGrants(lost) })
      const { status, body } = await redeem(w, await codeFor(w))
      expect([status, body]).toEqual([503, expect.stringContaining('"temporarily_unavailable"')])
      expect(w.reports).toMatchObject([{ port: "TokenStore", operation: "findCode", endpoint: "token" }])
      expect(String(w.reports[0]?.cause)).toBe(
        `TypeError: answered a code whose grantId is ${lost === null ? "null" : "undefined"}, and must be text`,
      )
    },
  )

  test("RFC 6749 §6, RFC 9068 §5: and so is a refresh token without its grant, and an access token with null in its place", () => {
    const rows = { ...sampleRefreshToken(1), grantId: undefined }
    const reads = (row: object) =>
      tokenStoreOf({
        ...memoryTokenStore(),
        ...readsOf({ find: () => undefined, list: () => [], findWithGrant: (kind) => foundWithGrant(kind, row as never, undefined) }),
      })
    expect(told(reads(rows), "findRefreshToken", "l")).toContain("whose grantId is undefined, and must be text")
    expect(told(reads({ ...sampleAccessToken(1), grantId: null }), "findAccessToken", "l")).toContain(
      "whose grantId is null, and must be text?",
    )
    expect(told(reads({ ...sampleAccessToken(1), grantId: undefined }), "findAccessToken", "l")).toBe("accepted")
    // A row whose grant was swept is not found.
    expect(told(reads(sampleRefreshToken(1)), "findRefreshToken", "l")).toBe("accepted")
  })
})

describe("ports that answer at once", () => {
  test.each([
    ["a promise", () => Promise.resolve(0)],
    ["a rejection", () => Promise.reject(new Error("gone"))],
    ["a text", () => "0"],
    ["NaN", () => NaN],
  ])("RFC 6585 §4: a limiter that answers %s lets nothing through, is named, and ends no process", async (_, answer) => {
    const limiter: LimiterPort = { take: () => answer() as never }
    const w = await world({ more: { limiter } })
    expect((await token(w)).status).toBe(503)
    expect(w.reports).toMatchObject([{ port: "Limiter", operation: "take", endpoint: "token" }])
    await new Promise(setImmediate)
  })

  test("RFC 6585 §4: a limiter that throws is answered 503", async () => {
    const boom = new Error("gone")
    const limiter: LimiterPort = {
      take: () => {
        throw boom
      },
    }
    const w = await world({ more: { limiter } })
    expect((await token(w)).status).toBe(503)
    expect(w.reports).toMatchObject([{ port: "Limiter", operation: "take", cause: boom }])
  })

  test.each(["garbage", [1, 2], new Uint8Array(3), undefined])(
    "RFC 6749 §10.10: no secret is made of chance that answers %o",
    async (value) => {
      const entropy: EntropyPort = { bytes: answering(value) }
      const w = await world({ more: { entropy } })
      expect((await token(w)).status).toBe(500)
      expect(w.reports).toMatchObject([{ port: "Entropy", operation: "bytes" }])
    },
  )
})

describe("clocks", () => {
  test("a clock with fractions of milliseconds, such as performance.now, makes handles that are found again", async () => {
    const w = await world({ more: { clock: () => 1_795_000_000_000.25 } })
    expect((await (await signedIn(w)).get("/")).page).toMatchObject({ _tag: "Home" })
    expect(await w.provider.signOut("sub-alice")).toBe(1)
  })

  // Seconds of today are a time of January 1970, and each token would be dead at birth.
  test.each([1_795_000_000, "1795000000000", Number.NaN, Number.POSITIVE_INFINITY, null, undefined, Promise.resolve(1)])(
    "a clock that answers %o has failed, and no request is begun",
    async (value) => {
      const w = await world({ more: { clock: answering(value) } })
      expect((await token(w)).status).toBe(500)
      expect(w.reports).toMatchObject([{ port: "Clock", operation: "now", cause: expect.any(TypeError) }])
    },
  )
})

describe("ports of classes", () => {
  test("CIBA Core §7.1: identify has its object", async () => {
    const { Authenticator, atOnce } = await import("@postern/core/ports")
    class People {
      readonly known = new Map([["alice", { subject: "1", username: "alice", active: true, claims: {} }]])
      verify() {
        return { _tag: "Rejected", reason: "no passwords here" } as const
      }
      find(subject: string) {
        return [...this.known.values()].find((each) => each.subject === subject)
      }
      admit() {
        return this.verify()
      }
      identify(hint: string) {
        return this.known.get(hint)
      }
    }
    const lifted = Authenticator.from(new People(), atOnce)
    expect(lifted.identify?.("alice")).toMatchObject({ _tag: "Success", value: { subject: "1" } })
  })
})
