import { createHash } from "node:crypto"
import { defaultFeatures, sessionManagement } from "@postern/core"
import { describe, expect, test } from "vitest"
import { authorize, claimsOf, signedIn } from "../support/flows.ts"
import type { Said, Visitor } from "../support/visitor.ts"
import { clients, type World, type WorldOptions, world } from "../support/world.ts"

const managed = (options: WorldOptions = {}): Promise<World> =>
  world({ ...options, more: { features: [...defaultFeatures, sessionManagement()] } })

const cookie = "__Host-postern-state"
const origin = "https://app.example"

/** The state that a client of the page's origin computes (OpenID Connect Session Management §3.1). */
const expected = (clientId: string, salt: string, state: string, at = origin) =>
  `${createHash("sha256").update(`${clientId} ${at} ${state} ${salt}`).digest("base64url")}.${salt}`

const stateOf = (visitor: Visitor): string => visitor.cookies.get(cookie) ?? ""
const cookiesOf = ({ header }: Said) => header("set-cookie")

describe("session_state (OpenID Connect Session Management §2, §3)", () => {
  test("a response carries the salted digest of client, origin and the browser's state; each has a salt of its own", async () => {
    const w = await managed()
    const visitor = await signedIn(w)
    const seen = new Set<string>()
    for (const id of ["web", "other", "web"]) {
      const { params } = await authorize(visitor, id)
      expect(params["code"]).toBeDefined()
      const salt = params["session_state"]?.split(".")[1] ?? ""
      expect(salt).toMatch(/^[\w-]{22}$/)
      expect(stateOf(visitor)).toMatch(/^[\w-]{43}$/)
      expect(params["session_state"]).toBe(expected(id, salt, stateOf(visitor)))
      seen.add(salt)
    }
    expect(seen.size).toBe(3)
  })

  test("an error carries it as well, for whoever is signed in and for nobody", async () => {
    const w = await managed()
    const visitor = await signedIn(w)
    const bad = await authorize(visitor, "web", { scope: "openid nonsense" })
    const salt = bad.params["session_state"]?.split(".")[1] ?? ""
    expect(bad.params).toMatchObject({ error: "invalid_scope", session_state: expected("web", salt, stateOf(visitor)) })
    const nobody = w.visitor()
    const none = await authorize(nobody, "web", { prompt: "none" })
    const other = none.params["session_state"]?.split(".")[1] ?? ""
    expect(none.params).toMatchObject({ error: "login_required", session_state: expected("web", other, "") })
    expect(stateOf(nobody)).toBe("")
  })

  test.each([
    ["fragment", { response_mode: "fragment" }],
    ["form_post", { response_mode: "form_post" }],
  ])("it travels in the response mode %s", async (_, more) => {
    const w = await managed()
    const { params } = await authorize(await signedIn(w), "web", more)
    expect(params["session_state"]).toMatch(/^[\w-]{43}\.[\w-]{22}$/)
  })

  test("JARM §2.1: it is in the signed response, and not beside it", async () => {
    const w = await managed()
    const { params } = await authorize(await signedIn(w), "web", { response_mode: "jwt" })
    expect(Object.keys(params)).toEqual(["response"])
    expect(claimsOf(params["response"] ?? "")["session_state"]).toMatch(/^[\w-]{43}\.[\w-]{22}$/)
  })

  test("a redirect URI without an origin gets none: no page of it can ask (HTML §7.1.1)", async () => {
    const own = clients.map((each) =>
      each.client_id === "web" ? { ...each, application_type: "native" as const, redirect_uris: ["com.example.app:/cb"] } : each,
    )
    const w = await managed({ clients: own })
    const { params } = await authorize(await signedIn(w), "web", { redirect_uri: "com.example.app:/cb" })
    expect([params["code"] === undefined, params["session_state"]]).toEqual([false, undefined])
  })

  test("§4.2: the browser's state says nothing of the session, differs from sign-in to sign-in, and goes with a sign-out", async () => {
    const w = await managed()
    const visitor = await signedIn(w)
    await authorize(visitor, "web")
    const [first, session] = [stateOf(visitor), (await w.tokens.sessionsOf("sub-alice"))[0]]
    expect([session?.digest, session?.locator]).not.toContain(first)
    const left = await visitor.submit((await visitor.get("/logout")).page)
    expect([left.page?.["_tag"], stateOf(visitor)]).toEqual(["SignedOut", ""])
    const again = await signedIn(w)
    await authorize(again, "web")
    expect(stateOf(again)).not.toBe(first)
  })

  test("RFC 6265bis §4.1.2: scripts of the frame may read the cookie on pages of other sites; no other cookie changes", async () => {
    const w = await managed()
    const visitor = await signedIn(w)
    const answer = await authorize(visitor, "web")
    expect(cookiesOf(answer)).toMatch(/^__Host-postern-state=[\w-]{43}; Path=\/; SameSite=None; Secure$/)
  })

  test("a session that has expired is none", async () => {
    const w = await managed()
    const visitor = await signedIn(w)
    await authorize(visitor, "web")
    w.pass(400_000)
    const { params } = await authorize(visitor, "web", { prompt: "none" })
    const salt = params["session_state"]?.split(".")[1] ?? ""
    expect(params).toMatchObject({ error: "login_required", session_state: expected("web", salt, "") })
    expect(stateOf(visitor)).toBe("")
  })

  test("it is off by default: no parameter, no cookie, no frame, no word of it in discovery", async () => {
    const w = await world()
    const visitor = await signedIn(w)
    const { params } = await authorize(visitor, "web")
    expect([params["session_state"], stateOf(visitor)]).toEqual([undefined, ""])
    expect((await visitor.get("/connect/checksession")).status).toBe(404)
    expect((await w.send({ path: "/.well-known/openid-configuration" })).body).not.toContain("check_session_iframe")
  })

  test("§3.3: discovery names the frame", async () => {
    const w = await managed()
    const { body } = await w.send({ path: "/.well-known/openid-configuration" })
    expect(JSON.parse(body)).toMatchObject({ check_session_iframe: "https://op.example/connect/checksession" })
  })
})
