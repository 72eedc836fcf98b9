import { defineClient } from "@postern/core"
import type { Command, PendingAuthorization, Session, WaitingRequest } from "@postern/core/model"
import { sampleInteraction, sampleSession } from "@postern/core/testing"
import * as Effect from "effect/Effect"
import { describe, expect, test } from "vitest"
import { endSession, saveSession, requireSession, signOut, writeHandle } from "../../packages/core/src/model/index.ts"
import { askedOf } from "../../packages/core/src/settle/asked.ts"
import { type Browser, loadAuthorization, loadBrowser, loadInteraction } from "../../packages/core/src/settle/browser.ts"
import { formOf, go } from "../../packages/core/src/settle/pages.ts"
import { sentOn } from "../../packages/core/src/settle/sentOn.ts"
import { againOf, anotherAccountOf, resumeOf, signIn, waitingParams } from "../../packages/core/src/settle/signIn.ts"
import { signedInHere, signingOut } from "../../packages/core/src/settle/signOut.ts"
import { Decided } from "../../packages/core/src/settle/stage.ts"
import { verifyUpstream } from "../../packages/core/src/features/password/upstream.ts"
import type { Message } from "../../packages/core/src/wire/index.ts"
import { inquiryOf, now, run, sha256 } from "./inquiry.ts"

const secret = "s".repeat(43)
const locator = "0".repeat(16)
const message = (told: Partial<Message> = {}): Message => ({
  method: "GET",
  path: "/x",
  query: "",
  headers: {},
  body: "",
  address: undefined,
  ...told,
})
const cookies = (pairs: Readonly<Record<string, string>>) => ({
  cookie: Object.entries(pairs)
    .map(([name, value]) => `__Host-postern-${name}=${value}`)
    .join("; "),
})
const browserHandle = writeHandle({ kind: "b", locator, secret })
const sessionHandle = writeHandle({ kind: "s", locator, secret: "t".repeat(43) })
const session = sampleSession(1, { digest: sha256(`s ${"t".repeat(43)}`) })
const seated = inquiryOf({ tokens: { findSession: () => Effect.succeed(session) } })

const waitingDevice = {
  kind: "device",
  clientId: "tv",
  userCode: "BCDF-GHJK",
  createdAt: now,
  params: [["ui_locales", "de"]],
} as unknown as WaitingRequest
const waiting = (told: object = {}): PendingAuthorization => ({ ...sampleInteraction(1), ...told }) as PendingAuthorization

describe("browsers (RFC 9700 §4.7)", () => {
  test("a browser without a cookie gets one, and its forms a token that only it can have made", async () => {
    const browser = await run(loadBrowser(message(), seated))
    expect(browser).toMatchObject({ unknown: true, session: undefined, agent: "", address: undefined })
    const [cookie] = browser.cookies
    expect([browser.cookies.length, cookie?.name, cookie?.value]).toEqual([1, "browser", expect.stringMatching(/^b_/)])
    const drawn = cookie?.value?.slice(18) ?? ""
    expect([browser.secret.reveal(), browser.digest, browser.csrf]).toEqual([drawn, sha256(drawn), sha256(`postern form ${drawn}`)])
    expect(browser.sessionCsrf).toBe(browser.csrf)
  })

  test("a browser is known by its cookie, and a session by another, whose secret is in the token of its forms", async () => {
    const headers = { ...cookies({ browser: browserHandle, session: sessionHandle }), "user-agent": "a".repeat(300) }
    const browser = await run(loadBrowser(message({ headers, address: "192.0.2.77" }), seated))
    expect(browser).toMatchObject({ unknown: false, cookies: [], session, digest: sha256(secret), agent: "a".repeat(200) })
    expect(browser.csrf).toBe(sha256(`postern form ${secret}`))
    expect(browser.sessionCsrf).toBe(sha256(`postern form ${secret} ${"t".repeat(43)}`))
    expect(browser.address).not.toBe("192.0.2.77")
    expect(formOf("/x", browser, [["a", "b"]])).toEqual({
      action: "/x",
      hidden: [
        ["csrf", browser.sessionCsrf],
        ["a", "b"],
      ],
    })
  })

  test("a session cookie that proves none gives neither a session nor another token", async () => {
    const stranger = inquiryOf({ tokens: { findSession: () => Effect.succeed(undefined) } })
    const browser = await run(loadBrowser(message({ headers: cookies({ browser: browserHandle, session: sessionHandle }) }), stranger))
    expect([browser.session, browser.sessionCsrf]).toEqual([undefined, browser.csrf])
    const confused = await run(loadBrowser(message({ headers: cookies({ browser: sessionHandle, session: browserHandle }) }), seated))
    expect([confused.unknown, confused.session], "a handle of another kind is none").toEqual([true, undefined])
  })

  test("pages find a request of either kind that waits, those of authorization one of that kind alone", async () => {
    const digest = sha256(`i ${secret}`)
    const handle = writeHandle({ kind: "i", locator, secret })
    const kinds = ["authorization", "device", "upstream", "pushed"]
    const found = kinds.map((kind) => inquiryOf({ tokens: { findInteraction: () => Effect.succeed({ kind, digest }) } }))
    const each = async (load: typeof loadInteraction) => Promise.all(found.map(async (inquiry) => (await run(load(handle, inquiry)))?.kind))
    expect(await each(loadInteraction)).toEqual(["authorization", "device", undefined, undefined])
    expect(await each(loadAuthorization as typeof loadInteraction)).toEqual(["authorization", undefined, undefined, undefined])
    const none = inquiryOf({ tokens: { findInteraction: () => Effect.succeed(undefined) } })
    expect([await run(loadInteraction(handle, none)), await run(loadAuthorization(undefined, none))]).toEqual([undefined, undefined])
  })
})

