import { createHash } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { type Agent, request } from "node:http"
import { join } from "node:path"
import { onTestFinished, vi } from "vitest"
import { folder, patience } from "../cli/run.ts"
import { type Running, running } from "../cli/running.ts"
import { prepareData } from "../support/preparedData.ts"
import { freePort } from "../support/server.ts"
import { Surfer } from "../support/surfer.ts"

/** An answer of a server. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly body: string
}

/** Asks over a connection of its own unless an agent keeps one: so a server of several workers hands each to the next. */
export const ask = (
  url: string,
  headers: Readonly<Record<string, string>> = {},
  body?: URLSearchParams,
  agent: Agent | false = false,
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const asked = request(url, {
      agent,
      method: body === undefined ? "GET" : "POST",
      headers: { ...headers, ...(body && { "content-type": "application/x-www-form-urlencoded" }) },
    })
    asked.once("error", reject)
    asked.once("response", (response) => {
      let text = ""
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
      response.once("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }))
      response.once("error", reject)
    })
    asked.end(body?.toString())
  })

/** The JSON of an answer. */
export const jsonOf = ({ body }: Answer): Readonly<Record<string, unknown>> =>
  body === "" ? {} : (JSON.parse(body) as Readonly<Record<string, unknown>>)

/** A secret of 256 bits, which is not hashed slowly at each start. */
export const secret = "q2mVx0hJc7RtYp4LwZ8sKd1nGf5bTe9uAi3oXr6yHlE"
const verifier = "v".repeat(43)

/** A configuration of two workers, which names one user by a password. */
export const configOf = (port: number, data: unknown, more: object = {}) => ({
  issuer: `http://127.0.0.1:${port}`,
  development: true,
  listen: { port },
  data,
  workers: 2,
  metrics: true,
  trail: "all",
  signing: { algorithms: ["RS256", "ES256"] },
  resources: [{ identifier: "https://api.example", scopes: ["api"] }],
  clients: [
    {
      client_id: "web",
      client_secret: secret,
      redirect_uris: ["https://app.example/cb"],
      require_consent: false,
      grant_types: ["authorization_code", "refresh_token"],
      scope: "openid offline_access",
      access_token_format: "reference",
    },
    { client_id: "robot", client_secret: secret, grant_types: ["client_credentials"], response_types: [], scope: "api" },
  ],
  users: [{ username: "alice", password: "wonderland" }],
  ...more,
})

/** A server of two workers, with what asks it. */
export interface Served {
  readonly server: Running
  readonly url: string
  readonly cwd: string
  /** Its configuration at the start. */
  readonly config: ReturnType<typeof configOf>
  /** Lines of the log so far. */
  readonly lines: () => ReadonlyArray<Readonly<Record<string, unknown>>>
  /** Process ids of the workers that are there. */
  readonly workers: () => ReadonlyArray<number>
  readonly write: (config: object) => void
  readonly post: (path: string, clientId: string, fields: Readonly<Record<string, string>>) => Promise<Answer>
  readonly signIn: () => Promise<string>
  readonly redeem: (code: string) => Promise<Answer>
  readonly active: (token: unknown) => Promise<unknown>
  /** Waits until something holds, and looks every so many milliseconds: 20 if not given, more where looking is dear. */
  readonly until: (holds: () => unknown, interval?: number) => Promise<void>
}

/** Process ids of a process's children. */
export const childrenOf = (pid: number): ReadonlyArray<number> =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number)

/** Tells if a process is there. */
export const isThere = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Starts a server on a database, in a folder; both go with the test, unless another end is given. */
export const served = async (
  data: string,
  more: object = {},
  port?: number,
  into?: string,
  atEnd: (end: () => void | Promise<void>) => unknown = onTestFinished,
): Promise<Served> => {
  const at = port ?? (await freePort())
  const config = configOf(at, data, more)
  const made = into === undefined ? folder(config) : undefined
  const cwd = into ?? made?.cwd ?? ""
  if (made !== undefined) atEnd(made.remove)
  const write = (config: object): void => writeFileSync(join(cwd, "postern.json"), JSON.stringify(config))
  const gone = data === "data" ? await prepareData(join(cwd, "data"), { ...config, data: undefined }) : (): void => undefined
  const server = await running(["serve"], { cwd }, /Ready\./, atEnd)
  void server.ended.then(gone)
  const url = `http://127.0.0.1:${at}`
  const post: Served["post"] = (path, clientId, fields) =>
    ask(`${url}${path}`, { authorization: `Basic ${btoa(`${clientId}:${encodeURIComponent(secret)}`)}` }, new URLSearchParams(fields))
  const question = `${url}/connect/authorize?${new URLSearchParams({
    client_id: "web",
    redirect_uri: "https://app.example/cb",
    response_type: "code",
    scope: "openid offline_access",
    prompt: "consent",
    state: "st",
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
  }).toString()}`
  return {
    server,
    url,
    cwd,
    config,
    write,
    post,
    lines: () =>
      server.said.out
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>),
    workers: () => childrenOf(server.pid),
    signIn: async () => (await new Surfer().authorize(question, "alice", "wonderland")).searchParams.get("code") ?? "",
    redeem: (code) =>
      post("/connect/token", "web", {
        grant_type: "authorization_code",
        code,
        redirect_uri: "https://app.example/cb",
        code_verifier: verifier,
      }),
    active: async (token) => jsonOf(await post("/connect/introspect", "web", { token: String(token) }))["active"],
    until: (holds, interval = 20) =>
      vi.waitFor(
        async () => {
          if ((await holds()) !== true) throw new Error("not yet")
        },
        { timeout: patience, interval },
      ),
  }
}
