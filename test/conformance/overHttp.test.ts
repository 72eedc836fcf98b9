import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { type Report, requirementsOf } from "@postern/conformance"
import { folder, postern, type Ran, start } from "../cli/run.ts"
import { serve } from "../cli/running.ts"
import { freePort } from "../support/server.ts"

vi.setConfig({ testTimeout: 240_000 })

const here = fileURLToPath(new URL("peers/", import.meta.url))
const person = { username: "alice", password: "correct horse battery staple" }

const readJson = <A>(file: string): A => JSON.parse(readFileSync(file, "utf8")) as A

/** A folder with the clients of every role, and the file about them. */
const prepared = async (pages: string) => {
  const { cwd, remove } = folder(null)
  onTestFinished(remove)
  expect((await postern(["conform", "--prepare", "."], { cwd })).code).toBe(0)
  const file = join(cwd, "client-file.json")
  writeFileSync(file, JSON.stringify({ ...readJson<object>(file), person, pages }))
  return cwd
}

/** Has a client of a folder reach another authorization server, and another identity provider reach it by its key; gives the settings of ID-JAGs. */
const crossing = (cwd: string): object => {
  type Client = Readonly<Record<string, unknown>> & { readonly client_id: string }
  const path = join(cwd, "client-file.json")
  const file = readJson<{ readonly clients: Readonly<Record<string, Client>> }>(path)
  const { crossing: own, signing } = file.clients
  const { d: _d, ...key } = (signing?.["key"] ?? {}) as Readonly<Record<string, unknown>>
  const [id_jag_audience, id_jag_issuer] = ["https://as.conformance.test", "https://idp.conformance.test"]
  const told = { ...own, key: signing?.["key"], id_jag_audience, id_jag_issuer }
  writeFileSync(path, JSON.stringify({ ...file, clients: { ...file.clients, crossing: told } }))
  return {
    authorization_servers: [{ issuer: id_jag_audience, scope: "other.read", clients: { [own?.client_id ?? ""]: { client_id: "there" } } }],
    identity_providers: [{ issuer: id_jag_issuer, jwks: { keys: [key] } }],
  }
}

/** The members by which clients say where they take messages, by role. */
const takes: Readonly<Record<string, string>> = {
  web: "backchannel_logout_uri",
  other: "backchannel_logout_uri",
  ping: "backchannel_client_notification_endpoint",
  push: "backchannel_client_notification_endpoint",
}

/** Has clients of a folder take logout tokens, and results of CIBA requests, at a port of this machine. */
const takingMessages = (cwd: string, port: number): void => {
  type Clients = ReadonlyArray<Readonly<Record<string, unknown>>>
  const of = (role: string): object => (takes[role] === undefined ? {} : { [takes[role]]: `http://127.0.0.1:${port}/${role}` })
  const { clients } = readJson<{ readonly clients: Clients }>(join(cwd, "clients.json"))
  const told = clients.map((each) => ({ ...each, ...of(String(each["client_id"]).replace("conformance-", "")) }))
  writeFileSync(join(cwd, "clients.json"), JSON.stringify({ clients: told }))
  const file = readJson<{ readonly clients: Readonly<Record<string, object>> }>(join(cwd, "client-file.json"))
  const known = Object.fromEntries(Object.entries(file.clients).map(([role, client]) => [role, { ...client, ...of(role) }]))
  writeFileSync(join(cwd, "client-file.json"), JSON.stringify({ ...file, clients: known }))
}

/** Leaves the clients of other roles out of a folder. */
const keeping = (cwd: string, isKept: (role: string) => boolean): void => {
  const { clients } = readJson<{ readonly clients: ReadonlyArray<{ readonly client_id: string }> }>(join(cwd, "clients.json"))
  const kept = clients.filter(({ client_id }) => isKept(client_id.replace("conformance-", "")))
  writeFileSync(join(cwd, "clients.json"), JSON.stringify({ clients: kept }))
  const file = readJson<{ readonly clients: Readonly<Record<string, object>> }>(join(cwd, "client-file.json"))
  const known = Object.fromEntries(Object.entries(file.clients).filter(([role]) => isKept(role)))
  writeFileSync(join(cwd, "client-file.json"), JSON.stringify({ ...file, clients: known }))
}

/** The configuration that docs/testing.md gives a provider of ours for all clients. */
const documented = (): object => {
  const page = readFileSync(fileURLToPath(new URL("../../docs/testing.md", import.meta.url)), "utf8")
  const block = [...page.matchAll(/```json\n(.*?)```/gs)].map(([, text = ""]) => text).find((text) => text.includes("metadata_documents"))
  return JSON.parse(block ?? "{}") as object
}

const secret = (): string => randomBytes(32).toString("base64")

/** A server of ours with the clients of a folder. */
const served = async (cwd: string, more: object): Promise<string> => {
  const port = await freePort()
  const config = {
    ...documented(),
    issuer: `http://127.0.0.1:${port}`,
    development: true,
    listen: { port },
    registration: { open: true },
    pairwise_salt: secret(),
    key_encryption_key: secret(),
    users: [
      {
        ...person,
        claims: {
          name: "Alice Ant",
          email: "alice@example.com",
          email_verified: true,
          phone_number: "+43 1 5550100",
          address: { locality: "Vienna" },
        },
      },
    ],
    ...more,
  }
  writeFileSync(join(cwd, "postern.json"), JSON.stringify(config), { mode: 0o600 })
  const imported = await postern(["client", "import", "clients.json"], { cwd })
  expect([imported.code, imported.code === 0 ? "" : imported.err]).toEqual([0, ""])
  await serve({ cwd })
  return config.issuer
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
    expect(others.map(({ requirement, reason }) => [requirement.id, reason])).toEqual([])
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
    expect(err).toMatch(/^registered 14 clients; 16 are deleted at the end$/m)
    for (const role of ["fapi", "messages"])
      expect(err).toMatch(new RegExp(`^the provider registers no client of the role ${role}: its profile [\\w-]+ was ignored$`, "m"))
    expect(report.results.filter(({ verdict }) => verdict === "pass").length).toBeGreaterThan(25)
    expect(report.results.filter(({ reason }) => reason === "no client of the role web is known")).toEqual([])
  })
})
