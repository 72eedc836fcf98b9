import { inspect } from "node:util"
import { createProvider } from "@postern/core"
import { memoryTokenStore } from "@postern/core/memory"
import { type ReportedFault } from "@postern/core/ports"
import { messageOf } from "@postern/core/model"
import { describe, expect, test, vi } from "vitest"
import { basic, codeFor, redeem, signedIn } from "../support/flows.ts"
import { type World, type WorldOptions, issuer, world } from "../support/world.ts"

const boom = new Error("the disk is gone")
const fail = (): never => {
  throw boom
}
const reject = (): Promise<never> => Promise.reject(boom)
/** A port written with `async`, where an answer is not waited for. */
const rejectLater = reject as () => unknown as () => void

const token = (w: World, secret = "secret of machine") =>
  w.send({
    method: "POST",
    path: "/connect/token",
    headers: { authorization: basic("machine", secret), "content-type": "application/x-www-form-urlencoded" },
    body: "grant_type=client_credentials",
  })
const get = (path: string) => (w: World) => w.send({ path })
const requestIdOf = ({ headers }: { readonly headers: ReadonlyArray<readonly [string, string]> }) =>
  headers.find(([name]) => name === "x-request-id")?.[1]

interface Failing {
  readonly port: string | undefined
  readonly operation: string | undefined
  readonly status: number
  readonly endpoint: string | undefined
  readonly options: WorldOptions
  readonly ask: (w: World) => Promise<Parameters<typeof requestIdOf>[0] & { readonly status: number }>
}

const failing = (
  port: string,
  operation: string,
  status: number,
  endpoint: string,
  options: WorldOptions,
  ask: Failing["ask"],
): Failing => ({
  port,
  operation,
  status,
  endpoint,
  options,
  ask,
})

const cases: ReadonlyArray<Failing> = [
  failing("ClientStore", "find", 503, "token", { clientStore: (store) => ({ ...store, find: fail }) }, token),
  failing("ClientStore", "verifySecret", 503, "token", { clientStore: (store) => ({ ...store, verifySecret: reject }) }, token),
  failing("Signer", "sign", 503, "token", { signer: (signer) => ({ ...signer, sign: reject }) }, token),
  failing(
    "Signer",
    "keys",
    503,
    "jwks",
    { signer: (signer) => ({ ...signer, keys: fail }) },
    get("/.well-known/openid-configuration/jwks"),
  ),
  failing("TokenStore", "findAccessToken", 503, "userinfo", { tokens: { ...memoryTokenStore(), findAccessToken: reject } }, (w) =>
    w.send({ path: "/connect/userinfo", headers: { authorization: `Bearer a_${"A".repeat(59)}` } }),
  ),
  failing("Digest", "sha256", 503, "token", { more: { digest: { sha256: reject, sha512: reject } } }, async (w) =>
    w.send({
      method: "POST",
      path: "/connect/token",
      headers: { authorization: basic("web", "secret of web"), "content-type": "application/x-www-form-urlencoded" },
      body: `grant_type=authorization_code&code=c_${"A".repeat(59)}&redirect_uri=x&code_verifier=${"v".repeat(43)}`,
    }),
  ),
  failing("Pages", "render", 503, "login", { more: { pages: { render: fail } } }, get("/login")),
  // A record that is lost costs no answer.
  failing("Trail", "record", 200, "token", { more: { trails: { record: fail } } }, token),
  failing("Trail", "record", 200, "token", { more: { trails: { record: rejectLater } } }, token),
  failing("Audit", "record", 200, "token", { more: { audit: { record: fail } } }, token),
]

describe("architecture law 7: a failure is reported once, with its cause and the id on the answer", () => {
  test.each(cases)("$port $operation at $endpoint", async ({ port, operation, status, endpoint, options, ask }) => {
    const w = await world(options)
    const answer = await ask(w)
    await vi.waitFor(() => expect(w.reports).toHaveLength(1), { timeout: 10_000 })
    expect(answer.status).toBe(status)
    expect(w.reports[0]?.cause).toBe(boom)
    expect(w.reports).toEqual([{ port, operation, cause: boom, uncertain: false, requestId: requestIdOf(answer), endpoint }])
  })

  test("an authenticator of an embedder that rejects", async () => {
    const w = await world({ authenticator: { verify: reject } })
    await signedIn(w)
    expect(w.reports).toMatchObject([{ port: "Authenticator", operation: "verify", cause: boom, endpoint: "login" }])
  })

  test("a commit that nobody answered for is uncertain", async () => {
    const gone = Object.assign(new Error("gone"), { uncertain: true })
    const w = await world({ tokens: { ...memoryTokenStore(), commit: () => Promise.reject(gone) } })
    await w.send({ path: "/login" })
    await token(w)
    const code = await codeFor(w).catch(() => "")
    expect(code).toBe("")
    expect(w.reports[0]).toMatchObject({ port: "TokenStore", operation: "commit", cause: gone, uncertain: true })
  })

  test("conflicts without end are the token store's", async () => {
    const store = memoryTokenStore()
    let on = false
    const w = await world({ tokens: { ...store, commit: (commands) => (on ? "Conflict" : store.commit(commands)) } })
    const code = await codeFor(w)
    on = true
    await redeem(w, code)
    expect(w.reports).toMatchObject([{ port: "TokenStore", operation: "commit", cause: { message: "3 conflicts in a row" } }])
  })

  test("a defect names no port; a clock that throws leaves no id", async () => {
    const w = await world({ rulesOff: ["code.known"] })
    await redeem(w, "nonsense")
    expect(w.reports).toMatchObject([{ port: undefined, operation: undefined, endpoint: "token", cause: expect.any(Error) }])
    const timeless = await world({ more: { clock: fail } })
    expect((await token(timeless)).status).toBe(500)
    expect(timeless.reports).toMatchObject([{ cause: boom, requestId: undefined, endpoint: undefined }])
  })

  test("what is answered as it should be is not reported, and neither is a refusal", async () => {
    const w = await world()
    expect((await token(w)).status).toBe(200)
    expect((await token(w, "wrong")).status).toBe(401)
    expect((await w.send({ path: "/nowhere" })).status).toBe(404)
    expect(w.reports).toEqual([])
  })

  test("a report that throws or rejects costs no answer", async () => {
    for (const report of [fail, rejectLater]) {
      const w = await world({ more: { report }, clientStore: (store) => ({ ...store, find: fail }) })
      expect((await token(w)).status).toBe(503)
    }
  })
})

