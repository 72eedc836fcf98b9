import { setMaxListeners } from "node:events"
import { type Actor, authorizeUrl, basic } from "./actor.ts"
import { Ledger } from "./ledger.ts"
import { type Heard, Line, formPost, get } from "./lines.ts"
import { assemble } from "./load.ts"
import { begin, redeem } from "./operations.ts"
import { pause, serveIn } from "./process.ts"
import { milliseconds, quantile, type Row, type Run } from "./row.ts"
import { machine, makeSetting, plainClient, proofKey, redirectUri } from "./setting.ts"

/** Settings of the pressure. */
export interface Pressure {
  /** Seconds of each measurement. */
  readonly seconds: number
  /** Connections that send as fast as they are answered. */
  readonly lines: number
  /** Connections there are at most when more is sent than is answered. */
  readonly crowd: number
  /** True if figures below the goals are problems. */
  readonly held: boolean
}

const full: Pressure = { seconds: 15, lines: 64, crowd: 4_000, held: true }

const ask = formPost("/connect/token", { grant_type: "client_credentials" }, { Authorization: basic(machine.id, machine.secret) })

interface Measured {
  readonly perSecond: number
  readonly took: ReadonlyArray<number>
  readonly statuses: ReadonlyMap<number, number>
}

const measuredOf = (all: ReadonlyArray<Heard>, seconds: number, isDone = ({ status }: Heard): boolean => status === 200): Measured => {
  const statuses = new Map<number, number>()
  for (const { status } of all) statuses.set(status, (statuses.get(status) ?? 0) + 1)
  return { perSecond: all.filter(isDone).length / seconds, took: all.map(({ took }) => took), statuses }
}

/** Lets everybody do one thing after another for so many seconds; how often all of it was done. */
const closedLoop = async (seconds: number, each: ReadonlyArray<() => Promise<Heard>>): Promise<Measured> => {
  const heard: Array<Heard> = []
  const until = performance.now() + seconds * 1000
  await Promise.all(
    each.map(async (once) => {
      while (performance.now() < until) heard.push(await once())
    }),
  )
  return measuredOf(heard, seconds)
}

/** Sends so many requests a second, whether or not they are answered, on as many connections, which have all been used before it begins. */
const openLoop = async (
  port: number,
  perSecond: number,
  seconds: number,
  most: number,
): Promise<Measured & { readonly unsent: number }> => {
  const lines: Array<Line> = []
  for (let at = 0; at < most; at += 50) {
    const more = Array.from({ length: Math.min(50, most - at) }, () => new Line(port))
    // One that is opened and says nothing for long would be closed.
    await Promise.all(more.map((line) => line.ask(get("/health/live"))))
    lines.push(...more)
  }
  const free = [...lines]
  const heard: Array<Heard> = []
  const under = new Set<Promise<void>>()
  const began = performance.now()
  let sent = 0
  let unsent = 0
  while (performance.now() - began < seconds * 1000) {
    const due = Math.floor(((performance.now() - began) / 1000) * perSecond)
    for (; sent + unsent < due;) {
      const line = free.pop()
      if (line === undefined) {
        unsent++
        continue
      }
      sent++
      const answer = line.ask(ask).then((each) => {
        heard.push(each)
        free.push(line)
        under.delete(answer)
      })
      under.add(answer)
    }
    await pause(2)
  }
  await Promise.race([Promise.all(under), pause(20_000)])
  for (const line of lines) line.end()
  return { ...measuredOf(heard, seconds), unsent }
}

/** Rotates a chain of its own, one after another. */
const rotating = (port: number, actor: Actor, first: string): (() => Promise<Heard>) => {
  const line = new Line(port)
  const { id, secret = "" } = actor.client
  let token = first
  return async () => {
    const heard = await line.ask(
      formPost("/connect/token", { grant_type: "refresh_token", refresh_token: token }, { Authorization: basic(id, secret) }),
    )
    token = String((JSON.parse(heard.body === "" ? "{}" : heard.body) as { readonly refresh_token?: string }).refresh_token)
    return heard
  }
}

