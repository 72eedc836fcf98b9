import { spawnSync } from "node:child_process"
import { readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { connect } from "node:net"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { build } from "esbuild"
import * as client from "openid-client"
import { beforeAll, describe, expect, test } from "vitest"
import { Surfer } from "../support/surfer.ts"
import { type Packed, manifestOf, packLibraries, root, unpackExample } from "./packed.ts"
import { freePort } from "../support/ports.ts"
import { serveFunction } from "./function.ts"
import { start } from "./running.ts"

const require = createRequire(join(root, "examples", "package.json"))
const tested = createRequire(join(root, "test", "package.json"))
const packageOf = (name: string): string => dirname(tested.resolve(`${name}/package.json`))
const redirect_uri = "http://127.0.0.1:4200/callback"

let packed: Packed
beforeAll(() => (packed = packLibraries(["core", "adapter-http", "stores", "adapter-cloudflare"])), 180_000)

/** Signs alice in by a client that checks everything (OpenID Connect Core §3.1, RFC 7636), and reads her userinfo. */
const signIn = async (issuer: string): Promise<client.UserInfoResponse> => {
  const options = { execute: [client.allowInsecureRequests] }
  const provider = await client.discovery(new URL(issuer), "app", undefined, client.None(), options)
  const pkceCodeVerifier = client.randomPKCECodeVerifier()
  const expectedNonce = client.randomNonce()
  const expectedState = client.randomState()
  const url = client.buildAuthorizationUrl(provider, {
    redirect_uri,
    scope: "openid profile",
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: "S256",
    nonce: expectedNonce,
    state: expectedState,
  })
  const back = await new Surfer().authorize(url.href, "alice", "wonderland")
  expect(back.href.startsWith(redirect_uri)).toBe(true)
  const tokens = await client.authorizationCodeGrant(provider, back, {
    pkceCodeVerifier,
    expectedNonce,
    expectedState,
    idTokenExpected: true,
  })
  const person = await client.fetchUserInfo(provider, tokens.access_token, tokens.claims()?.sub ?? "")
  // The same code again is refused (RFC 6749 §4.1.2).
  await expect(client.authorizationCodeGrant(provider, back, { pkceCodeVerifier, expectedNonce, expectedState })).rejects.toMatchObject({
    error: "invalid_grant",
  })
  return person
}

const alice = { sub: "1", name: "Alice Ant" }

/** The answer of `maintain` a moment after the start: one slice was swept, and nothing else was due. */
const nothingDue = { keys: [], delivered: 0, failed: 0, dead: 0, slices: 1, more: false, faults: [] }

/** A configuration of workerd with a clock beside its worker: whoever asks at the port has it send the event of a cron trigger, as Cloudflare does by itself. */
const withClock = (config: string, port: number): string => `${config
  .replace("services = [", 'services = [(name = "clock", worker = .clock), ')
  .replace("sockets = [", `sockets = [(name = "clock", address = "127.0.0.1:${port}", http = (), service = "clock"), `)}
const clock :Workerd.Worker = (
  modules = [(name = "clock.mjs", esModule = "export default { fetch: async (_, { PROVIDER }) => new Response((await PROVIDER.scheduled({ cron: '* * * * *' })).outcome) }")],
  bindings = [(name = "PROVIDER", service = "provider")],
  compatibilityDate = "2026-11-01",
  compatibilityFlags = ["service_binding_extra_handlers"],
);
`

const spawned = (command: string, args: ReadonlyArray<string>, cwd: string): void => {
  const { status, stderr } = spawnSync(command, args, { cwd, encoding: "utf8" })
  expect(stderr).not.toContain("error")
  expect(status).toBe(0)
}

/** Sends bytes to a port of this machine, and returns all of the answer. */
const sent = (port: number, bytes: string): Promise<string> =>
  new Promise((resolve, reject) => {
    let answer = ""
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes))
    socket
      .setEncoding("utf8")
      .setTimeout(10_000, () => socket.destroy(new Error(`no end of ${answer}`)))
      .on("data", (chunk: string) => (answer += chunk))
      .on("error", reject)
      .on("close", () => resolve(answer))
  })

