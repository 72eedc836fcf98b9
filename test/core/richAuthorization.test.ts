import type { AuditEvent } from "@postern/core"
import type { Json, JsonObject } from "@postern/core"
import { describe, expect, test } from "vitest"
import { approvedDevice } from "../cases/richAuthorization.ts"
import { detailTypes, payment, withDetails, written } from "../support/details.ts"
import { authorize, claimsOf, codeFor, follow, post, redeem, refresh, request, signIn, signedIn, token } from "../support/flows.ts"
import { type Said, type Visitor, said } from "../support/visitor.ts"
import { type World, world } from "../support/world.ts"

interface Asked {
  readonly name: string
  readonly held?: true
  readonly detail: JsonObject
  readonly said: Readonly<
    Record<string, { readonly title: string; readonly summary: ReadonlyArray<Json>; readonly fields: ReadonlyArray<Json> }>
  >
}

const details = ({ page }: Said): ReadonlyArray<Asked> => (page?.["details"] ?? []) as ReadonlyArray<Asked>

const allow = async (visitor: Visitor, page: Said, names: ReadonlyArray<string>): Promise<Said> =>
  follow(visitor, await visitor.submit(page.page, [["decision", "allow"], ...names.map((name) => ["scope", name] as const)]))

const reports = (pages: number, more: JsonObject = {}): JsonObject => ({ type: "report", pages, ...more })
const accounts = (...ids: ReadonlyArray<string>): JsonObject => ({ type: "accounts", accounts: ids })

const codeOf = (
  w: World,
  granted: ReadonlyArray<JsonObject>,
  clientId = "web",
  scope = "openid offline_access",
  more: Record<string, string> = {},
) => codeFor(w, clientId, { scope, authorization_details: written(...granted), ...more })

const introspect = async (w: World, value: unknown, clientId: string) =>
  (await post(w, "/connect/introspect", clientId, { token: String(value) })).json ?? {}

describe("what a client is granted (RFC 9396 §7)", () => {
  test("is in the token response and in the JWT", async () => {
    const w = await world(withDetails())
    const { json = {} } = await redeem(w, await codeOf(w, [reports(3, { identifier: "q1" })]))
    const granted = [{ type: "report", identifier: "q1", pages: 3 }]
    expect(json["authorization_details"]).toEqual(granted)
    expect(claimsOf(String(json["access_token"]))).toMatchObject({ aud: "https://api.example", authorization_details: granted })
    expect(claimsOf(String(json["id_token"]))).not.toHaveProperty("authorization_details")
  })

  test("is in no answer to a request that asks for none", async () => {
    const w = await world(withDetails())
    const { json = {} } = await redeem(w, await codeFor(w, "web", { scope: "openid api.read" }))
    expect(json).not.toHaveProperty("authorization_details")
    expect(claimsOf(String(json["access_token"]))).not.toHaveProperty("authorization_details")
  })

  test("is in the row of a reference token, and in its introspection", async () => {
    const w = await world(withDetails())
    const { json = {} } = await redeem(w, await codeOf(w, [reports(3)], "opaque"), "opaque")
    expect(json["authorization_details"]).toEqual([reports(3)])
    expect((await introspect(w, json["access_token"], "api"))["authorization_details"]).toEqual([reports(3)])
  })

  test("may come without any scope", async () => {
    const w = await world(withDetails())
    const { json = {} } = await redeem(w, await codeFor(w, "web", { scope: undefined, authorization_details: written(reports(3)) }))
    expect(json).toMatchObject({ authorization_details: [reports(3)] })
    expect(json).not.toHaveProperty("scope")
    expect(claimsOf(String(json["access_token"]))).not.toHaveProperty("scope")
    expect(await introspect(w, json["access_token"], "api")).toMatchObject({ active: true, authorization_details: [reports(3)] })
  })

  test("comes through the browser with an access token that does", async () => {
    const w = await world(withDetails())
    const visitor = await signedIn(w)
    const { params } = await authorize(visitor, "hybrid", {
      response_type: "code token",
      nonce: "n",
      authorization_details: written(reports(3)),
    })
    expect(params["error_description"] ?? JSON.parse(params["authorization_details"] ?? "null")).toEqual([reports(3)])
  })

  test("is its own for a client without a person", async () => {
    const w = await world(withDetails())
    const { json = {} } = await token(w, "machine", { grant_type: "client_credentials", authorization_details: written(reports(9)) })
    expect(json).toMatchObject({ authorization_details: [reports(9)] })
    expect(claimsOf(String(json["access_token"]))).toMatchObject({ sub: "machine", authorization_details: [reports(9)] })
    expect(json).not.toHaveProperty("scope")
  })

  test("is taken back with the type that the client may use", async () => {
    const w = await world(withDetails())
    const { json = {} } = await redeem(w, await codeOf(w, [reports(3), accounts("a")]))
    const client = w.clients.get("web")
    if (client !== undefined) w.clients.set("web", { ...client, members: { ...client.members, authorization_details_types: ["accounts"] } })
    const again = await refresh(w, String(json["refresh_token"]))
    expect(again.json?.["authorization_details"]).toEqual([accounts("a")])
  })
})

