import cluster, { type Worker } from "node:cluster"
import { EventEmitter } from "node:events"
import { PassThrough } from "node:stream"
import type { AdjustableLog } from "@postern/adapter-http"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { forwardLines, longestLine } from "../../packages/cli/src/workers/child.ts"
import { startPool } from "../../packages/cli/src/workers/pool.ts"
import type { ConfigFile } from "../../packages/cli/src/config/schema.ts"
import type { AgreedHashes } from "../../packages/cli/src/serve/provider.ts"

interface Call {
  readonly call: number
  readonly name: string
  readonly given: unknown
}

/** A worker that answers at once what it is not told to keep, in place of a process. */
const standIn = (keeps: ReadonlySet<string>) => {
  const calls: Array<Call> = []
  const child = Object.assign(new EventEmitter(), {
    pid: 1,
    stdout: null,
    stdio: [],
    send: () => true,
    kill: vi.fn(() => child.emit("close", null, "SIGKILL")),
  })
  const answer = ({ call, name }: Call): void =>
    void worker.emit("message", { answers: call, made: { serve: { url: "http://127.0.0.1" }, take: { certificate: false } }[name] })
  const worker = Object.assign(new EventEmitter(), {
    process: child,
    isConnected: () => true,
    send: (message: Call) => {
      calls.push(message)
      if (!keeps.has(message.name)) queueMicrotask(() => answer(message))
    },
  })
  const last = (name: string): Call | undefined => calls.findLast((each) => each.name === name)
  return { worker, child, calls, last, answer: (name: string) => answer(last(name) as Call) }
}

const configOf = (issuer: string): ConfigFile => ({ issuer }) as ConfigFile
const hashesOf = (hash: string) => ({ clients: [hash], people: [] }) as unknown as AgreedHashes

/** A pool of stand-ins, with a clock that may run ahead of the timers. */
const pooled = async () => {
  const keeps = new Set<string>()
  const forked: Array<ReturnType<typeof standIn>> = []
  vi.spyOn(cluster, "setupPrimary").mockImplementation(() => undefined)
  vi.spyOn(cluster, "fork").mockImplementation(() => {
    const made = standIn(keeps)
    forked.push(made)
    return made.worker as unknown as Worker
  })
  let ahead = 0
  const clock = performance.now.bind(performance)
  vi.spyOn(performance, "now").mockImplementation(() => clock() + ahead)
  let hashes = hashesOf("first")
  const pool = startPool({
    count: 1,
    order: { file: "", data: undefined, port: undefined },
    config: configOf("first"),
    log: { line: () => undefined, append: () => undefined } as unknown as AdjustableLog,
    writeFor: undefined,
    ownMetrics: () => "",
    ownHashes: () => hashes,
  })
  await pool.listens
  await pool.agree()
  const renew = (name: string) => pool.renew(configOf(name), async () => void (hashes = hashesOf(name)))
  return { pool, keeps, forked, renew, suspend: (milliseconds: number) => void (ahead += milliseconds) }
}

const pass = (milliseconds: number): Promise<unknown> => vi.advanceTimersByTimeAsync(milliseconds)

describe("a reload of workers (docs/operating.md, More cores)", () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => {
    vi.useRealTimers()
    vi.restoreAllMocks()
  })

  it("kills no worker whose answer lies there when the main process was suspended", async () => {
    const { keeps, forked, renew, suspend } = await pooled()
    keeps.add("prepare").add("beat")
    const renewed = renew("second")
    await pass(0)
    suspend(3_600_000)
    await pass(10_001)
    expect(forked[0]?.child.kill).not.toHaveBeenCalled()
    forked[0]?.answer("prepare")
    expect(await renewed).toEqual([false, undefined])
    expect([forked.length, forked[0]?.child.kill.mock.calls.length]).toEqual([1, 0])
  })

  it("kills a worker that has not prepared within ten seconds", async () => {
    const { keeps, forked, renew } = await pooled()
    keeps.add("prepare")
    const renewed = renew("second")
    await pass(10_001)
    expect(forked[0]?.child.kill).toHaveBeenCalledWith("SIGKILL")
    expect(await renewed).toEqual([false, undefined])
  })

  it("waits longer for one that takes up: ten tries at a locked database may take twenty seconds", async () => {
    const { keeps, forked, renew } = await pooled()
    keeps.add("take")
    const renewed = renew("second")
    await pass(59_000)
    expect(forked[0]?.child.kill).not.toHaveBeenCalled()
    forked[0]?.answer("take")
    expect(await renewed).toEqual([false, undefined])
    void renew("third")
    await pass(60_001)
    expect(forked[0]?.child.kill).toHaveBeenCalledWith("SIGKILL")
  })

  it("gives a worker the hashes of the configuration it prepared, though another was taken up meanwhile", async () => {
    const { keeps, forked, renew } = await pooled()
    forked[0]?.child.emit("close", 1, null)
    keeps.add("serve")
    await pass(100)
    // Starts with the first configuration, and then has to prepare the second.
    await renew("second")
    keeps.delete("serve")
    keeps.add("prepare")
    forked[1]?.answer("serve")
    await pass(1)
    expect(forked[1]?.last("prepare")?.given).toEqual(configOf("second"))
    await renew("third")
    keeps.delete("prepare")
    forked[1]?.answer("prepare")
    await pass(1)
    const pairs = forked[1]?.calls.filter(({ name }) => name === "prepare" || name === "take").map(({ given }) => given)
    expect(pairs).toEqual([configOf("second"), hashesOf("second"), configOf("third"), hashesOf("third")])
  })
})

describe("the log of a worker (docs/operating.md, More cores)", () => {
  const forwarded = async (chunks: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
    const [stream, told]: [PassThrough, Array<string>] = [new PassThrough(), []]
    forwardLines(stream, { append: (lines) => void told.push(lines) })
    const ended = new Promise((end) => stream.once("end", end))
    for (const chunk of chunks) stream.write(chunk)
    stream.end()
    await ended
    return told
  }

  it("comes in whole lines, the last one too when the worker died while it wrote", async () => {
    expect((await forwarded(["one\ntw", "o\nthr", "ee"])).join("")).toBe("one\ntwo\nthree\n")
    expect((await forwarded(["one\n"])).join("")).toBe("one\n")
  })

  it("keeps no more of a line than a million characters", async () => {
    const chunk = "x".repeat(longestLine / 4)
    const told = await forwarded(Array.from({ length: 9 }, () => chunk))
    expect(told.map((lines) => lines.length)).toEqual([longestLine + 1, longestLine + 1, longestLine / 4 + 1])
  })
})
