import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { Answer } from "@postern/core"
import { authorizationServerPath } from "../../packages/core/src/features/discovery/index.ts"
import { authorize, basic, signedIn, tokensFor } from "../support/flows.ts"
import { full, runs } from "../tiers/tier.ts"
import { character, patient } from "./arbitraries.ts"
import { everyEndpoint, field, formType, mark, message, paths } from "./messages.ts"
import { quickWorld } from "./quickWorld.ts"

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
          const answer = await w.send(sent)
          expect(answer.status).toBeLessThan(500)
          expectOwnWords(answer)
          if (answer.status >= 400 && answer.body.includes('"error":"')) errors.add((JSON.parse(answer.body) as { error: string }).error)
        }),
        { numRuns: runs(4000) },
      )
      // The others are so rare that only thousands of runs are sure to meet them.
      const rare = ["invalid_grant", "invalid_scope", "invalid_token", "unauthorized_client", "unsupported_grant_type"]
      expect([...errors]).toEqual(expect.arrayContaining(["invalid_request", "invalid_client", ...(full ? rare : [])]))
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
          const before = w.trails.length
          const answer = await w.send(sent)
          const id = header(answer, "x-request-id") ?? ""
          expect(w.trails.slice(before).map(({ requestId, status }) => [requestId, status])).toEqual([[id, answer.status]])
          expect(ids.has(id)).toBe(false)
          ids.add(id)
        }),
        { numRuns: runs(2000) },
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
          const answer = await w.send(sent)
          const isDocument = sent.path.startsWith("/.well-known/") || answer.status === 405 || answer.status === 204
          if (!isDocument) expect(header(answer, "cache-control")).toBe("no-store")
          const known = everyEndpoint.find(
            ({ path, isBeforePaths }) => path === sent.path || (isBeforePaths === true && sent.path.startsWith(`${path}/`)),
          )
          const allowed: ReadonlyArray<string> = [...(known?.methods ?? []), "HEAD", "OPTIONS"]
          if (known !== undefined && !allowed.includes(sent.method ?? "")) {
            expect(answer.status).toBe(405)
            for (const method of known.methods) expect(header(answer, "allow")).toContain(method)
          }
          if (known === undefined) expect(answer.status).toBe(404)
        }),
        { numRuns: runs(2000) },
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
      { numRuns: runs(1000) },
    )
    expect((await w.send({ path: "/connect/userinfo", headers: { authorization: `Bearer ${made.access_token}` } })).status).toBe(200)
    expect((await post("/connect/introspect", made.refresh_token)).body).toContain('"active":true')
  })

  test(
    "architecture law 7, RFC 6749 §10.12: whatever a signed-in browser puts into a form, the answer is a page or a way on, never a failure",
    patient,
    async () => {
      const tags = new Set<string>()
      const form = fc.constantFrom("/login", "/login/upstream", "/consent", "/sessions/end", "/consents/withdraw", "/logout")
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.tuple(form, fc.array(field, { maxLength: 5 }), fc.boolean()), { minLength: 1, maxLength: 4 }),
          async (posts) => {
            const w = quickWorld()
            const visitor = await signedIn(w)
            const { page } = await authorize(visitor, "asks")
            const { hidden } = (page?.["form"] ?? { hidden: [] }) as { readonly hidden: ReadonlyArray<readonly [string, string]> }
            for (const [path, fields, genuine] of posts) {
              const answer = await visitor.post(path, genuine ? [...hidden, ...fields] : [...fields, ...hidden])
              expect(answer.status).toBeLessThan(500)
              tags.add(String(answer.page === undefined ? answer.to : answer.page["_tag"]))
            }
          },
        ),
        { numRuns: runs(1000) },
      )
      expect([...tags]).toEqual(expect.arrayContaining(["Error", "Login", "SignedOut", "/", "/connect/authorize/resume"]))
    },
  )
})
