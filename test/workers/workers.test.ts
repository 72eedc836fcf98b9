import { connect } from "node:net"
import { afterAll, describe, expect, it, vi } from "vitest"
import { posternLine } from "../cli/lines.ts"
import { patience, postern } from "../cli/run.ts"
import { running } from "../cli/running.ts"
import { postgresServer } from "../support/postgres.ts"
import { runs, sample } from "../tiers/tier.ts"
import { ask, childrenOf, isThere, jsonOf, secret, served, type Served } from "./serving.ts"

// Each test needs a server of three processes, and some start one of their own.
vi.setConfig({ testTimeout: 2 * patience, hookTimeout: 2 * patience })

const eight = <A>(make: (at: number) => Promise<A>): Promise<ReadonlyArray<A>> =>
  Promise.all(Array.from({ length: 8 }, (_, at) => make(at)))
const token = ({ post }: Served, clientId = "robot") => post("/connect/token", clientId, { grant_type: "client_credentials", scope: "api" })
const statuses = async (answers: Promise<ReadonlyArray<{ readonly status: number }>>) => (await answers).map(({ status }) => status)
const eightTimes = (status: number): ReadonlyArray<number> => Array.from({ length: 8 }, () => status)
/** Requests that a server has counted, by the endpoint. */
const counted = async (url: string, endpoint: string): Promise<number> => {
  const { body } = await ask(`${url}/metrics`)
  const lines = body
    .split("\n")
    .filter((line) => line.startsWith("postern_http_requests_total{") && line.includes(`endpoint="${endpoint}"`))
  return lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0)
}
const kids = async (url: string): Promise<ReadonlyArray<string>> => {
  const { jwks_uri: jwks } = jsonOf(await ask(`${url}/.well-known/openid-configuration`))
  return (jsonOf(await ask(String(jwks)))["keys"] as ReadonlyArray<{ readonly kid: string }>).map(({ kid }) => kid).sort()
}

/** A server for several tests, started when the first asks for it. After the last it is asked to stop, and does; every line of its log is whole. */
const sharing = (start: (atEnd: (end: () => void | Promise<void>) => unknown) => Promise<Served>): (() => Promise<Served>) => {
  const ends: Array<() => void | Promise<void>> = []
  let all: Promise<Served> | undefined
  afterAll(async () => {
    try {
      const its = await all
      expect(await its?.server.stop("SIGTERM")).toBe(its === undefined ? undefined : 0)
      its?.lines()
    } finally {
      for (const end of ends.reverse()) await end()
    }
  })
  return () => (all ??= start((end) => ends.push(end)))
}

const database = postgresServer()

