import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { readRecordingText } from "@postern/conformance/recording"
import { type AnyFeature, compose } from "@postern/core"
import { afterAll, describe, expect, it, vi } from "vitest"
import { everyFeature } from "../../packages/cli/src/config/features.ts"
import { decidedByRecord } from "../../packages/cli/src/replay/setting.ts"
import { posternLine as postern } from "./lines.ts"
import { folder, patience } from "./run.ts"
import { running } from "./running.ts"

vi.setConfig({ testTimeout: 2 * patience })

const config = {
  issuer: "http://127.0.0.1:8080",
  development: true,
  listen: { port: 0 },
  resources: [{ identifier: "https://api.example", scopes: ["api"] }],
  clients: [{ client_id: "robot", client_secret: "secret", grant_types: ["client_credentials"], response_types: [], scope: "api" }],
}

const here = folder(config)
afterAll(here.remove)

const run = (...args: ReadonlyArray<string>) => postern(args, { cwd: here.cwd })

const asked = (url: string): Promise<Response> =>
  fetch(`${url}/connect/token`, {
    method: "POST",
    headers: { authorization: `Basic ${btoa("robot:secret")}` },
    body: new URLSearchParams({ grant_type: "client_credentials" }),
  })

/** One request that was recorded, once for all tests. */
const recorded = async () => {
  const file = join(here.cwd, "one.recording")
  if (!existsSync(file)) {
    const server = await running(["record", "--out", "one.recording"], { cwd: here.cwd }, /Ready\./)
    expect((await asked(/listening +(\S+)/.exec(server.said.err)?.[1] ?? "")).status).toBe(200)
    expect(await server.stop("SIGINT")).toBe(0)
  }
  const { beginning, entries } = readRecordingText(readFileSync(file, "utf8"))
  const [entry] = entries
  if (entry === undefined) throw new TypeError("nothing was recorded")
  return { beginning, entry }
}

/** Writes a recording, with so many requests left out. */
const written = (name: string, entries: ReadonlyArray<object>, began: object, left_out = 0): string => {
  const lines = [began, ...entries, { requests: entries.length, left_out }].map((line) => `${JSON.stringify(line)}\n`)
  writeFileSync(join(here.cwd, name), lines.join(""))
  return name
}

const unlike = { outcome: "RefuseJson", status: 401, rule: "client.secret" }

describe("postern replay", () => {
  it("knows every feature that a configuration can turn on, without its configuration", () => {
    const named = (features: ReadonlyArray<AnyFeature>): ReadonlyArray<string> => compose({ features }).features.map(({ name }) => name)
    const features = named(everyFeature)
    const grants = { token_exchange: true, jwt_bearer: true, id_jag: { authorization_servers: [], identity_providers: [] } }
    const settings = { issuer: "https://id.example.com" }
    const began = { postern_recording: 2, version: "0.1.0", began_at: "2026-11-22T20:00:00.000Z", settings, features, grants } as const
    const { options } = decidedByRecord({ ...began, limited: false, pairwise: false }, "all.recording")
    expect(named(options.features ?? [])).toEqual(features)
  })

  it("tells of requests that met other rules when they were recorded, and of those left out; exit status 4", async () => {
    const { beginning, entry } = await recorded()
    const file = written("unlike.recording", [entry, { ...entry, request: "another", unlike }], beginning, 3)
    const { code, out } = await run("replay", file)
    expect(code).toBe(4)
    expect(out).toContain("another  ")
    expect(out).toContain("when recorded   RefuseJson 401 by client.secret")
    expect(out).toContain("0 of 2 requests are decided differently\n1 of 2 requests met other rules when recorded: unknown\n")
    expect(out).toContain("3 requests more were left out of the recording\n")
    const told = await run("replay", file, "--json")
    expect([told.code, JSON.parse(told.out)]).toEqual([
      4,
      expect.objectContaining({
        requests: 2,
        different: 0,
        unlike: [{ request: "another", was: unlike, by_record: { outcome: entry.decided.outcome, status: 200 } }],
        left_out: 3,
        cut_off: false,
      }),
    ])
  })

  it("writes nothing of a recording that would steer a terminal", async () => {
    const { beginning, entry } = await recorded()
    const steering = {
      ...entry,
      request: "\u001B]0;pwned\u0007\u009B2J\u202EX",
      decided: { ...entry.decided, status: 500, client: "\u001B[2J" },
    }
    const file = written("steering.recording", [steering, { ...steering, unlike }], beginning)
    const steers = /[^\P{Cc}\n]|\p{Cf}/u
    for (const args of [
      ["replay", file],
      ["replay", file, "--json"],
      ["config", "diff", "postern.json", "postern.json", "--against", file],
    ]) {
      const { out, err } = await run(...args)
      expect(out).toContain("X")
      expect([args, steers.exec(out + err)]).toEqual([args, null])
    }
  })

  it("names the line of settings that no provider can be made of", async () => {
    const { beginning, entry } = await recorded()
    const { settings } = beginning
    for (const [at, faulty] of [{ issuer: "nope" }, { profile: "nope" }, { resources: [{ resource: 5 }] }].entries()) {
      const file = written(`settings${at}.recording`, [entry], { ...beginning, settings: { ...settings, ...faulty } })
      const { code, err } = await run("replay", file)
      expect([code, err]).toEqual([1, expect.stringMatching(`^postern: ${file} cannot be used: line 1: its settings are refused: `)])
    }
    const grants = await run("replay", written("grants.recording", [entry], { ...beginning, grants: { device: 5, modules: 5 } }))
    expect(grants.err).not.toContain("report it")
  })
})