/** Runs what there is to test of an example in a copy of it that has the packed libraries. */
const inCopy = async (name: string, run: (home: string, port: number) => Promise<void>): Promise<void> => {
  const home = unpackExample(name, packed)
  try {
    await run(home, await freePort())
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

describe(
  "OpenID Connect Core §3.1, RFC 7636: a person signs in through an example made of the packed libraries",
  { timeout: 60_000 },
  () => {
    test.each([
      ["node", ""],
      ["hono", ""],
      ["express", "/auth"],
      ["fastify", "/auth"],
      ["templates", ""],
      ["liquid", ""],
    ])("%s", (name, path) =>
      inCopy(name, async (home, port) => {
        const origin = `http://127.0.0.1:${port}`
        const { scripts: { start: command = "" } = {} } = manifestOf(home)
        expect(command).toBe("node server.ts")
        const server = await start(process.execPath, ["server.ts"], home, { PORT: String(port) }, `${origin}/hello`)
        try {
          expect(await signIn(origin + path)).toMatchObject(alice)
          // RFC 8414 §3.1: clients look for an issuer with a path at the root.
          const metadata = await fetch(`${origin}/.well-known/oauth-authorization-server${path}`)
          expect(await metadata.json()).toMatchObject({ issuer: origin + path })
          expect(await (await fetch(`${origin}/hello`)).text()).toBe("The application's own page.")
          expect((await fetch(`${origin}/nowhere`)).status).toBe(404)
        } finally {
          await server.stop()
        }
      }),
    )

    test("issuers: at each of two, with keys of their own, and the tokens of one are none at the other", () =>
      inCopy("issuers", async (home, port) => {
        const origin = `http://127.0.0.1:${port}`
        const server = await start(process.execPath, ["server.ts"], home, { PORT: String(port) }, `${origin}/hello`)
        try {
          const kids = new Set<string>()
          for (const name of ["acme", "globex"]) {
            const issuer = `${origin}/${name}`
            expect(await signIn(issuer)).toMatchObject(alice)
            const documents = [`/${name}/.well-known/openid-configuration`, `/.well-known/openid-configuration/${name}`]
            for (const path of [...documents, `/.well-known/oauth-authorization-server/${name}`])
              expect(await (await fetch(origin + path)).json()).toMatchObject({ issuer })
            const { keys } = (await (await fetch(`${issuer}/.well-known/openid-configuration/jwks`)).json()) as {
              readonly keys: ReadonlyArray<{ readonly kid: string }>
            }
            for (const { kid } of keys) kids.add(kid)
          }
          expect(kids.size).toBe(2)
          expect((await fetch(`${origin}/initech/.well-known/openid-configuration`)).status).toBe(404)
          expect((await fetch(`${origin}/nowhere`)).status).toBe(404)
        } finally {
          await server.stop()
        }
      }))

    test("jsx, built as its script says", () =>
      inCopy("jsx", async (home, port) => {
        const { scripts: { start: command = "" } = {} } = manifestOf(home)
        const [built = "", run] = command.split(" && ")
        expect(run).toBe("node server.mjs")
        const [, ...args] = built.split(" ")
        spawned(process.execPath, [require.resolve("esbuild/bin/esbuild"), ...args], home)
        const origin = `http://127.0.0.1:${port}`
        const server = await start(process.execPath, ["server.mjs"], home, { PORT: String(port) }, `${origin}/hello`)
        try {
          expect(await signIn(origin)).toMatchObject(alice)
        } finally {
          await server.stop()
        }
      }))

    test.each([
      ["bun", join(packageOf("bun"), "bin", "bun.exe"), (): ReadonlyArray<string> => ["--no-install", "server.ts"]],
      [
        "deno",
        process.execPath,
        (port: number): ReadonlyArray<string> => [
          join(packageOf("deno"), "bin.cjs"),
          "serve",
          "--host",
          "127.0.0.1",
          "--port",
          String(port),
          "--allow-env=ISSUER,PORT",
          "--allow-net",
          "--no-remote",
          "server.ts",
        ],
      ],
    ])("%s", (name, command, args) =>
      inCopy(name, async (home, port) => {
        const origin = `http://127.0.0.1:${port}`
        const env = { PORT: String(port), DENO_DIR: join(home, "deno"), DENO_NO_UPDATE_CHECK: "1" }
        const server = await start(command, args(port), home, env, `${origin}/hello`)
        try {
          expect(await signIn(origin)).toMatchObject(alice)
          // A request without a Host header: no answer shows the error of a program, or its source.
          const answer = await sent(port, "GET /hello HTTP/1.0\r\n\r\n")
          expect(answer).toMatch(/^HTTP\/1\.[01] \d{3} /)
          expect(answer).not.toMatch(/Invalid URL|server\.ts/)
        } finally {
          await server.stop()
        }
      }),
    )

    test("lambda: a function that takes events; a schedule's have it do the work between requests", () =>
      inCopy("lambda", async (home, port) => {
        const issuer = `http://127.0.0.1:${port}`
        const { schedule, stop } = await serveFunction(join(home, "handler.ts"), issuer, port)
        try {
          expect(await signIn(issuer)).toMatchObject(alice)
          expect(await schedule()).toEqual(nothingDue)
          expect(await signIn(issuer)).toMatchObject(alice)
        } finally {
          await stop()
        }
      }))

    test("workerd; a cron trigger has it do the work between requests", () =>
      inCopy("workerd", async (home, port) => {
        await build({
          entryPoints: [join(home, "worker.ts")],
          absWorkingDir: home,
          bundle: true,
          format: "esm",
          outfile: join(home, "worker.mjs"),
          logLevel: "error",
        })
        const issuer = `http://127.0.0.1:${port}`
        const config = readFileSync(join(home, "config.capnp"), "utf8")
        expect(config).toContain('text = "http://127.0.0.1:4100"')
        const own = join(home, "own.capnp")
        const clock = await freePort()
        writeFileSync(own, withClock(config.replaceAll("127.0.0.1:4100", `127.0.0.1:${port}`), clock))
        const { default: workerd } = require("workerd") as { readonly default: string }
        const server = await start(workerd, ["serve", "--experimental", own], home, {}, `${issuer}/.well-known/openid-configuration`)
        try {
          expect(await signIn(issuer)).toMatchObject(alice)
          expect(await (await fetch(`http://127.0.0.1:${clock}`)).text()).toBe("ok")
          const told = await server.wrote(/(?<=maintained ){.*}/)
          expect(JSON.parse(told)).toEqual(nothingDue)
          expect(await signIn(issuer)).toMatchObject(alice)
        } finally {
          await server.stop()
        }
      }))

    test.each(["cloudflare-d1", "cloudflare-object"])(
      "%s, as `wrangler dev` runs it; keys outlive the process",
      { timeout: 120_000 },
      (name) =>
        inCopy(name, async (home, port) => {
          const { scripts: { start: command = "" } = {} } = manifestOf(home)
          const [program, ...args] = command.replace("4100", String(port)).split(" ")
          expect(program).toBe("wrangler")
          const issuer = `http://127.0.0.1:${port}`
          // The name of the issuer, as a line of the command would set it.
          const all = [join(dirname(require.resolve("wrangler/package.json")), "bin", "wrangler.js"), ...args, "--var", `ISSUER:${issuer}`]
          const env = { CI: "1", WRANGLER_SEND_METRICS: "false" }
          const served = () => start(process.execPath, all, home, env, `${issuer}/.well-known/openid-configuration`)
          const keys = async (): Promise<string> => (await fetch(`${issuer}/.well-known/openid-configuration/jwks`)).text()
          const first = await served()
          let kept = ""
          try {
            expect(await signIn(issuer)).toMatchObject(alice)
            kept = await keys()
          } finally {
            await first.stop()
          }
          const second = await served()
          try {
            expect(await keys()).toBe(kept)
            expect(await signIn(issuer)).toMatchObject(alice)
          } finally {
            await second.stop()
          }
        }),
    )

    test("next: the route handlers as Next.js calls them, the sign-in on a page of the application's own", () =>
      inCopy("next", async (home, port) => {
        const issuer = `http://127.0.0.1:${port}/auth`
        const runner = `
        import { serve } from ${JSON.stringify(pathToFileURL(require.resolve("@hono/node-server")).href)}
        import * as auth from "./app/auth/[[...path]]/route.ts"
        import * as signIn from "./app/sign-in/route.ts"
        const routeOf = ({ url }) => (new URL(url).pathname === "/sign-in" ? signIn : auth)
        serve({ fetch: (request) => routeOf(request)[request.method](request), port: ${port}, hostname: "127.0.0.1" })`
        const args = ["--input-type=module-typescript", "--eval", runner]
        const server = await start(process.execPath, args, home, { ISSUER: issuer }, `${issuer}/.well-known/openid-configuration`)
        try {
          expect(await signIn(issuer)).toMatchObject(alice)
        } finally {
          await server.stop()
        }
      }))
  },
)

describe("examples/", () => {
  const names = readdirSync(join(root, "examples"), { withFileTypes: true })
    .filter((each) => each.isDirectory() && readdirSync(join(root, "examples", each.name)).includes("package.json"))
    .map(({ name }) => name)
  const ours = manifestOf(join(root, "examples"))
  const known: Readonly<Record<string, string>> = {
    ...manifestOf(join(root, "test")).dependencies,
    ...ours.dependencies,
    ...ours.devDependencies,
  }

  test.each(names)("%s pins what is tested, and our packages at their version", (name) => {
    const { dependencies, devDependencies } = manifestOf(join(root, "examples", name))
    for (const [each, version] of Object.entries({ ...dependencies, ...devDependencies })) {
      if (each.startsWith("@postern/"))
        expect([each, version]).toEqual([each, manifestOf(join(root, "packages", each.replace("@postern/", ""))).version])
      else if (known[each] !== undefined) expect([each, version]).toEqual([each, known[each]])
      else expect(version).toMatch(/^\d+\.\d+\.\d+$/)
    }
  })

  test("have one and the same provider where they have no other", () => {
    const [first, ...others] = ["hono", "node", "fastify", "bun", "deno", "next", "templates", "jsx", "liquid"].map((name) =>
      readFileSync(join(root, "examples", name, "provider.ts"), "utf8"),
    )
    for (const other of others) expect(other).toBe(first)
    // Those of runtimes without timers have their work between requests too.
    for (const pair of [
      ["cloudflare-d1", "cloudflare-object"],
      ["lambda", "workerd"],
    ]) {
      const [one, other] = pair.map((name) => readFileSync(join(root, "examples", name, "provider.ts"), "utf8"))
      expect(other).toBe(one)
    }
  })
})