describe("an audience has its own details (RFC 9396 §9)", () => {
  const both = [reports(3), payment("5.00")]

  test("a token for one resource has those of this resource", async () => {
    const w = await world(withDetails())
    const visitor = await signedIn(w)
    const asked = await authorize(visitor, "asks", { scope: "openid offline_access", authorization_details: written(...both) })
    const { params } = await allow(visitor, asked, ["openid", "offline_access", ...details(asked).map(({ name }) => name)])
    const first = await redeem(w, params["code"] ?? "", "asks", { resource: "https://pay.example" })
    expect(first.json?.["authorization_details"]).toEqual([payment("5.00")])
    const second = await refresh(w, String(first.json?.["refresh_token"]), "asks", { resource: "https://api.example" })
    expect(second.json?.["authorization_details"]).toEqual([reports(3)])
    expect(claimsOf(String(second.json?.["access_token"]))).toMatchObject({
      aud: "https://api.example",
      authorization_details: [reports(3)],
    })
  })

  test("a token for several has all, and each resource is shown its own", async () => {
    const w = await world(withDetails())
    const { json = {} } = await redeem(w, await codeOf(w, [reports(3), accounts("a")], "opaque"), "opaque")
    expect(json["authorization_details"]).toHaveLength(2)
    const seen = async (clientId: string) => (await introspect(w, json["access_token"], clientId))["authorization_details"]
    expect(await seen("api")).toEqual([reports(3)])
    expect(await seen("accounts-api")).toEqual([accounts("a")])
    expect(await seen("opaque")).toHaveLength(2)
  })

  test("locations bound it, and never widen what resource asks for (RFC 9396 §3.2)", async () => {
    const w = await world(withDetails())
    const located = { ...accounts("a"), locations: ["https://accounts.example"] }
    const { json = {} } = await redeem(w, await codeOf(w, [located]))
    expect(claimsOf(String(json["access_token"]))["aud"]).toBe("https://accounts.example")
    const bounded = await redeem(w, await codeOf(w, [located], "web", "openid offline_access pay", { resource: "https://pay.example" }))
    const claims = claimsOf(String(bounded.json?.["access_token"]))
    expect(claims["aud"]).toBe("https://pay.example")
    expect(claims).not.toHaveProperty("authorization_details")
    expect(bounded.json?.["authorization_details"]).toEqual([])
    const wider = await refresh(w, String(bounded.json?.["refresh_token"]), "web", { resource: "https://accounts.example" })
    expect(wider.json?.["error"]).toBe("invalid_target")
  })
})

