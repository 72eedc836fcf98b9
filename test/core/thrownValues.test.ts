import { createProvider, extensionGrant, pass, table } from "@postern/core"
import { memoryTokenStore } from "@postern/core/memory"
import { describe, expect, test } from "vitest"
import { token } from "../support/flows.ts"
import { meetings } from "../support/meetings.ts"
import { fakeProviders } from "../support/upstream.ts"
import { boom, revoked, thrown } from "../support/thrownValues.ts"
import { type WorldOptions, clients, world } from "../support/world.ts"

/** Makes the values that a port throws from now on; undefined while it answers. */
interface Throwing {
  make?: (() => unknown) | undefined
  later?: boolean
}

/** A port of which one operation throws once it is told to. */
const throwing = <Port extends object>(port: Port, operation: string, state: Throwing): Port =>
  new Proxy(port, {
    get: (of, name) => {
      const member: unknown = Reflect.get(of, name)
      if (name !== operation || typeof member !== "function") return member
      return (...args: ReadonlyArray<unknown>) => {
        if (state.make === undefined) return (member as (...given: ReadonlyArray<unknown>) => unknown)(...args)
        const value = state.make()
        if (state.later === true) return Promise.reject(value as Error)
        throw value
      }
    },
  })

type Given = Parameters<typeof createProvider>[0]

const of = (port: string, operation: string, given: Given, state: Throwing): Partial<Given> => {
  if (port === "Authenticator") return { authenticator: throwing(given.authenticator, operation, state) }
  if (port === "Digest") return { digest: throwing(given.digest ?? { sha256: () => "", sha512: () => "" }, operation, state) }
  return { identityProviders: throwing(given.identityProviders ?? fakeProviders(), operation, state) }
}

/** The options of a world in which one operation of one port can be made to throw. */
const withThrowing = (port: string, operation: string, options: WorldOptions, state: Throwing): WorldOptions => {
  switch (port) {
    case "ClientStore":
      return { ...options, clientStore: (store) => throwing(store, operation, state) }
    case "TokenStore":
      return { ...options, tokens: throwing(memoryTokenStore(), operation, state) }
    case "Signer":
      return { ...options, signer: (signer) => throwing(signer, operation, state) }
    default:
      return { ...options, create: (given) => createProvider({ ...given, ...of(port, operation, given, state) }) }
  }
}

describe("architecture law 7: whatever a port throws is answered 503 and reported once, and nothing is consumed", () => {
  test.each(meetings)("%s.%s", async (port, operation, options, prepare) => {
    const state: Throwing = {}
    const w = await world(withThrowing(port, operation, options, state))
    const send = await prepare(w)
    for (const [title, make] of thrown)
      for (const later of [false, true]) {
        w.reports.length = 0
        Object.assign(state, { make, later })
        const failed = await send()
        expect([title, later, failed.status, failed.header("retry-after")]).toEqual([title, later, 503, "2"])
        expect(failed.json?.["error"] ?? failed.page?.["error"]).toBe("temporarily_unavailable")
        expect(w.reports).toMatchObject([{ port, operation, uncertain: false }])
        expect(w.trails.at(-1)?.fault).toMatch(new RegExp(`^${port}\\.${operation}: `))
      }
    state.make = undefined
    expect((await send()).status).toBeLessThan(400)
  })

  test("Pages.render", async () => {
    const state: Throwing = {}
    const pages = throwing({ render: () => "<!doctype html><title>Page</title>" }, "render", state)
    const w = await world({ create: (given) => createProvider({ ...given, pages }) })
    for (const [title, make] of thrown)
      for (const later of [false, true]) {
        w.reports.length = 0
        Object.assign(state, { make, later })
        const failed = await w.send({ path: "/login" })
        expect([title, later, failed.status]).toEqual([title, later, 503])
        expect(failed.body).toContain("<!doctype html>")
        expect(w.reports).toMatchObject([{ port: "Pages", operation: "render" }])
      }
  })

  test.each(["load", "grant", "rule"] as const)("an extension grant's %s", async (at) => {
    const state: Throwing = {}
    const fail = (): unknown => {
      throw state.make?.()
    }
    const name = "https://grants.example/throwing"
    const grant = extensionGrant({
      name,
      parameters: {},
      rules: table("token/throwing").rule("throwing.rule", "none", () => (at === "rule" ? (fail() as undefined) : pass)),
      load: async (): Promise<object> => (at === "load" ? (fail() as object) : {}),
      grant: () => (at === "grant" ? (fail() as { subject: string }) : { subject: "sub-alice" }),
    })
    const it = { client_id: "it", client_secret: "secret of it", grant_types: [name], response_types: [], scope: "api.read" }
    const w = await world({ clients: [...clients, it], more: { grants: [grant] } })
    for (const [title, make] of thrown) {
      state.make = make
      w.reports.length = 0
      const { status, json } = await token(w, "it", { grant_type: name })
      // A rule or an answer that throws is a defect: both are pure.
      expect([title, status]).toEqual([title, at === "load" ? 503 : 500])
      expect(json?.["error"]).toBe(at === "load" ? "temporarily_unavailable" : "server_error")
      expect(w.reports.length).toBe(1)
    }
  })

  test.each(["audit", "trails", "report"] as const)("%s, which affects no answer", async (port) => {
    for (const [title, make] of thrown)
      for (const later of [false, true]) {
        const fail = (): unknown => {
          if (later) return Promise.reject(make() as Error)
          throw make()
        }
        const recorder = port === "report" ? { report: fail as () => void } : { [port]: { record: fail as () => void } }
        const w = await world({ create: (given) => createProvider({ ...given, ...recorder }) })
        expect([title, later, (await token(w, "web", { grant_type: "client_credentials", scope: "api.read" })).status]).toEqual([
          title,
          later,
          200,
        ])
        expect([title, later, (await w.send({ path: "/connect/token", method: "POST" })).status]).toEqual([title, later, 400])
      }
  })
})

describe("RFC 9110 §15.3.1: an empty page is a page that failed, not a blank one", () => {
  const empty: ReadonlyArray<readonly [title: string, drawn: () => unknown]> = [
    ["an empty text", () => ""],
    ["a text of spaces", () => " \n"],
    ["an empty text in an object", () => Object("") as unknown],
    ["a promise of an empty text", async () => ""],
    ["a Response without a body", () => new Response(null)],
    ["a Response with an empty body", () => new Response("")],
    ["an empty stream", () => new Response("").body ?? new ReadableStream({ start: (own) => own.close() })],
    [
      "an iterable without chunks",
      async function* () {
        // No chunk.
      },
    ],
    ["a revoked proxy", revoked],
    ["an object whose members throw", () => Object.defineProperty({ headers: {}, body: null }, "status", { get: boom })],
  ]

  test.each(empty)("%s", async (_, drawn) => {
    const pages = { render: drawn as () => string }
    const w = await world({ create: (given) => createProvider({ ...given, pages }) })
    const failed = await w.send({ path: "/login" })
    expect([failed.status, failed.headers.find(([name]) => name === "retry-after")?.[1]]).toEqual([503, "2"])
    expect(failed.body).toMatch(/^<!doctype html>/)
    expect(w.reports).toMatchObject([{ port: "Pages", operation: "render" }])
    expect(w.trails.at(-1)?.fault).toMatch(/^Pages\.render: /)
  })
})
