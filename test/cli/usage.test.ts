import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, it, vi } from "vitest"
import { posternLine } from "./lines.ts"
import { folder, patience, postern } from "./run.ts"

// Each test starts processes, some several.
vi.setConfig({ testTimeout: 2 * patience })

const here = folder(null)
afterAll(here.remove)
const run = (...args: ReadonlyArray<string>) => posternLine(args, here)
/** Runs it in a process of its own, whose exit code and streams are looked at. */
const started = (...args: ReadonlyArray<string>) => postern(args, here)

const { version } = JSON.parse(readFileSync(new URL("../../packages/cli/package.json", import.meta.url), "utf8"))

describe.concurrent("how the command is called", () => {
  it("--version says the version, and exits with 0", async () => {
    expect(await started("--version")).toEqual({ code: 0, out: `postern ${version}\n`, err: "" })
    expect(await started("client", "--version")).toEqual({ code: 0, out: `postern ${version}\n`, err: "" })
  })

  it("--help goes to standard output and names every command, and exits with 0", async () => {
    const { code, out, err } = await started("--help")
    expect([code, err]).toEqual([0, ""])
    for (const command of ["serve", "demo", "init", "check-config", "client", "user", "keys", "explain", "doctor", "backup", "restore"])
      expect(out).toMatch(new RegExp(`^  ${command} `, "m"))
  })

  it("no command at all is bad usage: help on standard error, exit code 2", async () => {
    const { code, out, err } = await started()
    expect([code, out]).toEqual([2, ""])
    expect(err).toContain("SUBCOMMANDS")
  })

  it("an unknown command is bad usage, and the likely one is named", async () => {
    const { code, out, err } = await started("chek-config")
    expect([code, out]).toEqual([2, ""])
    expect(err).toContain('Unknown subcommand "chek-config"')
    expect(err).toContain("check-config")
  })

  it("an unknown flag is bad usage, and the likely one is named", async () => {
    const { code, err } = await run("init", "--foce")
    expect(code).toBe(2)
    expect(err).toContain("--force")
    expect(err).toContain("Run `postern init --help` for its usage.")
  })

  it("an argument of any length, or with characters that steer a terminal, is told briefly and without them", async () => {
    for (const args of [
      ["serve", "A".repeat(100_000)],
      ["serve", "\u202e\u0007"],
      ["check-config", "A".repeat(100_000)],
      ["check-config", "\u202e"],
      ["conform", `--${"A".repeat(100_000)}`],
    ]) {
      const { code, out, err } = await run(...args)
      expect([out, err.length < 5000, /[^\P{Cc}\n]|\p{Cf}/u.exec(err)]).toEqual(["", true, null])
      expect(code).toBe(args[0] === "check-config" ? 1 : 2)
    }
  })

  it("a missing argument, and a port that is none, are bad usage", async () => {
    expect(await run("check-config")).toMatchObject({ code: 2, out: "" })
    expect(await run("serve", "--port", "70000")).toMatchObject({ code: 2, out: "" })
    expect(await run("serve", "--port", "http")).toMatchObject({ code: 2, out: "" })
  })

  it("a number that is none, or out of range, is refused with the range", async () => {
    for (const [flag, stated, range, ...words] of [
      ["--port", "http", "a port from 0 to 65535", "serve"],
      ["--port", "-1", "a port from 0 to 65535", "test-provider"],
      ["--workers", "two", "a number from 0 to ", "serve"],
      ["--limit", "1.5", "a number from 1 to 100000", "audit"],
      ["--rate", "fast", "a whole number above 0", "conform"],
      ["--uses", "1e2", "a whole number from 1 to 1000000000", "registration", "tokens", "add", "x"],
      // Zero must not be taken for no limit.
      ["--uses", "0", "a whole number from 1 to 1000000000", "registration", "tokens", "add", "x"],
      ["--days", "0", "a whole number from 1 to 36500", "registration", "tokens", "add", "x"],
      ["--seed", "1.5", "a whole number from 0 on", "misbehave"],
      ["--megabytes", "300", "a number from 1 to 256", "record", "--out", "x"],
    ] as const) {
      const { code, out, err } = await run(...words, flag, stated)
      expect([code, out]).toEqual([2, ""])
      expect(err).toContain(`Invalid value for flag ${flag}: ${JSON.stringify(stated)}. Expected: ${range}`)
    }
  })

  it("a value that no configuration could make right is bad usage", async () => {
    const { cwd, remove } = folder({ issuer: "http://127.0.0.1:8080", development: true })
    const at = (...args: ReadonlyArray<string>) => posternLine(args, { cwd })
    expect(await at("init", "id.toml")).toMatchObject({ code: 2, out: "" })
    for (const stated of ["require_pkce", "client_secret=x"])
      expect(await at("client", "add", "a", "--redirect-uri", "https://a.example/cb", "--metadata", stated)).toMatchObject({
        code: 2,
        out: "",
      })
    expect(await at("audit", "--since", "3y")).toMatchObject({ code: 2, out: "" })
    writeFileSync(join(cwd, "clients.json"), JSON.stringify({ clients: [{ client_id: "app", redirect_uris: ["https://a.example/cb"] }] }))
    expect(await at("misbehave", "--client-file", "clients.json", "--id-jag-audience", "nonsense")).toMatchObject({
      code: 2,
      out: "",
      err: expect.stringContaining('--id-jag-audience: is "nonsense"\n  it must be the URL of an issuer'),
    })
    remove()
  })

  it("a limit of an initial access token under which nobody could register is bad usage, in the words of its option", async () => {
    const { cwd, remove } = folder({ issuer: "http://127.0.0.1:8080", development: true, registration: {} })
    for (const [flag, stated, message] of [
      ["--redirect-host", "https://a.example/x", '--redirect-host: is "https://a.example/x"\n  it must be a host in lower case'],
      ["--scope", 'a"b', '--scope: is "a\\"b"\n  it must be a scope'],
      ["--grant-type", "nosuch", "--grant-type has no grant type of this provider: every registration would be refused\n  use some of: "],
      ["--metadata", "client_nam=A", "--metadata: client_nam is not client metadata of this provider"],
    ] as const)
      expect(await posternLine(["registration", "tokens", "add", "x", flag, stated], { cwd })).toMatchObject({
        code: 2,
        out: "",
        err: expect.stringContaining(message),
      })
    remove()
  })

  it("the metadata of a client is held to the form of the configuration, also where options state all of it", async () => {
    const { cwd, remove } = folder({ issuer: "http://127.0.0.1:8080", development: true })
    const add = (...args: ReadonlyArray<string>) =>
      posternLine(["client", "add", ...args, "--redirect-uri", "https://a.example/cb"], { cwd })
    expect(await add("")).toMatchObject({
      code: 2,
      out: "",
      err: expect.stringContaining(`<client-id>: "". Expected: a text that is not empty`),
    })
    for (const id of ["caf\u00e9", "a\u007f", "a".repeat(201)]) {
      const { code, out, err } = await add(id)
      expect([code, out]).toEqual([1, ""])
      expect(err).toMatch(/^client_id is not 1 to 200 printable ASCII characters\n/)
    }
    expect(await add("long", "--name", "x".repeat(10_000))).toMatchObject({ code: 1, err: expect.stringMatching(/^client_name /) })
    // None of them has made a database.
    expect(await posternLine(["client", "list", "--json"], { cwd })).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringMatching(/there is no database/),
    })
    remove()
  })

  it("a command that needs a configuration says so when there is none", async () => {
    for (const [command, args] of [
      [started, ["serve"]],
      [started, ["client", "list"]],
      [run, ["keys", "list"]],
    ] as const) {
      const { code, out, err } = await command(...args)
      expect([code, out]).toEqual([1, ""])
      expect(err).toBe(
        "postern: there is no configuration in this folder\n  name one with --config FILE; `postern init` writes a first one\n",
      )
    }
  })

  it("completions are printed for each shell", async () => {
    for (const shell of ["bash", "zsh", "fish"]) {
      const { code, out } = await run("--completions", shell)
      expect(code).toBe(0)
      expect(out).toContain("check-config")
    }
  })
})

