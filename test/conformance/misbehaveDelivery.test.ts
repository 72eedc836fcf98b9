import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { type Misbehaving, type Misbehavior, misbehaviors, startMisbehaving } from "@postern/conformance/misbehave"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Asking, credulous, credulousAsking, credulousAtResource, credulousDevice } from "./credulous.ts"
import { Surfer } from "../support/surfer.ts"

const secret = "a secret of a credulous client"
const redirectUri = "https://app.example/cb"
const asking = (client: string, more: Partial<Asking> = {}): Asking => ({ client, secret, redirectUri, ...more })

const usual = asking("code")
const hybrid = asking("hybrid", { parameters: { response_type: "code id_token token" } })
/** The ways to ask that reach faults which the usual code flow does not. */
const ways: Readonly<Record<string, Asking>> = {
  "id-token.c-hash-wrong": hybrid,
  "id-token.c-hash-missing": hybrid,
  "id-token.at-hash-missing": hybrid,
  "id-token.sub-between": hybrid,
  "id-token.signature-broken-es256": asking("es256"),
  "id-token.acr-low": asking("code", { parameters: { claims: JSON.stringify({ id_token: { acr: { essential: true } } }) } }),
  "id-token.auth-time-missing": asking("code", { parameters: { max_age: "600" } }),
  "id-token.auth-time-old": asking("code", { parameters: { max_age: "600" } }),
  "response.code-injected": asking("code", { bare: true }),
  "response.error-long": asking("code", { parameters: { response_mode: "form_post" } }),
}

/** Finds the way to ask that reaches a fault: those of responses as JWTs need a client that asks for them (JARM §2.3.1). */
const wayTo = (id: string): Asking =>
  id.startsWith("response-jwt.") ? asking("code", { parameters: { response_mode: "query.jwt" } }) : (ways[id] ?? usual)

/** Faults whose outcome the provider cannot see: nothing that it answers follows userinfo. */
const seenOnlyAtTheClient = new Set([
  "userinfo.sub-other",
  "userinfo.sub-missing",
  "userinfo.signature-broken",
  "userinfo.signature-strange",
  "userinfo.signature-none",
  "userinfo.email-unverified",
  "userinfo.email-changed",
])

/** Faults whose silence is the duty, or that need another driver: each has a test of its own, below or in misbehaveBound. */
const elsewhere = (id: string): boolean =>
  /^(?:logout|device|ciba|ciba-ping|ciba-push|resource|id-jag)\.|^response\.error-long$|^metadata\.endpoint-plain$|^userinfo\.nonce-(?:endless|renewed)$/.test(
    id,
  )

