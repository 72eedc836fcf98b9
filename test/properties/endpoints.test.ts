import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { Answer, Message } from "@postern/core"
import { endpoints } from "../../packages/core/src/endpoints/index.ts"
import { authorizationServerPath } from "../../packages/core/src/endpoints/discovery/index.ts"
import { basic, tokensFor } from "../support/flows.ts"
import { anyText, character, misPadded, patient } from "./arbitraries.ts"
import { quickWorld } from "./quickWorld.ts"

/** Begins every value sent, so that one that comes back is noticed whatever became of the rest. */
const mark = "zqxmark"
const marked = anyText.map((text) => mark + text)

const names = [
  "grant_type",
  "client_id",
  "client_secret",
  "code",
  "redirect_uri",
  "code_verifier",
  "refresh_token",
  "scope",
  "token",
  "token_type_hint",
]
const pageNames = [
  "access_token",
  "csrf",
  "interaction",
  "username",
  "password",
  "decision",
  "session",
  "notice",
  "resource",
  "state",
  mark,
]
const usual: Readonly<Record<string, ReadonlyArray<string>>> = {
  grant_type: ["authorization_code", "refresh_token", "client_credentials", `${mark}magic`],
  client_id: ["web", "spa", "opaque", "nobody"],
  client_secret: ["secret of web"],
  scope: ["openid", "api.read", "openid offline_access"],
  decision: ["allow", "deny"],
  username: ["alice"],
}
const handles = fc.constantFrom("c", "a", "r", "s", "i", "b").map((kind) => `${kind}_${mark}${"A".repeat(52)}`)
const field = fc
  .constantFrom(...names, ...names, ...pageNames)
  .chain((name) => fc.tuple(fc.constant(name), fc.oneof(fc.constantFrom(...(usual[name] ?? [mark])), marked, handles)))
const fields = fc.array(field, { maxLength: 8 }).map((pairs) => new URLSearchParams(pairs).toString())
const formType = "application/x-www-form-urlencoded"

const paths = endpoints.map(({ path }) => path)
const authorization = fc.oneof(
  fc.constantFrom(
    basic("web"),
    basic("opaque"),
    basic("web", mark),
    `Bearer ${mark}`,
    `Bearer a_${mark}${"A".repeat(52)}`,
    `Bearer ${mark}.e30.${mark}`,
  ),
  anyText,
  marked.map((text) => `Basic ${Buffer.from(text).toString("base64")}`),
)
type Sent = Partial<Message> & { readonly path: string }

/** Requests that get past the first rules: a client that authenticates, and parameters that come once. */
const plausible: fc.Arbitrary<Sent> = fc
  .tuple(
    fc.constantFrom("web", "opaque", "machine", "other"),
    fc.constantFrom("token", "token", "revocation", "introspect"),
    fc.array(field, { maxLength: 4 }),
    fc.constantFrom(...(usual["grant_type"] ?? [])),
  )
  .map(([client, path, sent, grantType]) => {
    const once = new Map([...sent, ["grant_type", grantType] as const, ["client_id", client] as const])
    once.delete("client_secret")
    return {
      method: "POST",
      path: `/connect/${path}`,
      body: new URLSearchParams([...once]).toString(),
      headers: { "content-type": formType, authorization: basic(client) },
    }
  })

const anything: fc.Arbitrary<Sent> = fc.record({
  method: fc.oneof(
    { weight: 5, arbitrary: fc.constant("POST") },
    { weight: 3, arbitrary: fc.constant("GET") },
    fc.constantFrom("HEAD", "OPTIONS", "PUT", "DELETE", "get", ""),
  ),
  path: fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...paths) },
    fc.constantFrom(...paths).map((path) => `${path}/`),
    anyText,
  ),
  query: fc.oneof(fields, anyText, fc.constant("")),
  body: fc.oneof({ weight: 4, arbitrary: fields }, anyText, fc.json()),
  headers: fc.record(
    {
      "content-type": fc.oneof(
        { weight: 6, arbitrary: fc.constant(formType) },
        fc.constantFrom("application/json", `${formType}; charset=utf-8`),
        anyText,
      ),
      authorization,
      cookie: fc.oneof(anyText, fc.constant(`__Host-postern-session=s_${"A".repeat(59)}; __Host-postern-browser=b_${"B".repeat(59)}`)),
      "user-agent": anyText,
      "accept-language": anyText,
    },
    { requiredKeys: ["content-type"] },
  ),
})
const message = fc.oneof({ weight: 3, arbitrary: anything }, plausible)

const header = ({ headers }: Answer, name: string): string | undefined => headers.find(([each]) => each === name)?.[1]