describe("a token request narrows (RFC 9396 §6.1)", () => {
  test("for its access token alone: the grant keeps all of it", async () => {
    const w = await world(withDetails())
    const code = await codeOf(w, [reports(10), accounts("a", "b")])
    const first = await redeem(w, code, "web", { authorization_details: written(reports(4)) })
    expect(first.json?.["authorization_details"]).toEqual([reports(4)])
    expect(claimsOf(String(first.json?.["access_token"]))["authorization_details"]).toEqual([reports(4)])
    const second = await refresh(w, String(first.json?.["refresh_token"]))
    expect(second.json?.["authorization_details"]).toEqual([reports(10), accounts("a", "b")])
    const third = await refresh(w, String(second.json?.["refresh_token"]), "web", { authorization_details: written(accounts("b")) })
    expect(third.json?.["authorization_details"]).toEqual([accounts("b")])
  })

  test("for a device", async () => {
    const w = await world(withDetails())
    const code = await approvedDevice(w, { authorization_details: written(accounts("a", "b")) })
    const first = await token(w, "tv", { ...code, authorization_details: written(accounts("a")) })
    expect(first.json?.["authorization_details"]).toEqual([accounts("a")])
    const second = await refresh(w, String(first.json?.["refresh_token"]), "tv")
    expect(second.json?.["authorization_details"]).toEqual([accounts("a", "b")])
  })
})

describe("a person sees every detail (RFC 9396 §3)", () => {
  test("with what the sentence does not say beside it, and nothing hidden", async () => {
    const w = await world(withDetails())
    const visitor = await signedIn(w)
    const wanted = payment("5.00", { iban: "DE02100100109307118603", actions: ["initiate"], instant: true })
    const [shown] = details(await authorize(visitor, "asks", { authorization_details: written(wanted) }))
    expect(shown?.said["en"]).toEqual({
      title: "Payment",
      summary: ["Pay ", { value: "5.00" }, " ", { value: "EUR" }, " to ", { value: "Merchant A" }],
      fields: [
        { label: "actions", value: ["initiate"] },
        { label: "Account", value: "DE02100100109307118603" },
        { label: "Instant", value: true },
      ],
    })
    expect(shown?.said["de"]?.title).toBe("Zahlung")
  })

  test("and may take some away", async () => {
    const w = await world(withDetails())
    const visitor = await signedIn(w)
    const asked = await authorize(visitor, "asks", { authorization_details: written(payment("5.00"), payment("6.00")) })
    const kept = details(asked)[1]?.name ?? ""
    const { params } = await allow(visitor, asked, ["openid", kept])
    const { json } = await redeem(w, params["code"] ?? "", "asks")
    expect(json?.["authorization_details"]).toEqual([payment("6.00")])
  })

  test("and may take all away, which the client is told", async () => {
    const w = await world(withDetails())
    const visitor = await signedIn(w)
    const asked = await authorize(visitor, "asks", { authorization_details: written(payment("5.00")) })
    const { params } = await allow(visitor, asked, ["openid"])
    expect((await redeem(w, params["code"] ?? "", "asks")).json?.["authorization_details"]).toEqual([])
  })

  test("and who leaves nothing denies it", async () => {
    const w = await world(withDetails())
    const visitor = await signedIn(w)
    const asked = await authorize(visitor, "asks", { scope: undefined, authorization_details: written(payment("5.00")) })
    expect((await allow(visitor, asked, [])).params["error"]).toBe("access_denied")
  })

  test("a form that asks for more than the page gets what the page asked for at most", async () => {
    const w = await world(withDetails())
    const visitor = await signedIn(w)
    const asked = await authorize(visitor, "asks", { authorization_details: written(payment("5.00")) })
    const forged = `detail ${JSON.stringify(payment("5000.00"))}`
    const { params } = await allow(visitor, asked, ["openid", forged])
    expect((await redeem(w, params["code"] ?? "", "asks")).json?.["authorization_details"]).toEqual([])
  })

  test("on the page of a device, and in the person's own list", async () => {
    const w = await world(withDetails())
    const { json } = await post(w, "/connect/deviceauthorization", "tv", {
      scope: "openid offline_access",
      authorization_details: written(accounts("a")),
    })
    const visitor = w.visitor()
    await signIn(visitor)
    const confirm = await visitor.get("/device", { user_code: String(json?.["user_code"]) })
    expect(details(confirm)[0]?.detail).toEqual(accounts("a"))
    await visitor.submit(confirm.page, [["decision", "allow"]])
    const home = await visitor.get("/")
    expect(home.page?.["consents"]).toMatchObject([{ client: { name: "Television" }, details: [{ detail: accounts("a") }] }])
  })
})

