import { readFileSync, readdirSync } from "node:fs"
import { nodeInteractions } from "@postern/adapter-http/node"
import {
  type Message,
  type Provider,
  createProvider,
  createProviders,
  defineClient,
  deliveriesOf,
  fromRequest,
  partitioned,
  secretOf,
} from "@postern/core"
import { memoryTokenStore } from "@postern/core/memory"
import { registeredClient } from "@postern/core/registered"
import { resourceServer } from "@postern/verify"
import { describe, expect, test } from "vitest"
import { revoked } from "../support/thrownValues.ts"
import { world } from "../support/world.ts"

/**
 * Entries of functions for code with types: pure steps that stores, features and adapters are made of. They run for each row and each request, and trust
 * their types.
 */
const typed = new Set([
  "core/features",
  "core/handle",
  "core/model",
  "core/options",
  "core/outbox",
  "core/ports",
  "core/testing",
  "core/verify",
  "core/wire",
  "adapter-postgres/url",
  "stores/rows",
  "stores/sql",
])

/** Functions of those entries that an embedder calls with values of its own. */
const asked = new Set(["createProvider", "defineFeature", "extensionGrant", "fromRequest", "partitioned", "secretOf"])

/** Functions of other entries that are such steps, with the entry that they belong to. */
const steps = new Set([
  ..."audiences basePathOf clientFieldsOf closest compose consoleReport detailTypeFaults logoutMessage policyFaults profileNamed".split(
    " ",
  ),
  ..."registrationFaults registrationPolicyFaults resourceFaults sectorDocumentFault sessionMessage slidesBeyondEnd toldLogout".split(" "),
  ..."cleanClient revokeInitialAccessToken saveInitialAccessToken unregisterClient governed enabled paragraphs".split(" "),
  // Steps of keys and of stores in memory.
  ..."activeKey dueKeys isSealed listKeys privateKeyOf publicKeyOf publishedKeys removableKeys ringOf newSecret".split(" "),
  // Steps of the server and of the command line.
  ..."cleanTeardown isLoopbackAddress isPublicAddress lastingMetrics newTicketSecret readingsText runUntilStopped shareOfLimits".split(" "),
  ..."sumMetrics ticketSecretAt auditLimits deadline isPasswordHash databaseExists examine integrityOf isWriteLocked kindOf".split(" "),
  ..."newestMoment outboxCounts overdueRows unwritable mayHave statedClaims".split(" "),
  ..."applyCommand eachLimited memoryRows mergedRequests joseJwsVerifier".split(" "),
])

const wrong: ReadonlyArray<readonly [title: string, make: () => unknown]> = [
  ["nothing", () => undefined],
  ["null", () => null],
  ["0", () => 0],
  ["an empty text", () => ""],
  ["an empty object", () => ({})],
  ["an empty list", () => []],
  ["a function", () => () => undefined],
  ["a revoked proxy", revoked],
]

