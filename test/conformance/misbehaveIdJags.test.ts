import { type Misbehaving, type TestProvider, misbehaviors, startMisbehaving, startPostern } from "@postern/conformance/misbehave"
import { type JwkSet, defaultFeatures, idJag } from "@postern/core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { freePort } from "../support/server.ts"
import { Surfer } from "../support/surfer.ts"

const exchange = "urn:ietf:params:oauth:grant-type:token-exchange"
const bearer = "urn:ietf:params:oauth:grant-type:jwt-bearer"
const tokenType = (kind: string): string => `urn:ietf:params:oauth:token-type:${kind}`
const redirect_uri = "https://app.example/cb"
const faults = misbehaviors.filter(({ transform }) => transform["id-jag"] !== undefined)

let identity: Misbehaving
let server: TestProvider

/** A provider that issues ID-JAGs as it is told to get them wrong, and ours, which trusts all of its issuers. */
beforeAll(async () => {
  const port = await freePort()
  const client = { client_id: "app", client_secret: "a secret of the app", redirect_uris: [redirect_uri], scope: "openid email" }
  identity = await startMisbehaving({
    clients: [{ ...client, require_pkce: false, grant_types: ["authorization_code", exchange] }],
    crossing: { audiences: [`http://127.0.0.1:${port}`] },
  })
  const jwks = (await (await fetch(`${identity.issuer}/.well-known/openid-configuration/jwks`)).json()) as JwkSet
  const issuers = ["none", ...faults.map(({ id }) => id)].map((id) => identity.issuerOf(id))
  server = await startPostern({
    port,
    people: [{ subject: "alice-1", username: "alice" }],
    clients: [{ ...client, grant_types: [bearer, "refresh_token"], response_types: [], scope: "openid email offline_access" }],
    provider: { features: [...defaultFeatures, idJag({ identityProviders: issuers.map((issuer) => ({ issuer, jwks })) })] },
  })
})
afterAll(async () => {
  await identity?.stop()
  await server?.stop()
})

test("a client without scopes has no part in cross-app access, and keeps nobody else from it; a server is named by its URL", async () => {
  const plain = { client_id: "plain", client_secret: "a secret of plain", redirect_uris: [redirect_uri] }
  const start = (audience: string, ...scopes: ReadonlyArray<string>) =>
    startMisbehaving({
      clients: scopes.map((scope, at) => ({ ...plain, client_id: `plain${at}`, scope })),
      crossing: { audiences: [audience] },
    })
  for (const scopes of [[""], ["", "openid"]]) await (await start("https://as.example", ...scopes)).stop()
  await expect(start("nonsense", "openid")).rejects.toThrow('idJag: authorizationServers[0].issuer: is "nonsense", and must be the URL')
})

type Members = Readonly<Record<string, string>>

const tokensOf = async (issuer: string, fields: Members): Promise<{ readonly status: number; readonly json: Members }> => {
  const authorization = `Basic ${Buffer.from("app:a+secret+of+the+app").toString("base64")}`
  const answer = await fetch(`${issuer}/connect/token`, { method: "POST", headers: { authorization }, body: new URLSearchParams(fields) })
  return { status: answer.status, json: (await answer.json()) as Members }
}

/** Signs Alice in at an issuer, and gives the ID-JAG that the application gets there to our provider. */
const crossed = async (id: string) => {
  const issuer = identity.issuerOf(id)
  const asked = { client_id: "app", redirect_uri, response_type: "code", scope: "openid" }
  const back = await new Surfer().authorize(`${issuer}/connect/authorize?${new URLSearchParams(asked).toString()}`, "alice", "alice")
  const code = back.searchParams.get("code") ?? ""
  const { json: signedIn } = await tokensOf(issuer, { grant_type: "authorization_code", code, redirect_uri })
  const { json: issued } = await tokensOf(issuer, {
    grant_type: exchange,
    requested_token_type: tokenType("id-jag"),
    subject_token: signedIn["id_token"] ?? "",
    subject_token_type: tokenType("id_token"),
    audience: server.issuer,
    scope: "email",
  })
  return { issued, taken: await tokensOf(server.issuer, { grant_type: bearer, assertion: issued["access_token"] ?? "" }) }
}

const verdictOn = (id: string) => identity.scores().find(({ misbehavior }) => misbehavior.id === id)

describe("a provider that issues ID-JAGs wrongly", { timeout: 60_000 }, () => {
  test("ID-JAG §4: is right until it is told otherwise, and ours gives a token for what it issues", async () => {
    const { issued, taken } = await crossed("none")
    expect(issued).toMatchObject({ issued_token_type: tokenType("id-jag"), token_type: "N_A", scope: "email" })
    expect(taken).toMatchObject({ status: 200, json: { scope: "email" } })
  })

  test.each(faults.filter(({ id }) => id !== "id-jag.issued-type-other"))(
    "$paragraph: $title, and ours does as it must ($id)",
    async ({ id, signIns, positive }) => {
      for (let made = 1; made < signIns; made++) expect((await crossed(id)).taken.status).toBe(200)
      const { taken } = await crossed(id)
      const isWider = id === "id-jag.scope-wider"
      if (!isWider) expect(taken.status, JSON.stringify(taken.json)).toBe(positive ? 200 : 400)
      identity.told(id, "app", isWider ? taken.json["scope"] !== "email" || "refresh_token" in taken.json : taken.status === 200)
      expect(verdictOn(id)).toMatchObject({ verdict: positive ? "accepted" : "noticed", right: true })
    },
  )

  test("RFC 8693 §2.2.1: the type of the answer is the client's to look at", async () => {
    const { issued } = await crossed("id-jag.issued-type-other")
    expect(issued).toMatchObject({ issued_token_type: tokenType("access_token"), token_type: "Bearer" })
    identity.told("id-jag.issued-type-other", "app", true)
    expect(verdictOn("id-jag.issued-type-other")).toMatchObject({ verdict: "accepted", right: false })
  })
})
