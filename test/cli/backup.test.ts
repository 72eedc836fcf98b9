import { createHash } from "node:crypto"
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import Sqlite from "better-sqlite3"
import { sqliteStores } from "@postern/adapter-sqlite"
import { type Command, saveAccessToken } from "@postern/core/model"
import { sampleAccessToken } from "@postern/core/testing"
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest"
import { migrations } from "../../packages/adapter-sqlite/src/database/schema.ts"
import { freePort, type RunningServer, start } from "../support/server.ts"
import { Surfer } from "../support/surfer.ts"
import { authorizeUrl, codeFor, config, machineToken, post, redeem, refresh, tokensFor, userinfo } from "./life.ts"
import { posternLine as postern } from "./lines.ts"
import { patience } from "./run.ts"

// Each test starts processes, some several.
vi.setConfig({ testTimeout: 2 * patience })

const running = new Set<RunningServer>()
afterEach(async () => {
  for (const server of running) await server.stop("SIGKILL")
  running.clear()
})

/** A provider's folder, and what is done with it. */
const setting = async () => {
  const cwd = mkdtempSync(join(tmpdir(), "postern-backup-"))
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  writeFileSync(join(cwd, "postern.json"), JSON.stringify({ issuer: url, development: true, listen: { port }, data: "data", ...config }))
  const database = join(cwd, "data", "postern.sqlite")
  const serve = async (): Promise<RunningServer> => {
    const server = await start(["serve"], url, cwd)
    running.add(server)
    return server
  }
  const stop = async (server: RunningServer): Promise<void> => {
    expect(await server.stop()).toBe(0)
    running.delete(server)
  }
  return { cwd, url, database, serve, stop, run: (...args: ReadonlyArray<string>) => postern(args, { cwd }) }
}

const digestOf = (path: string): string => createHash("sha256").update(readFileSync(path)).digest("hex")

/** A database of some 12 MB, so that a copy takes several steps, without a server. */
const fill = (path: string): void => {
  const stores = sqliteStores(path)
  for (let part = 0; part < 4; part++)
    void stores.tokens.commit(
      Array.from({ length: 15_000 }, (_, each): Command =>
        saveAccessToken(sampleAccessToken(part * 15_000 + each, { keepUntil: 9_999_999_999 })),
      ),
    )
  void stores.close()
}

