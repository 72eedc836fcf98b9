import { type ClientDefinition, defineClient, secretOf } from "@postern/core"
import type { Client, JsonObject } from "@postern/core/model"
import * as Effect from "effect/Effect"
import { expect, test } from "vitest"
import { PortFailed } from "../../packages/core/src/ports/index.ts"
import { authenticated } from "../../packages/core/src/settle/client.ts"
import type { Inquiry } from "../../packages/core/src/settle/request.ts"
import { Decided } from "../../packages/core/src/settle/stage.ts"
import { readParams } from "../../packages/core/src/wire/index.ts"
import { failureOf, inquiryOf, issuer, later, now, run, sha256 } from "./inquiry.ts"

const redirects = { redirect_uris: ["https://app.example/cb"] }
const registered = (told: Pick<ClientDefinition, "client_id"> & Partial<ClientDefinition>): Client =>
  defineClient({ ...redirects, ...told })
const confidential = registered({ client_id: "web", token_endpoint_auth_method: "client_secret_basic" })
const open = registered({ client_id: "open", token_endpoint_auth_method: "none" })
const signing = registered({
  client_id: "signing",
  token_endpoint_auth_method: "private_key_jwt",
  jwks: {
    keys: [{ kty: "EC", crv: "P-256", x: "8L2LnV1p1wSPoZxrNv9_WXl40iOyOUmP6DiIvxvCMD4", y: "JQ3Jqx0bYn2CmZ7xYHjmdKxWkzIrEHZqzvwtX3PK6Vk" }],
  },
})
const basic = (id: string, secret: string) => `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`

/** An inquiry that knows these clients, whose secret is `right`, and tells which secrets were compared. */
const knowing = (ports: object = {}, clients: ReadonlyArray<Client> = [confidential, open, signing]) => {
  const compared: Array<string> = []
  const verifySecret = (id: string, secret: { reveal: () => string }, address: string) =>
    Effect.sync(
      () => (
        compared.push(`${JSON.stringify(id)} ${address}`),
        clients.some((each) => each.clientId === id) && secret.reveal() === "right"
      ),
    )
  const find = (id: string) => Effect.sync(() => clients.find((each) => each.clientId === id))
  const store = { find, verifySecret, secretOf: () => Effect.succeed(undefined) }
  return { inquiry: inquiryOf({ clients: store, settings: { profiles: {} }, ...ports }), compared }
}

const ask = async (inquiry: Inquiry, authorization: string | undefined, body = "", path = "/connect/token") => {
  const message = {
    method: "POST",
    path,
    query: "",
    headers: { ...(authorization !== undefined && { authorization }) },
    body,
    address: undefined,
  }
  const end = await run(authenticated.run({ message, params: readParams(body) }, inquiry))
  if (!(end instanceof Decided)) return end.client.clientId
  return end.decision._tag === "RefuseJson" ? end.decision.refusal : end.decision._tag
}
const keyOf = (id: string, address = "192.0.2.7") => sha256(`postern client ${JSON.stringify([id, address])}`)
const wrongsOf = async ({ ports }: Inquiry, id: string, address?: string) =>
  (await run(ports.tokens.findAttempts(keyOf(id, address))))?.count ?? 0

test("RFC 6749 §2.3.1: a right secret proves its client and counts nothing, a wrong one is counted before it is refused", async () => {
  const { inquiry, compared } = knowing()
  expect(await ask(inquiry, basic("web", "right"))).toBe("web")
  expect([await wrongsOf(inquiry, "web"), compared]).toEqual([0, ['"web" 192.0.2.7']])
  expect(await ask(later(inquiry, {}), basic("web", "wrong"))).toMatchObject({ error: "invalid_client", commands: [] })
  expect([await wrongsOf(inquiry, "web"), inquiry.guesses.exactUntil]).toEqual([1, now + 60])
  expect(inquiry.about.clientId).toBe("web")
})

test("RFC 6749 §2.3.1: after twenty wrong ones no secret of a client is compared for its address, for a minute; elsewhere it is", async () => {
  const { inquiry, compared } = knowing()
  for (let at = 0; at < 20; at++) expect(await ask(later(inquiry, {}), basic("web", "wrong"))).toMatchObject({ error: "invalid_client" })
  compared.length = 0
  expect(await ask(later(inquiry, {}), basic("web", "right"))).toMatchObject({ error: "invalid_client", tooMany: true })
  expect([compared, await wrongsOf(inquiry, "web")]).toEqual([[], 20])
  expect(await ask(later(inquiry, { now: now + 59 }), basic("web", "right"))).toMatchObject({ tooMany: true })
  expect(await ask(later(inquiry, { address: "192.0.2.8" }), basic("web", "right"))).toBe("web")
  expect(await ask(later(inquiry, { now: now + 60 }), basic("web", "right"))).toBe("web")
})

