import type { ResourceServerOptions } from "@postern/verify"
import { describe, expect, test } from "vitest"
import { thrown } from "../support/thrownValues.ts"
import { bound } from "./setting.ts"
import { bearing, issuer, proving, serverOf, token } from "./setting.ts"

const introspection = { clientId: "api", clientSecret: "secret of api", endpoint: `${issuer}/introspect` }

/** Each callback of an API, as it throws, with a request that reaches it. */
const callbacks: ReadonlyArray<
  readonly [
    name: string,
    options: (fail: () => never) => Partial<ResourceServerOptions>,
    request: () => Parameters<ReturnType<typeof serverOf>["verify"]>[0],
  ]
> = [
  ["keys", (fail) => ({ keys: fail }), () => bearing(token())],
  ["fetch", (fail) => ({ keys: undefined, fetch: fail }), () => bearing(token())],
  ["fetch of an introspection", (fail) => ({ introspection, fetch: fail }), () => bearing("opaque")],
  ["introspection.authenticate", (fail) => ({ introspection: { ...introspection, authenticate: fail } }), () => bearing("opaque")],
  ["dpop.uses.claim", (fail) => ({ dpop: { uses: { claim: fail } } }), () => proving(bound())],
]

describe("RFC 9110 §15.6.4: whatever a callback throws, the request is answered 503", () => {
  test.each(callbacks)("%s", async (_, options, request) => {
    for (const [title, make] of thrown) {
      const server = serverOf(
        options(() => {
          throw make()
        }),
      )
      const { refused } = await server.verify(request())
      expect([title, refused?.status, refused?.error]).toEqual([title, 503, "temporarily_unavailable"])
    }
  })

  test("noted, which affects no verdict", async () => {
    for (const [, make] of thrown) {
      const server = serverOf({
        noted: () => {
          throw make()
        },
      })
      expect((await server.verify(bearing(token()))).ok?.subject).toBe("alice")
    }
  })
})