describe("postern backup", () => {
  it("copies a database while a server writes to it: sound, whole, and with everything that was answered before", async () => {
    const { cwd, url, database, serve, run } = await setting()
    fill(database)
    await serve()
    let [answered, stopped] = [0, false]
    const loops = 8
    const load = Promise.all(
      Array.from({ length: loops }, async () => {
        while (!stopped) if ((await machineToken(url)).status === 200) answered++
      }),
    )
    while (answered < 200) await new Promise((next) => setImmediate(next))
    const before = answered
    const { code, out } = await run("backup", "copy.backup")
    const after = answered
    stopped = true
    await load
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^✓ \S+copy\.backup, \d+\.\d MiB: the database as it was at .*, checked page by page$/m),
    ])
    // More than were under way when it began: those that were sent meanwhile were answered, however busy the machine is.
    expect(after).toBeGreaterThan(before + loops)
    expect(readdirSync(cwd).sort()).toEqual(["copy.backup", "data", "postern.json"])
    expect(statSync(join(cwd, "copy.backup")).mode & 0o777).toBe(0o600)
    const copy = new Sqlite(join(cwd, "copy.backup"), { readonly: true })
    expect(copy.pragma("integrity_check", { simple: true })).toBe("ok")
    const kept = Number(copy.prepare("SELECT count(*) FROM access_tokens").pluck().get()) - 60_000
    copy.close()
    expect(kept).toBeGreaterThanOrEqual(before)
    expect(kept).toBeLessThanOrEqual(answered)
  })

  it("replaces a backup with --force alone, and a database never", async () => {
    const { cwd, database, run } = await setting()
    void sqliteStores(database).close()
    expect(await run("backup", "copy.backup")).toMatchObject({ code: 0 })
    const first = digestOf(join(cwd, "copy.backup"))
    expect(await run("backup", "copy.backup")).toEqual({
      code: 1,
      out: "",
      err: "postern: copy.backup already exists\n  give another name, or --force to replace it\n",
    })
    expect(digestOf(join(cwd, "copy.backup"))).toBe(first)
    const { code, out } = await run("backup", "copy.backup", "--force", "--json")
    expect(code).toBe(0)
    expect(JSON.parse(out)).toEqual({
      file: join(cwd, "copy.backup"),
      bytes: statSync(join(cwd, "copy.backup")).size,
      taken_at: expect.any(Number),
      schema: migrations.length,
      keys: 0,
      keys_sealed: 0,
      noted: true,
    })
    void sqliteStores(join(cwd, "other.sqlite")).close()
    for (const file of ["data/postern.sqlite", "other.sqlite"])
      expect(await run("backup", file, "--force")).toMatchObject({ code: 1, err: expect.stringContaining("name another file") })
  })

  it("says in a line what is wrong, and leaves nothing behind", async () => {
    const { cwd, database, run } = await setting()
    expect(await run("backup", "copy.backup")).toMatchObject({ code: 1, err: expect.stringContaining("there is no database at") })
    fill(database)
    const nowhere = await run("backup", "nowhere/copy.backup")
    expect(nowhere.code).toBe(1)
    expect(nowhere.err).toMatch(
      /^postern: \S+nowhere\/copy\.backup: the backup cannot be written; check that its folder is there .*\(ENOENT\)\n$/,
    )
    truncateSync(database, statSync(database).size - 40_960)
    const damaged = await run("backup", "copy.backup")
    expect(damaged.code).toBe(1)
    expect(damaged.err).toMatch(/^postern: \S+: the file is damaged; restore it from a backup.*\n$/)
    expect(readdirSync(cwd).sort()).toEqual(["data", "postern.json"])
  })
})

