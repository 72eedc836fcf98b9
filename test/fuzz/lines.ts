import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import { sampleJson } from "../../packages/cli/src/config/sample.ts"
import { corpus } from "./corpus.ts"
import { tellsInside } from "./laws.ts"
import { nastyTexts } from "./nasty.ts"

/** A command line to run. */
export interface Asked {
  readonly args: ReadonlyArray<string>
  readonly input: string
  /** A configuration to make a setup of, once its check has passed. */
  readonly setup: string | undefined
}

/** Exit code; -1 for a line that did not end. */
export interface Told {
  readonly code: number
  readonly out: string
  readonly err: string
  readonly took: number
  readonly fault: string | undefined
}

/** A process that runs command lines in a folder of its own. */
export interface LineHost {
  readonly folder: string
  readonly ask: (asked: Partial<Asked> & Pick<Asked, "args">) => Promise<Told>
  readonly end: () => void
}

const config = {
  issuer: "http://127.0.0.1:8080",
  development: true,
  listen: { host: "127.0.0.1", port: 0 },
  data: "./data",
  log: { level: "off" },
  resources: [{ identifier: "https://api.example", scopes: ["api.read"] }],
  clients: [{ client_id: "web", client_secret: "secret of web", redirect_uris: ["http://127.0.0.1/cb"], scope: "openid" }],
}

