import { type AuditEvent, type IdJagOptions, compose, idJag } from "@postern/core"
import { revokeGrants } from "@postern/core/model"
import { jwtBearer, jwtBearerGrantType, tokenExchange, tokenExchangeGrantType } from "@postern/core/grants"
import { memoryTokenStore } from "@postern/core/memory"
import { describe, expect, test } from "vitest"
import { tokensFor } from "../support/flows.ts"
import { ask, assertion, asserting, crossing, idJagTokenType, redeem, todo, todoServer } from "../support/idJags.ts"
import { said } from "../support/visitor.ts"
import { type WorldOptions, beginning, world } from "../support/world.ts"

const refusals = (w: Awaited<ReturnType<typeof world>>): ReadonlyArray<string> =>
  w.trails.flatMap(({ steps }) => steps.flatMap((step) => step.refused?.rule ?? []))

const metadataOf = async (options: IdJagOptions, grants: NonNullable<WorldOptions["more"]>["grants"] = []) => {
  const w = await world(crossing(options, {}, { grants }))
  return said(await w.send({ path: "/.well-known/openid-configuration" })).json ?? {}
}

describe("identity assertion JWT authorization grants", () => {
  test("ID-JAG §3.1: one that comes 16 times at once is taken once", async () => {
    const w = await world(crossing({ identityProviders: [asserting()] }))
    const jag = await assertion()
    const answers = await Promise.all(Array.from({ length: 16 }, () => redeem(w, jag)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(refusals(w)).toEqual(Array.from({ length: 15 }, () => "extension.unused"))
  })

  test("ID-JAG §3.1, RFC 7523 §3 (7): one that was taken stays taken on a machine whose clock is behind, where another has tidied up", async () => {
    const store = memoryTokenStore()
    const w = await world({ ...crossing({ identityProviders: [asserting()] }), tokens: store })
    const jag = await assertion({ exp: beginning + 60 })
    expect((await redeem(w, jag)).status).toBe(200)
    store.sweep(beginning + 89)
    w.pass(59)
    expect((await redeem(w, jag)).json?.["error_description"]).toBe("It has been used before.")
    expect(store.sweep(beginning + 90).removed).toBe(1)
  })

  test("architecture law 4: a revocation that comes between judging and the commit refuses it", async () => {
    const plain = memoryTokenStore()
    let isDue = false
    const w = await world({
      ...crossing({ authorizationServers: [todo()] }),
      tokens: {
        ...plain,
        commit: async (commands) => {
          if (isDue) {
            isDue = false
            await plain.commit([revokeGrants({ subject: "sub-alice" }, beginning)])
          }
          return plain.commit(commands)
        },
      },
    })
    const { id_token } = await tokensFor(w, "wiki", "openid")
    isDue = true
    expect((await ask(w, id_token)).json).toEqual({ error: "invalid_request", error_description: "The subject_token has been revoked." })
    expect(refusals(w).at(-1)).toBe("id-jag.subject-live")
  })

  test("an auditor is told which server each is for", async () => {
    const events: Array<AuditEvent> = []
    const w = await world(
      crossing({ authorizationServers: [todo()] }, {}, { audit: { record: (tell) => void events.push(...[tell()].flat()) } }),
    )
    const { id_token } = await tokensFor(w, "wiki", "openid")
    events.length = 0
    await ask(w, id_token, { scope: "todo.read" })
    expect(events).toMatchObject([
      { event: "token_issued", clientId: "wiki", subject: "sub-alice", scope: ["todo.read"], detail: `authorization_grant:${todoServer}` },
    ])
    await ask(w, id_token, { audience: "https://else.example" })
    expect(events.at(-1)).toMatchObject({ event: "refused", clientId: "wiki", detail: "id-jag.audience-known" })
  })

  test("ID-JAG §7.1, §7.2, §9.4: metadata tell each role, and nobody who is trusted", async () => {
    const issuing = await metadataOf({ authorizationServers: [todo()] })
    expect(issuing["identity_chaining_requested_token_types_supported"]).toEqual([idJagTokenType])
    expect(issuing["authorization_grant_profiles_supported"]).toBe(undefined)
    expect(issuing["grant_types_supported"]).toContain(tokenExchangeGrantType)
    expect(issuing["grant_types_supported"]).not.toContain(jwtBearerGrantType)
    const taking = await metadataOf({ identityProviders: [asserting()] })
    expect(taking["authorization_grant_profiles_supported"]).toEqual(["urn:ietf:params:oauth:grant-profile:id-jag"])
    expect(taking["identity_chaining_requested_token_types_supported"]).toBe(undefined)
    expect(taking["grant_types_supported"]).toContain(jwtBearerGrantType)
    expect(JSON.stringify([issuing, taking])).not.toMatch(/todo|peer/)
  })

  test("RFC 8414 §2: beside token exchange and JWT bearer assertions each grant_type is there once", async () => {
    const grants = [tokenExchange(), jwtBearer({ issuers: [] })]
    const types = (await metadataOf({ authorizationServers: [todo()], identityProviders: [asserting()] }, grants))["grant_types_supported"]
    expect(types).toEqual([...new Set(types as ReadonlyArray<string>)])
    expect(types).toEqual(expect.arrayContaining([tokenExchangeGrantType, jwtBearerGrantType]))
  })

  test("they are off by default", () => {
    expect(compose().grantTypes).not.toContain(tokenExchangeGrantType)
    expect(compose().features.map(({ name }) => name)).not.toContain("id-jag")
  })

  test.each<readonly [fault: string, options: IdJagOptions]>([
    ["authorizationServers[1].issuer: is also that of an earlier entry", { authorizationServers: [todo(), todo()] }],
    [
      "identityProviders[1].issuer: is also that of an earlier entry",
      { identityProviders: [asserting({ tenant: "blue" }), asserting({ tenant: "blue" })] },
    ],
    [
      "authorizationServers[0].lifetime: is 3601, and must be a whole number from 1 to 3600",
      { authorizationServers: [todo({ lifetime: 3601 })] },
    ],
    [
      "authorizationServers[0].lifetime: is 0, and must be a whole number from 1 to 3600",
      { authorizationServers: [todo({ lifetime: 0 })] },
    ],
    ["authorizationServers[0].maxAge: is 0.5, and must be a whole number from 0 on", { authorizationServers: [todo({ maxAge: 0.5 })] }],
    ["authorizationServers[0].scope: is empty; name one", { authorizationServers: [todo({ scope: [] })] }],
    [
      "identityProviders[0].email: is trusted without subjects: every sub would be a subject of ours; list the subjects, even as {}",
      { identityProviders: [asserting({ email: true })] },
    ],
    ["authorizationServers[0].tenants: is empty; name one, or leave it out", { authorizationServers: [todo({ tenants: [] })] }],
    [
      'authorizationServers[0].tenants[1]: is "", and must be a text of 1 to 255 characters',
      { authorizationServers: [todo({ tenants: ["blue", ""] })] },
    ],
    [
      "authorizationServers[0].tenants[1]: is also that of an earlier entry; name each once",
      { authorizationServers: [todo({ tenants: ["blue", "blue"] })] },
    ],
    [
      "authorizationServers[0].tenants: has more than 200; name fewer",
      { authorizationServers: [todo({ tenants: Array.from({ length: 201 }, (_, at) => `t${at}`) })] },
    ],
    [
      'authorizationServers[0].audTenant: is "", and must be a text of 1 to 255 characters',
      { authorizationServers: [todo({ audTenant: "" })] },
    ],
    [
      `authorizationServers[0].audTenant: is "${"x".repeat(40)}", and must be a text of 1 to 255 characters`,
      { authorizationServers: [todo({ audTenant: "x".repeat(256) })] },
    ],
    ['identityProviders[0].tenant: is "", and must be a text of 1 to 255 characters', { identityProviders: [asserting({ tenant: "" })] }],
    [
      "identityProviders[0].emailDomains: limits nothing without email; set email, or leave it out",
      { identityProviders: [asserting({ emailDomains: ["acme.example"] })] },
    ],
    ...["Acme.example", "acme", "-acme.example", "acme..example", "@acme.example", `${"a".repeat(64)}.example`].map(
      (domain): readonly [string, IdJagOptions] => [
        `identityProviders[0].emailDomains[0]: is ${JSON.stringify(domain.slice(0, 40))}, and must be a domain in lower case`,
        { identityProviders: [asserting({ email: true, subjects: {}, emailDomains: [domain] })] },
      ],
    ),
    ["identityProviders[0].detailTypes: is empty; name one, or leave it out", { identityProviders: [asserting({ detailTypes: [] })] }],
    [
      `authorizationServers[0].clients.wiki.detailTypes[0]: "lists" is none of the server's detailTypes; add it there, or remove it`,
      { authorizationServers: [todo({ clients: { wiki: { clientId: "w", detailTypes: ["lists"] } } })] },
    ],
  ])("settings that would not work are refused: %s", (fault, options) => {
    expect(() => idJag(options)).toThrow(`idJag: ${fault}`)
  })

  test("ID-JAG §6.1: one issuer may be trusted for several tenants, each with people of its own", async () => {
    const providers = [
      asserting({ tenant: "blue", subjects: { u7: "sub-alice" } }),
      asserting({ tenant: "red", subjects: { u7: "sub-bob" } }),
    ]
    const w = await world(crossing({ identityProviders: providers }))
    const subOf = async (tenant: string, jti: string) => {
      const value = String((await redeem(w, await assertion({ sub: "u7", tenant, jti }))).json?.["access_token"])
      return (JSON.parse(Buffer.from(value.split(".")[1] ?? "", "base64url").toString()) as Record<string, unknown>)["sub"]
    }
    expect([await subOf("blue", "j1"), await subOf("red", "j2")]).toEqual(["sub-alice", "sub-bob"])
  })
})