/** All of a sign-in but the hash of the password: the page for those who are nobody yet, the request of one who is signed in, the code. */
const signingIn = (port: number, actor: Actor): (() => Promise<Heard>) => {
  const line = new Line(port)
  const cookie = [...actor.browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ")
  const target = (url: string): string => (url.startsWith("/") ? url : url.slice(url.indexOf("/", 8)))
  return async () => {
    const { verifier, challenge } = proofKey()
    const url = target(authorizeUrl(actor.url(), plainClient, challenge, { scope: "openid profile" }))
    const asked = await line.ask(get(url))
    const browser = /\r\nset-cookie: ([^;]+)/i.exec(asked.head)?.[1] ?? ""
    const page = await line.ask(get(target(/\r\nlocation: (\S+)/i.exec(asked.head)?.[1] ?? "/login"), { Cookie: browser }))
    if (page.status !== 200) return page
    let sent = await line.ask(get(url, { Cookie: cookie }))
    for (let step = 0; step < 3 && !sent.head.includes(redirectUri); step++)
      sent = await line.ask(get(target(/\r\nlocation: (\S+)/i.exec(sent.head)?.[1] ?? "/"), { Cookie: cookie }))
    const code = new URL(/\r\nlocation: (\S+)/i.exec(sent.head)?.[1] ?? redirectUri).searchParams.get("code") ?? ""
    const fields = { grant_type: "authorization_code", code, redirect_uri: redirectUri, code_verifier: verifier, client_id: plainClient }
    const last = await line.ask(formPost("/connect/token", fields))
    return { ...last, took: asked.took + page.took + sent.took + last.took }
  }
}

const shown = (statuses: ReadonlyMap<number, number>): string =>
  [...statuses]
    .sort(([left], [right]) => left - right)
    .map(([status, count]) => `${status === 0 ? "cut" : status}: ${count}`)
    .join(", ")

/** R10: how much is served with every commit synced, and what becomes of four times that. */
export const throughput = async ({ times, say }: Run, { seconds, lines, crowd, held }: Pressure = full): Promise<Row> => {
  setMaxListeners(0)
  const setting = await makeSetting({ log: { level: "warn" } })
  const problems: Array<string> = []
  const best = { tokens: 0, rotations: 0, logins: 0 }
  const halves: Array<number> = []
  const overloads: Array<string> = []
  let recovery = 0
  const needs200 = (what: string, { statuses }: Measured): void => {
    if ([...statuses.keys()].some((status) => status !== 200)) problems.push(`${what} were answered ${shown(statuses)}`)
  }
  try {
    const server = await serveIn(setting)
    const actors = (await assemble(new Ledger(), 64, () => setting.url)).filter(
      ({ client }) => client.format === "reference" && client.secret !== undefined,
    )
    const chains = await Promise.all(
      actors.map(async (actor) => {
        const chain = await begin(actor)
        if (chain === undefined) throw new Error("no code")
        await redeem(actor, chain)
        return [actor, chain.refresh.at(-1)?.value ?? ""] as const
      }),
    )
    const rotators = chains.map(([actor, token]) => rotating(setting.port, actor, token))
    const callers = Array.from({ length: lines }, () => {
      const line = new Line(setting.port)
      return () => line.ask(ask)
    })
    // Compilation and the opening of connections are not measured.
    await closedLoop(Math.min(3, seconds), callers)
    for (let round = 0; round < times; round++) {
      const tokens = await closedLoop(seconds, callers)
      needs200("tokens", tokens)
      const rotations = await closedLoop(seconds, rotators)
      needs200("rotations", rotations)
      const logins = await closedLoop(
        seconds,
        actors.map((actor) => signingIn(setting.port, actor)),
      )
      needs200("sign-ins", logins)
      best.tokens = Math.max(best.tokens, tokens.perSecond)
      best.rotations = Math.max(best.rotations, rotations.perSecond)
      best.logins = Math.max(best.logins, logins.perSecond)
      const half = await openLoop(setting.port, tokens.perSecond / 2, seconds, Math.min(crowd, 500))
      needs200("tokens at half of that", half)
      halves.push(quantile(half.took, 0.99))
      const over = await openLoop(setting.port, tokens.perSecond * 4, seconds, crowd)
      const other = [...over.statuses.keys()].filter((status) => ![200, 429, 503].includes(status))
      if (other.length > 0) problems.push(`four times as much was answered ${shown(over.statuses)}`)
      overloads.push(`${shown(over.statuses)}, ${over.unsent} that found no connection`)
      const began = performance.now()
      const after = new Line(setting.port)
      for (let quick = 0; quick < 20;) {
        const { status, took } = await after.ask(ask)
        quick = status === 200 && took < 200 ? quick + 1 : 0
        if (performance.now() - began > 60_000) break
      }
      after.end()
      recovery = Math.max(recovery, performance.now() - began)
      say(
        `${Math.round(tokens.perSecond)} tokens, ${Math.round(rotations.perSecond)} rotations, ${Math.round(logins.perSecond)} sign-ins a second; half: p99 ${milliseconds(halves.at(-1) ?? 0)}; four times: ${overloads.at(-1)}`,
      )
    }
    if (server.child.exitCode !== null) problems.push("the server is gone")
    await server.end("SIGTERM")
  } finally {
    setting.remove()
  }
  const p99 = Math.max(...halves)
  if (recovery > 5_000) problems.push(`it took ${milliseconds(recovery)} to recover`)
  if (held) {
    if (best.tokens < 800) problems.push(`${Math.round(best.tokens)} tokens a second are fewer than 800`)
    if (best.rotations < 400) problems.push(`${Math.round(best.rotations)} rotations a second are fewer than 400`)
    if (best.logins < 100) problems.push(`${Math.round(best.logins)} sign-ins a second are fewer than 100`)
    if (p99 > 200) problems.push(`at half of that p99 is ${milliseconds(p99)}`)
  }
  return {
    fault: "R10",
    done: `synchronous=FULL; ${lines} connections that ask as fast as they are answered, for ${seconds} s each; then half and four times as many requests a second`,
    times,
    lost: 0,
    figures: {
      "reference tokens a second": Math.round(best.tokens),
      "rotations a second": Math.round(best.rotations),
      "sign-ins a second without the hash": Math.round(best.logins),
      "at half p99": milliseconds(p99),
      "at four times": overloads.at(-1) ?? "",
      "recovered after": milliseconds(recovery),
    },
    problems,
  }
}
