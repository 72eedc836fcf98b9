import { existsSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { afterEach, describe, expect, it, vi } from "vitest"
import { makeCertificate } from "../support/certificates.ts"
import { type Ran, folder, patience, postern } from "./run.ts"
import { listening, running, serve } from "./running.ts"

// Each test starts processes, some several.
vi.setConfig({ testTimeout: 2 * patience })

const ended: Array<() => void> = []
afterEach(() => {
  for (const end of ended.splice(0)) end()
})

const here = (config: object | null) => {
  const made = folder(config)
  ended.push(made.remove)
  return made
}

const metadata = async (url: string): Promise<unknown> => (await fetch(`${url}/.well-known/openid-configuration`)).json()
const token = async (url: string, client: string, secret: string): Promise<number> => {
  const authorization = `Basic ${btoa(`${client}:${secret}`)}`
  return (
    await fetch(`${url}/connect/token`, {
      method: "POST",
      headers: { authorization },
      body: new URLSearchParams({ grant_type: "client_credentials" }),
    })
  ).status
}

const machine = (client_id: string, client_secret: unknown): object => ({
  client_id,
  client_secret,
  grant_types: ["client_credentials"],
  response_types: [],
  scope: "api.read",
})
const development = {
  issuer: "http://127.0.0.1:8080",
  development: true,
  listen: { port: 0 },
  resources: [{ identifier: "https://api.example.com", scopes: ["api.read"] }],
}

describe("postern serve", () => {
  it.each([1, 2])("names the listener that asks for client certificates (RFC 8705 §5): %i processes", async (workers) => {
    const { cert, key } = makeCertificate({ names: [[7, Uint8Array.of(127, 0, 0, 1)]] })
    const place = here({
      ...development,
      issuer: "https://127.0.0.1:8080",
      development: false,
      tls: { cert_file: "cert.pem", key_file: "key.pem" },
      mutual_tls: { listen: { port: 0 } },
      mutual_tls_url: "https://127.0.0.1:8081",
      workers,
    })
    writeFileSync(join(place.cwd, "cert.pem"), cert)
    writeFileSync(join(place.cwd, "key.pem"), key)
    const { said, stop } = await serve(place)
    expect(said.err).toMatch(/^ {2}listening {2}https:\/\/127\.0\.0\.1:\d+\n {13}https:\/\/127\.0\.0\.1:\d+, for client certificates\n/m)
    const [usual, asking] = [...said.err.matchAll(/https:\/\/127\.0\.0\.1:(\d+)(?=\n|, for)/g)].map(([, port]) => Number(port)).slice(-2)
    expect(asking).not.toBe(usual)
    expect(await stop("SIGTERM")).toBe(0)
  })

  it("answers, says development mode, and ends with 0 when asked to stop", async () => {
    const server = await serve(here(development))
    const { said, stop } = server
    const url = listening(server)
    expect(await metadata(url)).toMatchObject({ issuer: "http://127.0.0.1:8080" })
    expect((await fetch(`${url}/health/ready`)).status).toBe(200)
    expect(said.err).toContain("Development mode: http is accepted on loopback.")
    expect(await stop("SIGTERM")).toBe(0)
    expect(
      said.out
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).message),
    ).toEqual(["listening", "stopping", "stopped"])
  })

  it("takes the port and the data folder from the command line before the configuration's", async () => {
    const options = here({ ...development, listen: { port: 1 } })
    const { said, stop } = await serve(options, "--port", "0", "--data", "elsewhere")
    expect(said.err).toContain(join(options.cwd, "elsewhere", "postern.sqlite"))
    expect(existsSync(join(options.cwd, "data"))).toBe(false)
    expect(await stop("SIGINT")).toBe(0)
  })

  it("reads secrets from the environment and from files", async () => {
    const options = here({
      ...development,
      clients: [machine("from-env", { env: "WORKER_SECRET" }), machine("from-file", { file: "secret.txt" })],
    })
    writeFileSync(join(options.cwd, "secret.txt"), "in a file\n")
    const url = listening(await serve({ ...options, env: { WORKER_SECRET: "in the environment" } }))
    expect(await token(url, "from-env", "in the environment")).toBe(200)
    expect(await token(url, "from-file", "in a file")).toBe(200)
    expect(await token(url, "from-file", "in a file\n")).toBe(401)
  })

  it("upserts what the file declares at start; what the command line added stays", async () => {
    const options = here({ ...development, clients: [machine("declared", "one"), machine("dropped", "x")] })
    const added = await postern(["client", "add", "added", "--grant-type", "client_credentials", "--scope", "api.read", "--secret-stdin"], {
      ...options,
      input: "mine",
    })
    expect(added.code).toBe(0)
    const first = await serve(options)
    for (const [client, secret] of [
      ["declared", "one"],
      ["dropped", "x"],
      ["added", "mine"],
    ] as const)
      expect(await token(listening(first), client, secret)).toBe(200)
    await first.stop("SIGTERM")
    writeFileSync(join(options.cwd, "postern.json"), JSON.stringify({ ...development, clients: [machine("declared", "two")] }))
    const second = await serve(options)
    const answers = [
      ["declared", "one"],
      ["declared", "two"],
      ["dropped", "x"],
      ["added", "mine"],
    ] as const
    expect(await Promise.all(answers.map(([client, secret]) => token(listening(second), client, secret)))).toEqual([401, 200, 401, 200])
  })

  it("a client and a key added while it runs are taken up", async () => {
    const options = here(development)
    const url = listening(await serve(options))
    expect(
      await postern(["client", "add", "late", "--grant-type", "client_credentials", "--scope", "api.read", "--secret-stdin"], {
        ...options,
        input: "later",
      }),
    ).toMatchObject({ code: 0 })
    expect(await token(url, "late", "later")).toBe(200)
  })

  it("a refused request is explained by the id its answer carried", async () => {
    const options = here({ ...development, clients: [machine("worker", "right")] })
    const answer = await fetch(`${listening(await serve(options))}/connect/token`, {
      method: "POST",
      body: new URLSearchParams({ grant_type: "client_credentials", client_id: "worker", client_secret: "wrong" }),
    })
    const id = answer.headers.get("x-request-id") ?? ""
    // The trail is written a moment after the answer.
    const explained = async (tries: number): Promise<Ran> => {
      const ran = await postern(["explain", id], options)
      return ran.code === 0 || tries === 0 ? ran : explained(tries - 1)
    }
    const { code, out } = await explained(5)
    expect(code).toBe(0)
    expect(out).toContain("client   worker")
    expect(out).toMatch(/^ {4}✗ client\.\S+ {2}RFC 6749/m)
    expect(out).not.toContain("wrong\n")
  })

  it("encrypts the signing keys, and starts no more without the key that opens them", async () => {
    const config = { ...development, key_encryption_key: { env: "POSTERN_KEY" } }
    const options = { ...here(config), env: { POSTERN_KEY: "A".repeat(43) } }
    const { stop } = await serve(options)
    await stop("SIGTERM")
    const { code, err } = await postern(["serve"], { ...options, env: { POSTERN_KEY: "B".repeat(43) } })
    expect(code).toBe(1)
    expect(err).toContain("cannot be opened with the configured key-encryption key")
    expect(err).not.toMatch(/^ +at /m)
  })

  it("says in one line that the port is taken", async () => {
    const taken = createServer().listen(0, "127.0.0.1")
    await new Promise((resolve) => taken.once("listening", resolve))
    const address = taken.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    const ran = await postern(["serve", "--port", String(port)], here(development))
    taken.close()
    expect(ran).toEqual({
      code: 1,
      out: "",
      err: `postern: port ${port} of 127.0.0.1 is in use\n  stop what uses it, or choose another with --port N\n`,
    })
  })

  it("says in one line that the database is another program's", async () => {
    const options = here(development)
    writeFileSync(join(options.cwd, "other.sqlite"), "not a database at all")
    const { code, err } = await postern(["serve", "--data", "other.sqlite"], options)
    expect(code).toBe(1)
    expect(err).toMatch(/^postern: \S+other\.sqlite: .*\n$/)
  })
})

