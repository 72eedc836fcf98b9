import { spawn } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { type Report, requirementsOf } from "@postern/conformance"
import { posternLine } from "../cli/lines.ts"
import { folder, type Ran, start } from "../cli/run.ts"
import { serve } from "../cli/running.ts"
import { freePort } from "../support/server.ts"
import { configurationAt, crossing, keeping, person, readJson, takingMessages, tellingPerson } from "./ownServer.ts"

vi.setConfig({ testTimeout: 240_000 })

const here = fileURLToPath(new URL("peers/", import.meta.url))

/** A folder with the clients of every role, and the file about them. */
const prepared = async (pages: string) => {
  const { cwd, remove } = folder(null)
  onTestFinished(remove)
  expect((await posternLine(["conform", "--prepare", "."], { cwd })).code).toBe(0)
  tellingPerson(cwd, pages)
  return cwd
}

/** A server of ours with the clients of a folder, and with settings that it had not when they were registered. */
const served = async (cwd: string, more: object, later: object = {}): Promise<string> => {
  const issuer = `http://127.0.0.1:${await freePort()}`
  const configuration = configurationAt(issuer, more)
  writeFileSync(join(cwd, "postern.json"), JSON.stringify(configuration), { mode: 0o600 })
  const imported = await posternLine(["client", "import", "clients.json"], { cwd })
  expect([imported.code, imported.code === 0 ? "" : imported.err]).toEqual([0, ""])
  writeFileSync(join(cwd, "postern.json"), JSON.stringify({ ...configuration, ...later }))
  await serve({ cwd })
  return issuer
}

/** Runs every requirement against an issuer, and reads the report. */
const conform = async (cwd: string, issuer: string, ...more: ReadonlyArray<string>): Promise<Ran & { readonly report: Report }> => {
  const args = [
    "conform",
    issuer,
    "--client-file",
    "client-file.json",
    "--allow-write",
    "--rate",
    "500",
    "--format",
    "json",
    "--out",
    "report.json",
    ...more,
  ]
  const child = start(args, { cwd })
  onTestFinished(() => void child.kill("SIGKILL"))
  const ran = { out: "", err: "" }
  child.stdout.setEncoding("utf8").on("data", (text: string) => (ran.out += text))
  child.stderr.setEncoding("utf8").on("data", (text: string) => (ran.err += text))
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve))
  return { code, ...ran, report: readJson<Report>(join(cwd, "report.json")) }
}

const wrong = ({ results }: Report) =>
  results
    .filter(({ verdict }) => ["fail", "warn", "inconclusive"].includes(verdict))
    .map(({ requirement, verdict, reason }) => [requirement.id, verdict, reason])

/** Starts oidc-provider with the clients of a folder. */
const oidcProvider = async (port: number, cwd: string, ...more: ReadonlyArray<string>): Promise<void> => {
  const peer = spawn(process.execPath, [join(here, "oidcProvider.mjs"), String(port), join(cwd, "clients.json"), ...more], {
    stdio: ["ignore", "pipe", "ignore"],
  })
  onTestFinished(() => void peer.kill("SIGKILL"))
  await new Promise<void>((resolve, reject) => {
    peer.stdout.setEncoding("utf8").on("data", (text: string) => (text.includes("listening") ? resolve() : undefined))
    peer.once("close", () => reject(new Error("oidc-provider ended")))
  })
}

