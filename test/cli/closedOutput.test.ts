import { spawn, spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { sqliteStores } from "@postern/adapter-sqlite"
import { saveSession } from "@postern/core/model"
import { sampleSession } from "@postern/core/testing"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { command } from "../support/packed.ts"
import { freePort } from "../support/ports.ts"
import { posternLine } from "./lines.ts"
import { folder, patience } from "./run.ts"

vi.setConfig({ testTimeout: 2 * patience })

/** Runs the command in a shell that does something with its streams. */
const inShell = (line: string, cwd: string) => {
  const { status, stdout, stderr } = spawnSync("bash", ["-c", line.replaceAll(/\bpostern(?= )/g, `'${process.execPath}' '${command}'`)], {
    cwd,
    encoding: "utf8",
    input: "",
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, NO_COLOR: "1" },
  })
  return { code: status, out: stdout, err: stderr }
}

const place = async () => {
  const own = folder({ issuer: "http://127.0.0.1:8080", development: true })
  onTestFinished(own.remove)
  expect(await posternLine(["user", "add", "alice", "--subject", "alice"], { ...own, input: "correct horse battery\n" })).toMatchObject({
    code: 0,
  })
  const stores = sqliteStores(join(own.cwd, "data", "postern.sqlite"))
  await stores.tokens.commit([saveSession({ ...sampleSession(1), subject: "alice" })])
  await stores.close()
  return own
}

const addClient = "postern client add web --redirect-uri https://app.example.com/cb"

/** The words about the secret of a client that nobody can have read. */
const unread = (what: string): string =>
  `postern: ${what}\n  client web was added, and its secret, which is shown only once, is lost\n  remove it, and add it again: postern client remove web\n`

const sessionsOf = async (cwd: string): Promise<number> => {
  const stores = sqliteStores(join(cwd, "data", "postern.sqlite"))
  try {
    return (await stores.tokens.sessionsOf("alice")).filter(({ endedAt }) => endedAt === undefined).length
  } finally {
    await stores.close()
  }
}