describe("postern init", () => {
  it("--yes writes a configuration that has no fault, readable by its owner alone", async () => {
    const own = folder(null)
    expect(await postern(["init", "--yes"], own)).toMatchObject({ code: 0, err: "" })
    expect(statSync(join(own.cwd, "postern.jsonc")).mode & 0o777).toBe(0o600)
    expect(await posternLine(["check-config", "postern.jsonc"], own)).toMatchObject({ code: 0 })
    own.remove()
  })

  it("writes YAML when the name ends so", async () => {
    expect(await run("init", "--yes", "id.yaml")).toMatchObject({ code: 0 })
    expect(readFileSync(join(here.cwd, "id.yaml"), "utf8")).toContain("issuer: http://127.0.0.1:8080")
    expect(await run("check-config", "id.yaml")).toMatchObject({ code: 0 })
  })

  it("does not replace a file without --force", async () => {
    writeFileSync(join(here.cwd, "kept.json"), "mine")
    expect(await run("init", "--yes", "kept.json")).toEqual({
      code: 1,
      out: "",
      err: "postern: kept.json already exists\n  give another name, or --force to replace it\n",
    })
    expect(readFileSync(join(here.cwd, "kept.json"), "utf8")).toBe("mine")
    expect(await run("init", "--yes", "--force", "kept.json")).toMatchObject({ code: 0 })
    expect(readFileSync(join(here.cwd, "kept.json"), "utf8")).toContain('"issuer"')
  })

  it("asks nobody when there is nobody to ask", async () => {
    expect(await run("init", "asked.json")).toMatchObject({ code: 1, err: expect.stringContaining("--yes") })
    expect(existsSync(join(here.cwd, "asked.json"))).toBe(false)
  })
})