describe("postern demo", () => {
  it("runs a provider and a playground of another origin, with an issuer that is right for its port", async () => {
    const options = here(null)
    const { said, stop } = await running(["demo", "--port", "0"], options, /Stop it with Ctrl-C/)
    const issuer = /issuer +(\S+)$/m.exec(said.out)?.[1] ?? ""
    const playground = /^ +(http:\/\/\S+)\/$/m.exec(said.out)?.[1] ?? ""
    expect(new URL(issuer).origin).not.toBe(new URL(playground).origin)
    expect(await metadata(issuer)).toMatchObject({
      issuer,
      grant_types_supported: expect.arrayContaining(["authorization_code", "refresh_token", "client_credentials"]),
    })
    expect(await token(issuer, "demo-machine", "demo-machine-secret")).toBe(200)
    const page = await fetch(`${playground}/`)
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'")
    expect(await page.text()).toContain("Sign in, watch every rule, then attack it")
    expect(await (await fetch(`${playground}/setup.json`)).json()).toMatchObject({
      issuer,
      clientId: "demo-spa",
      redirectUri: `${playground}/callback`,
    })
    const foundation = await fetch(`${playground}/foundation.css`)
    expect(foundation.headers.get("content-type")).toBe("text/css; charset=utf-8")
    const styles = await foundation.text()
    const [sheet = ""] = /[^"]*\/assets\/postern[^"]*\.css/.exec(await (await fetch(`${issuer}/nowhere`)).text()) ?? []
    expect((await (await fetch(new URL(sheet, issuer))).text()).startsWith(`${styles}\n/* Pages. `)).toBe(true)
    expect(styles).toContain("--accent: #17604f;")
    expect(said.out).toContain("alice  wonderland")
    expect(await stop("SIGINT")).toBe(0)
    expect(existsSync(join(options.cwd, ".postern"))).toBe(false)
  })

  it("the playground tells the rules a request of its own met, and nothing to other names for this machine", async () => {
    const { said } = await running(["demo", "--port", "0"], here(null), /Stop it with Ctrl-C/)
    const issuer = /issuer +(\S+)$/m.exec(said.out)?.[1] ?? ""
    const playground = /^ +(http:\/\/\S+)\/$/m.exec(said.out)?.[1] ?? ""
    const answer = await fetch(`${issuer}/connect/token`, {
      method: "POST",
      body: new URLSearchParams({ grant_type: "refresh_token", client_id: "demo-spa", refresh_token: "nonsense" }),
    })
    const id = answer.headers.get("x-request-id") ?? ""
    expect(await (await fetch(`${playground}/trails?request_id=${id}`)).json()).toMatchObject([
      { requestId: id, endpoint: "token", clientId: "demo-spa", status: 400 },
    ])
    expect((await fetch(playground.replace("127.0.0.1", "localhost"))).status).toBe(421)
    expect((await fetch(`${playground}/../package.json`)).status).toBe(404)
  })

  it("--data keeps the database", async () => {
    const options = here(null)
    const { stop } = await running(["demo", "--port", "0", "--data", "kept"], options, /Stop it with Ctrl-C/)
    expect(await stop("SIGTERM")).toBe(0)
    expect(existsSync(join(options.cwd, "kept", "postern.sqlite"))).toBe(true)
  })
})