describe("postern restore", () => {
  it("everything that was good when the copy was taken is dead afterwards: spent, rotated and revoked since, or not", async () => {
    const { cwd, url, database, serve, stop, run } = await setting()
    const first = await serve()
    const alice = new Surfer()
    const [code, rotated, revoked, idle] = [
      await codeFor(url, "web", alice),
      await tokensFor(url, "web", alice),
      await tokensFor(url, "web", alice),
      await tokensFor(url, "app", alice),
    ]
    const machine = await machineToken(url)
    expect((await run("backup", "copy.backup")).code).toBe(0)

    const spent = await redeem(url, "web", code)
    const successor = await refresh(url, "web", rotated["refresh_token"])
    const later = await tokensFor(url, "app", alice)
    expect([spent.status, successor.status]).toEqual([200, 200])
    expect((await post(url, "/connect/revocation", "web", { token: String(revoked["refresh_token"]) })).status).toBe(200)
    expect(await userinfo(url, idle["access_token"])).toBe(200)
    const jwks = async (): Promise<ReadonlyArray<string>> => {
      const response = await fetch(`${url}/.well-known/openid-configuration/jwks`)
      return ((await response.json()) as { keys: ReadonlyArray<{ kid: string }> }).keys.map(({ kid }) => kid)
    }
    const kids = await jwks()

    const served = digestOf(database)
    expect(await run("restore", "copy.backup", "--force")).toMatchObject({
      code: 1,
      err: expect.stringContaining("a process has it open; stop the provider that serves it first"),
    })
    expect(digestOf(database)).toBe(served)
    await stop(first)
    expect(await run("restore", "copy.backup")).toMatchObject({ code: 1, err: expect.stringContaining("give --force to replace it") })
    const { code: exit, out } = await run("restore", "copy.backup", "--force")
    expect(exit).toBe(0)
    expect(out).toContain("  Revoked: 4 grants with 3 refresh tokens, ")
    expect(out).toContain("  Ended: 1 session. Forgotten: 2 consents.\n  Removed: 4 codes, 0 devices, ")

    const second = await serve()
    for (const answer of [
      await redeem(url, "web", code),
      await refresh(url, "web", rotated["refresh_token"]),
      await refresh(url, "web", successor.json["refresh_token"]),
      await refresh(url, "web", revoked["refresh_token"]),
      await refresh(url, "app", idle["refresh_token"]),
      await refresh(url, "app", later["refresh_token"]),
      await refresh(url, "web", spent.json["refresh_token"]),
    ])
      expect([answer.status, answer.json["error"]]).toEqual([400, "invalid_grant"])
    // Looked up and signed ones, of grants before the copy and after it.
    for (const tokens of [rotated, revoked, idle, later, spent.json, successor.json])
      expect(await userinfo(url, tokens["access_token"])).toBe(401)
    const introspected = await post(url, "/connect/introspect", "api", { token: String(machine.json["access_token"]) })
    expect(introspected.json).toEqual({ active: false })
    const silent = await alice.follow(authorizeUrl(url, "web", { prompt: "none" }))
    expect(new URL(silent.url).searchParams.get("error")).toBe("login_required")

    expect(await jwks()).toEqual(expect.arrayContaining([...kids]))
    expect((await jwks()).length).toBe(2 * kids.length)
    const fresh = new Surfer()
    const consent = await fresh.follow(authorizeUrl(url, "web"))
    const asked = await fresh.submit(await consent.response.text(), consent.url, { username: "alice", password: "correct horse battery" })
    expect(await asked.response.text()).toContain('id="consent-allow"')
    expect((await redeem(url, "web", await codeFor(url, "web", fresh))).status).toBe(200)
    await stop(second)

    const aside = readdirSync(join(cwd, "data")).find((name) => name.endsWith(".aside")) ?? "none"
    expect(await run("serve", "--data", join("data", aside))).toMatchObject({ code: 1 })
    expect(await run("restore", join("data", aside), "--data", "third.sqlite", "--keep-sessions")).toMatchObject({ code: 0 })
  })

  it("--keep-sessions carries everything over but codes, and refuses where anything was written since", async () => {
    const { cwd, url, serve, stop, run } = await setting()
    const first = await serve()
    const alice = new Surfer()
    const tokens = await tokensFor(url, "web", alice)
    const code = await codeFor(url, "web", alice)
    await stop(first)
    expect((await run("backup", "copy.backup")).code).toBe(0)
    expect(await run("restore", "copy.backup", "--force", "--keep-sessions")).toMatchObject({
      code: 0,
      out: expect.stringContaining("Sessions, tokens, consents and keys were kept."),
    })
    const second = await serve()
    expect((await redeem(url, "web", code)).json["error"]).toBe("invalid_grant")
    expect(await userinfo(url, tokens["access_token"])).toBe(200)
    const successor = await refresh(url, "web", tokens["refresh_token"])
    expect(successor.status).toBe(200)
    const silent = await alice.follow(authorizeUrl(url, "web", { prompt: "none" }))
    expect(new URL(silent.url).searchParams.get("code")).toMatch(/^c_/)
    await stop(second)
    const before = digestOf(join(cwd, "data", "postern.sqlite"))
    expect(await run("restore", "copy.backup", "--force", "--keep-sessions")).toMatchObject({
      code: 1,
      err: expect.stringContaining("was written to after the copy was taken"),
    })
    expect(digestOf(join(cwd, "data", "postern.sqlite"))).toBe(before)
  })

  it("--keep-consents asks nobody again for what they consented to", async () => {
    const { url, serve, stop, run } = await setting()
    const first = await serve()
    await tokensFor(url, "web")
    await stop(first)
    expect((await run("backup", "copy.backup")).code).toBe(0)
    const { out } = await run("restore", "copy.backup", "--force", "--keep-consents", "--json")
    expect(JSON.parse(out)).toMatchObject({ revoked: { grants: 1 }, ended: { sessions: 1 }, removed: { consents: 0 } })
    await serve()
    const surfer = new Surfer()
    const login = await surfer.follow(authorizeUrl(url, "web"))
    const back = await surfer.submit(await login.response.text(), login.url, { username: "alice", password: "correct horse battery" })
    expect(new URL(back.url).origin).toBe("https://app.example")
  })

  it("a backup copied into a database's place is not served: it has to be restored", async () => {
    const { cwd, database, run } = await setting()
    void sqliteStores(database).close()
    expect((await run("backup", "copy.backup")).code).toBe(0)
    copyFileSync(join(cwd, "copy.backup"), database)
    for (const suffix of ["-wal", "-shm"]) rmSync(database + suffix, { force: true })
    expect(await run("serve")).toMatchObject({ code: 1, err: expect.stringContaining("this is a backup, not a database to serve") })
    expect(await run("restore", "copy.backup", "--force")).toMatchObject({ code: 0 })
    expect(await run("user", "list")).toMatchObject({ code: 0 })
  })

  it("a backup that will not do is refused, and the database left as it is", async () => {
    const { cwd, database, run } = await setting()
    fill(database)
    const copy = join(cwd, "copy.backup")
    expect((await run("backup", "copy.backup")).code).toBe(0)
    const sound = readFileSync(copy)
    const before = digestOf(database)
    const zeroed = Buffer.from(sound)
    zeroed.fill(0, 20 * 4096, 21 * 4096)
    const newer = Buffer.from(sound)
    newer.writeUInt32BE(99, 60)
    const foreign = Buffer.from(sound)
    foreign.writeUInt32BE(7, 68)
    for (const [content, said] of [
      [sound.subarray(0, sound.length - 4096 * 10), "the backup is damaged; restore an earlier one"],
      [zeroed, "the backup is damaged; restore an earlier one"],
      [newer, "its schema is version 99"],
      [foreign, "this is no backup of Postern"],
      [Buffer.from("not a database"), "this is no backup of Postern"],
      [Buffer.alloc(0), "this is no backup of Postern"],
    ] as const) {
      writeFileSync(copy, content)
      const { code, out, err } = await run("restore", "copy.backup", "--force")
      expect([code, out, err]).toEqual([1, "", expect.stringContaining(said)])
      expect(err.split("\n").length).toBe(2)
    }
    expect(await run("restore", "nowhere.backup", "--force")).toMatchObject({ code: 1, err: expect.stringContaining("cannot be read") })
    expect(digestOf(database)).toBe(before)
    expect(readdirSync(join(cwd, "data")).filter((name) => /\.(new|aside)/.test(name))).toEqual([])
  })

  it("takes the place of a damaged database, and sets it aside with its log", async () => {
    const { cwd, database, run } = await setting()
    void sqliteStores(database).close()
    expect((await run("backup", "copy.backup")).code).toBe(0)
    writeFileSync(database, Buffer.alloc(50_000, "x"))
    writeFileSync(`${database}-wal`, "y")
    expect(await run("restore", "copy.backup", "--force")).toMatchObject({ code: 0 })
    expect(await run("user", "list")).toMatchObject({ code: 0 })
    const aside = readdirSync(join(cwd, "data")).filter((name) => name.includes(".aside"))
    expect(aside.map((name) => name.replace(/\d{8}-\d{6}/, "AT")).sort()).toEqual([
      "postern.sqlite.AT.aside",
      "postern.sqlite.AT.aside-wal",
    ])
    expect(statSync(join(cwd, "data", aside.find((name) => name.endsWith("aside")) ?? "")).size).toBe(50_000)
  })

  it("makes the first database of a machine without --force, whatever log lay there", async () => {
    const { cwd, database, run } = await setting()
    void sqliteStores(database).close()
    expect((await run("backup", "copy.backup")).code).toBe(0)
    mkdirSync(join(cwd, "moved"))
    writeFileSync(join(cwd, "moved", "postern.sqlite-wal"), "the log of a database that is gone")
    expect(await run("restore", "copy.backup", "--data", "moved", "--keep-sessions")).toMatchObject({ code: 0 })
    expect(statSync(join(cwd, "moved", "postern.sqlite")).mode & 0o777).toBe(0o600)
    expect(existsSync(join(cwd, "moved", "postern.sqlite-wal"))).toBe(false)
  })
})