describe("postern conform over HTTP", () => {
  it("finds nothing wrong with a server of ours, and tries everything that needs no control of time", async () => {
    const cwd = await prepared("postern")
    takingMessages(cwd, await freePort())
    const issuer = await served(cwd, { grants: { token_exchange: true, id_jag: crossing(cwd) } })
    const { code, err, report } = await conform(cwd, issuer)
    expect([code, wrong(report)]).toEqual([0, []])
    const skipped = report.results.filter(({ verdict }) => verdict === "skip")
    const others = skipped.filter(({ reason }) => reason !== "the target's clock is not under control")
    expect(others.map(({ requirement, reason }) => [requirement.id, reason])).toEqual([
      ["authorize.response-type-profile", "no client of the role older is known"],
    ])
    expect(err).toMatch(/\d+ pass, \d+ skip, \d+ not applicable in /)
    // These sets are met whole, but for what needs control of time.
    for (const name of ["oidc-dynamic", "oidc-logout-2026-11", "mcp-2026-07-28", "fapi2-2025-02", "fapi2-ms", "ciba", "rfc9396"]) {
      const ids = new Set(requirementsOf(name)?.map(({ id }) => id))
      const theirs = report.results.filter(({ requirement }) => ids.has(requirement.id))
      expect([
        name,
        theirs.length,
        theirs.filter(({ verdict }) => verdict === "not applicable").map(({ requirement }) => requirement.id),
      ]).toEqual([name, ids.size, []])
    }
    // No secret of any client, and no password, stands in the report.
    const text = readFileSync(join(cwd, "report.json"), "utf8")
    const { clients } = readJson<{ readonly clients: ReadonlyArray<{ readonly client_secret?: string }> }>(join(cwd, "clients.json"))
    for (const hidden of [person.password, ...clients.flatMap(({ client_secret }) => client_secret ?? [])])
      expect(text).not.toContain(hidden)
  })

  it("finds nothing wrong with a server of ours that is held to the profile mcp (MCP of 2026-07-28)", async () => {
    const cwd = await prepared("postern")
    // Clients that this profile admits, of the roles that the set uses.
    const roles = ["web", "other", "post", "public", "signing", "mac"]
    keeping(cwd, (role) => roles.includes(role))
    const issuer = await served(cwd, { profile: "mcp" })
    const { code, report } = await conform(cwd, issuer, "--requirements", "mcp-2026-07-28")
    expect([code, wrong(report)]).toEqual([0, []])
    expect(report.results.filter(({ requirement, verdict }) => requirement.id.startsWith("document.") && verdict !== "pass")).toEqual([])
  })

  it("finds nothing wrong with a server of ours that holds clients to OAuth 2.1 since they were registered", async () => {
    const cwd = await prepared("postern")
    keeping(cwd, (role) => role === "hybrid")
    const file = join(cwd, "client-file.json")
    const known = readJson<{ readonly clients: { readonly hybrid: object } }>(file)
    writeFileSync(file, JSON.stringify({ ...known, clients: { older: known.clients.hybrid } }))
    const issuer = await served(cwd, {}, { profile: "oauth2.1" })
    const { code, report } = await conform(cwd, issuer, "--only", "authorize.response-type-profile")
    expect([code, report.results.map(({ verdict }) => verdict)]).toEqual([0, ["pass"]])
  })

  it("finds of oidc-provider what docs/testing.md explains, and nothing else", async () => {
    const cwd = await prepared("oidc-provider")
    // It holds no client of this configuration to a profile of FAPI.
    keeping(cwd, (role) => role !== "fapi" && role !== "messages")
    const port = await freePort()
    await oidcProvider(port, cwd)
    const file = join(here, "oidc-provider.expected.json")
    const { code, report } = await conform(cwd, `http://127.0.0.1:${port}`, "--expected", file)
    const failed = report.results
      .filter(({ verdict }) => verdict === "fail" || verdict === "inconclusive")
      .map(({ requirement }) => requirement.id)
    expect(failed.toSorted()).toEqual(
      readJson<ReadonlyArray<{ readonly id: string }>>(file)
        .map(({ id }) => id)
        .toSorted(),
    )
    expect(code).toBe(0)
    const docs = readFileSync(fileURLToPath(new URL("../../docs/testing.md", import.meta.url)), "utf8")
    for (const [id] of wrong(report)) expect(docs).toContain(`\`${String(id)}\``)
  })

  it("registers the clients it lacks where the provider offers that, and deletes them at the end (RFC 7591 §3, RFC 7592 §2.3)", async () => {
    const cwd = await prepared("oidc-provider")
    const port = await freePort()
    await oidcProvider(port, cwd, "registration")
    writeFileSync(join(cwd, "client-file.json"), JSON.stringify({ clients: {}, person, pages: "oidc-provider" }))
    const { err, report } = await conform(cwd, `http://127.0.0.1:${port}`, "--only", "code", "--only", "client")
    // It does not know `profile`: the two clients that it does not hold to theirs are not used, and deleted like the others.
    expect(err).toMatch(/^registered 15 clients; 17 are deleted at the end$/m)
    for (const role of ["fapi", "messages"])
      expect(err).toMatch(new RegExp(`^the provider did not register a client for the role ${role}: its profile [\\w-]+ was ignored$`, "m"))
    expect(report.results.filter(({ verdict }) => verdict === "pass").length).toBeGreaterThan(25)
    expect(report.results.filter(({ reason }) => reason === "no client of the role web is known")).toEqual([])
  })
})
