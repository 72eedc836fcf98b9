import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Ledger } from "./ledger.ts"
import { assemble, chanceOf } from "./load.ts"
import { begin, redeem, rotate } from "./operations.ts"
import { pause, serveIn } from "./process.ts"
import { breachesOf, type Row, type Run, Skipped } from "./row.ts"
import { makeSetting } from "./setting.ts"
import { childrenOf } from "../workers/serving.ts"

/** A system call with when it began and ended, in microseconds. */
export interface Call {
  readonly name: string
  /** The file or connection it was made on, as strace tells it. */
  readonly on: string
  readonly text: string
  readonly began: number
  readonly ended: number
  readonly result: number
}

const line = /^(\d+) +(\d+\.\d+) (.*)$/

/** Reads what strace wrote (`-f -ttt -T -yy`), with calls that were interrupted by others put together again. */
export const callsOf = (trace: string): ReadonlyArray<Call> => {
  const open = new Map<string, { readonly at: number; readonly text: string }>()
  const calls: Array<Call> = []
  const finish = (began: number, text: string, ended: number): void => {
    const [, name = "", on = ""] = /^(\w+)\(\d+<(.*?)>\s*[,)]/.exec(text) ?? []
    const result = Number(/= (-?\d+)(?: |<|$)/.exec(text.slice(text.lastIndexOf(") =")))?.[1] ?? Number.NaN)
    if (name !== "") calls.push({ name, on, text, began, ended, result })
  }
  for (const each of trace.split("\n")) {
    const [, thread = "", seconds = "", text = ""] = line.exec(each) ?? []
    const at = Number(seconds) * 1e6
    const took = Number(/<(\d+\.\d+)>$/.exec(text)?.[1] ?? 0) * 1e6
    const resumed = /^<\.\.\. (\w+) resumed>(.*)$/.exec(text)
    if (text.endsWith("<unfinished ...>")) open.set(thread, { at, text: text.slice(0, -"<unfinished ...>".length) })
    else if (resumed !== null) {
      const before = open.get(thread)
      open.delete(thread)
      if (before !== undefined) finish(before.at, before.text + (resumed[2] ?? ""), at)
    } else if (text !== "") finish(at, text, at + took)
  }
  return calls
}

/** Findings of a trace on the order of syncs and answers. */
export interface Order {
  /** Answers 200 to requests that must write. */
  readonly acknowledged: number
  /** Those without a sync of the log that began after the request was read and ended before its answer was sent. */
  readonly unsynced: ReadonlyArray<string>
  readonly syncs: number
}

/** Looks for each acknowledged write's sync. */
export const orderOf = (calls: ReadonlyArray<Call>): Order => {
  const syncs = calls.filter(({ name, on, result }) => (name === "fdatasync" || name === "fsync") && on.endsWith("-wal") && result === 0)
  const byEnd = [...syncs].sort((left, right) => left.ended - right.ended)
  const asked = new Map<string, Call>()
  const unsynced: Array<string> = []
  let acknowledged = 0
  for (const call of [...calls].sort((left, right) => left.began - right.began)) {
    if (!call.on.startsWith("TCP")) continue
    if (call.name.startsWith("read") || call.name.startsWith("recv")) {
      if (/"POST \/connect\/token /.test(call.text)) asked.set(call.on, call)
      else if (/"(?:GET|POST) /.test(call.text)) asked.delete(call.on)
    } else if (/HTTP\/1\.1 200/.test(call.text)) {
      const request = asked.get(call.on)
      if (request === undefined) continue
      asked.delete(call.on)
      acknowledged++
      const between = byEnd.some(({ began, ended }) => began >= request.began && ended <= call.began + 1)
      if (!between) unsynced.push(call.text.slice(0, 120))
    }
  }
  return { acknowledged, unsynced, syncs: syncs.length }
}

const traced = "trace=read,readv,recvfrom,recvmsg,write,writev,sendto,sendmsg,pwrite64,fdatasync,fsync"

/** Traces processes that run, with all their threads, until they end; answers once it is attached, with the end of it. */
const tracing = async (pids: ReadonlyArray<number>, file: string): Promise<{ readonly ended: Promise<unknown> }> => {
  const child = spawn(
    "strace",
    ["-f", "-ttt", "-T", "-yy", "-s", "160", "-e", traced, "-o", file, ...pids.flatMap((pid) => ["-p", String(pid)])],
    {
      stdio: ["ignore", "ignore", "pipe"],
    },
  )
  const ended = once(child, "exit")
  let said = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text))
  for (let tries = 0; pids.some((pid) => !new RegExp(`rocess ${pid} attached`).test(said)); tries++) {
    if (child.exitCode !== null || tries > 400) throw new Skipped(`strace does not attach to a process here: ${said.trim()}`)
    await pause(25)
  }
  return { ended }
}

/** R2: every acknowledged write was synced between its request and its answer, as the kernel saw it. */
export const synced = async ({ times, seed, say }: Run, clients = 8, workers = 1): Promise<Row> => {
  try {
    execFileSync("strace", ["-e", "trace=none", "true"], { stdio: "pipe" })
  } catch (cause) {
    throw new Skipped("there is no strace here, or it may not trace (apt-get install strace)", { cause })
  }
  const chance = chanceOf(seed)
  const setting = await makeSetting({ workers })
  const ledger = new Ledger()
  try {
    const file = join(setting.folder, "trace")
    const server = await serveIn(setting)
    const actors = (await assemble(ledger, 64, () => setting.url)).filter(({ client }) => client.format === "reference").slice(0, clients)
    const { ended } = await tracing([server.pid, ...(workers === 1 ? [] : childrenOf(server.pid))], file)
    let writes = 0
    await Promise.all(
      actors.map(async (actor) => {
        const chain = await begin(actor)
        if (chain === undefined) throw new Error("no code")
        await redeem(actor, chain)
        while (writes < times) {
          writes++
          await rotate(actor, chain)
          if (chance() < 0.1) {
            const other = await begin(actor)
            if (other !== undefined) await redeem(actor, other)
          }
        }
      }),
    )
    await server.end("SIGTERM")
    await ended
    const { acknowledged, unsynced, syncs } = orderOf(callsOf(readFileSync(file, "utf8")))
    say(`${acknowledged} acknowledged, ${syncs} syncs`)
    const problems = [...breachesOf(ledger), ...unsynced.slice(0, 5)]
    if (acknowledged < times) problems.push(`only ${acknowledged} of ${times} answers were seen in the trace`)
    return {
      fault: "R2",
      done: `strace: codes redeemed and tokens rotated by ${clients} clients at once${workers === 1 ? "" : ` at a server of ${workers} workers`}; a finished sync of the log must lie between each request and its answer`,
      times: acknowledged,
      lost: unsynced.length,
      figures: { "syncs of the log": syncs, unsynced: unsynced.length },
      problems,
    }
  } finally {
    setting.remove()
  }
}
