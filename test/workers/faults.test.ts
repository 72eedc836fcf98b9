import { execFileSync } from "node:child_process"
import { Agent } from "node:http"
import { expect, it, onTestFinished, vi } from "vitest"
import { posternLine as postern } from "../cli/lines.ts"
import { patience } from "../cli/run.ts"
import { ask, secret, type Served, served } from "./serving.ts"

// A worker that hangs is waited for, some seconds.
vi.setConfig({ testTimeout: 3 * patience })

const says = (all: Served, text: string): Promise<void> => all.until(() => all.lines().some(({ message }) => message === text))
const statuses = ({ post }: Served): Promise<ReadonlyArray<number>> =>
  Promise.all(
    Array.from(
      { length: 4 },
      async () => (await post("/connect/token", "robot", { grant_type: "client_credentials", scope: "api" })).status,
    ),
  )
const all200 = [200, 200, 200, 200]
const another = ({ config }: Served): object => ({
  ...config,
  clients: [...config.clients, { ...config.clients[1], client_id: "another" }],
})

it("a worker that cannot be made again for want of file descriptors is tried again, and the server goes on", async () => {
  const all = await served("data")
  const limit = (soft: number) => execFileSync("prlimit", ["--pid", String(all.server.pid), `--nofile=${soft}:`])
  const [victim = 0, survivor = 0] = all.workers()
  limit(20)
  process.kill(victim, "SIGKILL")
  await says(all, "worker failed")
  limit(1024)
  await says(all, "worker started again")
  expect(all.workers()).toHaveLength(2)
  expect(all.workers()).toContain(survivor)
  expect(await statuses(all)).toEqual(all200)
  expect(await all.server.stop("SIGTERM")).toBe(0)
})

it("a reload does not wait for a worker that hangs: that is ended, and begins again with what is served", async () => {
  const all = await served("data")
  const [stuck = 0] = all.workers()
  process.kill(stuck, "SIGSTOP")
  all.write(another(all))
  all.server.signal("SIGHUP")
  await says(all, "configuration reloaded")
  await says(all, "worker started again")
  expect(all.workers()).toHaveLength(2)
  expect(all.workers()).not.toContain(stuck)
  expect(await statuses(all)).toEqual(all200)
})

it("a worker that hangs is ended within seconds though nobody asks it for anything, is counted, and begins again", async () => {
  const all = await served("data")
  const [stuck = 0] = all.workers()
  process.kill(stuck, "SIGSTOP")
  await says(all, "worker started again")
  const lines = all.lines().filter(({ worker }) => worker === stuck)
  expect(lines.map(({ level, message }) => [level, message])).toEqual([
    ["error", "worker hangs"],
    ["error", "worker ended"],
  ])
  expect(all.workers()).not.toContain(stuck)
  expect(await statuses(all)).toEqual(all200)
  const { body } = await ask(`${all.url}/metrics`)
  for (const [name, value] of [
    ["serving", 2],
    ["ended", 1],
    ["hung", 1],
  ] as const)
    expect(body).toMatch(new RegExp(`^postern_workers_${name} ${value}$`, "m"))
})

it("a main process that does not write: what was sent to it is answered 503 with an unknown outcome within seconds, what comes then 503 at once, undone", async () => {
  const robot = { client_id: "robot", client_secret: secret, grant_types: ["client_credentials"], response_types: [], scope: "api" }
  const all = await served("data", { clients: [{ ...robot, access_token_format: "reference" }] })
  const main = all.server.pid
  onTestFinished(() => void process.kill(main, "SIGCONT"))
  // The main process accepts connections: this one stays.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  const fields = new URLSearchParams({ grant_type: "client_credentials", scope: "api", client_id: "robot", client_secret: secret })
  const token = async () => {
    const { status, body } = await ask(`${all.url}/connect/token`, {}, fields, agent)
    return [status, (JSON.parse(body) as { readonly error_description?: string }).error_description]
  }
  expect((await token())[0]).toBe(200)
  process.kill(main, "SIGSTOP")
  expect(await token()).toEqual([503, "The provider cannot answer now; whether the request was carried out is not known. Try again."])
  expect(await token()).toEqual([503, "The provider cannot answer now; nothing was changed. Try again."])
  process.kill(main, "SIGCONT")
  await all.until(async () => (await token())[0] === 200)
})

it("a server stops while a reload waits for a worker that hangs", async () => {
  const all = await served("data")
  const [stuck = 0] = all.workers()
  process.kill(stuck, "SIGSTOP")
  all.write(another(all))
  all.server.signal("SIGHUP")
  expect(await all.server.stop("SIGTERM")).toBe(0)
})
it.each([
  ["a person whom an operator disabled stays disabled", ["user", "disable", "alice"]],
  ["a client that an operator removed stays removed", ["client", "remove", "robot"]],
])("%s when a worker begins again", async (_, command) => {
  const all = await served("data")
  const list = [command[0] ?? "", "list", "--json"]
  expect((await postern(command, { cwd: all.cwd })).code).toBe(0)
  const before = (await postern(list, { cwd: all.cwd })).out
  process.kill(all.workers()[0] ?? 0, "SIGKILL")
  await says(all, "worker started again")
  expect((await postern(list, { cwd: all.cwd })).out).toBe(before)
})