/** An error for a program says one of its own sentences, and nothing that was sent. */
const expectOwnWords = (answer: Answer): void => {
  if (header(answer, "content-type") !== "application/json" || answer.status === 200) return
  const body = JSON.parse(answer.body) as Record<string, unknown>
  expect(Object.keys(body)).toEqual(["error", "error_description"])
  expect(body["error"]).toMatch(/^[a-z_]+$/)
  expect(body["error_description"]).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/)
  expect(answer.body).not.toContain(mark)
  expect(JSON.stringify(answer.headers)).not.toContain(mark)
}

describe("every endpoint", () => {
  test(
    "architecture law 7, RFC 6749 §5.2: whatever is sent, no answer is a failure, and errors say only their own words",
    patient,
    async () => {
      const w = quickWorld()
      const errors = new Set<string>()
      await fc.assert(
        fc.asyncProperty(message, async (sent) => {
          fc.pre(!misPadded(sent.headers?.["authorization"] ?? ""))
          const answer = await w.send(sent)
          expect(answer.status).toBeLessThan(500)
          expectOwnWords(answer)
          if (answer.status >= 400 && answer.body.includes('"error":"')) errors.add((JSON.parse(answer.body) as { error: string }).error)
        }),
        { numRuns: 5000 },
      )
      expect([...errors]).toEqual(
        expect.arrayContaining([
          "invalid_request",
          "invalid_client",
          "invalid_grant",
          "invalid_scope",
          "invalid_token",
          "unauthorized_client",
          "unsupported_grant_type",
        ]),
      )
    },
  )

  test(
    "architecture, explain from day one: every answer carries an id of its own, and just one trail tells how it came about",
    patient,
    async () => {
      const w = quickWorld()
      const ids = new Set<string>()
      await fc.assert(
        fc.asyncProperty(message, async (sent) => {
          fc.pre(!misPadded(sent.headers?.["authorization"] ?? ""))
          const before = w.trails.length
          const answer = await w.send(sent)
          const id = header(answer, "x-request-id") ?? ""
          expect(w.trails.slice(before).map(({ requestId, status }) => [requestId, status])).toEqual([[id, answer.status]])
          expect(ids.has(id)).toBe(false)
          ids.add(id)
        }),
        { numRuns: 2000 },
      )
    },
  )

  test(
    "RFC 6749 §5.1, RFC 9110 §15.5.6: answers are not stored but for public documents, and a wrong method is told the right ones",
    patient,
    async () => {
      const w = quickWorld()
      await fc.assert(
        fc.asyncProperty(message, async (sent) => {
          fc.pre(!misPadded(sent.headers?.["authorization"] ?? ""))
          const answer = await w.send(sent)
          const isDocument = sent.path.startsWith("/.well-known/") || answer.status === 405 || answer.status === 204
          if (!isDocument) expect(header(answer, "cache-control")).toBe("no-store")
          const known = endpoints.find(({ path }) => path === sent.path)
          const allowed: ReadonlyArray<string> = [...(known?.methods ?? []), "HEAD", "OPTIONS"]
          if (known !== undefined && !allowed.includes(sent.method ?? "")) {
            expect(answer.status).toBe(405)
            for (const method of known.methods) expect(header(answer, "allow")).toContain(method)
          }
          if (known === undefined) expect(answer.status).toBe(404)
        }),
        { numRuns: 2000 },
      )
      expect(paths).toContain(authorizationServerPath)
    },
  )

  test("RFC 6750 §2, RFC 7662 §2.2, RFC 7009 §2.2: a token changed in one place is no token anywhere", patient, async () => {
    const w = quickWorld()
    const made = await tokensFor(w, "opaque")
    const { access_token: jwt } = await tokensFor(w, "web")
    const spoilt = fc
      .constantFrom(made.access_token, made.refresh_token, jwt)
      .chain((token) =>
        fc
          .tuple(fc.nat(token.length - 1), character("ABab01_-."))
          .map(([at, other]) => [token, token.slice(0, at) + other + token.slice(at + 1)] as const),
      )
    const post = (path: string, token: string) =>
      w.send({
        method: "POST",
        path,
        body: new URLSearchParams({ token }).toString(),
        headers: { "content-type": formType, authorization: basic("opaque") },
      })
    await fc.assert(
      fc.asyncProperty(spoilt, async ([token, changed]) => {
        fc.pre(token !== changed)
        expect((await w.send({ path: "/connect/userinfo", headers: { authorization: `Bearer ${changed}` } })).status).toBe(401)
        expect((await post("/connect/introspect", changed)).body).toBe('{"active":false}')
        expect((await post("/connect/revocation", changed)).status).toBe(200)
      }),
      { numRuns: 1000 },
    )
    expect((await w.send({ path: "/connect/userinfo", headers: { authorization: `Bearer ${made.access_token}` } })).status).toBe(200)
    expect((await post("/connect/introspect", made.refresh_token)).body).toContain('"active":true')
  })
})