describe("postern check-config", () => {
  const unencrypted =
    'set it from { "env": … } or { "file": … }, made with: openssl rand -base64 32; keys made before stay as they are until they are rotated'
  const broken = '{\n  "issuer": "http://id.example.com",\n  "trial": "all"\n}\n'

  it("names every fault with file, line, column, path and a hint, and exits with 1", async () => {
    writeFileSync(join(here.cwd, "broken.json"), broken)
    const { code, out, err } = await run("check-config", "broken.json")
    expect(code).toBe(1)
    expect(out).toBe(
      "broken.json:2:13 issuer is http\n    use https; http is for development on a loopback address only\nbroken.json:3:3 trial is not a known key\n    did you mean trail?\n" +
        `broken.json:1:1 warning: key_encryption_key is not set: signing keys are stored unencrypted\n    ${unencrypted}\n`,
    )
    expect(err).toBe("postern: broken.json has 2 faults\n")
  })

  it("--json gives the same to programs", async () => {
    writeFileSync(join(here.cwd, "broken2.json"), broken)
    const { code, out } = await run("check-config", "broken2.json", "--json")
    expect(code).toBe(1)
    expect(JSON.parse(out)).toEqual({
      file: "broken2.json",
      valid: false,
      faults: [
        { path: "issuer", line: 2, column: 13, message: "is http", hint: "use https; http is for development on a loopback address only" },
        { path: "trial", line: 3, column: 3, message: "is not a known key", hint: "did you mean trail?" },
      ],
      warnings: [
        {
          path: "key_encryption_key",
          line: 1,
          column: 1,
          message: "is not set: signing keys are stored unencrypted",
          hint: unencrypted,
        },
      ],
      profiles: [],
    })
  })

  it("a warning is no fault: 0, and 1 with --strict", async () => {
    const text = JSON.stringify({
      issuer: "https://id.example.com",
      key_encryption_key: { env: "POSTERN_KEY" },
      pairwise_salt: "1oXl2pGZkF5rE3vB8yQmTn0sJhWc6uDa",
    })
    const file = join(here.cwd, "open.json")
    writeFileSync(file, text, { mode: 0o644 })
    chmodSync(file, 0o644)
    const env = { POSTERN_KEY: "q83vEjRWeJASNFZ4kBI0VniQEjRWeJASNFZ4kBI0Vng=" }
    const check = (...args: ReadonlyArray<string>) => posternLine(["check-config", "open.json", ...args], { ...here, env })
    const loose = await check()
    expect([loose.code, loose.err]).toEqual([0, ""])
    expect(loose.out).toBe(
      "open.json:1:1 warning: holds pairwise_salt, and users other than its owner can read it (mode 0644)\n" +
        '    chmod 600 the file, or keep its secrets elsewhere: { "env": "NAME" } or { "file": "PATH" }\n' +
        "✓ open.json is fine, with 1 warning\n",
    )
    expect(await check("--strict")).toMatchObject({ code: 1, err: "postern: open.json has 1 warning\n" })
    chmodSync(file, 0o600)
    expect(await check("--strict")).toEqual({ code: 0, out: "✓ open.json is fine\n", err: "" })
  })

  it("says when the file is not there", async () => {
    expect(await run("check-config", "nowhere.json")).toEqual({
      code: 1,
      out: "",
      err: "postern: nowhere.json is not there\n  `postern init` writes a first configuration\n",
    })
  })

  it("serve reports the same faults and does not start", async () => {
    writeFileSync(join(here.cwd, "broken3.json"), broken)
    const { code, out, err } = await started("serve", "--config", "broken3.json")
    expect([code, out]).toEqual([1, ""])
    expect(err).toContain("broken3.json:3:3 trial is not a known key")
    expect(err).toContain("postern check-config broken3.json")
  })
})
