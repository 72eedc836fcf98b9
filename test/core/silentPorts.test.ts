import { type Command, createProvider, defaultFeatures, extensionGrant, pass, table } from "@postern/core"
import { reading } from "@postern/core/features"
import { memoryTokenStore } from "@postern/core/memory"
import type { TimerPort, TokenStorePort } from "@postern/core/ports"
import { expect, test } from "vitest"
import { type Asked, endpoint } from "../../packages/core/src/settle/endpoint.ts"
import { refuseJson } from "../../packages/core/src/settle/programs.ts"
import { row } from "../../packages/core/src/settle/stage.ts"
import { ask, asking } from "../support/asking.ts"
import { authorize, codeFor, redeem, request, signedIn, token } from "../support/flows.ts"
import { issuersWorld } from "../support/issuers.ts"
import { meetings } from "../support/meetings.ts"
import { fakeProviders } from "../support/upstream.ts"
import { type WorldOptions, clients, world } from "../support/world.ts"

/** Silence of a port, and the times for which timers were started. */
interface Quiet {
  isSilent: boolean
  /** The silent port was asked: until then, those before it have all the time that a busy machine needs. */
  isMet: boolean
  readonly waiting: Set<() => void>
  readonly started: Array<number>
}

const quiet = (isSilent = false): Quiet => ({ isSilent, isMet: isSilent, waiting: new Set(), started: [] })

/** Notes that the silent port was asked, and lets the timers run. */
const meet = (state: Quiet): void => {
  state.isMet = true
  for (const run of state.waiting) run()
  state.waiting.clear()
}

/** A timer that rings a third of a second after the silent port was asked, whatever it was set to, and never while all answer. */
const timerOf = (state: Quiet): TimerPort => ({
  start: (milliseconds, ring) => {
    state.started.push(milliseconds)
    if (!state.isSilent) return () => undefined
    let over: ReturnType<typeof setTimeout> | undefined
    const run = (): void => void (over = setTimeout(ring, 333))
    if (state.isMet) run()
    else state.waiting.add(run)
    return () => {
      state.waiting.delete(run)
      clearTimeout(over)
    }
  },
})

const silence = new Promise<never>(() => undefined)

/** A port of which one operation never answers once it is told to keep silent. */
const silent = <Port extends object>(port: Port, operation: string, state: Quiet): Port =>
  new Proxy(port, {
    get: (of, name) => {
      const member: unknown = Reflect.get(of, name)
      if (name !== operation || typeof member !== "function") return member
      return (...args: ReadonlyArray<unknown>) => {
        if (!state.isSilent) return (member as (...given: ReadonlyArray<unknown>) => unknown)(...args)
        meet(state)
        return silence
      }
    },
  })

/** The options of a world in which one operation of one port can be made to keep silent. */
const silencing = (port: string, operation: string, options: WorldOptions, state: Quiet): WorldOptions => {
  const more = { ...options.more, timer: timerOf(state), portTimeout: 1500 }
  switch (port) {
    case "ClientStore":
      return { ...options, more, clientStore: (store) => silent(store, operation, state) }
    case "TokenStore":
      return { ...options, more, tokens: silent(memoryTokenStore(), operation, state) }
    case "Signer":
      return { ...options, more, signer: (signer) => silent(signer, operation, state) }
    default:
      return { ...options, more, create: (given) => createProvider({ ...given, ...of(port, operation, given, state) }) }
  }
}

type Given = Parameters<typeof createProvider>[0]

const of = (port: string, operation: string, given: Given, state: Quiet): Partial<Given> => {
  if (port === "Authenticator") return { authenticator: silent(given.authenticator, operation, state) }
  if (port === "Digest") return { digest: silent(given.digest ?? { sha256: () => "", sha512: () => "" }, operation, state) }
  return { identityProviders: silent(given.identityProviders ?? fakeProviders(), operation, state) }
}

