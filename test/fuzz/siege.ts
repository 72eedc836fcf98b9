import { readFileSync } from "node:fs"
import fc from "fast-check"
import { basic } from "../support/flows.ts"
import { type RunningServer, serve } from "../support/server.ts"
import { corpus } from "./corpus.ts"
import { type Wire, send, statusesOf, wrongWith } from "./sockets.ts"
import { anyWire } from "./wires.ts"

/**
 * Starts the server that is besieged, with a heap so small that it has to tidy up: what it holds then is what it keeps, and not what it
 * has yet to throw away.
 */
export const besieged = async (): Promise<RunningServer> => {
  const { NODE_OPTIONS: own } = process.env
  process.env["NODE_OPTIONS"] = `${own ?? ""} --max-old-space-size=96`
  try {
    return await serve(config)
  } finally {
    if (own === undefined) delete process.env["NODE_OPTIONS"]
    else process.env["NODE_OPTIONS"] = own
  }
}

const config = {
  resources: [{ identifier: "https://api.example", scopes: ["api.read"] }],
  clients: [
    {
      client_id: "web",
      client_secret: "secret of web",
      redirect_uris: ["https://app.example/cb"],
      scope: "openid",
      require_consent: false,
    },
    {
      client_id: "machine",
      client_secret: "secret of machine",
      grant_types: ["client_credentials"],
      response_types: [],
      scope: "api.read",
    },
  ],
  users: [{ username: "alice", password: "correct horse battery" }],
}

const portOf = ({ url }: RunningServer): number => Number(new URL(url).port)

/** Replays every connection that once mattered, and tells what is wrong with its answer now. */
export const replayWires = async (server: RunningServer): Promise<ReadonlyArray<readonly [why: string, wrong: string]>> => {
  const wrong: Array<readonly [string, string]> = []
  for (const { why, ...wire } of corpus.wires) {
    const found = wrongWith(await send(portOf(server), { name: why, ...wire }))
    if (found !== undefined) wrong.push([why, found])
  }
  return wrong
}

/** Opens volleys of connections. Throws with seed, path and the least volley that breaks a law; gives back the statuses heard. */
export const siege = async (server: RunningServer, seed: number, volleys: number): Promise<ReadonlySet<number>> => {
  const heard = new Set<number>()
  await fc.assert(
    fc.asyncProperty(fc.array(anyWire, { minLength: 1, maxLength: 16, size: "max" }), async (volley) => {
      const answers = await Promise.all(volley.map((wire) => send(portOf(server), wire)))
      for (const [at, answer] of answers.entries()) {
        for (const status of statusesOf(answer.text)) heard.add(status)
        const wrong = wrongWith(answer)
        if (wrong !== undefined) throw new Error(`${wrong}\n${JSON.stringify(volley[at]).slice(0, 2000)}\n${answer.text.slice(0, 1000)}`)
      }
      if (server.process.exitCode !== null) throw new Error(`the server has ended: ${server.output().slice(-2000)}`)
    }),
    { seed, numRuns: volleys },
  )
  return heard
}

/** Makes an ordinary caller's requests: answers the status of one to each part, and a client's token. */
export const ordinary = async ({ url }: RunningServer): Promise<Readonly<Record<string, unknown>>> => {
  const token = await fetch(`${url}/connect/token`, {
    method: "POST",
    headers: { authorization: basic("machine") },
    body: new URLSearchParams({ grant_type: "client_credentials" }),
  })
  const { access_token, ...rest } = (await token.json()) as Record<string, unknown>
  const login = await fetch(`${url}/login`)
  const isPage = (await login.text()).includes('name="password"')
  const metadata = (await (await fetch(`${url}/.well-known/openid-configuration`)).json()) as { readonly issuer: string }
  return { token: typeof access_token, ...rest, isPage, issuer: metadata.issuer === url }
}

/** Memory of the server that is held in RAM, in MiB. */
export const resident = ({ process }: RunningServer): number =>
  Number(/^VmRSS:\s+(\d+) kB$/mu.exec(readFileSync(`/proc/${process.pid}/status`, "utf8"))?.[1] ?? Number.NaN) / 1024

const plain = (line: string, more = "", body = ""): string =>
  `${line} HTTP/1.1\r\nHost: 127.0.0.1\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`
const form = "Content-Type: application/x-www-form-urlencoded\r\n"
const crowd = [
  plain("GET /login"),
  plain("GET /nowhere"),
  plain("GET /connect/authorize?client_id=web&redirect_uri=https://app.example/cb&scope=openid&state=x"),
  plain("GET /connect/authorize?client_id=nobody"),
  plain("GET /connect/userinfo", "Authorization: Bearer a_x\r\n"),
  plain("POST /connect/token", form, "grant_type=authorization_code&client_id=web&code=c_x"),
  plain("POST /connect/deviceauthorization", form, "client_id=nobody"),
  plain("POST /login", form, "username=alice&password=x"),
  plain("GET /device?user_code=BBBBBBBB"),
]

/** Sends so many requests that are refused, on a few connections, and gives back how many were answered. */
export const throng = async (server: RunningServer, requests: number): Promise<number> => {
  const connections = 4
  const each = Math.ceil(requests / connections / crowd.length)
  const last = "GET /health/live HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
  const wire: Wire = { name: "throng", parts: [...Array.from({ length: each }, () => crowd.join("")), last], end: "wait" }
  const heard = await Promise.all(Array.from({ length: connections }, () => send(portOf(server), wire)))
  const wrong = heard.map(wrongWith).find((each) => each !== undefined)
  if (wrong !== undefined) throw new Error(`of a throng of ordinary requests: ${wrong}`)
  return heard.flatMap(({ text }) => statusesOf(text)).length
}
