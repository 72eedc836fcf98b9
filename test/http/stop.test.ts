import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { setImmediate } from "node:timers/promises"
import { Worker } from "node:worker_threads"
import { afterEach, describe, expect, it } from "vitest"
import { fakeProvider, keptLog, plainAnswer, raw, start, statusOf, stopAll, wire } from "./server.ts"

afterEach(stopAll)

/** A promise that is settled from outside. */
const gate = () => {
  let open: () => void = () => undefined
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, opened }
}

const request = (path: string, more = ""): string => `GET ${path} HTTP/1.1\r\nHost: h\r\n${more}\r\n`

describe("a caller that goes away", () => {
  it("does not stop what its request has begun, once the body is read", async () => {
    const began = gate()
    const release = gate()
    const done: Array<string> = []
    const provider = fakeProvider(async (message) => {
      began.open()
      await release.opened
      done.push(message.body)
      return plainAnswer(message)
    })
    const log = keptLog("debug")
    const server = await start({ provider, log })
    const line = await wire(server)
    line.send("POST /connect/token HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\na=b")
    await began.opened
    line.cut()
    await new Promise((resolve) => setTimeout(resolve, 20))
    release.open()
    await server.stop()
    expect(done).toEqual(["a=b"])
    expect((await log.lines()).filter(({ level }) => level === "error")).toEqual([])
  })

  it("right after it has sent all of it is heard all the same", async () => {
    const provider = fakeProvider(plainAnswer)
    const server = await start({ provider })
    for (let at = 0; at < 40; at++) {
      const line = await wire(server)
      line.send(`POST /connect/token HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\na=${10 + at}`)
      line.cut()
    }
    await server.stop()
    expect(provider.messages.map(({ body }) => body)).toEqual(Array.from({ length: 40 }, (_, at) => `a=${10 + at}`))
  })

  it("before its body is whole never reaches the provider", async () => {
    const provider = fakeProvider(plainAnswer)
    const server = await start({ provider })
    const line = await wire(server)
    line.send("POST /connect/token HTTP/1.1\r\nHost: h\r\nContent-Length: 30\r\n\r\na=b")
    await new Promise((resolve) => setTimeout(resolve, 20))
    line.cut()
    await server.stop()
    expect(provider.messages).toEqual([])
  })
})

/** Connects again and again until that fails: what is queued when the stop begins is still taken. */
const connectUntilRefused = async (server: Parameters<typeof wire>[0]): Promise<never> => {
  for (;;) (await wire(server)).cut()
}

/** Opens connections from another thread, sends a request on each, says so, and tells how many were answered. */
const callers = `
  const { parentPort, workerData } = require("node:worker_threads")
  const { connect } = require("node:net")
  const { port, count, flag } = workerData
  let [open, ended, answered] = [0, 0, 0]
  for (let at = 0; at < count; at++) {
    let text = ""
    const socket = connect(port, "127.0.0.1", () => {
      socket.write("GET /" + at + " HTTP/1.1\\r\\nHost: h\\r\\n\\r\\n")
      if (++open < count) return
      Atomics.store(flag, 0, 1)
      Atomics.notify(flag, 0)
    })
    socket.on("data", (chunk) => (text += chunk)).on("error", () => undefined)
    socket.on("close", () => {
      if (text.startsWith("HTTP/1.1 200")) answered++
      if (++ended === count) parentPort.postMessage(answered)
    })
  }`

/** Opens a connection from another thread, has a request answered on it, and sends another when told to; then says so, and what came of it. */
const returning = `
  const { parentPort, workerData } = require("node:worker_threads")
  const { connect } = require("node:net")
  const { port, flag } = workerData
  let text = ""
  const socket = connect(port, "127.0.0.1", () => socket.write("GET /1 HTTP/1.1\\r\\nHost: h\\r\\n\\r\\n"))
  socket.on("data", (chunk) => {
    if (text === "") parentPort.postMessage("answered")
    text += chunk
  })
  socket.on("error", () => undefined).on("close", () => parentPort.postMessage(text))
  parentPort.once("message", () =>
    socket.write("GET /2 HTTP/1.1\\r\\nHost: h\\r\\n\\r\\n", () => {
      Atomics.store(flag, 0, 1)
      Atomics.notify(flag, 0)
    }),
  )`