test.each(meetings)(
  "architecture law 7: a request whose %s.%s never answers ends in 503, and nothing is consumed",
  async (port, operation, options, prepare) => {
    const state = quiet()
    const w = await world(silencing(port, operation, options, state))
    const send = await prepare(w)
    state.isSilent = true
    const failed = await send()
    expect([failed.status, failed.header("retry-after")]).toEqual([503, "2"])
    expect(failed.json?.["error"] ?? failed.page?.["error"]).toBe("temporarily_unavailable")
    // A commit may have been carried out all the same: only then is nobody told that nothing was.
    const uncertain = operation === "commit"
    expect(failed.page?.["trouble"] ?? "unavailable").toBe(uncertain ? "uncertain" : "unavailable")
    expect(w.trails.at(-1)?.fault).toBe(`${port}.${operation}: PortTimedOut: no answer after 1500 ms`)
    expect(w.reports).toMatchObject([{ port, operation, uncertain, cause: { name: "PortTimedOut" } }])
    state.isSilent = false
    const again = await send()
    expect(again.status).toBeLessThan(400)
  },
)

test("architecture law 7: a program whose commit was not answered for is told that nobody knows, and not that nothing was changed", async () => {
  const state = quiet()
  const w = await world(silencing("TokenStore", "commit", {}, state))
  const code = await codeFor(w)
  state.isSilent = true
  const { status, json } = await redeem(w, code)
  expect([status, json]).toEqual([
    503,
    {
      error: "temporarily_unavailable",
      error_description: "The provider cannot answer now; whether the request was carried out is not known. Try again.",
    },
  ])
})

test("architecture law 7: a commit that is carried out after its time is judged by the rules of a replay, and gives nothing twice", async () => {
  const store = memoryTokenStore()
  const held: Array<() => void> = []
  const state = quiet()
  const tokens: TokenStorePort = {
    ...store,
    commit: (commands: ReadonlyArray<Command>) => {
      if (!state.isSilent) return store.commit(commands)
      meet(state)
      return new Promise((resolve, reject) => held.push(() => void Promise.resolve(store.commit(commands)).then(resolve, reject)))
    },
  }
  const w = await world({ tokens, more: { timer: timerOf(state) } })
  const code = await codeFor(w)
  state.isSilent = true
  expect((await redeem(w, code)).status).toBe(503)
  state.isSilent = false
  held.forEach((carryOut) => carryOut())
  const { status, json } = await redeem(w, code)
  expect([status, json?.["error"]]).toEqual([400, "invalid_grant"])
})

test("architecture law 7: a right secret waits no longer than a port may take for verdicts on earlier ones that never come", async () => {
  const state = quiet()
  const w = await world(silencing("ClientStore", "verifySecret", {}, state))
  state.isSilent = true
  const answers = await Promise.all(
    Array.from({ length: 40 }, () => token(w, "web", { grant_type: "client_credentials", scope: "api.read" })),
  )
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]))
  state.isSilent = false
  expect((await token(w, "web", { grant_type: "client_credentials", scope: "api.read" })).status).toBe(200)
})

test("architecture law 7: an outbox that never answers keeps no sign-out waiting, whose messages are written", async () => {
  const timer = timerOf(quiet(true))
  const out = { ...clients[0], client_id: "out", client_secret: "secret of out", backchannel_logout_uri: "https://app.example/out" }
  const w = await world({ clients: [...clients, out], more: { timer, outbox: { written: () => silence } } })
  const visitor = await signedIn(w)
  await visitor.get("/connect/authorize", request("out"))
  const { status, page } = await visitor.submit((await visitor.get("/logout")).page)
  expect([status, page?.["_tag"]]).toEqual([200, "SignedOut"])
})

test("architecture law 7: an extension grant that never loads is answered 503", async () => {
  const timer = timerOf(quiet(true))
  const name = "https://grants.example/silent"
  const grant = extensionGrant({
    name,
    parameters: {},
    rules: table("token/silent").rule("silent.rule", "none", () => pass),
    load: (): Promise<object> => silence,
    grant: () => ({ subject: "sub-alice" }),
  })
  const it = { client_id: "it", client_secret: "secret of it", grant_types: [name], response_types: [], scope: "api.read" }
  const w = await world({ clients: [...clients, it], more: { timer, grants: [grant] } })
  const { status, json } = await token(w, "it", { grant_type: name })
  expect([status, json?.["error"]]).toEqual([503, "temporarily_unavailable"])
  expect(w.trails.at(-1)?.fault).toBe(`extension grant ${name}.load: PortTimedOut: no answer after 20000 ms`)
})

