import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { signIn } from "../support/flows.ts"
import { unsecured } from "../support/requestObjects.ts"
import type { Said } from "../support/visitor.ts"
import { issuer } from "../support/world.ts"
import { full, runs } from "../tiers/tier.ts"
import { anyText, patient } from "./arbitraries.ts"
import { quickWorld } from "./quickWorld.ts"
import { type Pairs, authorizeRequest, clientMetadata } from "./requests.ts"

/** Names that are not a parameter's in an object, or that carry another one. */
const reserved = ["iss", "sub", "aud", "exp", "nbf", "iat", "jti", "client_id", "request", "request_uri"]

/** A request whose parameters an object can hold: each once, and none that means something else there. */
const asObject = (sent: Pairs): Pairs => {
  const usable = sent.filter(([name, value]) => value !== "" && !reserved.includes(name) && name !== "__proto__")
  return [...new Map(usable.map(([name, value]) => [name.toWellFormed(), value] as const))]
}

/** Of an answer what the client or the person gets. Of a client that is not known no object is opened, so that the query names the language. */
const seen = ({ status, to, params, page }: Said) => {
  const locales = page?.["trouble"] === "client_unknown" ? undefined : page?.["locales"]
  return { status, to, params, page: { ...page, requestId: undefined, locales } }
}

const setting = clientMetadata("app").chain((metadata) => {
  const client = { ...metadata, request_object_signing_alg: "none" as const }
  return fc.record({
    client: fc.constant(client),
    inside: authorizeRequest(client).map(asObject),
    outside: authorizeRequest(client).map(asObject),
    visitor: fc.constantFrom("nobody", "alice", "alice"),
  })
})

describe("request objects", () => {
  test(
    "RFC 9101 §6.3: a request made by an object is answered as the same request made by a query, whatever else the query says",
    patient,
    async () => {
      const kinds: Record<string, number> = {}
      await fc.assert(
        fc.asyncProperty(setting, async ({ client, inside, outside, visitor }) => {
          const asked = async (query: Pairs): Promise<Said> => {
            const browser = quickWorld({ clients: [client] }).visitor()
            if (visitor !== "nobody") await signIn(browser, visitor)
            return browser.get("/connect/authorize", [["client_id", "app"], ...query])
          }
          const plain = await asked(inside)
          const object = unsecured({ ...Object.fromEntries(inside), client_id: "app" })
          expect(seen(await asked([...outside, ["request", object]]))).toEqual(seen(plain))
          const shown = plain.page?.["_tag"]
          const kind = typeof shown === "string" ? shown : plain.to?.startsWith("/") === true ? "asked" : "sent back"
          kinds[kind] = (kinds[kind] ?? 0) + 1
        }),
        { numRuns: runs(1000) },
      )
      for (const kind of ["asked", "sent back", ...(full ? ["Error"] : [])])
        expect([kind, (kinds[kind] ?? 0) > runs(10, 0)]).toEqual([kind, true])
    },
  )

  test(
    "RFC 9101 §4: anything at all sent as an object gets a page of 400, a page of ours or the client's redirect_uri",
    patient,
    async () => {
      const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url")
      const claim = fc.oneof(
        fc.jsonValue({ maxDepth: 2 }),
        fc.constantFrom("app", issuer, "https://app.example/cb", "openid", "code", 0, 1e300),
      )
      const claims = fc.dictionary(
        fc.oneof(fc.constantFrom(...reserved, "redirect_uri", "scope", "response_type", "max_age", "resource", "state"), anyText),
        claim,
      )
      const header = fc.record(
        { alg: fc.oneof(fc.constantFrom("none", "ES256", "RS256"), claim), typ: fc.oneof(fc.constant("JWT"), claim), crit: claim },
        { requiredKeys: [] },
      )
      const object = fc.oneof(
        anyText,
        fc.tuple(anyText, anyText, anyText).map((parts) => parts.join(".")),
        fc.tuple(anyText, anyText, anyText, anyText, anyText).map((parts) => parts.join(".")),
        fc.tuple(header, claims, fc.constantFrom("", "c2ln")).map(([head, body, end]) => `${encoded(head)}.${encoded(body)}.${end}`),
        claims.map((body) => unsecured({ redirect_uri: "https://app.example/cb", ...body, client_id: "app" })),
        fc.tuple(header, anyText).map(([head, rest]) => `${encoded(head)}.${rest}`),
      )
      const keys = fc.constantFrom(
        { request_object_signing_alg: "none" as const },
        { jwks: { keys: [{ kty: "EC", crv: "P-256", x: "x", y: "y" }] } },
        { jwks: { keys: [] } },
      )
      const kinds = new Set<number>()
      await fc.assert(
        fc.asyncProperty(object, keys, async (request, more) => {
          const client = { client_id: "app", redirect_uris: ["https://app.example/cb"], client_secret: "s", scope: "openid", ...more }
          const answer = await quickWorld({ clients: [client] })
            .visitor()
            .get("/connect/authorize", { client_id: "app", request })
          kinds.add(answer.status)
          expect([200, 303, 400]).toContain(answer.status)
          expect(answer.to ?? "/login").toMatch(/^(?:\/login|https:\/\/app\.example\/cb)$/)
        }),
        { numRuns: runs(2000) },
      )
      expect(kinds).toContain(303)
      expect(kinds).toContain(400)
    },
  )
})
