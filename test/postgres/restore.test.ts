import { execFileSync } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { openDatabase } from "@postern/adapter-postgres"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { connect } from "../../packages/adapter-postgres/src/database/connect.ts"
import { authorizeUrl, config, machineToken, post, refresh, tokensFor, userinfo } from "../cli/life.ts"
import { posternLine } from "../cli/lines.ts"
import { patience } from "../cli/run.ts"
import { closing, postgresServer } from "../support/postgres.ts"
import { freePort, type RunningServer, start } from "../support/server.ts"
import { Surfer } from "../support/surfer.ts"

vi.setConfig({ testTimeout: 2 * patience, hookTimeout: patience })

/** The newest of Debian's PostgreSQL that has the programs for a dump, as the npm package has not. */
const debian = (): string | undefined => {
  const versions = "/usr/lib/postgresql"
  if (!existsSync(versions)) return undefined
  return readdirSync(versions)
    .sort((left, right) => Number(right) - Number(left))
    .map((version) => join(versions, version, "bin"))
    .find((folder) => ["initdb", "postgres", "pg_dump", "pg_restore"].every((program) => existsSync(join(folder, program))))
}
const programs = debian()

/** Copies what is in one database, as it is now; the answer puts it into another. */
type Dump = (from: string) => Promise<(to: string) => Promise<void>>