test("RFC 6749 §10.10: an unknown client's secret is compared as one of no client, counted and limited as a known one's", async () => {
  const { inquiry, compared } = knowing()
  for (let at = 0; at < 20; at++) expect(await ask(later(inquiry, {}), basic("nobody", "right"))).toMatchObject({ error: "invalid_client" })
  expect([compared.length, compared[0], await wrongsOf(inquiry, "nobody")]).toEqual([20, '"\\nnobody" 192.0.2.7', 20])
  expect(await ask(later(inquiry, {}), basic("nobody", "right"))).toMatchObject({ tooMany: true })
  expect(compared.length).toBe(20)
})

test("no secret is guessed at without one: neither an unknown client nor a public one costs a comparison or a count", async () => {
  const { inquiry, compared } = knowing()
  expect(await ask(inquiry, undefined, "client_id=open")).toBe("open")
  expect(await ask(later(inquiry, {}), undefined, "client_id=nobody")).toMatchObject({ error: "invalid_client" })
  expect(await ask(later(inquiry, {}), undefined, "client_id=web")).toMatchObject({ error: "invalid_client" })
  expect(await ask(later(inquiry, {}), undefined)).toMatchObject({ error: "invalid_client" })
  expect(compared).toEqual([])
  for (const id of ["open", "nobody", "web", ""]) expect(await wrongsOf(inquiry, id)).toBe(0)
  expect(inquiry.guesses.byKey.size).toBe(0)
})

test("RFC 6749 §2.1: a secret of a public client is refused at the cost of a wrong one, and counted", async () => {
  const { inquiry, compared } = knowing()
  expect(await ask(inquiry, undefined, "client_id=open&client_secret=right")).toMatchObject({ error: "invalid_client" })
  expect([compared, await wrongsOf(inquiry, "open")]).toEqual([['"\\nopen" 192.0.2.7'], 1])
})

test("without an address secrets are compared and nothing is counted", async () => {
  const { inquiry } = knowing({}, [confidential])
  const hidden = { ...inquiry, address: undefined }
  for (let at = 0; at < 25; at++) expect(await ask(later(hidden, {}), basic("web", "wrong"))).toMatchObject({ error: "invalid_client" })
  expect(await ask(later(hidden, {}), basic("web", "right"))).toBe("web")
})

test("however many addresses ask for a client, each has its own count, that of an IPv6 network one", async () => {
  const { inquiry } = knowing()
  const addresses = Array.from({ length: 250 }, (_, at) => `198.51.100.${at}`)
  for (const address of addresses) await ask(later(inquiry, { address }), basic("web", "wrong"))
  for (const address of addresses) expect(await wrongsOf(inquiry, "web", address)).toBe(1)
  for (const end of ["1", "2"]) await ask(later(inquiry, { address: `2001:db8:1:2::${end}` }), basic("web", "wrong"))
  const keys = new Set(addresses.map((address) => keyOf("web", address)))
  expect(keys.size).toBe(250)
})

test("a count that cannot be committed fails the request, and a place among the guesses is left however judging ends", async () => {
  const { inquiry } = knowing()
  const failed = new PortFailed({ port: "TokenStore", operation: "commit", cause: "full" })
  const { tokens } = inquiry.ports
  const full = { ...inquiry, ports: { ...inquiry.ports, tokens: { ...tokens, commit: () => Effect.fail(failed) } } }
  const asking = (each: Inquiry) =>
    authenticated.run({ message: { headers: { authorization: basic("web", "wrong") } } as never, params: readParams("") }, each)
  expect(await failureOf(asking(full))).toBe(failed)
  const throwing = {
    ...inquiry,
    ports: {
      ...inquiry.ports,
      clients: {
        ...inquiry.ports.clients,
        verifySecret: () => {
          throw new Error("a defect")
        },
      },
    },
  } as Inquiry
  await expect(run(asking(throwing))).rejects.toThrow("a defect")
  for (const underway of inquiry.guesses.byKey.values()) expect(underway).toMatchObject({ judged: 0, waiting: 0, counted: 0 })
  const conflicting = {
    ...inquiry,
    ports: { ...inquiry.ports, tokens: { ...tokens, commit: () => Effect.succeed("Conflict") } },
  } as Inquiry
  expect(((await run(asking(conflicting))) as Decided).decision).toMatchObject({ refusal: { error: "invalid_client", commands: [] } })
  expect([...inquiry.guesses.byKey.values()].every(({ counted }) => counted === 0)).toBe(true)
  expect(inquiry.guesses.exactUntil, "nothing was counted").toBe(0)
})

const jwtOf = (alg: string, claims: JsonObject): string => {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url")
  return `${part({ alg })}.${part(claims)}.AAAA`
}
const assertion = (claims: JsonObject, alg = "ES256") =>
  `client_assertion_type=${encodeURIComponent("urn:ietf:params:oauth:client-assertion-type:jwt-bearer")}&client_assertion=${jwtOf(alg, claims)}`
