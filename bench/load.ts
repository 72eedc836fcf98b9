import { Agent, request } from "node:http"
import { readFileSync } from "node:fs"
import type { Server } from "./servers.ts"
import { basic } from "./servers.ts"

/** One scenario: the body each connection sends next, and what it learns from the answer. */
export interface Scenario {
  readonly name: string
  readonly client: string
  readonly body: (state: string) => string
  readonly next: (answer: Readonly<Record<string, unknown>>, state: string) => string
  /** What each connection begins with. */
  readonly begin: (server: Server, connection: number) => string
}

const credentials = (client: string, name: string): Scenario => ({
  name,
  client,
  body: () => "grant_type=client_credentials&scope=api.read",
  next: (_, state) => state,
  begin: () => "",
})

export const scenarios: ReadonlyArray<Scenario> = [
  credentials("reference", "client_credentials, reference token"),
  credentials("es256", "client_credentials, JWT ES256"),
  credentials("rs256", "client_credentials, JWT RS256"),
  {
    name: "refresh rotation",
    client: "web",
    body: (token) => `grant_type=refresh_token&refresh_token=${encodeURIComponent(token)}`,
    next: ({ refresh_token }) => String(refresh_token),
    begin: ({ refreshTokens }, connection) => refreshTokens[connection] ?? "",
  },
]

/** What a round measured. */
export interface Round {
  readonly perSecond: number
  /** Microseconds of CPU, of all the server's threads. */
  readonly cpu: number
  readonly p50: number
  readonly p99: number
  /** Resident memory at the end, in MB. */
  readonly memory: number
}

const post = (agent: Agent, url: URL, client: string, body: string): Promise<{ status: number; text: string }> =>
  new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        agent,
        method: "POST",
        headers: {
          authorization: basic(client),
          "content-type": "application/x-www-form-urlencoded",
          "content-length": Buffer.byteLength(body),
        },
      },
      (response) => {
        let text = ""
        response.setEncoding("utf8")
        response.on("data", (chunk: string) => (text += chunk))
        response.on("end", () => resolve({ status: response.statusCode ?? 0, text }))
        response.on("error", reject)
      },
    )
    sent.on("error", reject)
    sent.end(body)
  })

const cpuOf = (pid: number): number => {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return (Number(fields[11]) + Number(fields[12])) * 10_000
}

const memoryOf = (pid: number): number => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024

const states = new Map<string, string>()
const tokenPath = new Map<string, string>()

const tokenEndpoint = async (server: Server): Promise<string> => {
  const known = tokenPath.get(server.url)
  if (known !== undefined) return known
  const { token_endpoint } = (await (await fetch(`${server.url}/.well-known/openid-configuration`)).json()) as { token_endpoint: string }
  tokenPath.set(server.url, token_endpoint)
  return token_endpoint
}

/** Runs one scenario against one server; every answer is checked, so that a wrong server cannot look fast. */
export const measure = async (server: Server, scenario: Scenario, seconds: number, connections: number): Promise<Round> => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const url = new URL(await tokenEndpoint(server))
  const pid = server.process.pid ?? 0
  const times: Array<number> = []
  const began = performance.now()
  const cpuBefore = cpuOf(pid)
  const until = began + seconds * 1000
  const connection = async (at: number): Promise<void> => {
    const key = `${server.name} ${scenario.name} ${at}`
    let state = states.get(key) ?? scenario.begin(server, at)
    let last = ""
    while (performance.now() < until) {
      const sent = performance.now()
      const { status, text } = await post(agent, url, scenario.client, scenario.body(state))
      times.push(performance.now() - sent)
      const answer = status === 200 ? (JSON.parse(text) as Record<string, unknown>) : {}
      if (typeof answer["access_token"] !== "string" || answer["access_token"] === last)
        throw new Error(`${server.name}, ${scenario.name}: ${status} ${text.slice(0, 200)}`)
      last = answer["access_token"]
      state = scenario.next(answer, state)
    }
    states.set(key, state)
  }
  await Promise.all(Array.from({ length: connections }, (_, at) => connection(at)))
  const took = (performance.now() - began) / 1000
  const cpu = cpuOf(pid) - cpuBefore
  agent.destroy()
  times.sort((left, right) => left - right)
  const quantile = (part: number): number => times[Math.floor(times.length * part)] ?? 0
  return { perSecond: times.length / took, cpu: cpu / times.length, p50: quantile(0.5), p99: quantile(0.99), memory: memoryOf(pid) }
}
