import { type ChildProcess, spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** A server under measurement. */
export interface Server {
  readonly name: string
  readonly url: string
  readonly process: ChildProcess
  readonly refreshTokens: ReadonlyArray<string>
  /** Milliseconds from start to the first answer. */
  readonly startup: number
  readonly stop: () => Promise<void>
}

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once("error", reject)
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

const pinned = (cpu: number, command: string, args: ReadonlyArray<string>): [string, ReadonlyArray<string>] =>
  existsSync("/usr/bin/taskset") ? ["/usr/bin/taskset", ["-c", String(cpu), command, ...args]] : [command, args]

const launch = async (
  name: string,
  args: ReadonlyArray<string>,
  url: string,
  probe: string,
): Promise<Omit<Server, "refreshTokens"> & { readonly output: () => string }> => {
  const began = performance.now()
  const [command, all] = pinned(0, process.execPath, args)
  const child = spawn(command, all, { stdio: ["ignore", "pipe", "inherit"] })
  let output = ""
  child.stdout?.on("data", (chunk: Buffer) => void (output.length < 100_000 && (output += chunk.toString())))
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()))
  let startup = 0
  for (let tries = 0; startup === 0; tries++) {
    if (child.exitCode !== null || tries > 1500) throw new Error(`${name} did not start: ${output}`)
    const answered = await fetch(url + probe).then(
      async (response) => response.ok && (await response.text()) !== "",
      () => false,
    )
    if (answered) startup = performance.now() - began
    else await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM")
    const late = setTimeout(() => child.kill("SIGKILL"), 15_000)
    await exited
    clearTimeout(late)
  }
  return { name, url, process: child, startup, stop, output: () => output }
}

const discovery = "/.well-known/openid-configuration"

/** oidc-provider, on a store as durable. */
export const peer = async (folder: string): Promise<Server> => {
  const port = await freePort()
  const server = await launch(
    "oidc-provider",
    [here("peer.mjs"), String(port), join(folder, "peer.sqlite")],
    `http://127.0.0.1:${port}`,
    discovery,
  )
  // Its own notices come before.
  const line =
    server
      .output()
      .split("\n")
      .find((each) => each.startsWith("{")) ?? "{}"
  const { refreshTokens } = JSON.parse(line) as { refreshTokens: Array<string> }
  return { ...server, refreshTokens }
}

/** Postern as an operator starts it. */
export const postern = async (folder: string, refreshTokens: number): Promise<Server> => {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const config = { ...(JSON.parse(readFileSync(here("postern.json"), "utf8")) as object), issuer: url }
  const file = join(folder, "postern.json")
  writeFileSync(file, JSON.stringify(config))
  const server = await launch(
    "postern",
    [here("../packages/cli/src/main.ts"), "serve", "--config", file, "--port", String(port), "--data", join(folder, "data")],
    url,
    discovery,
  )
  return { ...server, refreshTokens: await seed(url, refreshTokens) }
}

/** Signs alice in once and runs the code flow as often as refresh tokens are wanted. */
export const seed = async (url: string, count: number): Promise<ReadonlyArray<string>> => {
  const jar = new Map<string, string>()
  const go = async (target: string, init: RequestInit = {}): Promise<Response> => {
    const response = await fetch(target, {
      ...init,
      redirect: "manual",
      headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join("; ") },
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      jar.set(name, value)
    }
    return response
  }
  const login = await (await go(`${url}/login`)).text()
  const csrf = /name="csrf" value="([^"]+)"/.exec(login)?.[1] ?? ""
  await go(`${url}/login`, { method: "POST", body: new URLSearchParams({ csrf, username: "alice", password: "correct horse battery" }) })
  const verifier = "v".repeat(43)
  const authorize = new URLSearchParams({
    client_id: "web",
    redirect_uri: "https://app.example/cb",
    response_type: "code",
    scope: "openid offline_access",
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
  })
  const tokens: Array<string> = []
  while (tokens.length < count) {
    const back = await go(`${url}/connect/authorize?${authorize.toString()}`)
    const code = new URL(back.headers.get("location") ?? "").searchParams.get("code") ?? ""
    const answer = await fetch(`${url}/connect/token`, {
      method: "POST",
      headers: { authorization: basic("web") },
      body: new URLSearchParams({
        grant_type: "authorization_code",
        code,
        redirect_uri: "https://app.example/cb",
        code_verifier: verifier,
      }),
    })
    tokens.push(((await answer.json()) as { refresh_token: string }).refresh_token)
  }
  return tokens
}

/** Basic credentials of a client of the benchmark. */
export const basic = (id: string): string => `Basic ${Buffer.from(`${id}:${id}-secret-of-the-benchmark`).toString("base64")}`