describe("signing in (OpenID Connect Core §3.1.2.3)", () => {
  const person = { subject: "alice", username: "alice", active: true, claims: {} }
  const told = { person, amr: ["pwd"], acr: "acr", idp: "corp", tenant: "labs", authTime: now - 5 } as never
  const made = { kind: "s", locator, secret, value: sessionHandle, digest: "digest" } as const
  const browser = {
    session: undefined,
    cookies: [{ name: "browser", value: "b" }],
    agent: "agent",
    address: "192.0.2.0/24",
  } as unknown as Browser
  const seen = { settings: { sessionLifetime: 3600 }, now, browser, interaction: undefined, handle: undefined } as never

  test("a sign-in makes a session of its person, methods and place, which ends after its life", () => {
    const { session: begun, cookies: set, commands, interaction } = signIn(seen, made, told)
    expect(begun).toEqual({
      locator,
      digest: "digest",
      subject: "alice",
      authTime: now - 5,
      amr: ["pwd"],
      acr: "acr",
      idp: "corp",
      tenant: "labs",
      agent: "agent",
      address: "192.0.2.0/24",
      replaced: undefined,
      createdAt: now,
      seenAt: now,
      expiresAt: now + 3600,
      endedAt: undefined,
      keepUntil: now + 3600,
    })
    expect(set).toEqual([
      { name: "browser", value: "b" },
      { name: "session", value: sessionHandle },
    ])
    expect([commands, interaction]).toEqual([[saveSession(begun)], undefined])
  })

  const over = (before: Partial<Session>, more: ReadonlyArray<Command> = []) => {
    const own = { ...session, subject: "alice", expiresAt: now + 1, ...before }
    return signIn({ ...(seen as object), browser: { ...browser, session: own } } as never, made, told, () => more)
  }

  test("the session of the same person that was there before goes on in it, and further changes go with them", () => {
    const more = { table: "more" } as never
    const { commands, session: begun } = over({}, [more])
    expect(commands).toEqual([endSession(session.locator, now), saveSession(begun), more])
    expect(begun.replaced).toEqual([session.locator])
    expect(over({ replaced: ["one", "two"] }).session.replaced).toEqual([session.locator, "one", "two"])
    expect(over({ replaced: Array.from({ length: 100 }, (_, at) => `s${at}`) }).session.replaced).toHaveLength(100)
  })

  test("one that has ended, or run out, or is another person's, does not go on in it", () => {
    for (const before of [{ endedAt: now - 1 }, { expiresAt: now }, { subject: "bob" }])
      expect(over(before).session.replaced).toBeUndefined()
    expect(over({ subject: "bob" }).commands).toHaveLength(1)
  })

  test("it is noted on the request that waits; an answer on its consent page counts no more, a device has none", () => {
    const noted = { signedInAt: now - 5, subject: "alice" }
    const authorization = waiting({ consented: ["a"], denied: true })
    expect(signIn({ ...(seen as object), interaction: authorization } as never, made, told).interaction).toEqual({
      ...authorization,
      ...noted,
      consented: undefined,
      denied: false,
    })
    expect(signIn({ ...(seen as object), interaction: waitingDevice } as never, made, told).interaction).toEqual({
      ...waitingDevice,
      ...noted,
    })
  })

  test("the person goes on at the request that waited, and a sign-in that failed or is another's keeps it", () => {
    const authorization = waiting()
    expect(resumeOf("i_1", authorization)).toBe("/connect/authorize/resume?interaction=i_1")
    expect([resumeOf(undefined, undefined), resumeOf("i_1", waitingDevice)]).toEqual(["/", "/device?user_code=BCDF-GHJK"])
    expect([againOf("i_1", "wrong"), againOf(undefined, "wrong", "corp")]).toEqual([
      "/login?problem=wrong&interaction=i_1",
      "/login?problem=wrong&idp=corp",
    ])
    expect([anotherAccountOf("i_1"), anotherAccountOf(undefined)]).toEqual(["/login?interaction=i_1&another=1", "/login?another=1"])
    const params = waitingParams(waiting({ params: [["ui_locales", "de"]] }))
    expect([params.one("ui_locales"), waitingParams(waitingDevice).one("ui_locales"), waitingParams(undefined).pairs.length]).toEqual([
      "de",
      undefined,
      0,
    ])
  })

  test("a password for another provider is refused as that one says, once, or admits whom it vouches for", async () => {
    const admitted: Array<unknown> = []
    const admit = (identity: unknown, tenant: unknown) =>
      Effect.sync(() => (admitted.push([identity, tenant]), { _tag: "Verified", person }))
    const asking = (outcome: object) => {
      let asked = 0
      const password = (sent: unknown) => Effect.sync(() => (asked++, admitted.push(sent), outcome))
      const inquiry = inquiryOf({ identityProviders: { password }, authenticator: { admit } })
      return {
        verify: () => run(verifyUpstream("corp", { username: "alice", password: "x" as never }, "labs", inquiry)),
        asked: () => asked,
      }
    }
    const declined = asking({ _tag: "Declined", reason: "wrong there" })
    expect([await declined.verify(), await declined.verify(), declined.asked()]).toEqual([
      { _tag: "Rejected", reason: "wrong there" },
      { _tag: "Rejected", reason: "wrong there" },
      1,
    ])
    admitted.length = 0
    expect(await asking({ _tag: "Identified", identity: "identity" }).verify()).toEqual({ _tag: "Verified", person })
    expect(admitted).toEqual([{ provider: "corp", username: "alice", password: "x" }, ["identity", "labs"]])
  })
})