describe("a remembered consent (RFC 9396 §3, OpenID Connect Core §3.1.2.4)", () => {
  /** Asks for accounts, and allows all. */
  const allowed = async (visitor: Visitor, ...ids: ReadonlyArray<string>) => {
    const asked = await authorize(visitor, "asks", { authorization_details: written(accounts(...ids)) })
    return allow(visitor, asked, ["openid", ...details(asked).map(({ name }) => name)])
  }
  const isAsked = async (visitor: Visitor, ...wanted: ReadonlyArray<JsonObject>) =>
    (await authorize(visitor, "asks", { authorization_details: written(...wanted) })).page?.["_tag"] === "Consent"

  test("covers the same detail and narrower ones, and nothing else", async () => {
    const w = await world(withDetails())
    const visitor = await signedIn(w)
    await allowed(visitor, "a", "b")
    w.pass(1)
    expect(await isAsked(visitor, accounts("a", "b"))).toBe(false)
    expect(await isAsked(visitor, accounts("b"))).toBe(false)
    expect(await isAsked(visitor, { ...accounts("b"), until: "2026-12-31" })).toBe(false)
    expect(await isAsked(visitor, accounts("a", "c"))).toBe(true)
    expect(await isAsked(visitor, accounts("a"), accounts("b"))).toBe(true)
    expect(await isAsked(visitor, reports(1))).toBe(true)
  })

  test("shows what is new beside it", async () => {
    const w = await world(withDetails())
    const visitor = await signedIn(w)
    await allowed(visitor, "a")
    w.pass(1)
    const asked = await authorize(visitor, "asks", { authorization_details: written(accounts("a"), reports(2)) })
    expect(details(asked).map(({ detail, held = false }) => [detail["type"], held])).toEqual([
      ["accounts", true],
      ["report", false],
    ])
  })

  test("loses what is taken away from it, a wider detail that holds it too", async () => {
    const w = await world(withDetails())
    const visitor = await signedIn(w)
    await allowed(visitor, "a", "b")
    w.pass(1)
    const asked = await authorize(visitor, "asks", { authorization_details: written(accounts("b"), reports(2)) })
    await allow(visitor, asked, ["openid", details(asked)[1]?.name ?? ""])
    w.pass(1)
    expect(await isAsked(visitor, accounts("b"))).toBe(true)
    expect(await isAsked(visitor, reports(1))).toBe(false)
  })

  test("keeps none of a type that asks each time", async () => {
    const w = await world(withDetails())
    const visitor = await signedIn(w)
    for (const value of ["5.00", "5.00"]) {
      const asked = await authorize(visitor, "asks", { authorization_details: written(payment(value)) })
      expect(asked.page?.["_tag"]).toBe("Consent")
      await allow(visitor, asked, ["openid", details(asked)[0]?.name ?? ""])
      w.pass(1)
    }
    expect((await w.tokens.findConsent("sub-alice", "asks"))?.scope).toEqual(["openid"])
  })

  test("is told to an auditor by the types alone", async () => {
    const events: Array<AuditEvent> = []
    const w = await world(withDetails({ audit: { record: (made) => void events.push(...made()) } }))
    const visitor = await signedIn(w)
    const { params } = await allowed(visitor, "secret-account")
    await redeem(w, params["code"] ?? "", "asks")
    const told = events.filter(({ event }) => ["consent_given", "granted", "token_issued"].includes(event))
    expect(told.map(({ event, authorizationDetails }) => [event, authorizationDetails])).toEqual([
      ["consent_given", ["accounts"]],
      ["granted", ["accounts"]],
      ["token_issued", ["accounts"]],
    ])
    expect(JSON.stringify(events)).not.toContain("secret-account")
  })
})