describe("a server that stops", () => {
  it("answers what came on a kept connection while it was given no time, before it closes it as quiet", async () => {
    const server = await start({ provider: fakeProvider(plainAnswer), stopTimes: { quiet: 30, drain: 5_000 } })
    const flag = new Int32Array(new SharedArrayBuffer(4))
    const thread = new Worker(returning, { eval: true, workerData: { port: server.port, flag } })
    await once(thread, "message")
    const stopped = server.stop()
    // The stop has begun to wait for quiet when this thread, and with it the server, stands still for longer than that.
    for (let turn = 0; turn < 20; turn++) await setImmediate()
    const closed = once(thread, "message")
    thread.postMessage("again")
    expect(Atomics.wait(flag, 0, 0, 10_000)).not.toBe("timed-out")
    Atomics.wait(flag, 0, 1, 60)
    await stopped
    expect((await closed).join()).toContain('"/2"')
    await thread.terminate()
  })

  it("answers connections that the kernel has taken and it has not", async () => {
    const server = await start({ provider: fakeProvider(plainAnswer), stopTimes: { quiet: 1_000, drain: 5_000 } })
    const flag = new Int32Array(new SharedArrayBuffer(4))
    const thread = new Worker(callers, { eval: true, workerData: { port: server.port, count: 50, flag } })
    const answered = once(thread, "message")
    // Nothing is accepted while this thread waits here.
    expect(Atomics.wait(flag, 0, 0, 10_000)).not.toBe("timed-out")
    await server.stop()
    expect(await answered).toEqual([50])
    await thread.terminate()
  })

  it("answers what has begun, with Connection: close, and takes no new connection", async () => {
    const began = gate()
    const release = gate()
    const provider = fakeProvider(async (message) => {
      began.open()
      await release.opened
      return plainAnswer(message)
    })
    const server = await start({ provider })
    const line = await wire(server)
    line.send(request("/slow"))
    await began.opened
    const stopped = server.stop()
    await expect(connectUntilRefused(server)).rejects.toThrow(/ECONNREFUSED|ECONNRESET/)
    release.open()
    const text = await line.closed()
    expect(text).toContain(`"/slow"`)
    expect(text.toLowerCase()).toContain("connection: close")
    await stopped
  })

  it("answers what comes on a kept connection while it is quiet, then closes it", async () => {
    const server = await start({ provider: fakeProvider(plainAnswer), stopTimes: { quiet: 300, drain: 2_000 } })
    const [used, idle] = [await wire(server), await wire(server)]
    for (const line of [used, idle]) {
      line.send(request("/1"))
      await line.until(`"/1"`)
    }
    const began = performance.now()
    const stopped = server.stop()
    used.send(request("/2"))
    expect(await used.closed()).toContain(`"/2"`)
    await idle.closed()
    await stopped
    expect(performance.now() - began).toBeLessThan(1_500)
  })

  it("is at once done when nobody is there", async () => {
    const server = await start({ provider: fakeProvider(plainAnswer), stopTimes: { quiet: 5_000, drain: 10_000 } })
    const began = performance.now()
    await server.stop()
    expect(performance.now() - began).toBeLessThan(500)
  })

  it("cuts what is not answered at the bound, and says so", async () => {
    const log = keptLog()
    const server = await start({ provider: fakeProvider(() => new Promise(() => undefined)), log, stopTimes: { quiet: 20, drain: 200 } })
    const line = await wire(server)
    line.send(request("/never"))
    await new Promise((resolve) => setTimeout(resolve, 30))
    const began = performance.now()
    await server.stop()
    expect(performance.now() - began).toBeLessThan(1_500)
    await line.closed()
    expect(await log.lines()).toContainEqual(expect.objectContaining({ level: "warn", message: "stopped", cut: 1 }))
  })

  it("waits for work whose caller has gone", async () => {
    const began = gate()
    let finished = false
    const provider = fakeProvider(async (message) => {
      began.open()
      await new Promise((resolve) => setTimeout(resolve, 150))
      finished = true
      return plainAnswer(message)
    })
    const server = await start({ provider })
    const line = await wire(server)
    line.send(request("/work"))
    await began.opened
    line.cut()
    await server.stop()
    expect(finished).toBe(true)
  })

  it("under load leaves no request without its answer", { timeout: 20_000 }, async () => {
    const provider = fakeProvider(async (message) => {
      await new Promise((resolve) => setTimeout(resolve, 2))
      return plainAnswer(message)
    })
    const server = await start({ provider, stopTimes: { quiet: 300, drain: 5_000 } })
    let answered = 0
    let cut = 0
    const caller = async (): Promise<void> => {
      const line = await wire(server)
      for (let at = 0; ; at++) {
        line.send(request(`/${at}`))
        const text = await Promise.race([line.until(`"/${at}"`), line.closed()])
        if (!text.includes(`"/${at}"`)) {
          cut++
          return
        }
        answered++
        if (text.slice(text.lastIndexOf("HTTP/1.1")).toLowerCase().includes("connection: close")) return line.cut()
      }
    }
    const callers = Array.from({ length: 20 }, caller)
    // Stopped once they are all at it, however fast this machine is.
    while (answered <= 100 && cut === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    await server.stop()
    await Promise.all(callers)
    expect(answered).toBeGreaterThan(100)
    expect(cut).toBe(0)
  })
})

describe("the process", () => {
  const children: Array<ChildProcess> = []
  afterEach(() => {
    for (const child of children.splice(0)) child.kill("SIGKILL")
  })
  const spawned = async () => {
    const child = spawn(process.execPath, [`${import.meta.dirname}/child.ts`], { stdio: ["ignore", "pipe", "inherit"] })
    children.push(child)
    let output = ""
    const ready = new Promise<number>((resolve) => {
      child.stdout.on("data", (chunk: Buffer) => {
        output += chunk.toString()
        const port = /^\{"port":(\d+)\}$/m.exec(output)?.[1]
        if (port !== undefined) resolve(Number(port))
      })
    })
    return {
      child,
      port: await ready,
      exit: once(child, "exit"),
      lines: () =>
        output
          .split("\n")
          .filter((line) => line !== "")
          .map((line) => JSON.parse(line) as Record<string, unknown>),
    }
  }

  it.each(["SIGTERM", "SIGINT"] as const)(
    "on %s finishes what has begun and exits 0, with its first and last line written",
    { timeout: 20_000 },
    async (signal) => {
      const { child, port, exit, lines } = await spawned()
      const line = await wire({ port })
      line.send(request("/wait/300"))
      await new Promise((resolve) => setTimeout(resolve, 60))
      child.kill(signal)
      expect(await line.closed()).toContain("done")
      expect(await exit).toEqual([0, null])
      expect(lines()).toContainEqual(
        expect.objectContaining({ level: "info", message: "listening", url: `http://127.0.0.1:${port}`, issuer: "http://op.example" }),
      )
      expect(lines()).toContainEqual(expect.objectContaining({ level: "info", message: "stopped", cut: 0 }))
    },
  )

  it("whose reader of standard output stalls answers all the same", { timeout: 20_000 }, async () => {
    const { child, port, exit } = await spawned()
    child.stdout.pause()
    // Far more log than a pipe holds: every answer leaves a line.
    const long = "a".repeat(7_000)
    for (let at = 0; at < 60; at++)
      expect(statusOf(await raw({ port }, `POST /connect/${long} HTTP/1.1\r\nHost: h\r\nContent-Length: 70000\r\n\r\n`))).toBe(413)
    child.stdout.resume()
    child.kill("SIGTERM")
    expect(await exit).toEqual([0, null])
  })

  it("that cannot listen fails with exit code 1", { timeout: 20_000 }, async () => {
    const { port } = await spawned()
    const second = spawn(process.execPath, [`${import.meta.dirname}/child.ts`], {
      stdio: "ignore",
      env: { ...process.env, PORT: String(port) },
    })
    children.push(second)
    expect(await once(second, "exit")).toEqual([1, null])
  })
})