/** Starts one. */
export const lineHost = async (): Promise<LineHost> => {
  const folder = mkdtempSync(join(tmpdir(), "postern-lines-"))
  const work = join(folder, "a", "b", "c")
  mkdirSync(work, { recursive: true })
  writeFileSync(join(work, "postern.json"), JSON.stringify(config))
  let child: ChildProcess | undefined
  const begin = async (): Promise<ChildProcess> => {
    const { POSTERN_DEBUG: _, ...env } = process.env
    const started = fork(join(import.meta.dirname, "lineHost.ts"), {
      cwd: work,
      env: { ...env, NO_COLOR: "1" },
      stdio: ["ignore", "ignore", "pipe", "ipc"],
      execArgv: [],
    })
    await Promise.race([
      once(started, "message"),
      once(started, "exit").then(() => Promise.reject(new Error("the host of command lines ended"))),
    ])
    return started
  }
  return {
    folder: work,
    ask: async ({ args, input = "", setup }) => {
      const asked = (child ??= await begin())
      let said = ""
      asked.stderr?.on("data", (chunk: Buffer) => void (said += chunk.toString()))
      return new Promise<Told>((resolve) => {
        const done = (told: Told): void => {
          clearTimeout(timer)
          asked.removeAllListeners("message")
          asked.removeAllListeners("exit")
          asked.stderr?.removeAllListeners("data")
          resolve(told)
        }
        const timer = setTimeout(() => asked.kill("SIGKILL"), 45_000)
        asked.once("message", (told: Told) => done(told))
        asked.once("exit", (code, signal) => {
          child = undefined
          done({ code: -1, out: "", err: said, took: 45_000, fault: `the process ended with ${code ?? signal}` })
        })
        asked.send({ args, input, setup } satisfies Asked)
      })
    },
    end: () => {
      child?.removeAllListeners("exit")
      child?.kill("SIGKILL")
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Milliseconds that a line may take. A server makes keys and hashes passwords at its first start, which a busy machine is slow at. */
const longestLine = (args: ReadonlyArray<string>): number => (args.includes("serve") || args.includes("demo") ? 30_000 : 5_000)

/** Finds the fault of a line's end; undefined when there is none. */
export const wrongLine = ({ code, out, err, took, fault }: Told, args: ReadonlyArray<string> = []): string | undefined => {
  if (fault !== undefined) return `${fault}\n${err.slice(0, 2_000)}`
  if (code !== 0 && code !== 1 && code !== 2) return `it did not end (${code})`
  if (took > longestLine(args)) return `it took ${Math.round(took)} ms`
  const inside = tellsInside(out + err)
  if (inside !== undefined) return `${inside}\n${err.slice(0, 2_000)}`
  if (/postern: internal error/u.test(err)) return err.slice(0, 2_000)
  if (code !== 0 && !/^(?:postern: \S|USAGE|Run `postern)/mu.test(err))
    return `it failed with ${code} and did not say why: ${err.slice(0, 500)}`
  return undefined
}

// Names of places outside the folder stay out: a command that is told to write there would.
const texts = nastyTexts.filter((text) => text.length < 6_000 && !/^\/|\.\.|\0/u.test(text))

const lines: ReadonlyArray<ReadonlyArray<string>> = [
  "check-config postern.json",
  "check-config postern.json --json",
  "client add web2 --name Web --redirect-uri https://app.example/cb --scope openid --config postern.json",
  "client add spa --public --native --redirect-uri http://127.0.0.1/cb --first-party --reference-tokens --json",
  "client add worker --grant-type client_credentials --scope api.read --auth-method private_key_jwt --jwks-uri https://app.example/jwks",
  "client add piped --secret-stdin --redirect-uri https://app.example/cb --post-logout-redirect-uri https://app.example/out --data ./data",
  "client list --json",
  "client show web",
  "client remove web2",
  "client import clients.json --json",
  "client import -",
  "user add alice --subject sub-alice --claim name=Alice --claim email=alice@example.com --tenant x",
  "user list --json --config postern.json",
  "user show alice",
  "user disable alice",
  "user enable alice",
  "user passwd alice",
  "keys list --json",
  "keys rotate --now",
  "explain abcdefghijklmnop --json",
  "audit --event sign_in_failed --since 24h --limit 10 --json",
  "doctor --json",
  "backup copy.sqlite --config postern.json",
  "restore copy.sqlite --yes --keep-consents",
  "init fresh.jsonc --yes --force",
  "serve --port 0 --config postern.json",
  "demo --port 0",
  "--version",
  "--help",
  "client --help",
].map((line) => line.split(" "))

const flags = [
  "--json",
  "--config",
  "--data",
  "--yes",
  "--help",
  "--since",
  "--limit",
  "--port",
  "-p",
  "-c",
  "--",
  "-",
  "--now=x",
  "--claim",
  "--no-json",
  "-vvv",
]

/** A command line, spoilt in up to four ways, and what is piped into it. */
export const anyLine: fc.Arbitrary<Pick<Asked, "args" | "input">> = fc.record({
  args: fc
    .tuple(
      fc.constantFrom(...lines),
      fc.array(
        fc.record({
          how: fc.constantFrom("drop", "double", "replace", "insert", "flag", "join", "swap"),
          at: fc.nat(12),
          text: fc.oneof(
            fc.constantFrom(...texts),
            fc.string({ unit: "grapheme-ascii", maxLength: 20 }).filter((text) => !/^\/|\.\.|\0/u.test(text)),
          ),
          flag: fc.constantFrom(...flags),
        }),
        { maxLength: 4 },
      ),
    )
    .map(([line, ways]) =>
      ways.reduce<ReadonlyArray<string>>((args, { how, at, text, flag }) => {
        const place = at % Math.max(1, args.length)
        const before = args.slice(0, place)
        const [here = "", ...after] = args.slice(place)
        switch (how) {
          case "drop":
            return [...before, ...after]
          case "double":
            return [...before, here, here, ...after]
          case "replace":
            return [...before, text, ...after]
          case "insert":
            return [...before, here, text, ...after]
          case "flag":
            return [...before, here, flag, ...after]
          case "join":
            return [...before, `${here}=${text}`, ...after]
          case "swap":
            return [...after, here, ...before]
        }
      }, line),
    ),
  input: fc.constantFrom(
    "",
    "a password of chance\n",
    "two\nlines\n",
    "\u0000",
    "x".repeat(70_000),
    '{"client_id":"x"}',
    "- client_id: [",
    "\ud800",
  ),
})

const guide = readFileSync(new URL("../../docs/operating.md", import.meta.url), "utf8")
const shipped = sampleJson({
  issuer: "https://id.example.com",
  development: false,
  host: "127.0.0.1",
  port: 8080,
  tls: undefined,
  data: "./data",
  client: undefined,
})

/** Configurations to begin with: the one that `init` writes, those of the guide, and one that says a little of everything. */
const examples: ReadonlyArray<string> = [
  shipped,
  ...[...guide.matchAll(/```jsonc?\n(.*?)```/gsu)].map(([, text = ""]) => text),
  JSON.stringify(config, undefined, 2),
  JSON.stringify(
    {
      ...config,
      tls: { key_file: "key.pem", cert_file: "cert.pem" },
      scopes: [{ name: "team", claims: ["team"], title: "Your team" }],
      users: [{ username: "alice", password: "correct horse battery", claims: { name: "Alice" }, tenant: "x" }],
      identity_providers: [
        { name: "google", display_name: "Google", issuer: "https://accounts.example", client_id: "x", client_secret: { env: "X" } },
      ],
      lifetimes: { access_token_lifetime: 60, session_lifetime: 600 },
      signing: { algorithms: ["RS256", "EdDSA"], rotation_days: 30, overlap_days: 7 },
      trusted_proxies: ["10.0.0.0/8"],
      pages: { name: "Labs", colors: { accent: "#123456" }, tenants: { x: { name: "X" } } },
      audit: { store: true, days: 30 },
      key_encryption_key: "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
    },
    undefined,
    2,
  ),
  "issuer: https://id.example.com\ndata: ./data\nclients:\n  - &a\n    client_id: web\n    client_secret: {env: X}\n    redirect_uris: [https://app.example/cb]\n  - {<<: *a, client_id: other}\n",
]

const values = [
  ...texts,
  "null",
  "true",
  "0",
  "-1",
  "1e400",
  "[]",
  "{}",
  '""',
  "[[[[]]]]",
  '{"env":"HOME"}',
  '{"file":"postern.json"}',
  "&x *x",
  "!!js/function x",
  "<<: *a",
  "\t",
  "# ",
  "/*",
  "*/",
  "//",
  ",",
  ":",
  "{",
  "}",
  "[",
  "]",
  '"',
  "'",
  "- ",
  "---\n",
  "...\n",
]

/** A configuration file that is spoilt as text, in up to five places. */
export const anyConfig: fc.Arbitrary<{ readonly name: string; readonly text: string }> = fc.record({
  name: fc.constantFrom("fuzz.json", "fuzz.jsonc", "fuzz.yaml", "fuzz.yml"),
  text: fc
    .tuple(
      fc.constantFrom(...examples),
      fc.array(
        fc.record({
          how: fc.constantFrom("value", "value", "key", "line", "double", "insert", "cut", "byte"),
          at: fc.nat(4_000),
          by: fc.constantFrom(...values, ...values.map((text) => JSON.stringify(text))),
        }),
        { maxLength: 5 },
      ),
    )
    .map(([example, ways]) => ways.reduce((text, { how, at, by }) => spoilText(text, how, at, by), example)),
})

const spoilText = (text: string, how: string, at: number, by: string): string => {
  const place = at % Math.max(1, text.length)
  const all = text.split("\n")
  const line = at % all.length
  const onLine = (change: (each: string) => string): string => all.map((each, number) => (number === line ? change(each) : each)).join("\n")
  switch (how) {
    case "value":
      return onLine((each) => each.replace(/:\s*(?:"(?:[^"\\]|\\.)*"|[\w.-]+|\[[^\]]*\])/u, () => `: ${by}`))
    case "key":
      return onLine((each) => each.replace(/"[\w$]+"\s*:/u, () => `${JSON.stringify(by)}:`))
    case "line":
      return all.filter((_, number) => number !== line).join("\n")
    case "double":
      return onLine((each) => `${each}\n${each}`)
    case "insert":
      return text.slice(0, place) + by + text.slice(place)
    case "cut":
      return text.slice(0, place)
    default:
      return text.slice(0, place) + String.fromCharCode(at % 256) + text.slice(place + 1)
  }
}

/** Runs so many command lines. Throws with seed, path and the least one that breaks a law. */
export const lineCampaign = async (host: LineHost, seed: number, count: number): Promise<void> =>
  fc.assert(
    fc.asyncProperty(anyLine, async (line) => {
      const wrong = wrongLine(await host.ask(line), line.args)
      if (wrong !== undefined) throw new Error(wrong)
    }),
    { seed, numRuns: count },
  )

const configured = async (
  host: LineHost,
  { name, text }: { readonly name: string; readonly text: string },
): Promise<string | undefined> => {
  writeFileSync(join(host.folder, name), text)
  return wrongLine(await host.ask({ args: ["check-config", name], setup: name }))
}

/** Checks so many configuration files. Throws with seed, path and the least one that breaks a law. */
export const configCampaign = async (host: LineHost, seed: number, count: number): Promise<void> =>
  fc.assert(
    fc.asyncProperty(anyConfig, async (file) => {
      const wrong = await configured(host, file)
      if (wrong !== undefined) throw new Error(wrong)
    }),
    { seed, numRuns: count },
  )

/** Every line and file that once mattered, with what is wrong with how it ends now. */
export const replayLines = async (host: LineHost): Promise<ReadonlyArray<readonly [why: string, wrong: string]>> => {
  const wrong: Array<readonly [string, string]> = []
  for (const { why, args } of corpus.lines) {
    const found = wrongLine(await host.ask({ args }), args)
    if (found !== undefined) wrong.push([why, found])
  }
  for (const { why, ...file } of corpus.configs) {
    const found = await configured(host, file)
    if (found !== undefined) wrong.push([why, found])
  }
  return wrong
}