describe("a provider fills in what clients leave open (RFC 9396 §7.1)", () => {
  const withAccounts = async (ids: Json) => {
    const w = await world(withDetails())
    const alice = w.people.get("sub-alice")
    if (alice !== undefined) w.people.set("sub-alice", { ...alice, claims: { ...alice.claims, accounts: ids } })
    return w
  }

  test("from a claim of the person, who sees it", async () => {
    const w = await withAccounts(["one", "two"])
    const visitor = await signedIn(w)
    const asked = await authorize(visitor, "asks", { authorization_details: written({ type: "accounts", accounts: [] }) })
    expect(details(asked)[0]?.detail).toEqual(accounts("one", "two"))
    const { params } = await allow(visitor, asked, ["openid", details(asked)[0]?.name ?? ""])
    expect((await redeem(w, params["code"] ?? "", "asks")).json?.["authorization_details"]).toEqual([accounts("one", "two")])
  })

  test("never over what a client asks for, nor with what does not fit", async () => {
    const w = await withAccounts(["one", "two"])
    expect((await redeem(w, await codeOf(w, [accounts("two")]))).json?.["authorization_details"]).toEqual([accounts("two")])
    const odd = await withAccounts([{ iban: 1 }])
    expect((await redeem(odd, await codeOf(odd, [{ type: "accounts" }]))).json?.["authorization_details"]).toEqual([{ type: "accounts" }])
  })

  test("and what has become more since is not covered by what is remembered, nor by the grant", async () => {
    const w = await withAccounts(["one"])
    const visitor = await signedIn(w)
    const open = written({ type: "accounts" })
    const asked = await authorize(visitor, "asks", { scope: "openid offline_access", authorization_details: open })
    const { params } = await allow(visitor, asked, ["openid", "offline_access", details(asked)[0]?.name ?? ""])
    const { json } = await redeem(w, params["code"] ?? "", "asks")
    const alice = w.people.get("sub-alice")
    if (alice !== undefined) w.people.set("sub-alice", { ...alice, claims: { ...alice.claims, accounts: ["one", "two"] } })
    w.pass(1)
    expect((await authorize(visitor, "asks", { authorization_details: open })).page?.["_tag"]).toBe("Consent")
    const widened = await refresh(w, String(json?.["refresh_token"]), "asks", { authorization_details: open })
    expect(widened.json?.["error"]).toBe("invalid_authorization_details")
    const kept = await refresh(w, String(json?.["refresh_token"]), "asks")
    expect(kept.json?.["authorization_details"]).toEqual([accounts("one")])
  })
})

describe("discovery and registration (RFC 9396 §10)", () => {
  const document = async (w: World) => said(await w.send({ path: "/.well-known/openid-configuration" })).json ?? {}

  test("discovery names the types, where there are any", async () => {
    expect((await document(await world(withDetails())))["authorization_details_types_supported"]).toEqual(Object.keys(detailTypes))
    expect(await document(await world())).not.toHaveProperty("authorization_details_types_supported")
  })

  test("a provider without the feature ignores the parameter (RFC 6749 §3.1)", async () => {
    const { defaultFeatures } = await import("@postern/core")
    const features = defaultFeatures.filter(({ name }) => name !== "rich-authorization")
    const w = await world({ more: { features } })
    const { json } = await redeem(w, await codeFor(w, "web", { authorization_details: "[{" }), "web", { authorization_details: "[{" })
    expect(json).toHaveProperty("access_token")
    expect(json).not.toHaveProperty("authorization_details")
  })
})

test("the language of a request that is pushed is the same (RFC 9126 §2.1)", async () => {
  const w = await world(withDetails())
  const visitor = await signedIn(w)
  const pushed = await post(w, "/connect/par", "asks", request("asks", { authorization_details: written(payment("5.00")) }))
  const asked = await authorize(visitor, "asks", { request_uri: String(pushed.json?.["request_uri"]) })
  expect(details(asked)[0]?.detail).toEqual(payment("5.00"))
})