// The processes are the same on both: outside of the full tier, the tests run on one.
describe.each(sample(["SQLite", "PostgreSQL"], 2))("a server of two workers on %s", (kind) => {
  const data = async (): Promise<string> => (kind === "SQLite" ? "data" : (await database()).database())
  const start = async (more: object = {}): Promise<Served> => served(await data(), more)
  const shared = sharing(async (atEnd) => served(await data(), {}, undefined, undefined, atEnd))

  it("of sixteen redemptions at once, spread over both, exactly one succeeds, and what it got is revoked (RFC 6749 §4.1.2)", async () => {
    const all = await shared()
    expect(all.workers()).toHaveLength(2)
    for (let round = 0; round < runs(3); round++) {
      const code = await all.signIn()
      const answers = await Promise.all(Array.from({ length: 16 }, () => all.redeem(code)))
      const won = answers.filter(({ status }) => status === 200)
      const refused = answers.filter((answer) => answer.status === 400 && jsonOf(answer)["error"] === "invalid_grant")
      expect([won.length, refused.length]).toEqual([1, 15])
      const [first] = won
      if (first !== undefined) expect(await eight(() => all.active(jsonOf(first)["access_token"]))).toEqual(Array(8).fill(false))
    }
    const { status, body } = await all.redeem(await all.signIn())
    expect(status).toBe(200)
    const { access_token: access, refresh_token: refresh } = JSON.parse(body) as Record<string, string>
    expect(await eight(() => all.active(access))).toEqual(Array(8).fill(true))
    const rotated = await all.post("/connect/token", "web", { grant_type: "refresh_token", refresh_token: refresh ?? "" })
    expect(rotated.status).toBe(200)
  })

  it("limits of requests count what all workers let through", async () => {
    const limit = 300
    const all = await start({ limits: { token_requests_per_client: limit } })
    let passed = 0
    // One after the other, so that the exchange of counts, four times a second, keeps up.
    await all.until(async () => {
      const found = await statuses(token(all).then((answer) => [answer]))
      passed += found.filter((status) => status === 200).length
      return found.every((status) => status === 429) && (await statuses(eight(() => token(all)))).every((status) => status === 429)
    })
    expect(passed).toBeGreaterThanOrEqual(limit)
    // Apart, two processes would let twice as many through; together, what came between two exchanges besides, and what a minute gives back.
    expect(passed).toBeLessThan(2 * limit)
  })

  it("a rotation of keys and a reload are seen by both; a configuration with a fault changes neither", async () => {
    const all = await shared()
    const before = await kids(all.url)
    expect((await posternLine(["keys", "rotate"], { cwd: all.cwd })).code).toBe(0)
    await all.until(async () => (await eight(() => kids(all.url))).every((each) => each.length > before.length), 250)
    const config = all.config
    all.write({ ...config, clients: [...config.clients, { ...config.clients[1], client_id: "another" }] })
    all.server.signal("SIGHUP")
    await all.until(() => all.lines().some(({ message }) => message === "configuration reloaded"))
    expect(await statuses(eight(() => token(all, "another")))).toEqual(eightTimes(200))
    expect(all.lines().filter(({ message }) => message === "configuration reloaded")).toHaveLength(1)
    all.write({ ...config, clients: [{ client_id: "another", grant_types: ["nonsense"] }] })
    all.server.signal("SIGHUP")
    await all.until(() => all.lines().some(({ message }) => message === "configuration not reloaded"))
    expect(await statuses(eight(() => token(all, "another")))).toEqual(eightTimes(200))
    // The next test's commands read the file.
    all.write(config)
  })

  it("a worker that is killed takes nothing acknowledged along; the other goes on, and it is started again with what is served", async () => {
    const all = await shared()
    const found = await all.redeem(await all.signIn())
    const { access_token: access } = jsonOf(found)
    const before = all.workers()
    const requests = await counted(all.url, "/connect/token")
    const [victim = 0, survivor = 0] = before
    process.kill(victim, "SIGKILL")
    await all.until(async () => {
      const answered = await statuses(eight(() => token(all)).catch(() => []))
      return (
        all.lines().some(({ message }) => message === "worker started again") && answered.length === 8 && answered.every((s) => s === 200)
      )
    })
    expect(all.workers()).toHaveLength(2)
    expect(all.workers()).toContain(survivor)
    expect(all.workers()).not.toContain(victim)
    expect(await eight(() => all.active(access))).toEqual(Array(8).fill(true))
    // A counter never goes back, or what reads it would count twice.
    expect(await counted(all.url, "/connect/token")).toBeGreaterThanOrEqual(requests + 8)
    expect(all.lines().filter(({ message }) => message === "worker ended")).toMatchObject([{ worker: victim, signal: "SIGKILL" }])
  })

  it("when the main process is killed the workers end, and the next server has everything acknowledged", async () => {
    const all = await start()
    const { access_token: access, refresh_token: refresh } = jsonOf(await all.redeem(await all.signIn()))
    const workers = all.workers()
    await all.server.stop("SIGKILL")
    await all.until(() => !workers.some(isThere))
    const again = await served("", {}, Number(new URL(all.url).port), all.cwd)
    expect(await eight(() => again.active(access))).toEqual(Array(8).fill(true))
    expect((await again.post("/connect/token", "web", { grant_type: "refresh_token", refresh_token: String(refresh) })).status).toBe(200)
  })

  it("a stop answers what has begun at every worker, and ends all of them", async () => {
    const all = await start()
    const workers = all.workers()
    const body = new URLSearchParams({ grant_type: "client_credentials", scope: "api" }).toString()
    const head = `POST /connect/token HTTP/1.1\r\nhost: x\r\nauthorization: Basic ${btoa(`robot:${encodeURIComponent(secret)}`)}\r\ncontent-type: application/x-www-form-urlencoded\r\ncontent-length: ${body.length}\r\n\r\n`
    const begun = await eight(async () => {
      const socket = connect(Number(new URL(all.url).port), "127.0.0.1")
      let text = ""
      socket.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
      const ended = new Promise<string>((resolve) => socket.once("close", () => resolve(text)))
      await new Promise<void>((written) => socket.write(head + body.slice(0, 5), () => written()))
      return { socket, ended }
    })
    // Each is at a worker once it is counted as being answered there.
    await all.until(async () => /^postern_http_requests_in_flight (9|1\d)$/m.test((await ask(`${all.url}/metrics`)).body))
    const stopped = all.server.stop("SIGTERM")
    await all.until(() => all.lines().filter(({ message }) => message === "stopping").length === 2)
    for (const { socket } of begun) socket.write(body.slice(5))
    for (const { ended } of begun) expect(await ended).toMatch(/^HTTP\/1.1 200 [\s\S]*access_token/)
    expect(await stopped).toBe(0)
    expect(workers.some(isThere)).toBe(false)
  })

  it("metrics are those of the whole server, whichever worker is asked", async () => {
    const all = await shared()
    const before = await counted(all.url, "/connect/token")
    for (let round = 0; round < 5; round++) await eight(() => token(all))
    expect(await eight(() => counted(all.url, "/connect/token"))).toEqual(eightTimes(before + 40))
    const { body } = await ask(`${all.url}/metrics`)
    expect(body.match(/^postern_http_request_duration_seconds_count\{.*\/connect\/token.*\} (\d+)$/m)?.[1]).toBe(String(before + 40))
    expect(body.match(/^# TYPE postern_http_requests_total counter$/gm)).toHaveLength(1)
    // Three processes take far more than one could.
    expect(Number(/^process_resident_memory_bytes (\d+)$/m.exec(body)?.[1])).toBeGreaterThan(150_000_000)
  })

  it("a refusal of any worker can be explained, and every line of the log is whole", async () => {
    const all = await shared()
    const requests = (): number => all.lines().filter(({ message, status }) => message === "request" && status === 400).length
    const before = requests()
    const refused = await eight(() => all.post("/connect/token", "robot", { grant_type: "client_credentials", scope: "nothing" }))
    for (const { headers, status } of refused.slice(0, 2)) {
      expect(status).toBe(400)
      const requestId = String(headers["x-request-id"])
      await vi.waitFor(
        async () => {
          const { out, code } = await posternLine(["explain", requestId], { cwd: all.cwd })
          expect([code, out]).toEqual([0, expect.stringContaining("scope")])
        },
        { timeout: patience },
      )
    }
    await all.until(() => requests() === before + 8)
    expect(all.lines().length).toBeGreaterThan(10)
  })
})

describe("the processes of a server", () => {
  const shared = sharing(async (atEnd) => served("data", {}, undefined, undefined, atEnd))

  it("a worker hears no signal of its own: a terminal sends them to all, and the main process stops them in order", async () => {
    const all = await served("data")
    for (const worker of all.workers()) for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.kill(worker, signal)
    expect(await statuses(eight(() => token(all)))).toEqual(eightTimes(200))
    expect(await all.server.stop("SIGINT")).toBe(0)
    expect(all.lines().some(({ message }) => message === "worker ended")).toBe(false)
  })

  it("a port in use is told once, as by a single process, and nothing is left running", async () => {
    const all = await shared()
    const port = String(new URL(all.url).port)
    const { code, err } = await postern(["serve", "--workers", "3", "--port", port, "--data", "other"], { cwd: all.cwd })
    expect([code, err.match(/port \d+ of 127\.0\.0\.1 is in use/g)]).toEqual([1, [`port ${port} of 127.0.0.1 is in use`]])
  })

  it("--workers 1 overrides the configuration, and is a single process", async () => {
    const all = await shared()
    const alone = await running(["serve", "--workers", "1", "--port", "0", "--data", "other"], { cwd: all.cwd }, /Ready\./)
    expect(childrenOf(alone.pid)).toEqual([])
  })
})
