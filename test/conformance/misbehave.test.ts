import { formats } from "@postern/conformance"
import {
  type Misbehaving,
  type Seen,
  isRight,
  misbehaviorOf,
  misbehaviors,
  observed,
  startMisbehaving,
} from "@postern/conformance/misbehave"
import { decodeJwt } from "jose"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Surfer } from "../support/surfer.ts"

const nonceWrong = misbehaviorOf("id-token.nonce-wrong")
const audList = misbehaviorOf("id-token.aud-list")
if (nonceWrong === undefined || audList === undefined) throw new Error("the catalog has lost an entry")

const asked = (step: "token" | "userinfo", delivered?: "token"): Seen => ({ kind: "asked", step, delivered })
const control = [asked("token"), asked("userinfo")]

describe("the verdict on a client", () => {
  it.each<readonly [title: string, seen: ReadonlyArray<Seen>, control: ReadonlyArray<Seen>, verdict: string]>([
    ["that never got the changed answer", [asked("token")], control, "not reached"],
    ["that goes on with the tokens", [asked("token", "token"), asked("userinfo")], control, "accepted"],
    ["that stops where it goes on when all is right", [asked("token", "token")], control, "noticed"],
    ["whose next step is never seen", [asked("token", "token")], [asked("token")], "not reached"],
    ["that asked for userinfo before", [asked("userinfo"), asked("token", "token")], control, "noticed"],
    ["that signs the person in", [asked("token", "token"), { kind: "told", signedIn: true }], [], "accepted"],
    ["that refuses the person", [asked("token", "token"), { kind: "told", signedIn: false }], [], "noticed"],
    [
      "that refuses the person after it used the token",
      [asked("token", "token"), asked("userinfo"), { kind: "told", signedIn: false }],
      control,
      "accepted",
    ],
  ])("%s", (_, seen, right, verdict) => {
    expect(observed(nonceWrong, seen, right).verdict).toBe(verdict)
  })

  it("is right for a fault that is noticed, and for a right answer that is accepted", () => {
    const noticed = { verdict: "noticed", because: "" } as const
    const accepted = { verdict: "accepted", because: "" } as const
    expect([isRight(nonceWrong, noticed), isRight(nonceWrong, accepted)]).toEqual([true, false])
    expect([isRight(audList, noticed), isRight(audList, accepted)]).toEqual([false, true])
  })
})

describe("the catalog", () => {
  it("has an id of its own for every fault, each with a paragraph", () => {
    expect(new Set(misbehaviors.map(({ id }) => id)).size).toBe(misbehaviors.length)
    expect(misbehaviors.filter(({ paragraph }) => !/§\d/.test(paragraph)).map(({ id }) => id)).toEqual([])
  })
})

describe("a misbehaving provider", () => {
  let op: Misbehaving
  const redirect_uri = "https://app.example/cb"
  const client = {
    client_id: "app",
    client_secret: "a secret of the app",
    redirect_uris: [redirect_uri],
    require_pkce: false,
    scope: "openid email",
  }
  beforeAll(async () => {
    op = await startMisbehaving({ clients: [client] })
  })
  afterAll(async () => op?.stop())

  const signIn = async (issuer: string, more: Readonly<Record<string, string>> = {}) => {
    const parameters = { client_id: "app", redirect_uri, response_type: "code", scope: "openid", nonce: "n-1", state: "s-1", ...more }
    const back = await new Surfer().authorize(`${issuer}/connect/authorize?${new URLSearchParams(parameters).toString()}`, "alice", "alice")
    const answer = await fetch(`${issuer}/connect/token`, {
      method: "POST",
      headers: { authorization: `Basic ${Buffer.from("app:a+secret+of+the+app").toString("base64")}` },
      body: new URLSearchParams({ grant_type: "authorization_code", code: back.searchParams.get("code") ?? "", redirect_uri }),
    })
    const tokens = (await answer.json()) as Readonly<Record<string, string>>
    if (tokens["id_token"] === undefined) throw new Error(`${back.href} ${JSON.stringify(tokens)}`)
    return { back, tokens, claims: decodeJwt(tokens["id_token"] ?? "") }
  }

  it("is right until it is told otherwise", async () => {
    const { back, claims } = await signIn(op.issuer)
    expect(Object.fromEntries(back.searchParams)).toMatchObject({ state: "s-1", iss: op.issuer })
    expect(claims).toMatchObject({ iss: op.issuer, aud: "app", nonce: "n-1", sub: "alice-1" })
  })

  it("gets wrong what a request asks for by acr_values, and nothing after it", async () => {
    expect((await signIn(op.issuer, { acr_values: "fault:id-token.nonce-wrong" })).claims["nonce"]).toBe("another nonce")
    expect((await signIn(op.issuer)).claims["nonce"]).toBe("n-1")
  })

  it("gets one thing wrong for everybody at the issuer of that fault", async () => {
    const issuer = op.issuerOf("response.state-wrong")
    const { back, claims } = await signIn(issuer)
    expect(back.searchParams.get("state")).toBe("another state")
    expect(claims.iss).toBe(issuer)
    const metadata = await fetch(`${op.issuerOf("metadata.issuer-other")}/.well-known/openid-configuration`)
    expect(await metadata.json()).toMatchObject({ issuer: "https://other.example" })
    expect((await fetch(`${op.issuerOf("no-such-fault")}/.well-known/openid-configuration`)).status).toBe(404)
  })

  it("shows what it saw as a table, and reports it", async () => {
    op.told("response.state-wrong", "app", false)
    const page = await (await fetch(op.scoreboard)).text()
    expect(page).toMatch(/<code>response\.state-wrong<\/code>.*<td class="wrong">accepted<\/td>/)
    expect(page).not.toMatch(/<script|http-equiv="refresh"/)
    expect(formats.junit(op.report())).toContain("response.state-wrong")
    expect(op.report().results.find(({ requirement }) => requirement.id === "response.state-wrong")).toMatchObject({ verdict: "fail" })
  })

  it("knows no fault that is not in the catalog", async () => {
    await expect(startMisbehaving({ clients: [client], faults: ["no-such-fault"] })).rejects.toThrow('no fault "no-such-fault"')
  })
})