test.each(["no", 1, {}, Promise.resolve("no")])(
  "architecture law 7, CIBA Core §7.1: a check of user codes that answers %o is answered 503, and asks nobody",
  async (answer) => {
    const options = asking({ checkUserCode: () => answer as never })
    const coded = (options.clients ?? []).map((each) =>
      each.client_id === "till" ? { ...each, backchannel_user_code_parameter: true } : each,
    )
    const w = await world({ ...options, clients: coded })
    const { status, json } = await ask(w, "till", { user_code: "1234" })
    expect([status, json?.["error"]]).toEqual([503, "temporarily_unavailable"])
    expect(w.trails.at(-1)?.fault).toMatch(/^ciba\.checkUserCode: TypeError: answered \w+, which is not what its type says$/)
  },
)

test("architecture law 7, CIBA Core §7.1: a check of user codes that never ends is answered 503", async () => {
  const timer = timerOf(quiet(true))
  const options = asking({ checkUserCode: () => silence })
  const coded = (options.clients ?? []).map((each) =>
    each.client_id === "till" ? { ...each, backchannel_user_code_parameter: true } : each,
  )
  const w = await world({ ...options, clients: coded, more: { ...options.more, timer } })
  const { status, json } = await ask(w, "till", { user_code: "1234" })
  expect([status, json?.["error"]]).toEqual([503, "temporarily_unavailable"])
  expect(w.trails.at(-1)?.fault).toBe("ciba.checkUserCode: PortTimedOut: no answer after 20000 ms")
})

test("architecture law 7: a read of a feature of your own that never ends is answered 503", async () => {
  const timer = timerOf(quiet(true))
  const own = endpoint(
    { name: "quiet", path: "/connect/quiet", methods: ["GET"], audience: "programs", cors: false },
    row<Asked>(refuseJson)
      .read((_, inquiry) => reading("quiet", (): Promise<object> => silence, inquiry))
      .decide(() => ({ _tag: "Acknowledge", commands: [] })),
  )
  const w = await world({ more: { timer, features: [...defaultFeatures, { name: "quiet", endpoints: () => [own] }] } })
  const answer = await w.send({ path: "/connect/quiet" })
  expect([answer.status, w.trails.at(-1)?.fault]).toEqual([503, "quiet.read: PortTimedOut: no answer after 20000 ms"])
})

test("architecture law 16: ports that answer at once start no timer", async () => {
  const state = quiet()
  const w = await world({ more: { timer: timerOf(state) } })
  const visitor = await signedIn(w)
  state.started.length = 0
  const { params } = await visitor.get("/connect/authorize", request())
  expect([params["code"]?.length, state.started]).toEqual([61, []])
})

test("portTimeout: is a number of milliseconds that a timer can wait for", async () => {
  for (const portTimeout of [0, -1, Number.NaN, 2 ** 31])
    await expect(world({ more: { portTimeout } })).rejects.toThrow("portTimeout: must be a number of milliseconds above 0")
})

test("issuers that share their ports each have a portTimeout of their own, for the store of tokens and for every other port", async () => {
  const { started, ...state } = quiet()
  const timer = timerOf({ ...state, started })
  const store = memoryTokenStore()
  const tokens: TokenStorePort = { ...store, commit: async (commands) => store.commit(commands) }
  const [one, two] = ["https://op.example/one", "https://op.example/two"]
  const { at } = await issuersWorld(
    { issuers: { one: { issuer: one, portTimeout: 700 }, two: { issuer: two } } },
    { tokens, more: { timer }, clientStore: (clientStore) => ({ ...clientStore, find: async (id) => clientStore.find(id) }) },
  )
  for (const [issuer, milliseconds] of [
    [one, 700],
    [two, 20_000],
    [one, 700],
  ] as const) {
    started.length = 0
    expect((await authorize(at(issuer).visitor())).page?.["_tag"]).toBe("Login")
    // One of the client, and one of the commit of the waiting request, at least.
    expect(started.length).toBeGreaterThan(1)
    expect(new Set(started)).toEqual(new Set([milliseconds]))
  }
})
