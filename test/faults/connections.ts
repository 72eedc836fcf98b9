import { readFileSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { pause, serveIn } from "./process.ts"
import { milliseconds, quantile, type Row, type Run } from "./row.ts"
import { api, makeSetting } from "./setting.ts"
import { basic } from "./actor.ts"

/** Number of callers of each kind. */
export interface Crowd {
  readonly idle: number
  /** Those that send a header byte by byte. */
  readonly slowHeaders: number
  readonly slowBodies: number
  /** Good requests a second. */
  readonly perSecond: number
  readonly seconds: number
  /** True to wait until the slow ones are cut. */
  readonly untilCut: boolean
}

/** The full crowd, for a process that may open that many files. */
export const crowd: Crowd = { idle: 10_000, slowHeaders: 2000, slowBodies: 500, perSecond: 200, seconds: 30, untilCut: true }

const memoryOf = (pid: number): number => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024

interface Caller {
  readonly socket: Socket
  openedAt: number
  closedAt: number | undefined
}

const open = (port: number, address: string): Promise<Caller | undefined> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1", localAddress: address })
    const caller: Caller = { socket, openedAt: performance.now(), closedAt: undefined }
    socket.on("error", () => resolve(undefined))
    socket.once("connect", () => resolve(caller))
    socket.on("close", () => (caller.closedAt ??= performance.now()))
    socket.on("data", () => undefined)
  })

/** Opens so many connections, some hundreds at a time, from several loopback addresses, since one has too few ports. */
const openAll = async (port: number, count: number, first: string): Promise<ReadonlyArray<Caller>> => {
  const callers: Array<Caller> = []
  for (let at = 0; at < count; at += 250) {
    const more = await Promise.all(
      Array.from({ length: Math.min(250, count - at) }, async (_, each) => {
        const caller = await open(port, `127.0.1.${1 + ((at + each) % 8)}`)
        caller?.socket.write(first)
        return caller
      }),
    )
    callers.push(...more.filter((caller) => caller !== undefined))
  }
  return callers
}

/** R9: many idle connections, slow headers and slow bodies, while good requests go on. */
export const connections = async (
  { times, say }: Run,
  { idle, slowHeaders, slowBodies, perSecond, seconds, untilCut }: Crowd = crowd,
): Promise<Row> => {
  const setting = await makeSetting()
  const problems: Array<string> = []
  const took: Array<number> = []
  let refused = 0
  let memory = 0
  let kept = 0
  let opened = 0
  let slowest = 0
  let uncut = 0
  try {
    for (let round = 0; round < times; round++) {
      const server = await serveIn(setting)
      const host = `host: 127.0.0.1:${setting.port}`
      // Kept alive: each has asked once and keeps its connection.
      const idlers = await openAll(setting.port, idle, `GET /.well-known/openid-configuration HTTP/1.1\r\n${host}\r\n\r\n`)
      say(`${idlers.length} connections`)
      const headers = await openAll(setting.port, slowHeaders, `POST /connect/token HTTP/1.1\r\n${host}\r\nx-slow: `)
      const bodies = await openAll(
        setting.port,
        slowBodies,
        `POST /connect/token HTTP/1.1\r\n${host}\r\ncontent-type: application/x-www-form-urlencoded\r\ncontent-length: 5000\r\n\r\ngrant_type=`,
      )
      opened += idlers.length + headers.length + bodies.length
      if (opened < idle + slowHeaders + slowBodies) problems.push(`only ${opened} connections were opened`)
      const slow = [...headers, ...bodies]
      const dripping = setInterval(() => {
        for (const { socket, closedAt } of slow) if (closedAt === undefined && socket.writable) socket.write("a")
      }, 1000)
      const authorization = basic(api.id, api.secret)
      const good = async (): Promise<void> => {
        const began = performance.now()
        try {
          // Half of them write, half read.
          const [path, body] =
            took.length % 2 === 0 ? ["/connect/deviceauthorization", "client_id=tv"] : ["/connect/introspect", "token=a_nothing"]
          const response = await fetch(`${setting.url}${path}`, {
            method: "POST",
            headers: { "content-type": "application/x-www-form-urlencoded", ...(path === "/connect/introspect" ? { authorization } : {}) },
            body,
            signal: AbortSignal.timeout(20_000),
          })
          await response.text()
          if (response.status !== 200) {
            refused++
            if (problems.length < 5) problems.push(`a good request is answered ${response.status}`)
          }
        } catch (cause) {
          refused++
          if (problems.length < 5)
            problems.push(`a good request is not answered: ${String(cause instanceof Error ? (cause.cause ?? cause) : cause)}`)
        }
        took.push(performance.now() - began)
      }
      const under: Array<Promise<void>> = []
      const until = performance.now() + seconds * 1000
      for (let sent = 0, began = performance.now(); performance.now() < until; sent++) {
        under.push(good())
        const early = began + (1000 * (sent + 1)) / perSecond - performance.now()
        if (early > 0) await pause(early)
      }
      await Promise.all(under)
      memory = Math.max(memory, memoryOf(server.pid))
      kept += idlers.filter(({ closedAt }) => closedAt === undefined).length
      for (let wait = 0; untilCut && wait < 600 && slow.some(({ closedAt }) => closedAt === undefined); wait++) await pause(100)
      clearInterval(dripping)
      if (untilCut) uncut += slow.filter(({ closedAt }) => closedAt === undefined).length
      slowest = Math.max(slowest, ...slow.map(({ openedAt, closedAt }) => (closedAt ?? performance.now()) - openedAt))
      for (const { socket } of [...idlers, ...slow]) socket.destroy()
      await server.end("SIGTERM")
    }
  } finally {
    setting.remove()
  }
  if (uncut > 0) problems.push(`${uncut} slow connections were not cut within a minute`)
  return {
    fault: "R9",
    done: `${idle} kept connections, ${slowHeaders} slow headers and ${slowBodies} slow bodies, a byte a second each, and ${perSecond} good requests a second for ${seconds} s`,
    times,
    lost: refused,
    figures: {
      "connections opened": opened,
      "kept ones still open": kept,
      "good requests": took.length,
      refused,
      p50: milliseconds(quantile(took, 0.5)),
      p99: milliseconds(quantile(took, 0.99)),
      "RSS at most": `${Math.round(memory)} MB`,
      "slow ones cut after at most": milliseconds(slowest),
    },
    problems,
  }
}