describe("postern config diff", () => {
  it("names the line, the member and the request that do not fit the schema of recordings, as replay does", async () => {
    const { beginning, entry } = await recorded()
    const file = written(
      "unfit.recording",
      [entry, { ...entry, request: "the second", message: { ...entry.message, method: 5 } }],
      beginning,
    )
    for (const args of [
      ["config", "diff", "postern.json", "postern.json", "--against", file],
      ["replay", file],
    ])
      expect([args, await run(...args)]).toEqual([
        args,
        {
          code: 1,
          out: "",
          err: `postern: ${file} cannot be used: line 3: does not fit the schema of recordings: Expected string at ["message"]["method"] (request the second)\n  \`postern record\` writes recordings\n`,
        },
      ])
  })

  it("names every request that is decided otherwise: those admitted, and those answered differently", async () => {
    const { beginning, entry } = await recorded()
    const file = written("moved.recording", [entry], beginning)
    const [client] = config.clients
    const variant = (name: string, changed: object): string => {
      writeFileSync(join(here.cwd, name), JSON.stringify({ ...config, ...changed }))
      return name
    }
    const none = variant("none.json", { clients: [{ ...client, grant_types: ["urn:ietf:params:oauth:grant-type:device_code"] }] })
    const shorter = variant("shorter.json", { clients: [{ ...client, access_token_lifetime: 60 }] })
    const diff = async (before: string, after: string) => (await run("config", "diff", before, after, "--against", file)).out
    expect(await diff(none, "postern.json")).toContain(
      `1 request would no longer be refused by token.grant-type-allowed (RFC 6749 §5.2)\n  ${entry.request}\n`,
    )
    expect(await diff("postern.json", shorter)).toContain(`1 request would be answered differently\n  ${entry.request}\n`)
  })

  it("counts a request that neither configuration can decide, and one unlike its record, as neither decided as now", async () => {
    const { beginning, entry } = await recorded()
    const file = written(
      "undecided.recording",
      [entry, { ...entry, request: "lost", calls: [] }, { ...entry, request: "another", unlike }],
      beginning,
      2,
    )
    const diff = ["config", "diff", "postern.json", "postern.json", "--against", file]
    const { code, out } = await run(...diff)
    expect([code, out]).toEqual([
      4,
      [
        "1 request would need data that was not recorded: unknown",
        "  lost",
        "1 request met other rules when recorded: unknown",
        "  another",
        "1 of 3 recorded requests would be decided as before",
        "2 requests more were left out of the recording",
        "",
      ].join("\n"),
    ])
    expect(JSON.parse((await run(...diff, "--json")).out)).toMatchObject({
      against: { undecided: ["lost"], unlike: ["another"], left_out: 2 },
    })
  })

  it("hints at a first configuration only where one is of use", async () => {
    await recorded()
    for (const args of [
      ["config", "diff", "nowhere.json", "postern.json"],
      ["config", "diff", "postern.json", "nowhere.json"],
      ["replay", "one.recording", "--config", "nowhere.json"],
      ["misbehave", "--port", "0", "--client-file", "nowhere.json"],
      ["conform", "http://127.0.0.1:9", "--client-file", "nowhere.json"],
    ]) {
      const { code, err } = await run(...args)
      expect([args, code, err]).toEqual([args, 1, expect.stringContaining("nowhere.json is not there")])
      expect([args, err]).toEqual([args, expect.not.stringContaining("postern init")])
    }
  })
})

describe("postern record", () => {
  it("bounds --megabytes by what a replay reads", async () => {
    expect(await run("record", "--out", "large.recording", "--megabytes", "257")).toMatchObject({
      code: 2,
      err: expect.stringContaining("a number from 1 to 256"),
    })
  })

  it("refuses a file that has no room for the settings", async () => {
    const many = Array.from({ length: 20_000 }, (_, at) => ({ ...config.clients[0], client_id: `robot number ${at} ${"x".repeat(40)}` }))
    writeFileSync(join(here.cwd, "many.json"), JSON.stringify({ ...config, clients: many }))
    const { code, err } = await run("record", "--config", "many.json", "--out", "small.recording", "--megabytes", "1")
    expect([code, err]).toEqual([1, expect.stringContaining("small.recording would be too small: the settings alone have ")])
  })
})