describe("console.error, where no report is given", () => {
  const told = async (cause: unknown): Promise<string> => {
    const print = vi.spyOn(console, "error").mockImplementation(() => undefined)
    const w = await world()
    const provider = createProvider({
      issuer,
      clients: { find: () => Promise.reject(cause as Error), verifySecret: () => false, secretOf: () => undefined },
      tokens: w.tokens,
      signer: w.signer,
      authenticator: {
        find: () => undefined,
        verify: () => ({ _tag: "Rejected", reason: "" }),
        admit: () => ({ _tag: "Rejected", reason: "" }),
      },
      pages: { render: () => "" },
    })
    const body = new URLSearchParams({ grant_type: "client_credentials" })
    const headers = { authorization: basic("machine", "a secret that was sent") }
    const answer = await provider.fetch(new Request(`${issuer}/connect/token`, { method: "POST", headers, body }))
    expect(answer.status).toBe(503)
    const lines = print.mock.calls.map(([line]: ReadonlyArray<unknown>) => String(line))
    print.mockRestore()
    expect(lines).toHaveLength(1)
    const [line] = lines
    expect(line).toContain(`ClientStore.find failed (endpoint token, request ${answer.headers.get("x-request-id")}): `)
    return line ?? ""
  }

  test("has the stack of the cause and of what caused it, not what a library hung on them", async () => {
    const cause = Object.assign(new Error("no connection", { cause: new TypeError("ECONNREFUSED") }), { parameters: ["hunter2"] })
    const line = await told(cause)
    expect(line).toMatch(/Error: no connection\n +at .+\ncaused by TypeError: ECONNREFUSED\n +at /s)
    expect(line).not.toContain("hunter2")
  })

  test("says so when something else than an Error was thrown", async () => {
    expect(await told("plain words")).toMatch(/: plain words$/)
    expect(await told({ password: "hunter2" })).toMatch(/: an object that is no Error$/)
  })
})

describe("a failure in one line", () => {
  const refused = Object.assign(new AggregateError([]), { code: "ECONNREFUSED" })
  const circle = new Error("round")
  circle.cause = circle

  test.each<readonly [title: string, thrown: unknown, told: string]>([
    [
      "names what caused it, as fetch states no reason itself",
      new TypeError("fetch failed", { cause: new Error("no host") }),
      "fetch failed: no host",
    ],
    ["has the code of an error without a message", new TypeError("fetch failed", { cause: refused }), "fetch failed: ECONNREFUSED"],
    ["has the name of an error with neither", new RangeError(), "RangeError"],
    ["does not repeat a cause that the message has", new Error("lost: gone", { cause: new Error("gone") }), "lost: gone"],
    ["ends where a cause is its own", circle, "round"],
    ["has a text that was thrown", "plain words", "plain words"],
    ["names a cause of null as little as none", new Error("lost", { cause: null }), "lost"],
    ["has nothing of an object", new Error("lost", { cause: { password: "hunter2" } }), "lost: [object Object]"],
  ])("%s", (_, thrown, told) => expect(messageOf(thrown)).toBe(told))

  test("follows five errors at most", () => {
    const deep = Array.from({ length: 9 }, (_, at) => at).reduceRight<Error | undefined>(
      (cause, at) => new Error(`e${at}`, { cause }),
      undefined,
    )
    expect(messageOf(deep)).toBe("e0: e1: e2: e3: e4")
  })
})

test("architecture law 7: no report holds a secret that was sent", async () => {
  const reports: Array<ReportedFault> = []
  const secret = "s3cr3t-of-machine"
  const w = await world({
    more: { report: (fault) => reports.push(fault) },
    clientStore: (store) => ({
      ...store,
      verifySecret: (clientId, sent) => {
        throw new Error(`could not compare ${sent as unknown as string} of ${clientId}: ${JSON.stringify({ sent })} ${inspect({ sent })}`)
      },
    }),
  })
  await token(w, secret)
  expect(reports).toHaveLength(1)
  expect(inspect(reports, { depth: 9, showHidden: true })).not.toContain(secret)
})