/** The words of the language's own errors, which name no argument. */
const unnamed =
  /Cannot (?:read|destructure|set|convert|perform)|is not (?:a function|iterable|a constructor)|Invalid URL|\(reading|of undefined|of null|must be of type|ERR_INVALID_ARG|proxy that has been revoked/

interface Exported {
  readonly entry: string
  readonly name: string
  readonly run: (...args: ReadonlyArray<unknown>) => unknown
}

const packages = new URL("../../packages/", import.meta.url)

const load = async (): Promise<ReadonlyArray<Exported>> => {
  const found: Array<Exported> = []
  const inner = new Set<unknown>()
  const all: Array<readonly [entry: string, members: Readonly<Record<string, unknown>>]> = []
  for (const folder of readdirSync(packages)) {
    if (folder === "cli" || folder === "conformance") continue
    const { exports = {} } = JSON.parse(readFileSync(new URL(`${folder}/package.json`, packages), "utf8")) as {
      exports?: Readonly<Record<string, string>>
    }
    for (const [entry, file] of Object.entries(exports)) {
      if (!file.endsWith(".ts")) continue
      const members = (await import(new URL(`${folder}/${file}`, packages).href)) as Readonly<Record<string, unknown>>
      all.push([`${folder}${entry.slice(1)}`, members])
      if (typed.has(`${folder}${entry.slice(1)}`)) Object.values(members).forEach((each) => inner.add(each))
    }
  }
  for (const [entry, members] of all)
    for (const [name, run] of Object.entries(members)) {
      if (typeof run !== "function" || /^class\b/.test(Function.prototype.toString.call(run))) continue
      const isStep = (inner.has(run) && !asked.has(name)) || steps.has(name)
      if (!isStep && !found.some((each) => each.run === run)) found.push({ entry, name, run: run as Exported["run"] })
    }
  return found
}

const told = async ({ run }: Exported, make: () => unknown): Promise<string | undefined> => {
  try {
    const result = run(make())
    await Promise.resolve(result)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : "no Error"
  }
}

describe("house rule: a public function given anything works, or throws an error that names the argument", () => {
  test("of every package", async () => {
    const found = await load()
    const faults: Array<string> = []
    for (const each of found)
      for (const [title, make] of wrong) {
        const message = await told(each, make)
        if (message !== undefined && (unnamed.test(message) || message === "no Error" || message === ""))
          faults.push(`${each.entry} ${each.name}(${title}): ${message}`)
      }
    expect(faults).toEqual([])
    expect(found.length).toBeGreaterThan(100)
  })

  const metadata = { client_id: "app", redirect_uris: ["https://app.example/cb"] }
  const provider = { interaction: async () => ({}), resume: async () => ({}) } as unknown as Provider
  const api = resourceServer({ issuer: "https://op.example", resource: "https://api.example" })
  const second: ReadonlyArray<readonly [called: string, run: () => unknown, said: string]> = [
    [
      "defineClient(metadata, null)",
      () => defineClient(metadata as never, null as never),
      "defineClient: options: is null, and must be an object",
    ],
    [
      "defineClient(metadata, 0)",
      () => defineClient(metadata as never, 0 as never),
      "defineClient: options: is a number, and must be an object",
    ],
    ["defineClient([])", () => defineClient([] as never), "client without a client_id is refused:\n- : is no object; give client metadata"],
    ["createProviders([])", () => createProviders([] as never), "createProviders: needs an object of settings, ports and issuers"],
    ["secretOf()", () => secretOf(undefined as never), "secretOf: text: must be a text"],
    [
      "deliveriesOf(undefined, {})",
      () => deliveriesOf(undefined as never, {} as never),
      "deliveriesOf: options: is missing, and must be an object",
    ],
    ["deliveriesOf({})", () => deliveriesOf({}, undefined as never), "deliveriesOf: ports: is missing, and must be an object"],
    [
      "registeredClient(metadata)",
      () => registeredClient(metadata, undefined as never),
      "registeredClient: lifetimes: is missing, and must be an object",
    ],
    [
      "partitioned(store)",
      () => partitioned(memoryTokenStore(), undefined as never),
      "partitioned: partition: is missing, and must be an object",
    ],
    [
      "nodeInteractions(provider).interaction()",
      () => nodeInteractions(provider).interaction(undefined as never),
      "nodeInteractions: request: is missing, and must be an object, IncomingMessage, with rawHeaders",
    ],
    [
      "resourceServer(options).verify()",
      () => api.verify(undefined as never),
      "@postern/verify: request: is missing, and must be an object, ResourceRequest, with method, path, query, headers",
    ],
    [
      "resourceServer(options).verify({})",
      () => api.verify({} as never),
      "@postern/verify: \n- request.method: is missing, and must be a text (ResourceRequest)\n- request.path: is missing, and must be a text (ResourceRequest)\n- request.query: is missing, and must be a text (ResourceRequest)\n- request.headers: is missing, and must be an object (ResourceRequest)",
    ],
    ["fromRequest()", () => fromRequest(undefined as never), "fromRequest: request: must be a Request, with the whole URL"],
  ]

  test.each(second)("%s", async (_, run, said) => {
    const failed = await (async () => run())().then(
      () => undefined,
      (error: unknown) => error,
    )
    expect(failed).toBeInstanceOf(TypeError)
    expect((failed as TypeError).message).toBe(said)
  })

  test("Provider.fetch and handle never reject: a request that is none is answered 500, and reported", async () => {
    const reports: Array<unknown> = []
    const w = await world({ create: (given) => createProvider({ ...given, report: (fault) => void reports.push(fault) }) })
    const url = "https://op.example/connect/token"
    const alike = [
      { url, headers: new Headers() },
      { url, method: "POST" },
      { url: "/connect/token", method: "GET", headers: new Headers() },
    ]
    for (const make of [...wrong.map(([, each]) => each), ...alike.map((each) => () => each)]) {
      expect((await w.provider.fetch(make() as Request)).status).toBe(500)
      if (!alike.some((each) => each === make())) expect((await w.provider.handle(make() as Message)).status).toBe(500)
    }
    expect(reports.length).toBeGreaterThanOrEqual(wrong.length)
  })
})