const claims = { iss: "signing", sub: "signing", aud: issuer, exp: now + 60, jti: "one" }
const verifying = (tag: string) => ({ jwts: { verify: () => Effect.succeed({ _tag: tag, reason: "a reason" }) } })

test("RFC 7523 §3: an assertion that verifies proves its client, and its jti is used up with whatever is decided", async () => {
  const { inquiry } = knowing(verifying("Verified"))
  expect(await ask(inquiry, undefined, assertion(claims))).toBe("signing")
  expect(inquiry.changes.length).toBe(1)
  await run(inquiry.ports.tokens.commit(inquiry.changes))
  expect(await ask(later(inquiry, { changes: [] }), undefined, assertion(claims))).toMatchObject({ error: "invalid_client" })
  expect(await ask(later(inquiry, { changes: [] }), undefined, assertion({ ...claims, jti: "two" }))).toBe("signing")
  const [use] = inquiry.changes as unknown as ReadonlyArray<Readonly<Record<string, unknown>>>
  expect(JSON.stringify(use)).toContain(sha256(`postern client assertion ${JSON.stringify(["signing", "one"])}`))
})

test("RFC 7519 §4.1.7: a jti that was used is forgotten once its assertion is over", async () => {
  const { inquiry } = knowing(verifying("Verified"))
  const row = (expiresAt: number) =>
    ({
      ...inquiry,
      ports: {
        ...inquiry.ports,
        tokens: { ...inquiry.ports.tokens, find: () => Effect.succeed({ key: "key", expiresAt }) },
      },
    }) as Inquiry
  expect(await ask(later(row(now + 1), { changes: [] }), undefined, assertion(claims))).toMatchObject({ error: "invalid_client" })
  expect(await ask(later(row(now), { changes: [] }), undefined, assertion(claims))).toBe("signing")
})

test("RFC 6749 §5.2: an assertion that is refused names no scheme to try, nor is one beside a header tried; a header alone is told the scheme that there is", async () => {
  const { inquiry } = knowing(verifying("Invalid"))
  const alone = await ask(inquiry, undefined, assertion(claims))
  expect(alone).toMatchObject({ error: "invalid_client", challenge: undefined })
  const both = await ask(later(inquiry, { changes: [] }), "Bearer token", assertion(claims))
  expect(both).toMatchObject({ error: "invalid_request", challenge: undefined })
  expect(await ask(later(inquiry, {}), "Bearer token")).toMatchObject({ error: "invalid_client", challenge: "Basic" })
  expect((await ask(later(inquiry, {}), basic("web", "wrong"))) as { challenge?: string }).toHaveProperty("challenge", expect.anything())
})

test("RFC 7523 §3 (3): an assertion is made out to the issuer, to the token endpoint, or to the URL that it is sent to", async () => {
  const { inquiry } = knowing({ ...verifying("Verified"), settings: { issuer: `${issuer}/realm/`, profiles: {} } })
  const good = [`${issuer}/realm/`, `${issuer}/realm/connect/token`, `${issuer}/realm/connect/introspect`]
  const bad = [issuer, "https://other.example", `${issuer}/connect/token`, `${issuer}/realm/connect/revoke`, "undefined"]
  for (const aud of [...good, ...bad]) {
    const jti = sha256(aud)
    const answer = await ask(later(inquiry, { changes: [] }), undefined, assertion({ ...claims, aud, jti }), "/realm/connect/introspect")
    if (good.includes(aud)) expect(answer, aud).toBe("signing")
    else expect(answer, aud).toMatchObject({ error: "invalid_client" })
  }
})

test("a client that signs with its secret is verified by the one that is kept; without one it proves nothing, and guesses count", async () => {
  const secretly = registered({ client_id: "signing", token_endpoint_auth_method: "client_secret_jwt" })
  const keeping = (kept: unknown) => {
    const { inquiry } = knowing(
      {
        jwts: {
          verifySecret: (_: string, secret: { reveal: () => string }) =>
            Effect.succeed({ _tag: secret.reveal() === "kept" ? "Verified" : "Invalid", reason: "x" }),
        },
      },
      [secretly],
    )
    return {
      ...inquiry,
      ports: { ...inquiry.ports, clients: { ...inquiry.ports.clients, secretOf: () => Effect.succeed(kept) } },
    } as Inquiry
  }
  const right = keeping(secretOf("kept"))
  expect([await ask(right, undefined, assertion(claims, "HS256")), await wrongsOf(right, "signing")]).toEqual(["signing", 0])
  for (const kept of [undefined, secretOf("other")]) {
    const inquiry = keeping(kept)
    expect(await ask(inquiry, undefined, assertion(claims, "HS256"))).toMatchObject({ error: "invalid_client" })
    expect(await wrongsOf(inquiry, "signing")).toBe(1)
  }
})