describe("signing out (RP-Initiated Logout §2)", () => {
  test("only a session that was presented is ended; a person who was removed can end it too", async () => {
    const browser = (own: Session | undefined) => ({ session: own }) as Browser
    const found = inquiryOf({
      authenticator: { find: (subject: string) => Effect.succeed(subject === "subject" ? { subject } : undefined) },
    })
    expect(await run(signedInHere(browser(undefined), found))).toBeUndefined()
    expect(await run(signedInHere(browser(session), found))).toEqual({ session, person: { subject: "subject" } })
    const gone = { ...session, subject: "gone" }
    expect((await run(signedInHere(browser(gone), found)))?.person).toEqual({
      subject: "gone",
      username: "gone",
      active: false,
      claims: {},
    })
    expect(await run(signingOut(browser(undefined), found))).toEqual({ cookies: [], commands: [], frames: [] })
    expect(await run(signingOut(browser(session), found))).toEqual({
      cookies: [{ name: "session", value: undefined }],
      commands: [requireSession(session.locator), ...signOut(session.locator, now, session.subject)],
      frames: [],
    })
  })
})

describe("requests on the way", () => {
  test("a waiting request is asked for its acr_values and tenant; looks are those of a tenant there is", async () => {
    const client = defineClient({ client_id: "app", redirect_uris: ["https://app.example/cb"], token_endpoint_auth_method: "none" })
    const look = async (acr: string, tenants: ReadonlyArray<string>) => {
      const interaction = waiting({ params: [["acr_values", acr]], createdAt: 77 })
      const inquiry = inquiryOf()
      return run(askedOf.run({ settings: { tenants } as never, interaction, client }, inquiry))
    }
    expect(await look("tenant:labs", ["labs"])).toMatchObject({ tenant: "labs", looks: "labs", about: { askedAt: 77, tenant: "labs" } })
    expect(await look("tenant:labs", ["other"])).toMatchObject({ tenant: "labs", looks: undefined, about: { tenant: undefined } })
    expect(await look("x", ["labs"])).toMatchObject({ tenant: undefined, looks: undefined, about: { askedAt: 77, tenant: undefined } })
    expect(askedOf.tables.length).toBe(1)
    const byClaims = waiting({ params: [["claims", JSON.stringify({ id_token: { acr: { essential: true, values: ["strong"] } } })]] })
    const { asked } = (await run(
      askedOf.run({ settings: { tenants: [] } as never, interaction: byClaims, client }, inquiryOf()),
    )) as never as { asked: unknown }
    expect(JSON.stringify(asked), "OpenID Connect Core §5.5.1.1").toContain("strong")
  })

  test("a form that another site posts without our cookies is sent on as a GET, up to the length that a Location may have", async () => {
    const form = { "content-type": "application/x-www-form-urlencoded" }
    const stage = sentOn("/connect/authorize")
    const at = async (told: Partial<Message>, unknown = true) => {
      const browser = { unknown } as Browser
      const end = await run(stage.run({ message: message(told), browser }, inquiryOf()))
      return end instanceof Decided ? end.decision : "passed"
    }
    expect(await at({ method: "POST", headers: form, body: "a=b&c=d" })).toEqual(go("/connect/authorize?a=b&c=d"))
    const tooLong = await at({ method: "POST", headers: form, body: `a=${"b".repeat(65_000)}` })
    expect((tooLong as { _tag: string })._tag).not.toBe("Go")
    expect(await at({ method: "POST", headers: form, body: "a=b" }, false)).toBe("passed")
    expect(await at({ method: "GET", headers: form, query: "a=b" })).toBe("passed")
    expect(await at({ method: "POST", headers: { "content-type": "text/plain" }, body: "a=b" })).toBe("passed")
    expect(new Set(stage.tables.map(({ name }) => name)).size).toBe(2)
  })
})