describe("every fault reaches a client, and one that believes everything accepts it", { timeout: 120_000 }, () => {
  let op: Misbehaving
  let logouts = 0
  const site = createServer((_, response) => {
    logouts += 1
    response.writeHead(200).end()
  })
  beforeAll(async () => {
    await new Promise<void>((resolve) => void site.listen(0, "127.0.0.1", resolve))
    const { port } = site.address() as AddressInfo
    const common = {
      client_secret: secret,
      redirect_uris: [redirectUri],
      post_logout_redirect_uris: ["https://app.example/bye"],
      scope: "openid email offline_access",
      require_pkce: false,
      require_consent: false,
      grant_types: [
        "authorization_code",
        "refresh_token",
        "urn:ietf:params:oauth:grant-type:device_code",
        "urn:openid:params:grant-type:ciba",
      ],
    }
    const asks = { backchannel_token_delivery_mode: "poll" } as const
    op = await startMisbehaving({
      clients: [
        { ...common, ...asks, client_id: "code", backchannel_logout_uri: `http://127.0.0.1:${port}/logout` },
        { ...common, ...asks, client_id: "es256", id_token_signed_response_alg: "ES256" },
        {
          ...common,
          client_id: "hybrid",
          grant_types: ["authorization_code", "implicit", "refresh_token"],
          response_types: ["code id_token token"],
        },
      ],
      patience: 50,
    })
    await credulous(op.issuer, usual)
    await credulous(op.issuer, hybrid)
    await credulous(op.issuer, asking("es256"))
  }, 60_000)
  afterAll(async () => {
    await op?.stop()
    site.close()
  })

  const verdictOf = (id: string, client: string) => {
    const score = op.scores().find(({ misbehavior, client: whose }) => misbehavior.id === id && whose === client)
    return { verdict: score?.verdict, because: score?.because }
  }

  it.each(misbehaviors.filter(({ id }) => !elsewhere(id)).map((each) => [each.id, each] as const))(
    "%s",
    async (id, { signIns }: Misbehavior) => {
      const way = wayTo(id)
      for (let turn = 0; turn < signIns; turn++) await credulous(op.issuerOf(id), way)
      expect(verdictOf(id, way.client)).toMatchObject({ verdict: seenOnlyAtTheClient.has(id) ? "not reached" : "accepted" })
      op.told(id, way.client, true)
      expect(verdictOf(id, way.client)).toMatchObject({ verdict: "accepted" })
    },
  )

  it.each(["device.slow-down", "device.pending", "device.expired"])("%s: a client that polls at once (RFC 8628 §3.5)", async (id) => {
    await credulousDevice(op.issuerOf(id), usual)
    expect(verdictOf(id, "code")).toMatchObject({ verdict: "accepted" })
  })

  it.each(misbehaviors.flatMap(({ id }) => (id.startsWith("ciba.") ? [id] : [])))(
    "%s: a client that asks for the result of a CIBA request at once, again and again (CIBA Core §11)",
    async (id) => {
      await credulousAsking(op.issuerOf(id), usual, "alice")
      expect(verdictOf(id, "code")).toMatchObject({ verdict: "accepted" })
    },
  )

  it("ciba: a client that asks for the result once, and then no more, notices that its request has expired (CIBA Core §11)", async () => {
    const { issuer, verdict } = { issuer: op.issuerOf("ciba.expired"), verdict: () => verdictOf("ciba.expired", "es256").verdict }
    await credulousAsking(issuer, asking("es256"), "alice", 1)
    expect(verdict()).toBe("noticed")
  })

  it.each(["resource.other", "resource.server-changed"])("%s: a client that starts from a resource (RFC 9728 §3.3)", async (id) => {
    await credulousAtResource(op.issuerOf(id), usual)
    await credulousAtResource(op.issuerOf(id), usual)
    expect(verdictOf(id, "code")).toMatchObject({ verdict: "accepted" })
  })

  it("response.error-long: 64 KB in a form, and an error is no code (RFC 9110 §17.5)", async () => {
    const asked = new URLSearchParams({
      client_id: "code",
      redirect_uri: redirectUri,
      response_type: "code",
      scope: "openid",
      state: "s",
      response_mode: "form_post",
    })
    const surfer = new Surfer()
    const login = await surfer.follow(`${op.issuerOf("response.error-long")}/connect/authorize?${asked.toString()}`)
    const page = await surfer.submit(await login.response.text(), login.url, { username: "alice", password: "alice" })
    const html = await page.response.text()
    expect(/name="error_description" value="((?:long )+)"/.exec(html)?.[1]?.length).toBeGreaterThan(65_000)
    expect(html).toContain('name="state" value="s"')
    expect(html).not.toContain('name="code"')
    expect(verdictOf("response.error-long", "code")).toMatchObject({ verdict: "noticed" })
  })

  it("logout tokens: each wrong one is sent before the right one, and a client that takes everything accepts all (Back-Channel Logout §2.6)", async () => {
    const theirs = misbehaviors.filter(({ transform }) => transform.logout !== undefined)
    await op.signOut("code")
    expect(logouts).toBe(theirs.length)
    expect(theirs.map(({ id }) => [id, verdictOf(id, "code").verdict])).toEqual(theirs.map(({ id }) => [id, "accepted"]))
    await expect(op.signOut("hybrid")).rejects.toThrow("hybrid has no backchannel_logout_uri")
    await expect(op.signOut("nobody")).rejects.toThrow('there is no client "nobody"')
  })

  it.each([
    ["logout.state-other", "another state"],
    ["logout.state-missing", null],
  ])("%s: the way back after signing out (RP-Initiated Logout §3)", async (id, state) => {
    const asked = new URLSearchParams({ client_id: "code", post_logout_redirect_uri: "https://app.example/bye", state: "s-1" })
    const { url } = await new Surfer().follow(`${op.issuerOf(id)}/connect/endsession?${asked.toString()}`)
    expect(new URL(url).searchParams.get("state")).toBe(state)
    op.told(id, "code", true)
    expect(verdictOf(id, "code")).toMatchObject({ verdict: "accepted", because: expect.stringContaining("had signed out? Yes") })
  })
})