const dumped: Dump = async (from) => {
  const folder = mkdtempSync(join(tmpdir(), "postern-dump-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, "postern.dump")
  execFileSync(join(programs ?? "", "pg_dump"), ["--format=custom", "--schema=postern", `--file=${file}`, from])
  return async (to) => void execFileSync(join(programs ?? "", "pg_restore"), [`--dbname=${to}`, "--exit-on-error", file])
}

const tables =
  "grants codes access_tokens refresh_tokens sessions interactions devices attempts consents clients users identities signing_keys"

/** Writes rows as pg_dump and pg_restore do: each into a table that was made anew. */
const copied: Dump = async (from) => {
  const source = await connect(from)
  const content: Array<readonly [table: string, rows: unknown]> = []
  for (const table of [...tables.split(" "), "revisions"]) {
    const [[rows] = []] = await source.read("copy", `SELECT coalesce(jsonb_agg(to_jsonb(t)), '[]')::text FROM postern.${table} t`)
    content.push([table, rows])
  }
  await source.close()
  return async (to) => {
    const target = await openDatabase(to)
    await target.write("empty", "DELETE FROM postern.revisions")
    for (const [table, rows] of content)
      await target.write(
        "copy",
        `INSERT INTO postern.${table} SELECT * FROM jsonb_populate_recordset(NULL::postern.${table}, $1::text::jsonb)`,
        [rows],
      )
    await target.close()
  }
}

const ways: ReadonlyArray<readonly [how: string, folder: string | undefined, dump: Dump]> = [
  ...(programs === undefined ? [] : [["pg_dump and pg_restore", programs, dumped] as const]),
  ["a copy of every row into new tables", undefined, copied],
]

describe.each(ways)("a PostgreSQL database restored by %s", (_how, folder, dump) => {
  const server = postgresServer(folder)

  const setting = async () => {
    const cwd = mkdtempSync(join(tmpdir(), "postern-restore-"))
    onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const into = (data: string): void =>
      writeFileSync(join(cwd, "postern.json"), JSON.stringify({ issuer: url, development: true, listen: { port }, data, ...config }))
    const serve = async (): Promise<RunningServer> => {
      const running = await start(["serve"], url, cwd)
      onTestFinished(() => void running.process.kill("SIGKILL"))
      return running
    }
    return { url, into, serve, run: (...args: ReadonlyArray<string>) => posternLine(args, { cwd }) }
  }

  it("is not served before the invalidation, and after it nothing spent, rotated or revoked since the dump comes back (R15)", async () => {
    const { url, into, serve, run } = await setting()
    const before = await (await server()).database()
    into(before)
    const first = await serve()
    const browser = new Surfer()
    const [rotated, revoked, jwt] = [await tokensFor(url, "web", browser), await tokensFor(url, "web"), await tokensFor(url, "app")]
    const restoreInto = await dump(before)
    const [machine, since] = [await machineToken(url), await refresh(url, "web", rotated["refresh_token"])]
    expect([machine.status, since.status]).toEqual([200, 200])
    expect((await post(url, "/connect/revocation", "web", { token: String(revoked["refresh_token"]) })).status).toBe(200)
    expect(await first.stop()).toBe(0)

    const after = await (await server()).database()
    await restoreInto(after)
    into(after)
    const refusal = expect.stringMatching(/it was restored from a dump, .*; run `postern restore --invalidate` first/)
    expect(await run("serve")).toMatchObject({ code: 1, err: refusal })
    expect(await run("user", "list")).toMatchObject({ code: 1, err: refusal })
    const { code, out } = await run("restore", "--invalidate", "--json")
    expect(code).toBe(0)
    expect(JSON.parse(out)).toEqual({
      place: expect.stringContaining("/test_2"),
      revoked: { grants: 3, refresh_tokens: 3, reference_tokens: 2 },
      ended: { sessions: 3 },
      removed: { consents: 2, codes: 3, devices: 0, interactions: expect.any(Number) },
      keys: [expect.objectContaining({ alg: "RS256" }), expect.objectContaining({ alg: "ES256" })],
    })

    await serve()
    for (const token of [rotated, revoked]) expect(await refresh(url, "web", token["refresh_token"])).toMatchObject({ status: 400 })
    expect([await userinfo(url, rotated["access_token"]), await userinfo(url, jwt["access_token"])]).toEqual([401, 401])
    const silent = await browser.follow(authorizeUrl(url, "web", { prompt: "none" }))
    expect(new URL(silent.url).searchParams.get("error")).toBe("login_required")
    expect(await userinfo(url, (await tokensFor(url, "web"))["access_token"])).toBe(200)
  })

  it("is refused while a provider is connected, and one that was not restored too, unless forced", async () => {
    const { url, into, serve, run } = await setting()
    const before = await (await server()).database()
    into(before)
    const running = await serve()
    expect(await run("restore", "--invalidate")).toMatchObject({
      code: 1,
      err: expect.stringContaining("does not look restored from a dump"),
    })
    const { access_token: token } = await tokensFor(url, "web")
    const restoreInto = await dump(before)
    expect(await running.stop()).toBe(0)
    const after = await (await server()).database()
    await restoreInto(after)
    into(after)
    const other = closing(await connect(after, { connections: 1 }))
    await other.read("look", "SELECT 1")
    expect(await run("restore", "--invalidate")).toMatchObject({ code: 1, err: expect.stringContaining("a provider is connected to it") })
    await other.close()
    expect(await run("restore", "--invalidate", "--keep-sessions")).toMatchObject({
      code: 0,
      out: expect.stringMatching(/✓ postgres:\S+ is ready to serve\n {2}Sessions, tokens, consents and keys were kept\.\n/),
    })
    const again = await serve()
    expect(await userinfo(url, token)).toBe(200)
    // A copy of the server's files cannot be told from the database itself.
    expect(await run("restore", "--invalidate", "--force")).toMatchObject({ code: 0, out: expect.stringContaining("Revoked: 1 grant") })
    expect(await userinfo(url, token)).toBe(401)
    expect(await again.stop()).toBe(0)
  })
})

describe("postern restore and PostgreSQL", () => {
  const server = postgresServer()

  it("takes no file, and says what does", async () => {
    const folder = mkdtempSync(join(tmpdir(), "postern-restore-"))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const data = await (await server()).database()
    const run = (...args: ReadonlyArray<string>) => posternLine(args, { cwd: folder })
    expect(await run("restore", "postern.backup", "--data", data)).toMatchObject({
      code: 1,
      err: expect.stringContaining("restore it with pg_restore, and then: postern restore --invalidate"),
    })
    expect(await run("restore", "postern.backup", "--invalidate", "--data", data)).toMatchObject({ code: 2 })
    expect(await run("restore", "--invalidate", "--data", "here")).toMatchObject({
      code: 2,
      err: expect.stringContaining("for a PostgreSQL database"),
    })
    expect(await run("restore", "--data", "here")).toMatchObject({ code: 2, err: expect.stringContaining("no backup given") })
    expect(await run("backup", "x", "--data", data)).toMatchObject({ code: 1, err: expect.stringContaining("pg_dump") })
    expect(await run("restore", "--invalidate", "--data", data)).toMatchObject({
      code: 1,
      err: expect.stringContaining("nothing of Postern's in it"),
    })
  })
})
