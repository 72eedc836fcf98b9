import { describe, expect, test } from "vitest"
import { authorize, follow, signedIn } from "../support/flows.ts"
import { app, register, registers, sendJson } from "../support/registering.ts"
import type { Said, Visitor } from "../support/visitor.ts"
import { type World, world } from "../support/world.ts"

interface Asked {
  readonly name: string
  readonly held?: true
}

const scopes = ({ page }: Said): ReadonlyArray<Asked> => (page?.["scopes"] ?? []) as ReadonlyArray<Asked>

const asked = (said: Said) => ({
  fresh: scopes(said).flatMap(({ name, held }) => (held === true ? [] : [name])),
  held: scopes(said).flatMap(({ name, held }) => (held === true ? [name] : [])),
})

const allow = async (visitor: Visitor, said: Said, ticked: ReadonlyArray<string>): Promise<Said> =>
  follow(visitor, await visitor.submit(said.page, [["decision", "allow"], ...ticked.map((each) => ["scope", each] as const)]))

/** Asks for scopes and allows all of them. */
const allowed = async (visitor: Visitor, scope: string, clientId = "asks") => {
  const said = await authorize(visitor, clientId, { scope })
  return allow(visitor, said, scope.split(" "))
}

const isAsked = ({ page }: Said) => page?.["_tag"] === "Consent"

describe("a client that asks for more (OpenID Connect Core §3.1.2.4)", () => {
  test("a person is asked for what is new, beside what the client has already", async () => {
    const w = await world()
    const visitor = await signedIn(w)
    await allowed(visitor, "openid email api.read")
    w.pass(1)
    expect(asked(await authorize(visitor, "asks", { scope: "openid email api.read api.write" }))).toEqual({
      fresh: ["api.write"],
      held: ["openid", "email", "api.read"],
    })
  })

  test("a claim by name is new too", async () => {
    const w = await world()
    const visitor = await signedIn(w)
    await allowed(visitor, "openid")
    w.pass(1)
    const claims = JSON.stringify({ userinfo: { email: null } })
    expect(asked(await authorize(visitor, "asks", { scope: "openid", claims }))).toEqual({ fresh: ["claim email"], held: ["openid"] })
  })

  test("a first request has nothing beside it, and prompt=consent asks about everything", async () => {
    const w = await world()
    const visitor = await signedIn(w)
    expect(asked(await authorize(visitor, "asks", { scope: "openid api.read" }))).toEqual({ fresh: ["openid", "api.read"], held: [] })
    await allowed(visitor, "openid api.read")
    w.pass(1)
    const again = await authorize(visitor, "asks", { scope: "openid api.read api.write", prompt: "consent" })
    expect(asked(again)).toEqual({ fresh: ["openid", "api.read", "api.write"], held: [] })
  })

  test("the union is remembered, and never more than was allowed", async () => {
    const w = await world()
    const visitor = await signedIn(w)
    await allowed(visitor, "openid api.read")
    w.pass(1)
    const more = await authorize(visitor, "asks", { scope: "openid api.read api.write email" })
    await allow(visitor, more, ["openid", "api.read", "api.write"])
    w.pass(1)
    expect(isAsked(await authorize(visitor, "asks", { scope: "openid api.read api.write" }))).toBe(false)
    expect(asked(await authorize(visitor, "asks", { scope: "openid api.read api.write email" })).fresh).toEqual(["email"])
  })

  test("what is unticked beside it is taken from the client", async () => {
    const w = await world()
    const visitor = await signedIn(w)
    await allowed(visitor, "openid api.read")
    w.pass(1)
    await allow(visitor, await authorize(visitor, "asks", { scope: "openid api.read api.write" }), ["openid", "api.write"])
    w.pass(1)
    expect(asked(await authorize(visitor, "asks", { scope: "openid api.read api.write" }))).toEqual({
      fresh: ["api.read"],
      held: ["openid", "api.write"],
    })
  })

  test("asking for more does not make what was allowed before last longer", async () => {
    const w = await world()
    const visitor = await signedIn(w)
    await allowed(visitor, "openid api.read")
    w.pass(900)
    await allowed(visitor, "openid api.read api.write")
    // The consents of this client end after 1,000 seconds.
    w.pass(101)
    expect(asked(await authorize(visitor, "asks", { scope: "openid api.read" })).fresh).toEqual(["openid", "api.read"])
  })

  test("the page of an embedder's own is told the same", async () => {
    const w = await world({ more: { interactions: { consent: "/own/consent" } } })
    const visitor = await signedIn(w)
    const state = async (scope: string) => {
      const sent = await visitor.get("/connect/authorize", {
        client_id: "asks",
        redirect_uri: "https://app.example/cb",
        response_type: "code",
        scope,
        code_challenge: "c".repeat(43),
        code_challenge_method: "S256",
      })
      const target = sent.header("location") ?? ""
      const told = await w.provider.interaction(visitor.message(target))
      if (told.need !== "consent") throw new Error(told.need)
      return { told, target }
    }
    const first = await state("openid api.read")
    visitor.take(
      await w.provider.resume(visitor.message(first.target, "POST"), {
        csrf: first.told.csrf,
        consent: { scopes: ["openid", "api.read"] },
      }),
    )
    w.pass(1)
    const { told } = await state("openid api.read email")
    expect(told.consent?.scopes.map(({ name, held = false }) => [name, held])).toEqual([
      ["openid", true],
      ["email", false],
      ["api.read", true],
    ])
  })
})

describe("a client that registered itself and changed where it sends people (RFC 7592 §2.2)", () => {
  /** A person has allowed `email`; then the client is changed. */
  const changed = async (): Promise<{ w: World; visitor: Visitor; id: string }> => {
    const w = await world(registers({ open: true }))
    const given = (await register(w, { ...app, scope: "openid email phone" })).json as Record<string, string>
    const id = given["client_id"] ?? ""
    const visitor = await signedIn(w)
    await allowed(visitor, "openid email", id)
    w.pass(10)
    const answer = await sendJson(w, "PUT", given["registration_client_uri"] ?? "", {
      body: { ...app, client_id: id, scope: "openid email phone", redirect_uris: ["https://app.example/cb", "https://other.example/cb"] },
      ...(given["registration_access_token"] === undefined ? {} : { token: given["registration_access_token"] }),
    })
    expect(answer.status).toBe(200)
    w.pass(10)
    return { w, visitor, id }
  }

  test("is asked about everything again, with nothing beside it", async () => {
    const { visitor, id } = await changed()
    expect(asked(await authorize(visitor, id, { scope: "openid email phone" }))).toEqual({ fresh: ["openid", "email", "phone"], held: [] })
  })

  test("does not get back by a new consent what was allowed before the change", async () => {
    const { w, visitor, id } = await changed()
    await allowed(visitor, "openid phone", id)
    w.pass(10)
    expect(isAsked(await authorize(visitor, id, { scope: "openid phone" }))).toBe(false)
    expect(asked(await authorize(visitor, id, { scope: "openid email" })).fresh).toEqual(["email"])
  })
})