describe.skipIf(process.platform === "win32")("output that cannot be written", () => {
  it("to a reader that is gone does not end a command in the middle of its work: a disabled person is signed out", async () => {
    const { cwd } = await place()
    expect(await sessionsOf(cwd)).toBe(1)
    // The reader is gone before the first line.
    const { code, err } = inShell("exec 3> >(exec true); sleep 0.2; postern user disable alice >&3", cwd)
    expect([code, err]).toEqual([0, ""])
    expect(await sessionsOf(cwd)).toBe(0)
  })

  it.for([1, 2])("to a reader that has stalled does not keep a server with %i workers from stopping", async (workers) => {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const { cwd, remove } = folder({ issuer: url, development: true, listen: { port }, workers })
    onTestFinished(remove)
    const child = spawn(process.execPath, [command, "serve"], { cwd, stdio: ["ignore", "pipe", "ignore"] })
    onTestFinished(() => void child.kill("SIGKILL"))
    child.stdout.pause()
    await vi.waitFor(async () => expect((await fetch(`${url}/health/ready`)).ok).toBe(true), { timeout: patience, interval: 50 })
    // Each line has some 300 bytes; the pipe takes 64 KiB, and as many wait on this side.
    const body = new URLSearchParams({ grant_type: "none", client_id: "nobody" })
    for (let at = 0; at < 60; at++)
      await Promise.all(Array.from({ length: 20 }, () => fetch(`${url}/connect/token`, { method: "POST", body })))
    child.kill("SIGTERM")
    expect(await new Promise((resolve) => child.once("exit", (code, signal) => resolve(code ?? signal)))).toBe(0)
  })

  it("of more than a pipe takes at once is written whole to a slow reader before a command ends with its exit status", () => {
    const { cwd, remove } = folder({
      issuer: "https://id.example.com",
      clients: Array.from({ length: 500 }, (_, at) => ({ client_id: `c${at}`, nope: 1 })),
    })
    onTestFinished(remove)
    const read = (line: string) => inShell(`set -o pipefail; ${line} | (sleep 1; cat)`, cwd)
    const { code, out } = read("postern check-config postern.json --json")
    expect([code, out.length > 200_000]).toEqual([1, true])
    expect(JSON.parse(out)).toMatchObject({ valid: false })
    const faults = read("postern serve 2>&1")
    expect([faults.code, faults.out.length > 100_000]).toEqual([1, true])
    expect(faults.out).toMatch(/then check with: postern check-config postern\.json\n$/)
  })

  it.for(["", " --json"])(
    "is told where a secret is lost with it that is shown only once, with the remedy (client add%s)",
    async (json) => {
      const { cwd } = await place()
      const closed = (line: string) => inShell(`exec 3> >(exec true); sleep 0.2; ${line} >&3`, cwd)
      expect(closed(addClient + json)).toEqual({ code: 1, out: "", err: unread("standard output cannot be written: EPIPE") })
      const again = inShell(addClient, cwd)
      expect(again.err).toBe(
        "postern: there is a client web already\n  to replace it, with a new secret: postern client remove web, and add it again; `postern client import` replaces it at once\n",
      )
      expect(inShell("postern client remove web", cwd).code).toBe(0)
      expect(inShell(addClient, cwd).out).toContain("client_secret")
      // Without a secret of ours, nothing is lost.
      expect(closed("postern client add spa --public --redirect-uri https://spa.example.com/cb")).toEqual({ code: 0, out: "", err: "" })
      expect(
        closed("postern client add own --redirect-uri https://own.example.com/cb --secret-stdin < <(echo a secret of their own)"),
      ).toEqual({
        code: 0,
        out: "",
        err: "",
      })
    },
  )

  it("is told where it had the value of an initial access token, with the remedy", () => {
    const { cwd, remove } = folder({ issuer: "https://id.example.com", registration: {} })
    onTestFinished(remove)
    const { code, err } = inShell("exec 3> >(exec true); sleep 0.2; postern registration tokens add ci >&3", cwd)
    const [, id] = /revoke (\S+)\n$/.exec(err) ?? []
    expect([code, err]).toEqual([
      1,
      `postern: standard output cannot be written: EPIPE\n  the initial access token ${id} was created, and its value, which is shown only once, is lost\n  revoke it, and create another: postern registration tokens revoke ${id}\n`,
    ])
    expect(inShell(`postern registration tokens revoke ${id}`, cwd).code).toBe(0)
  })

  it("to a reader that has stalled is told of when the command is interrupted, where it has a secret that is shown only once", async () => {
    const { cwd } = await place()
    // The pipe is full before the command writes to it.
    const line = `{ head -c 65536 /dev/zero; echo $BASHPID >&2; exec '${process.execPath}' '${command}' client add web --redirect-uri https://app.example.com/cb; } | sleep 600`
    const child = spawn("bash", ["-c", line], { cwd, stdio: ["ignore", "ignore", "pipe"], detached: true })
    onTestFinished(() => void process.kill(-(child.pid ?? 0), "SIGKILL"))
    let err = ""
    child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text))
    await vi.waitFor(() => expect(inShell("postern client show web", cwd).code).toBe(0), { timeout: patience, interval: 50 })
    await vi.waitFor(() => expect(err).toMatch(/^\d+\n/), { timeout: patience, interval: 50 })
    process.kill(Number(/^\d+/.exec(err)?.[0]), "SIGINT")
    await vi.waitFor(() => expect(err).toContain("\n  remove it"), { timeout: patience, interval: 50 })
    expect(err.replace(/^\d+\n/, "")).toBe(unread("interrupted while it waited for the reader of standard output"))
  })

  it("does not hide that a command failed", () => {
    const { cwd, remove } = folder(null)
    onTestFinished(remove)
    expect(inShell("exec 3> >(exec true); sleep 0.2; postern check-config nowhere.json >&3 2>&3", cwd)).toEqual({
      code: 1,
      out: "",
      err: "",
    })
  })

  it.skipIf(!existsSync("/dev/full"))("on a full disk is told, with what it was: no stack, and exit status 1", async () => {
    const { cwd } = await place()
    const told = "postern: standard output cannot be written: ENOSPC\n  the command was carried out, and its output is lost\n"
    expect(inShell("postern user add bob < <(echo correct horse battery) > /dev/full", cwd)).toEqual({ code: 1, out: "", err: told })
    expect(inShell(`${addClient} > /dev/full`, cwd)).toEqual({ code: 1, out: "", err: unread("standard output cannot be written: ENOSPC") })
    expect((await posternLine(["client", "list", "--json"], { cwd })).out).toContain('"web"')
    expect(inShell("postern --help > /dev/full", cwd)).toEqual({ code: 1, out: "", err: told })
    expect(inShell("postern --version > /dev/full", cwd)).toEqual({ code: 1, out: "", err: "" })
    expect(inShell("postern client show nobody > /dev/full 2> /dev/full", cwd)).toEqual({ code: 1, out: "", err: "" })
  })
})
